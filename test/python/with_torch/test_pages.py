"""Python in README and docs/ runs as it stands: the blocks of a page in order, as one program in a process of its own.

A block that is not run has a comment in the line before its fence, which says why: <!-- not run: it needs a GPU -->.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?:<!-- not run: (?P<reason>.+) -->\n)?```python\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def program(text):
    """The blocks of a page at its own lines, so that a traceback names those; "" where it has none."""
    lines = []
    for block in BLOCK.finditer(text):
        if not block["reason"]:
            lines += [""] * (text.count("\n", 0, block.start("code")) - len(lines))
            lines += block["code"].splitlines()
    return "\n".join(lines)


PROGRAMS = {str(page.relative_to(ROOT)): code for page in PAGES if (code := program(page.read_text()))}


@pytest.mark.parametrize("page", PROGRAMS)
def test_runs_as_typed(package, tmp_path, page):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "page.py").write_text(PROGRAMS[page])
    done = subprocess.run([sys.executable, "-W", "ignore", "page.py"], capture_output=True, text=True, check=False,
                          cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr


def test_blocks_are_found():
    assert len(PROGRAMS) >= 5
    page = ("a\n```python\nx = 1\n```\n\n<!-- not run: it takes a GPU -->\n```python\nx = 2\n```\n"
            "```python\nx = 3\n```\n")
    assert program(page) == "\n\nx = 1\n\n\n\n\n\n\n\nx = 3"
    assert program("<!-- not run:  -->\n```python\nx\n```\n") == "\n\nx", "a mark has a reason"
