"""The output of the demo that README shows: what `./dev docs` writes, and the tests compare."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- demo: begin (./dev docs writes this) -->\n```\n", "```\n<!-- demo: end -->"
# Text that differs between runs or machines: times, rates, ratios of times, errors, threads.
VARIES = [(r" *[\d.]+ ms", " # ms"), (r" *[\d.]+ GFLOP/s", " # GFLOP/s"),
          (r"[\d.]+ times as fast", "# times as fast"), (r"\d\.\de-\d\d", "#"), (r"\d+ threads? +", "# threads ")]


class DemoFailed(Exception):
    """A demo that ended with an error, or a README without its place."""


def output(tools):
    """Standard output of `./dev demo` without options and without a GPU. tools: the folder of the built ones."""
    with tempfile.TemporaryDirectory() as folder:
        # A folder that comes first in PATH: an nvidia-smi that lists nothing.
        absent = Path(folder) / "nvidia-smi"
        absent.write_text("#!/bin/sh\nexit 1\n")
        absent.chmod(0o755)
        path = os.pathsep.join([folder, str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run([sys.executable, ROOT / "examples" / "demo.py", "--output-dir", f"{folder}/demo"],
                              env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DemoFailed(done.stderr.strip())
        return done.stdout.replace(f"{folder}/demo", "build/demo")


def masked(text):
    """The text without what varies."""
    for pattern, replacement in VARIES:
        text = re.sub(pattern, replacement, text)
    return text


def shown(page):
    """The output that a page shows."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise DemoFailed("expected README.md to have both markers of the demo's output once")
    return page[page.index(BEGIN) + len(BEGIN):page.index(END)]


def stale(page, text):
    """Whether a page shows another output than `text`, but for what varies."""
    return masked(shown(page)) != masked(text)


def replace(page, text):
    """The page with this output, if it shows another one."""
    return page.replace(BEGIN + shown(page) + END, BEGIN + text + END) if stale(page, text) else page
