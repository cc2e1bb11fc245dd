"""bsr_attention on a Hopper GPU against the double-precision Reference."""

import dataclasses
import json

import numpy as np
import pytest

from bsr_attention_cases import Case, arguments, cases, dropout_cases, operands, parts_cases, program


def gpu_cases():
    """The cases, and f32, in tf32 and as it is."""
    found = cases() + dropout_cases()
    for block in ((16, 16), (64, 64), (128, 128)):
        for precision in ("tf32", ""):
            found.append(Case(f"{precision or 'ieee'}-{block[0]}x{block[1]}", dtype="f32", precision=precision, block=block))
    return found


def run(sparse_run, case, folder, *options):
    arrays = operands(case)
    path = folder / "program.mlir"
    path.write_text(program(case, arrays))
    return sparse_run("--target=cuda", "--json", *options, path, *arguments(case, arrays, folder))


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("case", gpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(sparse_run, case, how, tmp_path):
    # tf32 has 10 bits of mantissa.
    tolerance = ["--tolerance=2e-3"] if case.precision else []
    done = run(sparse_run, case, tmp_path, "--check", f"--{how}", *tolerance)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


def result_of(sparse_run, case, folder, *options):
    path = folder / "result.npy"
    done = run(sparse_run, case, folder, f"--out={path}", *options)
    assert done.returncode == 0, done.stderr
    return np.load(path).view(operands(case)["out"].dtype).astype(np.float32)


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("case", parts_cases(), ids=lambda case: case.name)
def test_parts_of_block_rows_combine_to_them(sparse_run, case, how, tmp_path):
    parts = result_of(sparse_run, case, tmp_path, f"--{how}")
    whole = result_of(sparse_run, dataclasses.replace(case, cuts=0), tmp_path, f"--{how}")
    np.testing.assert_array_equal(np.isnan(parts), np.isnan(whole))
    if whole.size:
        assert np.nanmax(np.abs(parts - whole), initial=0) <= 0.02 * np.nanmax(np.abs(whole), initial=1e-6)


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("block, tile", [(64, (64, 128, 64)), (128, (128, 128, 128)), (128, (64, 128, 64))],
                         ids=lambda value: str(value))
def test_parts_of_parameters_agree_with_reference(sparse_run, block, tile, how, tmp_path):
    """Rows of all 32 blocks among those of few, in parts of 8 or more."""
    if "sm_80" in how:
        tile = (64, 128, 32)
    case = Case("planned", block=(block, block), blocks=(16, 32), columns=(128, 128), density=0.15, pattern="skewed",
                batches=((), (3,), (3,), (3,), (3,)), tile=tile, split_k=512)
    done = run(sparse_run, case, tmp_path, "--check", f"--{how}", "--launches=5")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dropout", [-1, 0.25])
def test_result_is_written_everywhere(sparse_run, dropout, tmp_path):
    """`out`, which holds NaN before, is finite after, and the same in every run of a schedule."""
    case = Case("poisoned", blocks=(16, 16), columns=(128, 128), dropout=dropout)
    results = []
    for how in ("specialized", "specialized", "plain"):
        out = tmp_path / "result.npy"
        done = run(sparse_run, case, tmp_path, f"--out={out}", f"--schedule={how}")
        assert done.returncode == 0, done.stderr
        results.append(np.load(out).view(operands(case)["out"].dtype).astype(np.float32))
    assert np.isfinite(results[0]).all()
    assert results[0].tobytes() == results[1].tobytes()
    assert np.abs(results[0] - results[2]).max() <= 0.03 * np.abs(results[0]).max()


def test_many_launches(sparse_run, tmp_path):
    case = dataclasses.replace(Case("many"), blocks=(32, 32), columns=(128, 128), density=0.2)
    done = run(sparse_run, case, tmp_path, "--check", "--launches=20")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [64, 128])
def test_heads_at_size(sparse_run, block, tmp_path):
    """16 heads with masks of their own, some of whose rows are long: persistent tiles, longest first."""
    case = Case("heads", block=(block, block), blocks=(2048 // block,) * 2, columns=(128, 128), density=0.1,
                batches=((16,),) * 5)
    done = run(sparse_run, case, tmp_path, "--check")
    assert done.returncode == 0, done.stderr
