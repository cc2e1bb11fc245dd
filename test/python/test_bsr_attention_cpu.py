"""bsr_attention on the CPU against the Reference and NumPy, and the ops that it decomposes into against it."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from bsr_attention_cases import Case, arguments, cases, dropout_cases, operands, parts_cases, program  # noqa: E402

TOLERANCES = {"f64": 1e-13, "f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}


def cpu_cases():
    """The GPU's cases, and f32, which is IEEE."""
    found = cases() + dropout_cases()
    for block in ((8, 16), (24, 48), (64, 64), (128, 32)):
        found.append(Case(f"f32-{block[0]}x{block[1]}", dtype="f32", block=block, columns=(40, 72)))
    found.append(Case("f32-dropout", dtype="f32", dropout=0.3))
    # No f32 has the scales and the probability: the tolerance is of f64.
    for block in ((8, 16), (24, 48), (64, 64), (128, 32)):
        found.append(Case(f"f64-{block[0]}x{block[1]}", dtype="f64", block=block, columns=(40, 72), scale=0.1))
    for scale in (-0.1, 0.0, "0.1", "-0.1", "0.0"):
        found.append(Case(f"f64-scale-{scale!r}", dtype="f64", block=(16, 16), scale=scale))
    for change in ("infinite_scores", "large_scores"):
        found.append(Case(f"f64-{change}", dtype="f64", change=change))
    found += [Case("f64-dropout", dtype="f64", dropout=0.3), Case("f64-empty-rows", dtype="f64", pattern="empty_rows"),
              Case("f64-static", dtype="f64", static=True, scale=0.1),
              Case("f64-batches", dtype="f64", batches=((), (), (3,), (3,), (3,))),
              Case("f64-wide", dtype="f64", columns=(300, 500))]
    return found


def run(tools, case, folder, *options, text=None):
    arrays = operands(case)
    (folder / "program.mlir").write_text(text or program(case, arrays))
    done = subprocess.run([tools / "sparse-run", "--target=cpu", "--json", *options, folder / "program.mlir",
                           *arguments(case, arrays, folder)], capture_output=True, text=True, check=False)
    return done, arrays


def result_of(tools, case, folder, text=None):
    path = folder / "result.npy"
    done, arrays = run(tools, case, folder, f"--out={path}", text=text)
    assert done.returncode == 0, done.stderr
    result = np.load(path)
    return (result if result.dtype.kind == "f" else result.view(arrays["out"].dtype)).astype(np.float64), arrays


def decomposed(tools, case, folder):
    path = folder / "fused.mlir"
    path.write_text(program(case, operands(case)))
    done = subprocess.run([tools / "sparse-opt", path, "--sattn-decompose"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "bsr_attention" not in done.stdout
    return done.stdout


def expected_of(case, arrays, keep=1):
    """The expected result of one batch; `keep`: the factors of the weights."""
    rows = np.repeat(np.arange(case.blocks[0]), np.diff(arrays["crow"]))
    count = np.zeros(case.blocks)
    np.add.at(count, (rows, arrays["col"]), 1)
    count = np.kron(count, np.ones(case.block))
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    scores = float(case.scale) * (q @ k.T)
    scores[count == 0] = -np.inf
    weights = count * np.exp(scores - np.maximum(scores.max(1, keepdims=True), -1e300))
    total = weights.sum(1, keepdims=True)
    return keep * weights / np.where(total == 0, 1, total) @ v


def close(result, expected, dtype):
    assert np.abs(result - expected).max() <= TOLERANCES[dtype] * max(np.abs(expected).max(), 1e-30)


@pytest.mark.share(6)
@pytest.mark.parametrize("case", cpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(built_tools, case, tmp_path):
    # The rounding of a score of a thousand is what its power changes by.
    options = ["--tolerance=1e-12"] if case.name == "f64-large_scores" else []
    done, _ = run(built_tools, case, tmp_path, "--check", *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


@pytest.mark.parametrize("case", [
    Case("random", dtype="f32", block=(8, 16), columns=(24, 40)), Case("unsorted-full", dtype="f32", pattern="full"),
    Case("duplicates", dtype="f32", block=(16, 16), pattern="duplicates", density=1.5),
    Case("negative", dtype="f32", block=(16, 16), scale=-0.5)], ids=lambda case: case.name)
def test_is_attention_at_the_blocks(built_tools, case, tmp_path):
    result, arrays = result_of(built_tools, case, tmp_path)
    close(result, expected_of(case, arrays), "f32")


def test_rows_without_a_key_are_zero(built_tools, tmp_path):
    result, arrays = result_of(built_tools, Case("", pattern="empty_rows"), tmp_path)
    assert np.diff(arrays["crow"]).tolist() == [0, 5, 0, 0]
    assert not result[:64].any() and result[64:128].any() and not result[128:].any()
    result, _ = result_of(built_tools, Case("", change="infinite_scores"), tmp_path)
    assert not result[1].any() and result[2].any() and np.isfinite(result).all()


def test_all_blocks_are_dense_attention(built_tools, tmp_path):
    case = Case("", dtype="f32", pattern="full", columns=(32, 48))
    result, arrays = result_of(built_tools, case, tmp_path)
    scores = 0.125 * arrays["q"].astype(float) @ arrays["k"].T
    weights = np.exp(scores - scores.max(1, keepdims=True))
    close(result, weights / weights.sum(1, keepdims=True) @ arrays["v"], "f32")


def philox(column, row, batch, offset, seed):
    """The first word of Philox4x32-10, of arrays that broadcast."""
    mask, words = np.uint64(0xFFFFFFFF), [np.asarray(word, np.uint64) for word in (column, row, batch, offset)]
    key = [seed % 2**32, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        first, second = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [second >> np.uint64(32) ^ words[1] ^ np.uint64(key[0]), second & mask,
                 first >> np.uint64(32) ^ words[3] ^ np.uint64(key[1]), first & mask]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return words[0]


def test_dropout_is_philox_of_the_place(built_tools, tmp_path):
    """The same weights are kept whatever the tile is, and as many as the probability says."""
    case = Case("", dtype="f32", block=(64, 64), columns=(16, 16), dropout=0.25, pattern="full", random=(-5, 7))
    m, n = 4 * 64, 5 * 64
    word = philox(np.arange(n)[None], np.arange(m)[:, None], 0, 7, -5)
    kept = (word >> np.uint64(8)) / 2**24 >= 0.25
    assert abs(kept.mean() - 0.75) < 0.01
    result, arrays = result_of(built_tools, case, tmp_path)
    close(result, expected_of(case, arrays, kept / 0.75), "f32")
    for tile in ((32, 16, 16), (8, 16, 64)):
        other, _ = result_of(built_tools, dataclasses.replace(case, tile=tile), tmp_path)
        close(other, result, "f32")


@pytest.mark.share(6)
@pytest.mark.parametrize("case", [*parts_cases(), Case("parts-f32", dtype="f32", cuts=5, pattern="skewed")],
                         ids=lambda case: case.name)
def test_parts_of_block_rows_combine_to_them(built_tools, case, tmp_path):
    parts, _ = result_of(built_tools, case, tmp_path)
    whole, _ = result_of(built_tools, dataclasses.replace(case, cuts=0), tmp_path)
    np.testing.assert_array_equal(np.isnan(parts), np.isnan(whole))
    if whole.size:
        close(np.nan_to_num(parts), np.nan_to_num(whole), case.dtype)


AGREE = ["plain", "duplicates", "empty-rows", "window", "batch-2d", "shared-mask", "scale-negative", "infinite-scores",
         "f16-24x48", "dropout-plain", "dropout-batch-2d", "dropout-duplicates", "dropout-all"]


@pytest.mark.parametrize("case", [case for case in cases() + dropout_cases() if case.name in AGREE],
                         ids=lambda case: case.name)
def test_agrees_with_its_decomposition(built_tools, case, tmp_path):
    fused, arrays = result_of(built_tools, case, tmp_path)
    parts, _ = result_of(built_tools, case, tmp_path, decomposed(built_tools, case, tmp_path))
    close(parts, fused, case.dtype)


def test_agrees_with_its_decomposition_in_f32(built_tools, tmp_path):
    for case in (Case("", dtype="f32"), Case("", dtype="f32", dropout=0.5)):
        fused, _ = result_of(built_tools, case, tmp_path)
        parts, _ = result_of(built_tools, case, tmp_path, decomposed(built_tools, case, tmp_path))
        close(parts, fused, "f32")


def test_agrees_with_its_decomposition_in_f64(built_tools, tmp_path):
    for case in (Case("", dtype="f64", scale=-0.1), Case("", dtype="f64", dropout=0.3, pattern="empty_rows")):
        fused, _ = result_of(built_tools, case, tmp_path)
        parts, _ = result_of(built_tools, case, tmp_path, decomposed(built_tools, case, tmp_path))
        close(parts, fused, "f64")


@pytest.mark.parametrize("change, message", [
    ({"col": lambda a: a.fill(7)}, "expected block columns in [0, 5), but got 7"),
    ({"crow": lambda a: a.fill(100)}, "expected offsets in [0, "),
], ids=["column", "offset"])
def test_refuses_wrong_indices(built_tools, tmp_path, change, message):
    case = Case("")
    arrays = operands(case)
    for name, function in change.items():
        function(arrays[name])
    (tmp_path / "program.mlir").write_text(program(case, arrays))
    done = subprocess.run([built_tools / "sparse-run", "--target=cpu", tmp_path / "program.mlir",
                           *arguments(case, arrays, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize("name, shape, message", [
    ("q", (255, 64), "dimension 0 (M) to be a multiple of the block's 64 rows, but got 255"),
    ("k", (300, 64), "dimension 0 (N) to be a multiple of the block's 64 columns, but got 300"),
    ("v", (256, 64), "dimension 0 (N) to be 320 (as in argument 'k'), but got 256"),
    ("out", (192, 64), "dimension 0 (M) to be 256 (as in argument 'q'), but got 192"),
    ("crow", (4,), "dimension 0 (offsets) to be 5 (M / 64 + 1), but got 4"), ("random", (3,), "2"),
])
def test_refuses_extents(built_tools, tmp_path, name, shape, message):
    case = Case("", dropout=0.5)
    arrays = operands(case)
    text = program(case, arrays)
    arrays[name] = np.zeros(shape, arrays[name].dtype)
    (tmp_path / "program.mlir").write_text(text)
    done = subprocess.run([built_tools / "sparse-run", "--target=cpu", tmp_path / "program.mlir",
                           *arguments(case, arrays, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"argument '{name}': expected {message}" in done.stderr if name != "random" else message in done.stderr
