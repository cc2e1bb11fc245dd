"""scatter_mm on the CPU against the Reference, and the Reference against NumPy."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from scatter_cases import FORMATS, Case, arguments, cases, operands, program  # noqa: E402


def cpu_cases():
    """The GPU's cases, and f32, which is IEEE."""
    found = cases()
    for format in FORMATS:
        for block in ((1, 1), (2, 3), (15, 15), (16, 16), (64, 64), (72, 100)):
            found.append(Case(f"{format}-f32-{block[0]}x{block[1]}", format=format, dtype="f32", block=block, n=40))
            found.append(Case(f"{format}-f64-{block[0]}x{block[1]}", format=format, dtype="f64", block=block, n=40))
        found.append(Case(f"{format}-bf16-result-of-f32", format=format, dtype="f32", out="bf16"))
    return found


def run(tools, case, arrays, folder, *options):
    (folder / "program.mlir").write_text(program(case, arrays))
    return subprocess.run([tools / "sparse-run", "--target=cpu", "--json", *options, folder / "program.mlir",
                           *arguments(case, arrays, folder)], capture_output=True, text=True, check=False)


@pytest.mark.share(6)
@pytest.mark.parametrize("case", cpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(built_tools, case, tmp_path):
    done = run(built_tools, case, operands(case), tmp_path, "--check")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


def in_numpy(case, arrays):
    """PyTorch's definition of each format, on matrices in place of grids, in double precision."""
    (bm, bk), n, across = case.block, case.n, case.across
    blocks, offsets, q = arrays["blocks"].astype(float), arrays["offsets"], arrays["q"]
    if case.format == "scatter_mm":
        result = arrays["out"].astype(float)
        for r in range(len(offsets) - 1):
            for g in range(offsets[r], offsets[r + 1]):
                result[r] += blocks[arrays["p"][g]] @ arrays["others"][q[g]].astype(float)
        return result
    width = across * n
    others = arrays["others"].astype(float).swapaxes(-3, -2).reshape(*case.batch, case.other * bk, width)
    sums = arrays["out"].astype(float).swapaxes(-3, -2).reshape(*case.batch, case.down * bm, width)
    for i, r in enumerate(arrays["r"]):
        r0, r1 = divmod(r, width)
        m, h = r0 // bm, r1 // n
        row = i if "p" in arrays else m
        begin, end = offsets[row], offsets[row + 1]
        for g in range(begin, end):
            p, at = (arrays["p"][g], g) if "p" in arrays else (g, h * end + (across - h) * begin + g - begin)
            q0, q1 = divmod(q[at], width)
            sums[..., r0:r0 + bm, r1:r1 + n] += blocks[p] @ others[..., q0:q0 + bk, q1:q1 + n]
    return sums.reshape(*case.batch, case.down, bm, across, n).swapaxes(-3, -2)


@pytest.mark.parametrize("case", [
    *(Case(f"{format}-{batch}", format=format, dtype="f32", block=(3, 5), n=7, batch=batch, pattern="window")
      for format in FORMATS for batch in ((), (2,)) if not (batch and format == "scatter_mm"))], ids=lambda case: case.name)
def test_is_what_pytorch_defines(built_tools, case, tmp_path):
    arrays = operands(case)
    done = run(built_tools, case, arrays, tmp_path, f"--out={tmp_path / 'result.npy'}")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "result.npy"), in_numpy(case, arrays), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pattern", ["none", "few"])
def test_matrices_without_pairs_keep_every_bit(built_tools, tmp_path, pattern):
    case = Case("", dtype="f32", block=(8, 8), n=16, pattern=pattern, density=1.0)
    arrays = operands(case)
    arrays["out"][...] = -0.0
    done = run(built_tools, case, arrays, tmp_path, f"--out={tmp_path / 'result.npy'}")
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "result.npy").reshape(case.down * case.across, -1)
    written = set((arrays["r"] // case.n // (8 * case.across)) * case.across + arrays["r"] // case.n % case.across)
    assert pattern == "none" or 0 < len(written) < len(result)
    for i, matrix in enumerate(result):
        if pattern == "none" or i not in written:
            assert (matrix == 0).all() and np.signbit(matrix).all()
        else:
            assert (matrix != 0).any()


def set_at(name, position, value):
    def change(arrays):
        arrays[name][position] = value
    return change


@pytest.mark.parametrize("format, change, message", [
    ("scatter_mm", set_at("p", 0, 99), "expected blocks in [0, "),
    ("scatter_mm", set_at("q", 0, -1), "expected matrices of others in [0, 15), but got -1 at [0]"),
    ("scatter_mm", set_at("offsets", -1, 999), "the number of pairs, but got 999 at [12]"),
    ("bsr_strided_mm", set_at("q", 0, 1), "in a grid of 5 x 3 such matrices, but got 1 at [0]"),
    ("bsr_strided_mm", set_at("r", 1, 128 * 3), "expected offsets of matrices of 64 x 128 in a grid of 4 x 3"),
    ("bsr_strided_mm", lambda a: a["r"].fill(128), "expected offsets that differ, but got 128 at [0] and at [1]"),
    ("bsr_strided_mm_compressed", set_at("offsets", -1, 999), "expected offsets of blocks in [0, "),
    ("bsr_strided_mm_compressed", set_at("offsets", 0, 99), "expected offsets"),
    ("bsr_strided_mm_compressed", set_at("q", 0, 5 * 64 * 3 * 128), "in a grid of 5 x 3 such matrices, but got 122880"),
])
def test_refuses_wrong_indices(built_tools, tmp_path, format, change, message):
    case = Case("", format=format, density=0.9)
    arrays = operands(case)
    change(arrays)
    done = run(built_tools, case, arrays, tmp_path)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize("format, name, length, message", [
    ("scatter_mm", "p", -1, "pairs"),
    ("scatter_mm", "offsets", -1, "expected dimension 0 (offsets) to be 13 (the entries + 1), but got 12"),
    ("bsr_strided_mm", "r", -1, "offsets"),
    ("bsr_strided_mm_compressed", "offsets", -1, "expected dimension 0 (offsets) to be 5 (the rows of matrices + 1), but got 4"),
    ("bsr_strided_mm_compressed", "q", -1, "expected"),
])
def test_refuses_lists_that_do_not_fit(built_tools, tmp_path, format, name, length, message):
    case = Case("", format=format, density=0.9)
    arrays = operands(case)
    arrays[name] = arrays[name][:length]
    done = run(built_tools, case, arrays, tmp_path)
    assert done.returncode != 0
    assert message in done.stderr
