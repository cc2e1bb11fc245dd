"""scripts/torch_flex_tests.py on a file in the style of PyTorch's, where PyTorch is installed; what it says of errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tvm_ffi")
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "torch_flex_tests.py"


def run(libraries, *arguments):
    environment = {**os.environ, "SATTN_LIBRARIES": str(libraries)}
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, env=environment)


def test_the_table(built_tools):
    """What fails does so in sattn: doubles and gradients PyTorch's own function takes."""
    pytest.importorskip("torch")
    pytest.importorskip("expecttest")
    libraries, file = built_tools.parent / "lib", Path(__file__).parent / "torch_style_flex_tests.py"
    done = run(libraries, file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "| result | tests | why | one of them |", "|---|---:|---|---|",
        "| passed | 3 |  | test_decorator_cpu |",
        "| failed | 1 | expects an error that sattn does not raise | test_that_nothing_is_raised_cpu |",
        "| failed | 1 | has elements of another type than f16, bf16 and f32 | test_doubles_cpu |",
        "| failed | 1 | needs gradients, which sattn has not | test_gradients_cpu |",
        "| failed | 1 | results differ | test_a_difference_cpu |",
        "| skipped | 1 | needs another machine | test_skipped_cpu |"]
    listed = run(libraries, file, "--match", "mask", "--list")
    assert listed.stdout.splitlines()[0] == "passed   test_mask_cpu" and "| passed | 1 |" in listed.stdout
    nothing = run(libraries, file, "--match", "nonsense")
    assert nothing.returncode == 1 and "expected tests, but found none that match" in nothing.stderr


def test_a_file_that_is_not_there():
    done = run("", "nowhere.py")
    assert done.returncode == 2 and "expected a test file of PyTorch, but found none at nowhere.py" in done.stderr


def test_reasons(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import torch_flex_tests

    reason_of = torch_flex_tests.reason_of
    assert reason_of(ValueError("argument 'query': expected 1 to 512 columns, but got 513\nmore")) == reason_of(
        ValueError("argument 'query': expected 1 to 512 columns, but got 600"))
    assert reason_of(AssertionError("Tensor-likes are not close!\n3 of 4")) == "results differ"
    assert reason_of(KeyError()) == "KeyError: "
    assert torch_flex_tests.table([("a", "failed", "x | y"), ("b", "passed", ""), ("c", "failed", "x | y")])[2:] == [
        "| passed | 1 |  | b |", "| failed | 2 | x / y | a |"]
