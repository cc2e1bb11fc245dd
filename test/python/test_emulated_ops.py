"""Whole kernels of ops whose factors are f32 in IEEE precision, lowered for a GPU, on the CPU's threads: all but the MMAs."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
import bsr_attention_cases  # noqa: E402
import sampled_cases  # noqa: E402
import scatter_cases  # noqa: E402
from emulation import kernel_of_program  # noqa: E402


def generic(tools, cases, case, folder):
    """(the version for any strides of the case's kernel, its operands)."""
    arrays = cases.operands(case)
    return kernel_of_program(tools, cases.program(case, arrays), "f_generic", folder, "schedule=plain chip=sm_80"), arrays


@pytest.mark.parametrize("block", [(16, 16), (15, 15), (2, 3), (64, 32)])
def test_scatter_mm(emulation_tools, tmp_path, block):
    case = scatter_cases.Case("", format=scatter_cases.FORMATS[0], dtype="f32", block=block)
    kernel, arrays = generic(emulation_tools, scatter_cases, case, tmp_path)
    out, wanted = arrays["out"].copy(), arrays["out"].astype(np.float64)
    offsets = arrays["offsets"]
    for entry, (first, last) in enumerate(zip(offsets, offsets[1:])):
        for pair in range(first, last):
            wanted[entry] += arrays["blocks"][arrays["p"][pair]].astype(np.float64) @ arrays["others"][arrays["q"][pair]]
    kernel(len(out), *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-4)


def lists_of(case, arrays):
    """For each entry where its list begins in q, and its pairs (p, q)."""
    offsets, q, lists = arrays["offsets"], arrays["q"], []
    for entry in range(len(arrays["r"] if "r" in arrays else arrays["out"])):
        if "p" in arrays:
            begin, end = offsets[entry:entry + 2]
            lists.append((begin, list(zip(arrays["p"][begin:end], q[begin:end]))))
            continue
        row, part = divmod(int(arrays["r"][entry]) // case.n, case.block[0] * case.across)
        begin, end = offsets[row:row + 2]
        place = case.across * begin + part * (end - begin)
        lists.append((place, list(zip(range(begin, end), q[place:place + end - begin]))))
    return lists


def merged(lists, count):
    """{place: (q, the p of each list or -1)} of the steps of each group of `count` lists."""
    groups = []
    for first in range(0, len(lists), count):
        members = [*lists[first:first + count], *[(0, [])] * (first + count - len(lists))]
        places = [begin + i for begin, pairs in members for i in range(len(pairs))]
        left, steps = [list(pairs) for _, pairs in members], {}
        while any(left):
            least = min(pairs[0][1] for pairs in left if pairs)
            steps[places[len(steps)]] = (least, *(pairs.pop(0)[0] if pairs and pairs[0][1] == least else -1 for pairs in left))
        groups.append(steps)
    return groups


@pytest.mark.share(4)
@pytest.mark.parametrize("pattern", ["random", "empty_rows", "duplicates", "window", "skewed"])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("format", scatter_cases.FORMATS)
def test_entries_that_share_a_tile(emulation_tools, tmp_path, format, count, pattern):
    """The kernel that merges their lists, then that of their tiles."""
    case = scatter_cases.Case("", format=format, dtype="f32", block=(16, 16), n=24, down=5, across=3, tile=(16 * count, 24, 16),
                              pattern=pattern, index="i64" if count == 3 else "i32", density=0.8 if pattern == "duplicates" else 0.4)
    arrays = scatter_cases.operands(case)
    text = scatter_cases.program(case, arrays)
    options = "schedule=plain chip=sm_80"
    (tmp_path / "merge").mkdir()
    merge = kernel_of_program(emulation_tools, text, "f_merge", tmp_path / "merge", options)
    lists = lists_of(case, arrays)
    entries, index = len(lists), arrays["q"].dtype
    counts = np.full(-(-entries // count), -7, np.int32)
    steps = np.full((len(arrays["q"]), 1 + count), -7, index)
    merge(len(counts), arrays["offsets"], arrays["q"], arrays["p" if "p" in arrays else "r"], counts, steps, case.n, case.across)
    groups = merged(lists, count)
    assert counts.tolist() == [len(group) for group in groups]
    assert all(tuple(steps[place]) == step for group in groups for place, step in group.items())

    kernel = kernel_of_program(emulation_tools, text, "f_generic", tmp_path, options)
    out, wanted = arrays["out"].copy(), arrays["out"].astype(np.float64)
    rows = case.block[0]
    others = arrays["others"].astype(np.float64).reshape(-1, case.across if "r" in arrays else 1, rows, case.n)
    for entry, (_, pairs) in enumerate(lists):
        place = (entry,)
        if "r" in arrays:
            place = divmod(int(arrays["r"][entry]) // case.n, rows * case.across)
        for p, q in pairs:
            other = (q, 0) if "r" not in arrays else divmod(int(q) // case.n, rows * case.across)
            wanted[place] += arrays["blocks"][p].astype(np.float64) @ others[other]
    # The lists themselves are in the steps.
    names = [name for name in case.names[:-1] if name not in ("p", "q")]
    kernel(entries, *(arrays[name] for name in names), out, counts, steps)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-4)


def sampled_of(case, arrays, alpha):
    product = alpha * arrays["mat1"].astype(np.float64) @ arrays["mat2"]
    wanted, (rows, columns) = np.zeros(arrays["out"].shape), case.block
    crow, col = arrays["crow"], arrays["col"]
    for i, (first, last) in enumerate(zip(crow, crow[1:])):
        for place in range(first, last):
            wanted[place] = product[rows * i:rows * (i + 1), columns * col[place]:columns * (col[place] + 1)]
    return wanted


@pytest.mark.share(3)
@pytest.mark.parametrize("pattern", ["random", "empty_rows", "window", "skewed", "empty"])
@pytest.mark.parametrize("count", [2, 4, 32])
def test_runs_of_sampled_addmm(emulation_tools, tmp_path, count, pattern):
    """Tiles of at most `count` stored blocks, one after the other: equal shares of 264 CTAs."""
    case = sampled_cases.Case("", dtype="f32", block=(16, 16), tile=(16, count * 16, 40), shape=(512, 40, 480), alpha="2.0",
                              beta="0.0", pattern=pattern, static_k=True, density=0.9)
    kernel, arrays = generic(emulation_tools, sampled_cases, case, tmp_path)
    out = np.full_like(arrays["out"], np.nan)
    times = max(-(-len(out) // (264 * count)), 1)
    length = max(-(-len(out) // (264 * times)), 1)
    kernel(-(-len(out) // length), *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, sampled_of(case, arrays, 2), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pattern", ["random", "empty_rows", "window"])
@pytest.mark.parametrize("block, count", [((16, 16), 1), ((64, 32), 1), ((16, 16), 4)])
def test_sampled_addmm(emulation_tools, tmp_path, block, count, pattern):
    """With `count` stored blocks a tile."""
    case = sampled_cases.Case("", dtype="f32", block=block, tile=(16, count * block[1], 32), shape=(4 * block[0], 40, 5 * block[1]),
                              alpha="2.0", beta="0.0", pattern=pattern)
    kernel, arrays = generic(emulation_tools, sampled_cases, case, tmp_path)
    out = np.full_like(arrays["out"], np.nan)
    kernel(len(out) * (block[0] // 16), *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, sampled_of(case, arrays, 2), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("block, columns", [((16, 16), (40, 72)), ((64, 32), (64, 64))])
@pytest.mark.parametrize("pattern", ["random", "empty_rows"])
def test_bsr_attention(emulation_tools, tmp_path, block, columns, pattern):
    case = bsr_attention_cases.Case("", dtype="f32", block=block, tile=(block[0], columns[1], block[1]), blocks=(3, 5),
                                    columns=columns, scale="0.125", pattern=pattern)
    kernel, arrays = generic(emulation_tools, bsr_attention_cases, case, tmp_path)
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    visible = np.zeros((3, 5), bool)
    for i, (first, last) in enumerate(zip(arrays["crow"], arrays["crow"][1:])):
        visible[i, arrays["col"][first:last]] = True
    scores = np.where(np.kron(visible, np.ones(block)) != 0, 0.125 * q @ k.T, -np.inf)
    powers = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), -1e300))
    wanted = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300) @ v
    out = np.full_like(arrays["out"], np.nan)
    kernel(len(q) // block[0], *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)
