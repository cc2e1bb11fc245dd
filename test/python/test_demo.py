"""examples/demo.py: its program text, its errors, and the whole of it on small matrices."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse

import demo

PROGRAM = """func.func @f(%values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>) {
  sattn.bsr_addmm {meta = #sattn.meta<tile = [64, 128, 64]>}
"""


@pytest.mark.parametrize("block, dtype", [(16, "f32"), (128, "f16"), (64, "bf16")])
def test_program_text(block, dtype):
    text = demo.program_text(PROGRAM, block, dtype)
    assert f"tensor<?x{block}x{block}x{dtype}>" in text
    assert f"tensor<?x?x{dtype}>" in text
    assert "sattn.bsr_addmm\n" in text


def test_options_of_the_gpu():
    assert demo.gpu_options(demo.parse([])) == ["--device=0"]
    given = demo.parse(["--device", "1", "--meta-table", "t.json"])
    assert demo.gpu_options(given) == ["--device=1", "--meta-table=t.json"]


def test_relative_error():
    reference = np.array([[3.0, 4.0]])
    assert demo.relative_error(np.array([[3.0, 4.5]], np.float32), reference) == pytest.approx(0.1)
    assert demo.relative_error(np.zeros((1, 2), np.float32), np.zeros((1, 2))) == 0


@pytest.mark.parametrize("arguments, message", [
    (["--block", "24"], "invalid choice: 24"),
    (["--columns", "0"], "expected --columns of at least 1, but got 0"),
    (["--dtype", "f8"], "invalid choice: 'f8'"),
])
def test_bad_options(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        demo.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_bad_matrix_stops_before_anything_runs(tmp_path, capsys):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(np.array([[1j]])))
    out = tmp_path / "out"
    assert demo.main(["--matrix", str(tmp_path / "a.npz"), "--output-dir", str(out)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("demo: error: expected real numbers in ")
    assert list(out.iterdir()) == []


def test_huge_matrix_is_refused_before_memory_is_taken(tmp_path, capsys):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n99999999999 2 1\n1 1 1\n")
    assert demo.main(["--matrix", str(path), "--output-dir", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("demo: error: expected dense operands of at most 8 GiB for ")


def test_missing_tool(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.main(["--n", "8", "--output-dir", str(tmp_path)]) == 1
    assert "no command 'sparse-translate'" in capsys.readouterr().err


def run_demo(root, tools, *arguments):
    path = os.pathsep.join([str(tools), os.path.dirname(sys.executable), os.environ["PATH"]])
    return subprocess.run([sys.executable, root / "examples" / "demo.py", "--repeat", "1", *arguments],
                          env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


def table_errors(text):
    """The error column of the table, by row."""
    return {match[1].strip(): float(match[2])
            for match in re.finditer(r"^  (\S.*?) +(\d\.\de[-+]\d\d) +[\d.]+ ms +[\d.]+ GFLOP/s$", text, re.MULTILINE)}


def test_finite_elements_end_to_end(root, built_tools, tmp_path):
    done = run_demo(root, built_tools, "--n", "100", "--columns", "40", "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "bytes of static shared memory" in done.stdout
    assert "empty block rows" in done.stdout
    errors = table_errors(done.stdout)
    assert 0 < next(error for row, error in errors.items() if row.startswith("sattn, CPU")) < 5e-3
    assert errors["SciPy's bsr_array, float32, 1 thread"] < 1e-6
    assert (tmp_path / "bsr_addmm.ptx").stat().st_size > 0
    assert np.load(tmp_path / "out-cpu.npy").dtype.str == "|V2"


@pytest.mark.parametrize("block, dtype, bound", [(16, "f32", 1e-6), (32, "f16", 1e-3), (128, "bf16", 5e-3)])
def test_own_matrix_end_to_end(root, built_tools, tmp_path, block, dtype, bound):
    matrix = sparse.random_array((300, 170), density=0.01, rng=np.random.default_rng(5), format="csc") * 1e6
    sparse.save_npz(tmp_path / "own.npz", matrix)
    done = run_demo(root, built_tools, "--matrix", str(tmp_path / "own.npz"), "--block", str(block), "--dtype", dtype,
                    "--columns", "24", "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    errors = table_errors(done.stdout)
    assert next(error for row, error in errors.items() if row.startswith("sattn, CPU")) < bound


def test_own_matrix_says_what_blocks_cost(root, built_tools, tmp_path):
    scipy.io.mmwrite(tmp_path / "own.mtx", sparse.eye_array(100, 70))
    done = run_demo(root, built_tools, "--matrix", str(tmp_path / "own.mtx"), "--block", "32", "--columns", "8",
                    "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"Blocks of {tmp_path / 'own.mtx'}: 100 x 70, 70 elements" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"[ ->]* \d+ x \d+ +\d+ \+ ", line)]
    assert rows == ["16 x 16 12 + 10 112 x 80 5 5.5 % 18.3".split(), "-> 32 x 32 28 + 26 128 x 96 3 2.3 % 43.9".split(),
                    "64 x 64 28 + 58 128 x 128 2 0.9 % 117.0".split(), "128 x 128 28 + 58 128 x 128 1 0.4 % 234.1".split()]
    assert "A: 128 x 96, block 32 x 32, 3 of 12 blocks stored" in done.stdout
