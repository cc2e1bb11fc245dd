"""Snippets of docs/Python.md run as they stand, one by one, each in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "Python.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", SNIPPETS, ids=range(len(SNIPPETS)))
def test_runs_as_typed(package, code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_are_some():
    assert len(SNIPPETS) >= 4
