"""Attention as tile programs on the CPU, against its definition in float64."""

import dataclasses
import re
import subprocess
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from attention_programs import VARIANTS, Attention, op_program, program  # noqa: E402
from attention_reference import DTYPES, Sizes, attention, operands  # noqa: E402

TOLERANCE = {"f32": 2e-6, "f16": 2e-3, "bf16": 1.6e-2}

SMALL = Attention(block_q=32, block_kv=16, head_dim=32, dtype="f32", lse=True, tail=True)
ODD = Sizes(queries=77, keys=53)


def small(**fields):
    return dataclasses.replace(SMALL, **fields)


CASES = {
    "dense": (small(tail=False), Sizes(queries=64, keys=48)),
    "dense_odd_queries": (small(tail=False, lse=False), Sizes(queries=45, keys=32)),
    "tail": (SMALL, ODD),
    "tail_one_key": (SMALL, Sizes(queries=33, keys=1)),
    "no_keys": (SMALL, Sizes(queries=33, keys=0)),
    "one_query": (SMALL, Sizes(queries=1, keys=100)),
    "causal": (small(causal=True), Sizes(queries=77, keys=77)),
    "causal_whole_blocks": (small(causal=True, tail=False), Sizes(queries=64, keys=64)),
    "causal_more_keys": (small(causal=True), Sizes(queries=40, keys=99)),
    "causal_more_queries": (small(causal=True), Sizes(queries=99, keys=40)),
    "causal_wide_blocks": (small(causal=True, block_q=16, block_kv=64), Sizes(queries=77, keys=77)),
    "window": (small(window=24), Sizes(queries=131, keys=131)),
    "window_1": (small(window=1), Sizes(queries=70, keys=70)),
    "window_of_blocks": (small(window=32, block_q=16), Sizes(queries=128, keys=128)),
    "window_wide": (small(window=200), Sizes(queries=131, keys=131)),
    "window_rows_without_keys": (small(window=20), Sizes(queries=150, keys=40)),
    "list": (small(block_list=True, tail=False), Sizes(queries=100, keys=96)),
    "list_tail": (small(block_list=True), Sizes(queries=100, keys=90)),
    "list_causal": (small(block_list=True, causal=True), Sizes(queries=150, keys=150)),
    "softcap": (small(softcap=2.0), ODD),
    "softcap_causal": (small(softcap=2.0, causal=True), Sizes(queries=77, keys=77)),
    "alibi": (small(alibi=True), ODD),
    "alibi_softcap_window": (small(alibi=True, softcap=3.0, window=20), Sizes(queries=77, keys=77)),
    "batched": (small(batched=True), Sizes(queries=45, keys=50, batch=2)),
    "batched_causal_alibi": (small(batched=True, causal=True, alibi=True), Sizes(queries=50, keys=50, batch=2)),
    "gqa": (small(group=2), Sizes(queries=45, keys=50, heads=4)),
    "gqa_batched_causal": (small(group=2, batched=True, causal=True), Sizes(queries=50, keys=50, heads=4, batch=2)),
    "value_dim": (small(value_dim=48), ODD),
    "d64": (small(block_q=64, block_kv=64, head_dim=64), Sizes(queries=130, keys=200)),
    "d128": (small(block_q=128, block_kv=128, head_dim=128, causal=True), Sizes(queries=200, keys=200)),
    "d256": (small(block_q=128, block_kv=64, head_dim=256), Sizes(queries=130, keys=100)),
    "d80": (small(head_dim=80, causal=True), Sizes(queries=77, keys=77)),
    "f16": (small(dtype="f16"), ODD),
    "f16_causal": (small(dtype="f16", causal=True), Sizes(queries=77, keys=77)),
    "bf16": (small(dtype="bf16"), ODD),
    "bf16_list_causal": (small(dtype="bf16", block_list=True, causal=True), Sizes(queries=150, keys=150)),
    "bf16_alibi_gqa": (small(dtype="bf16", alibi=True, group=2), Sizes(queries=77, keys=53, heads=4)),
}


def passed(value):
    """bf16 has no DLPack in NumPy: uint16 stands for it."""
    return value.view(np.uint16) if getattr(value, "dtype", None) == DTYPES["bf16"] else value


@pytest.mark.share(4)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(sattn, case):
    variant, sizes = CASES[case]
    if DTYPES[variant.dtype] is None:
        pytest.skip("no bf16 in NumPy")
    compiled = sattn.compile(program(variant))
    for seed in range(2):
        arrays = operands(variant, sizes, seed)
        expected, lse = attention(variant, arrays)
        compiled(*map(passed, arrays.values()))
        o = arrays["o"].astype(np.float64)
        assert np.abs(o - expected).max(initial=0) <= TOLERANCE[variant.dtype] * np.abs(expected).max(initial=1)
        assert (o[np.isinf(lse)] == 0).all()
        if variant.lse:
            np.testing.assert_allclose(arrays["lse"], lse, rtol=2e-6, atol=5e-6)


@pytest.mark.share(4)
@pytest.mark.parametrize("variant", VARIANTS)
def test_compiles(built_tools, variant):
    """The programs that GPUs are measured with, in their own tiles."""
    subprocess.run([built_tools / "sparse-opt", "--sattn-to-cpu", "-o", "/dev/null"], input=program(VARIANTS[variant]),
                   text=True, check=True)


def tiled(tools, text):
    """The program after sattn-tile, which the package's compiler takes: it does not know the op."""
    done = subprocess.run([tools / "sattn-test-opt", "--sattn-tile", "--canonicalize", "--cse"], input=text,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "sattn_test" not in done.stdout
    return done.stdout


@pytest.mark.share(3)
@pytest.mark.parametrize("first", [0, 19])
@pytest.mark.parametrize("case", ["dense", "tail", "no_keys", "causal", "causal_more_keys", "causal_more_queries",
                                  "causal_wide_blocks", "value_dim", "d64", "f16_causal", "bf16"])
def test_op(sattn, built_tools, case, first):
    """An op with the same tile program, of queries from `first` on."""
    variant, sizes = CASES[case]
    variant = dataclasses.replace(variant, lse=False)
    if DTYPES[variant.dtype] is None:
        pytest.skip("no bf16 in NumPy")
    arrays = operands(variant, dataclasses.replace(sizes, queries=sizes.queries + first))
    expected = attention(variant, arrays)[0][:, first:]
    arrays["q"], arrays["o"] = arrays["q"][:, first:], arrays["o"][:, first:]
    sattn.compile(tiled(built_tools, op_program(variant, first)))(*map(passed, arrays.values()))
    error = np.abs(arrays["o"].astype(np.float64) - expected).max(initial=0)
    assert error <= TOLERANCE[variant.dtype] * np.abs(expected).max(initial=1)


@pytest.mark.parametrize("causal", [False, True])
def test_op_has_this_tile_program(built_tools, causal):
    """The op computes a block of keys by the same ops as the generated program."""
    variant = Attention(causal=causal, tail=True)
    texts = tiled(built_tools, op_program(variant)), tiled(built_tools, program(variant))
    bodies = [re.findall(r"\b(?:linalg|tensor|arith|math|scf|affine)\.\w+", text.split(" scf.for %")[1])
              for text in (text.split("sattn.block_loop")[0] for text in texts)]
    assert Counter(bodies[0]) == Counter(bodies[1])
    assert bodies[0].count("linalg.generic") > 8


def test_rows_without_keys():
    """The definition itself: what no query sees gives 0 and -inf."""
    variant, sizes = CASES["window_rows_without_keys"]
    o, lse = attention(variant, operands(variant, sizes))
    assert np.isneginf(lse[:, 59:]).all()
    assert np.isfinite(lse[:, :59]).all()
    assert (o[:, 59:] == 0).all()
