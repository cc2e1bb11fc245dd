"""The messages of the package and its build backend in a Python that is too old."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("folder, module", [("python", "sattn"), ("python/packaging", "build_wheel")])
def test_a_sentence(root, folder, module):
    code = f"import sys; sys.version_info, sys.version = (3, 10, 13), '3.10.13 (main)'; import {module}"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(root / folder)}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1
    expected = f"sattn needs Python 3.11 or newer, but got 3.10.13 ({sys.executable})"
    assert done.stderr.splitlines()[-1].endswith(expected)
