"""sattn.warmup, and the log of programs that it reads."""

import functools
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("tvm_ffi")

# Calls with kinds of their own, so that no other test has compiled them.
MODEL = """
import numpy as np, sattn
def model(x):
    crow, col, values = np.arange(5, dtype=np.int32), np.arange(4, dtype=np.int32), np.ones((4, 24, 40), np.float32)
    return sattn.bsr_softmax((crow, col, values)), sattn.bsr_dense_mm((crow, col, values), x)
x = np.ones((160, 7), np.float32)
"""


@pytest.fixture
def run(built_tools, root, tmp_path):
    def run(code, **environment):
        environment = {**os.environ, "SATTN_LIBRARIES": str(built_tools.parent / "lib"), "PYTHONPATH": str(root / "python"),
                       "SATTN_CACHE_DIR": str(tmp_path / "cache"), **environment}
        done = subprocess.run([sys.executable, "-c", MODEL + code], env=environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()
    return run


def test_a_call(run):
    code = """
print(sattn.warmup(lambda: model(x)), sattn.warmup(lambda: model(x)))
before = sattn.cache.info().compilations
model(x)
print(sattn.cache.info().compilations - before)
"""
    assert run(code) == ["2", "0", "0"]
    # Another process finds them on disk.
    assert run(code) == ["0", "0", "0"]


def test_a_log(run, tmp_path):
    log = tmp_path / "programs.jsonl"
    run("model(x); model(x)", SATTN_PROGRAM_LOG=str(log))
    assert len(log.read_text().splitlines()) == 2
    run("model(x)", SATTN_PROGRAM_LOG=str(log))
    assert len(log.read_text().splitlines()) == 4
    code = f"""
print(sattn.warmup(log={str(log)!r}, workers=2))
before = sattn.cache.info().compilations
softmax, product = model(x)
print(sattn.cache.info().compilations - before, sattn.cache.info().kernels, product[0, 0], softmax[2][0, 0, 0])
"""
    found = run(code, SATTN_CACHE_DIR=str(tmp_path / "other"))
    assert found[:3] == ["2", "0", "2"] and found[3] == "40.0" and float(found[4]) == pytest.approx(1 / 40)
    assert run(code, SATTN_CACHE_DIR=str(tmp_path / "other"))[0] == "0"


def test_a_log_that_cannot_be_written_is_a_warning(run, tmp_path):
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model(x)
print(*caught[0].message.args)
"""
    assert " ".join(run(code, SATTN_PROGRAM_LOG=str(tmp_path))) == (
        f"SATTN_PROGRAM_LOG: expected a file to write to, but got '{tmp_path}': Is a directory")


def test_refusals(sattn, tmp_path):
    with pytest.raises(TypeError, match=r"argument 'calls': expected callables without arguments, but got int at 1: write functools"):
        sattn.warmup(functools.partial(len, []), 3)
    with pytest.raises(ValueError, match="argument 'workers': expected a positive number, but got 0"):
        sattn.warmup(workers=0)
    with pytest.raises(OSError):
        sattn.warmup(log=tmp_path / "none")
    with pytest.raises(ZeroDivisionError):
        sattn.warmup(lambda: 1 / 0, lambda: None)
    assert sattn.warmup() == 0


@pytest.mark.parametrize("line, message", [
    ("text", "expected a line that SATTN_PROGRAM_LOG wrote, but got 'text"), ("[1]", "expected a line that SATTN_PROGRAM_LOG wrote"),
    (json.dumps({"text": 1, "options": "", "target": "cpu"}), "expected 'text' and 'options' to be texts"),
    (json.dumps({"text": "", "options": "", "target": -1}), "expected 'target' to be 'cpu' or the number of a CUDA device, but got -1"),
    (json.dumps({"text": "", "options": "", "target": True}), "expected 'target' to be")])
def test_logs_that_are_none(sattn, tmp_path, line, message):
    log = tmp_path / "log"
    log.write_text(f"\n{line}\n")
    with pytest.raises(ValueError) as caught:
        sattn.warmup(log=log)
    assert str(caught.value).startswith(f"{log}:2: {message}")


def test_a_program_that_the_compiler_refuses(sattn, tmp_path):
    log = tmp_path / "log"
    log.write_text(json.dumps({"text": "func.func @f() { sattn.nothing }", "options": "", "target": "cpu"}) + "\n")
    with pytest.raises(NotImplementedError, match="sattn.nothing"):
        sattn.warmup(log=log)
