"""examples/demo.py: its program text, its options, its errors, and the whole of it on small matrices."""

import gzip
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse

import demo
import demo_attention
import demo_options
import matrix_files

PROGRAM = """func.func @f(%values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>) {
  sattn.bsr_addmm {meta = #sattn.meta<tile = [64, 128, 64]>}
"""


@pytest.mark.parametrize("block, dtype", [(16, "f32"), (128, "f16"), (64, "bf16")])
def test_program_text(block, dtype):
    text = demo.program_text(PROGRAM, block, dtype)
    assert f"tensor<?x{block}x{block}x{dtype}>" in text
    assert f"tensor<?x?x{dtype}>" in text
    assert ('sattn.bsr_addmm {precision = "tf32"}\n' if dtype == "f32" else "sattn.bsr_addmm\n") in text


def test_options_of_the_gpu():
    assert demo.gpu_options(demo.parse([])) == ["--device=0"]
    given = demo.parse(["--device", "1", "--meta-table", "t.json"])
    assert demo.gpu_options(given) == ["--device=1", "--meta-table=t.json"]


def test_options_need_no_package(root):
    """Options work in a Python that has nothing but its library."""
    code = "import sys; sys.path.insert(0, 'examples'); import demo_options; demo_options.parse(['--block', 'auto'])"
    subprocess.run([sys.executable, "-S", "-E", "-c", code], cwd=root, check=True)
    assert sorted(demo_options.DTYPES) == sorted(matrix_files.DTYPES)


def test_relative_error():
    reference = np.array([[3.0, 4.0]])
    assert demo.relative_error(np.array([[3.0, 4.5]], np.float32), reference) == pytest.approx(0.1)
    assert demo.relative_error(np.zeros((1, 2), np.float32), np.zeros((1, 2))) == 0


@pytest.mark.parametrize("arguments, message", [
    (["--block", "24"], "invalid choice: 24"),
    (["--columns", "0"], "expected --columns of at least 1, but got 0"),
    (["--length", "-1"], "expected --length of at least 0, but got -1"),
    (["--dtype", "f8"], "invalid choice: 'f8'"),
    (["--size", "100", "64"], "expected --size of positive multiples of 64, but got 100 64"),
    (["--sparsity", "-1"], "expected --sparsity from 0 to 1, but got -1.0"),
    (["--matrix", "none.npz"], "no matrix 'none.npz'"),
    (["--matrix", "a.npz", "--fem"], "not allowed with argument"),
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


def test_nothing_left_by_pruning(tmp_path, capsys):
    assert demo.main(["--sparsity", "1", "--output-dir", str(tmp_path)]) == 1
    assert "expected --sparsity to leave a block of 4096 x 1024 weights, but got 1.0" in capsys.readouterr().err


def test_missing_tool(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.main(["--size", "128", "128", "--columns", "8", "--output-dir", str(tmp_path)]) == 1
    assert "no command 'sparse-translate'" in capsys.readouterr().err


def run_demo(root, *folders_and_arguments, **environment):
    """folders before the first string: of the built tools and others, first on PATH."""
    folders = [str(part) for part in folders_and_arguments if not isinstance(part, str)]
    arguments = [part for part in folders_and_arguments if isinstance(part, str)]
    path = os.pathsep.join([*folders, os.path.dirname(sys.executable), os.environ["PATH"]])
    return subprocess.run([sys.executable, root / "examples" / "demo.py", "--repeat", "1", "--length", "0", *arguments],
                          env={**os.environ, "PATH": path, **environment}, capture_output=True, text=True, check=False)


def table_errors(text):
    """The error column of the table, by row."""
    row = re.compile(r"^  (\S.*?) +(\d\.\de[-+]\d\d) +[\d.]+ ms +[\d.]+ GFLOP +[\d.]+ GFLOP/s$", re.MULTILINE)
    return {match[1].strip(): float(match[2]) for match in row.finditer(text)}


def test_picture_of_a_mask():
    assert demo_attention.picture(demo_attention.visible(64, 16)) == ["+ . . .", "+ + . .", ". + + .", ". . + +"]
    assert demo_attention.picture(demo_attention.visible(40, 40)) == ["+ . .", "# + .", "# # +"]
    assert len(demo_attention.picture(demo_attention.visible(1000, 1))) == 16


@pytest.mark.parametrize("dtype, bound", [("f32", 1e-6), ("f16", 1e-3), ("bf16", 5e-3)])
def test_attention_end_to_end(root, built_tools, tmp_path, dtype, bound):
    done = run_demo(root, built_tools, "--size", "256", "192", "--columns", "8", "--length", "100", "--dtype", dtype,
                    "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    text = done.stdout[done.stdout.index(f"Attention, {dtype}: 4 heads, 100 queries and keys, 64 columns\n"):]
    assert "24 keys before it, 22.0 % of the pairs:\n    + . . . . . .\n    + + . . . . .\n    + + + . ." in text
    errors = table_errors(text)
    assert 0 < next(error for row, error in errors.items() if row.startswith(f"sattn, {dtype}, CPU")) < bound
    assert errors["NumPy, f32, its threads"] < 1e-6


def test_no_attention(root, built_tools, tmp_path):
    done = run_demo(root, built_tools, "--size", "256", "192", "--columns", "8", "--length", "0",
                    "--output-dir", str(tmp_path))
    assert done.returncode == 0 and "Attention" not in done.stdout


class FakeTorch:
    """The part of PyTorch that the demo uses, over NumPy."""

    float32, float16, bfloat16 = np.float32, np.float16, np.float32

    class Tensor(np.ndarray):
        def to(self, device, element=None):
            assert device == "cpu"
            return self if element is None else self.astype(element)

        def float(self):
            return self.astype(np.float32)

        def cpu(self):
            return self

        def numpy(self):
            return np.asarray(self)

    class cuda:
        @staticmethod
        def is_available():
            return False

    class nn:
        class functional:
            @staticmethod
            def scaled_dot_product_attention(q, k, v, attn_mask, scale):
                return demo_attention.attention(q, k, v, attn_mask, scale).view(FakeTorch.Tensor)

    @staticmethod
    def from_numpy(array):
        return array.view(FakeTorch.Tensor)


def test_pytorch_is_a_row_where_it_is_installed(monkeypatch):
    seen = demo_attention.visible(50, 10)
    operands = [np.random.default_rng(0).standard_normal((2, 50, 64)) for _ in "qkv"]
    monkeypatch.setattr(demo_attention.importlib.util, "find_spec", lambda name: None)
    assert demo_attention.torch_rows(operands, seen, 0.125, "f32", on_gpu=True) == []
    monkeypatch.setattr(demo_attention.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "torch", FakeTorch)
    row, = demo_attention.torch_rows(operands, seen, 0.125, "f32", on_gpu=True)
    assert row["where"] == "PyTorch SDPA, f32, CPU" and row["pairs"] == 2500 and row["seconds"] > 0
    np.testing.assert_allclose(row["result"], demo_attention.attention(*operands, seen, 0.125), atol=1e-5)


PEERS = ["SciPy, BSR, f32, 1 thread", "SciPy, CSR, f32, 1 thread", "NumPy, dense, f32, its threads"]
VERDICT = re.compile(r"^(Every stored block is full|A fill of [\d.]+ %: blocks do [\d.]+ times the work of the "
                     r"elements); (use CSR|use a dense product|blocks are [\d.]+ times as fast as CSR)", re.MULTILINE)


@pytest.mark.parametrize("source, name", [
    (["--size", "256", "192"], "weights pruned by the norm of blocks of 64 x 64"),
    (["--fem", "--nodes", "100"], "finite-element stiffness matrix")])
def test_made_matrices_end_to_end(root, built_tools, tmp_path, source, name):
    done = run_demo(root, built_tools, *source, "--columns", "40", "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "bytes of static shared memory" in done.stdout
    assert f"A @ b, bf16: {name}" in done.stdout
    errors = table_errors(done.stdout)
    assert list(errors)[1:] == PEERS
    assert 0 < next(error for row, error in errors.items() if row.startswith("sattn, bf16, CPU")) < 5e-3
    assert max(errors[peer] for peer in PEERS) < 1e-6
    assert VERDICT.search(done.stdout)[1].startswith("Every" if "pruned" in name else "A fill")
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
    assert next(error for row, error in errors.items() if row.startswith(f"sattn, {dtype}, CPU")) < bound


def diagonal(path):
    """A file with ones on the diagonal of a 100 x 70 matrix."""
    scipy.io.mmwrite(path.with_suffix(""), sparse.eye_array(100, 70))
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    return path


@pytest.mark.parametrize("block, chosen", [("32", 32), ("auto", 8)])
def test_own_matrix_says_what_blocks_cost(root, built_tools, tmp_path, block, chosen):
    path = diagonal(tmp_path / "own.mtx.gz")
    # No GPU, whose cheapest block is another.
    (tmp_path / "bin").mkdir()
    nvidia_smi(tmp_path / "bin", 1)
    done = run_demo(root, tmp_path / "bin", built_tools, "--matrix", str(path), "--block", block, "--columns", "8",
                    "--output-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "Blocks of A: 100 x 70, 70 elements" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"[ ->]* \d+ x \d+ +\d+ \+ ", line)]
    costs = [["8", "x", "8", *"4 + 2 104 x 72 9 12.2 % 8.2".split()], "16 x 16 12 + 10 112 x 80 5 5.5 % 18.3".split(),
             "32 x 32 28 + 26 128 x 96 3 2.3 % 43.9".split(), "64 x 64 28 + 58 128 x 128 2 0.9 % 117.0".split(),
             "128 x 128 28 + 58 128 x 128 1 0.4 % 234.1".split()]
    assert rows == [["->", *row] if row[0] == str(chosen) else row for row in costs]
    assert f"block {chosen} x {chosen}, " in done.stdout
    work = {8: "A fill of 12 %: blocks do 8.2 times", 32: "A fill of 2.3 %: blocks do 44 times"}
    assert f"{work[chosen]} the work of the elements; " in done.stdout


def test_a_matrix_that_blocks_do_not_fit_is_told_its_costs(tmp_path, monkeypatch, capsys):
    path = diagonal(tmp_path / "own.mtx.gz")
    monkeypatch.setattr(matrix_files, "MAX_BYTES", 1 << 15)
    assert demo.main(["--matrix", str(path), "--columns", "1", "--output-dir", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "128 x 128" in output.out
    assert "choose smaller ones" in output.err and "or use CSR" in output.err


def nvidia_smi(folder, code):
    """The driver's tool, with a GPU (code 0) or without."""
    (folder / "nvidia-smi").write_text(f"#!/bin/sh\necho 'GPU 0: stand-in'\nexit {code}\n")
    (folder / "nvidia-smi").chmod(0o755)


@pytest.mark.parametrize("dtype, where", [("bf16", "sattn, bf16, "), ("f32", "sattn, tf32, ")])
def test_refusal_of_a_gpu_is_an_error(root, built_tools, tmp_path, dtype, where):
    """The driver lists a GPU, but cannot be opened: the CPU's rows are shown, and the exit code tells."""
    (tmp_path / "bin").mkdir()
    nvidia_smi(tmp_path / "bin", 0)
    done = run_demo(root, tmp_path / "bin", built_tools, "--size", "128", "128", "--columns", "8", "--dtype", dtype,
                    "--output-dir", str(tmp_path), SATTN_LIBCUDA=str(tmp_path / "none.so"))
    assert done.returncode == 1
    assert done.stderr.startswith("demo: error: not run on the GPU: ") and "none.so" in done.stderr
    assert list(table_errors(done.stdout))[1:] == PEERS
    assert where not in done.stdout.replace(f"{where}CPU", "")
