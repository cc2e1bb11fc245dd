"""scripts/torch_flex_tests.py on a file in the style of PyTorch's; what it says of errors."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "torch_flex_tests.py"
ALONE = "; so does PyTorch's own function in this place"


def run(libraries, *arguments):
    environment = {**os.environ, "SATTN_LIBRARIES": str(libraries)}
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, env=environment)


def test_the_table(built_tools, tmp_path):
    """Tests that fail do so in sattn."""
    libraries, file = built_tools.parent / "lib", Path(__file__).parent / "sample_flex_tests.py"
    done = run(libraries, file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "| result | tests | why | one of them |", "|---|---:|---|---|",
        "| passed | 7 |  | test_blocks |", "| passed | 1 | but for what it asks of PyTorch's compiler | test_counters_cpu |",
        "| passed | 1 | calls nothing of sattn's | test_length_cpu |",
        f"| failed | 1 | expects an error that sattn does not raise{ALONE} | test_that_nothing_is_raised_cpu |",
        f"| failed | 1 | results differ{ALONE} | test_a_difference_cpu |",
        "| skipped | 1 | needs another machine | test_skipped_cpu |"]
    listed = run(libraries, file, "--match", "mask", "--list")
    assert listed.stdout.splitlines()[0] == "passed   test_mask_cpu" and "| passed | 1 |" in listed.stdout
    out = tmp_path / "results.json"
    assert "| failed | 1 | AssertionError: Scalars are not equal!" + ALONE in run(
        libraries, file, "--match", "length", "--length", "64", "--out", out).stdout
    found = json.loads(out.read_text())
    (test,) = found.pop("tests")
    assert test.pop("seconds") >= 0 and test == {
        "name": "test_length_cpu", "outcome": "failed", "reason": "AssertionError: Scalars are not equal!" + ALONE,
        "message": "AssertionError: Scalars are not equal!"}
    assert found == {"torch": found["torch"], "source": hashlib.sha256(file.read_bytes()).hexdigest(), "length": 64,
                     "counts": {"failed": 1}}
    assert "| passed | 1 | calls nothing of sattn's | test_length_cpu |" in run(libraries, file, "--again", out).stdout
    nothing = run(libraries, file, "--match", "nonsense")
    assert nothing.returncode == 1 and "expected tests, but found none that match" in nothing.stderr


def test_a_file_that_is_not_there():
    done = run("", "nowhere.py")
    assert done.returncode == 2 and "expected a test file of PyTorch, but found none at nowhere.py" in done.stderr


@pytest.mark.parametrize("part", ["2/2", "1", "3/2", "a/b"])
def test_a_part_that_is_none(part):
    done = run("", Path(__file__).parent / "sample_flex_tests.py", "--part", part)
    assert done.returncode == 2 and f"expected I/N with I below N, but got '{part}'" in done.stderr


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
