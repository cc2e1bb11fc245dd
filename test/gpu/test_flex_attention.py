"""sattn.flex_attention on a GPU, against attention's definition in double precision."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from flex_programs import MASK_MODS, SCORE_MODS, Flex, Sizes, attention, max_scores, operands, program  # noqa: E402
from test_attention import TOLERANCE, on_device  # noqa: E402

sattn = pytest.importorskip("sattn")
torch = pytest.importorskip("torch")

LENGTHS = [1, 63, 65, 127, 129, 1000]
BASE = Flex(head_dim=128, dtype="bf16", tile=None)


def flex(**fields):
    return dataclasses.replace(BASE, **fields)


def same(*lengths):
    return [Sizes(queries=n, keys=n, heads=3, batch=2) for n in lengths]


# From one query, whose heads are one tile, to more than a tile has rows.
PACKED = [Sizes(queries=n, keys=m, heads=8, batch=2) for n, m in ((1, 1), (1, 700), (5, 300), (16, 129), (100, 100))]

CASES = {
    "dense": (flex(), [Sizes(queries=n, keys=m, heads=3, batch=2) for n in LENGTHS for m in (129, n)]
              + [Sizes(queries=5, keys=0)]),
    "causal": (flex(right=0), same(*LENGTHS)),
    "causal_f16": (flex(right=0, dtype="f16"), same(1000)),
    "no_lse": (flex(right=0, lse=False), same(1000)),
    "max_scores": (flex(right=0, max_scores=True), same(129, 1000)),
    "max_scores_alibi": (flex(right=0, score_mod="alibi", max_scores=True), same(1000)),
    "max_scores_negative_scale": (flex(scale_argument=-0.1, max_scores=True), same(300)),
    "max_scores_packed": (flex(packed=8, right=0, max_scores=True), PACKED),
    "rank3": (flex(right=0, rank=3), same(1000)),
    "gqa": (flex(right=0, group=3), [Sizes(queries=500, keys=500, heads=6, batch=2)]),
    "packed": (flex(packed=8, right=0, bottom_right=True), PACKED),
    "packed_d64": (flex(packed=8, head_dim=64), PACKED),
    "packed_d256": (flex(packed=8, head_dim=256, right=0), PACKED),
    "packed_in_groups": (flex(packed=3, group=2, right=0), [Sizes(queries=n, keys=300, heads=12, batch=2) for n in (1, 7, 30)]),
    "packed_window": (flex(packed=4, left=100, right=3), PACKED),
    "packed_lengths": (flex(packed=8, key_lengths=True, right=0, bottom_right=True), PACKED),
    "packed_lists": (flex(packed=8, lists=("partial", "full"), block_size=(128, 128), right=0), PACKED),
    "packed_alibi": (flex(packed=8, score_mod="alibi", right=0), PACKED),
    "packed_bias": (flex(packed=8, score_mod="bias"), PACKED),
    "packed_document": (flex(packed=8, mask_mod="document"), PACKED),
    "packed_padding": (flex(packed=8, mask_mod="padding"), PACKED),
    "packed_by_head": (flex(packed=8, mask_mod="by_head"), PACKED),
    "packed_offset": (flex(packed=8, mask_mod="offset"), PACKED),
    "one_kv_batch": (flex(one_kv_batch=True), same(300)),
    "value_dim": (flex(value_dim=64, right=0), same(300)),
    "d8": (flex(head_dim=8, right=0), same(300)),
    "odd_dims": (flex(head_dim=33, value_dim=5), same(300)),
    "d64": (flex(head_dim=64, right=0), same(127, 1000)),
    # Rows that end inside a row of the swizzle.
    **{f"d{d}": (flex(head_dim=d, right=0), same(127, 1000)) for d in (72, 80, 88, 96, 104, 112, 120)},
    "d80_dense_f16": (flex(head_dim=80, dtype="f16"), same(1000)),
    "d96_alibi": (flex(head_dim=96, score_mod="alibi", right=0), same(500)),
    "d80_lists": (flex(head_dim=80, lists=("partial", "full"), block_size=(128, 128), right=0), same(1000)),
    "d80_gqa": (flex(head_dim=80, group=3), [Sizes(queries=500, keys=500, heads=6, batch=2)]),
    "d72_of_64": (flex(head_dim=72, value_dim=64, right=0), same(300)),
    "d64_of_80": (flex(head_dim=64, value_dim=80, right=0), same(300)),
    "d40_of_80": (flex(head_dim=40, value_dim=80), same(300)),
    "d80_of_96": (flex(head_dim=80, value_dim=96), same(300)),
    "d128_of_72": (flex(head_dim=128, value_dim=72), same(300)),
    "d96_of_200": (flex(head_dim=96, value_dim=200, right=0), same(300)),
    "d160": (flex(head_dim=160, right=0), same(300)),
    "d192": (flex(head_dim=192, right=0), same(300)),
    "d208": (flex(head_dim=208), same(300)),
    "d256": (flex(head_dim=256, right=0), same(127, 1000)),
    "d257": (flex(head_dim=257, right=0), same(300)),
    "d320": (flex(head_dim=320, right=0), same(127, 300)),
    "d512": (flex(head_dim=512, right=0), same(127, 1000)),
    "d512_f16": (flex(head_dim=512, dtype="f16"), same(300)),
    "d512_of_8": (flex(head_dim=512, value_dim=8, right=0), same(300)),
    "values_of_512": (flex(head_dim=64, value_dim=512, right=0), same(300)),
    "values_of_300": (flex(head_dim=8, value_dim=300, rank=3), same(300)),
    "d512_lists": (flex(head_dim=512, lists=("partial", "full"), block_size=(128, 128), right=0), same(300)),
    "tf32": (flex(dtype="f32", precision="tf32", right=0), same(127, 1000)),
    "tf32_d64": (flex(dtype="f32", precision="tf32", head_dim=64), same(300)),
    "tf32_d33": (flex(dtype="f32", precision="tf32", head_dim=33, value_dim=21, right=0), same(300)),
    "tf32_d256": (flex(dtype="f32", precision="tf32", head_dim=256, right=0), same(300)),
    "tf32_d512": (flex(dtype="f32", precision="tf32", head_dim=512, right=0), same(300)),
    "negative_scale": (flex(scale=-0.1, right=0), same(300)),
    "scale_0_argument": (flex(scale_argument=0.0, right=0), same(300)),
    "negative_scale_argument": (flex(scale_argument=-0.1), same(127, 1000)),
    "negative_scale_argument_causal": (flex(scale_argument=-0.1, right=0), same(127, 1000)),
    "negative_scale_argument_lists": (flex(scale_argument=-0.1, lists=("partial", "full"), block_size=(128, 128), right=0),
                                      same(1000)),
    "causal_bottom_right": (flex(right=0, bottom_right=True), [Sizes(queries=200, keys=700), Sizes(queries=700, keys=200)]),
    "window": (flex(left=255, right=0), same(*LENGTHS)),
    "window_both": (flex(left=100, right=40), same(1000)),
    "prefix": (flex(right=0, prefix=200), same(1000)),
    "prefix_window": (flex(left=100, right=0, prefix=4), same(1000)),
    "key_lengths": (flex(key_lengths=True), [Sizes(queries=300, keys=700, batch=6)]),
    "key_lengths_causal": (flex(key_lengths=True, right=0, bottom_right=True), [Sizes(queries=300, keys=700, batch=6)]),
    "partial": (flex(lists=("partial",), block_size=(128, 128), mask_mod="causal"), same(1000)),
    # A list's last block may end after the keys.
    "full": (flex(lists=("full",), block_size=(128, 64)), same(*LENGTHS)),
    "lists": (flex(lists=("partial", "full"), block_size=(128, 128), right=0), same(*LENGTHS)),
    "lists_of_wide_blocks": (flex(lists=("partial", "full"), block_size=(256, 256), right=0), same(1000)),
    "lists_of_16": (flex(lists=("partial", "full"), block_size=(64, 16), right=0), same(500)),
    "lists_lengths": (flex(lists=("partial", "full"), block_size=(128, 128), right=0, key_lengths=True), same(1000)),
    "alibi_causal": (flex(score_mod="alibi", right=0), same(127, 1000)),
    "alibi_causal_d64": (flex(score_mod="alibi", right=0, head_dim=64), same(127, 1000)),
    "alibi_causal_d256": (flex(score_mod="alibi", right=0, head_dim=256), same(127, 1000)),
    "softcap_f16": (flex(score_mod="softcap", right=0, dtype="f16"), same(500)),
    "score_and_mask": (flex(score_mod="bias", mask_mod="document", right=0), same(500)),
}
CASES |= {f"score_{name}": (flex(score_mod=name), same(*LENGTHS)) for name in SCORE_MODS}
CASES |= {f"mask_{name}": (flex(mask_mod=name), same(*LENGTHS)) for name in MASK_MODS}
HOW = {"specialized": ("cuda", ""), "plain": ("cuda", "schedule=plain"), "sm_80": ("sm_80", "")}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(case, how):
    variant, problems = CASES[case]
    target, options = HOW[how]
    compiled = sattn.compile(program(variant), target, options=options)
    for seed, sizes in enumerate(problems):
        arrays = operands(variant, sizes, seed)
        expected, lse = attention(variant, arrays)
        tensors = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
        compiled(*tensors.values())
        result = tensors["o"].double().cpu().numpy()
        assert np.abs(result - expected).max(initial=0) <= TOLERANCE[variant.dtype] * np.abs(expected).max(initial=1), sizes
        assert (result[np.isneginf(lse)] == 0).all(), sizes
        rows = [("lse", lse)] * variant.lse + [("max_scores", max_scores(variant, arrays))] * variant.max_scores
        for name, wanted in rows:
            found = tensors[name].double().cpu().numpy()
            assert np.array_equal(np.isneginf(found), np.isneginf(wanted)), sizes
            finite = np.isfinite(wanted)
            # tf32 rounds the scores' factors to 11 bits; wide heads add up more of them.
            most = 5e-3 if variant.precision else 2e-3
            assert np.abs(found[finite] - wanted[finite]).max(initial=0) <= most, (name, sizes)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("case", [
    "key_lengths", "key_lengths_causal", "packed_lengths", "lists_lengths", "d64", "d80_dense_f16", "d256", "odd_dims", "tf32",
    "mask_padding", "packed_padding"])
def test_values_after_the_lengths_do_not_show(case, how):
    """NaN in rows of K and V of each batch that no query sees, by its length or by a function that captures it."""
    variant = CASES[case][0]
    lengths = "prefix" if variant.mask_mod == "padding" else "lengths"
    if lengths == "lengths":
        variant = dataclasses.replace(variant, key_lengths=True)
    sizes = Sizes(queries=300 if variant.packed == 1 else 5, keys=400, heads=8, batch=6)
    arrays = operands(variant, sizes)
    arrays[lengths][:3] = 0, 1, 129
    expected, _ = attention(variant, arrays)
    after = np.arange(sizes.keys) >= arrays[lengths][:, None]
    for name in "kv":
        arrays[name].swapaxes(1, 2)[after] = np.nan
    target, options = HOW[how]
    tensors = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
    sattn.compile(program(variant), target, options=options)(*tensors.values())
    result = tensors["o"].double().cpu().numpy()
    assert np.abs(result - expected).max() <= TOLERANCE[variant.dtype] * np.abs(expected).max()


@pytest.mark.parametrize("case", ["dense", "causal", "window", "lists", "alibi_causal", "mask_document", "d64", "d80", "d96", "d256",
                                  "packed"])
def test_delays_change_no_bit(case):
    """The same bits whatever the warps' timing."""
    variant, problems = CASES[case]
    text = program(variant)
    arrays = operands(variant, problems[-1] if case != "dense" else Sizes(queries=500, keys=500))
    first = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
    sattn.compile(text, "cuda")(*first.values())
    delayed = sattn.compile(text, "cuda", options="delays=2000")
    for _ in range(10):
        again = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
        delayed(*again.values())
        assert torch.equal(first["o"], again["o"])
