"""sattn.flex_attention on the CPU, against its definition in float64."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from attention_reference import DTYPES  # noqa: E402
from flex_programs import MASK_MODS, SCORE_MODS, Flex, Sizes, attention, max_scores, operands, program, seen_by  # noqa: E402

TOLERANCE = {"f32": 3e-6, "f16": 2e-3, "bf16": 1.6e-2}
LENGTHS = [1, 63, 65, 127, 129, 1000]
ODD = [Sizes(queries=77, keys=53)]
SAME = [Sizes(queries=77, keys=77, batch=2)]
# From one query, whose heads are one tile, to more than a tile has rows.
PACKED = [Sizes(queries=n, keys=m, heads=8, batch=2)
          for n, m in ((1, 1), (1, 70), (5, 70), (8, 33), (20, 20), (77, 53), (0, 9))]
# Each length, other numbers of queries than keys, no batch, no query and no key.
EDGES = [Sizes(queries=n, keys=n, batch=2 if n < 1000 else 1) for n in LENGTHS] + ODD + [
    Sizes(queries=9, keys=9, batch=0), Sizes(queries=0, keys=9), Sizes(queries=9, keys=0)]

CASES = {
    "dense": (Flex(), [Sizes(queries=n, keys=m) for n in LENGTHS for m in (LENGTHS[-1], n)] + [Sizes(queries=5, keys=0)]),
    "default_tile": (Flex(right=0, tile=None), [Sizes(queries=n, keys=n) for n in (1, 129, 1000)]),
    "rank3": (Flex(rank=3, right=0), SAME),
    "no_lse": (Flex(lse=False), ODD),
    "max_scores": (Flex(max_scores=True, mask_mod="document", left=40), EDGES),
    "max_scores_negative_scale": (Flex(max_scores=True, right=0, scale_argument=-0.3), EDGES),
    "max_scores_packed": (Flex(max_scores=True, packed=4, score_mod="alibi"), PACKED[2:-1]),
    "gqa": (Flex(group=2), [Sizes(queries=45, keys=50, heads=4, batch=2)]),
    "packed": (Flex(packed=4), PACKED),
    "packed_f16": (Flex(packed=4, right=0, bottom_right=True, dtype="f16", tile=None), PACKED),
    "packed_in_groups": (Flex(packed=3, group=2, right=0), [Sizes(queries=n, keys=50, heads=12, batch=2) for n in (1, 7, 30)]),
    "packed_window": (Flex(packed=4, left=10, right=3), PACKED),
    "packed_prefix": (Flex(packed=4, right=0, prefix=20), PACKED),
    "packed_lengths": (Flex(packed=4, key_lengths=True, right=0, bottom_right=True), PACKED),
    "packed_lengths_rank3": (Flex(packed=4, key_lengths=True, rank=3), PACKED),
    "packed_lists": (Flex(packed=4, lists=("partial", "full"), right=0), [s for s in PACKED if s.queries <= 32]),
    "packed_column_parts": (Flex(packed=4, value_dim=40, right=0, tile=(32, 16, 16)), PACKED),
    "packed_negative_scale": (Flex(packed=4, right=0, scale_argument=-0.2), PACKED),
    "one_kv_batch": (Flex(one_kv_batch=True), [Sizes(queries=45, keys=50, batch=3)]),
    "value_dim": (Flex(value_dim=48), ODD),
    "odd_dims": (Flex(head_dim=33, value_dim=5), ODD),
    "one_column": (Flex(head_dim=1, value_dim=1), ODD),
    "widest": (Flex(head_dim=512, value_dim=512), [Sizes(queries=33, keys=40, heads=1)]),
    "column_parts": (Flex(value_dim=40, right=0, tile=(32, 16, 16)), ODD),
    "column_parts_rank3": (Flex(rank=3, head_dim=8, value_dim=21, lse=False, tile=(32, 16, 8)), ODD),
    "f16": (Flex(dtype="f16", right=0), SAME),
    "bf16": (Flex(dtype="bf16", left=19, right=0), SAME),
    "negative_scale": (Flex(scale=-0.5, right=0), SAME),
    "scale_0": (Flex(scale=0.0, right=0), SAME),
    "scale_0_argument": (Flex(scale_argument=0.0, right=0), SAME),
    "negative_scale_argument": (Flex(scale_argument=-0.2), SAME),
    "negative_scale_argument_window": (Flex(scale_argument=-0.2, left=23, right=0, dtype="bf16"), EDGES),
    "negative_scale_argument_mask": (Flex(scale_argument=-0.2, mask_mod="dilated"), EDGES),
    "negative_scale_argument_score": (Flex(scale_argument=-0.2, score_mod="alibi"), SAME),
    "causal": (Flex(right=0), [Sizes(queries=n, keys=m) for n in LENGTHS for m in (n, 70)]),
    "causal_bottom_right": (Flex(right=0, bottom_right=True), [Sizes(queries=40, keys=99), Sizes(queries=99, keys=40)]),
    "strictly_causal": (Flex(right=-1), SAME),
    "ahead": (Flex(right=17), SAME),
    "window": (Flex(left=23, right=0), [Sizes(queries=n, keys=n) for n in LENGTHS] + [Sizes(queries=150, keys=40)]),
    "window_both": (Flex(left=16, right=40), SAME),
    "window_bottom_right": (Flex(left=16, right=4, bottom_right=True), [Sizes(queries=50, keys=120), Sizes(queries=120, keys=50)]),
    "left_only": (Flex(left=16), SAME),
    "far": (Flex(left=-5, right=40), SAME),
    "prefix": (Flex(right=0, prefix=20), SAME + ODD),
    "prefix_of_blocks": (Flex(right=0, prefix=32), SAME),
    "prefix_window": (Flex(left=10, right=0, prefix=3), SAME),
    "key_lengths": (Flex(key_lengths=True), [Sizes(queries=40, keys=70, batch=6)]),
    "key_lengths_causal": (Flex(key_lengths=True, right=0, bottom_right=True), [Sizes(queries=40, keys=70, batch=6)]),
    "key_lengths_rank3": (Flex(key_lengths=True, rank=3), [Sizes(queries=40, keys=70, batch=3)]),
    "partial": (Flex(lists=("partial",), mask_mod="causal"), EDGES),
    "full": (Flex(lists=("full",)), EDGES),
    "lists": (Flex(lists=("partial", "full"), right=0, block_size=(64, 32)), EDGES),
    "lists_of_several_tiles": (Flex(lists=("partial", "full"), mask_mod="dilated", block_size=(64, 128)), EDGES),
    "lists_negative_scale": (Flex(lists=("partial", "full"), right=0, scale_argument=-0.2), EDGES),
    "lists_lengths": (Flex(lists=("partial", "full"), right=0, key_lengths=True), SAME),
    "full_lengths": (Flex(lists=("full",), mask_mod="dilated", key_lengths=True), SAME),
    "lists_rank3": (Flex(rank=3, lists=("partial", "full"), right=0, dtype="bf16"), [Sizes(queries=150, keys=150)]),
}
# At a distance of 1000 the scores of these have an error of 3e-5.
FAR = {"alibi", "sums"}
CASES |= {f"score_{name}": (Flex(score_mod=name), [s for s in EDGES if s.keys < 1000 or name not in FAR]) for name in SCORE_MODS}
CASES |= {f"mask_{name}": (Flex(mask_mod=name), EDGES) for name in MASK_MODS}
# Sums and products of scores may be reassociated.
CASES |= {f"score_{name}_f16": (Flex(score_mod=name, dtype="f16"), SAME) for name in ("alibi", "distance", "sums", "softcap")}
CASES |= {
    "score_alibi_causal": (Flex(score_mod="alibi", right=0, dtype="bf16"), SAME),
    "score_and_mask": (Flex(score_mod="alibi", mask_mod="document", left=40, right=0), SAME),
}
# Functions of packed heads get the head and the query of each row.
CASES |= {f"packed_score_{name}": (Flex(packed=4, score_mod=name), PACKED[2:-1]) for name in SCORE_MODS}
CASES |= {f"packed_mask_{name}": (Flex(packed=4, mask_mod=name), PACKED[2:]) for name in MASK_MODS}


def passed(value):
    """bf16 has no DLPack in NumPy: uint16 stands for it."""
    return value.view(np.uint16) if getattr(value, "dtype", None) == DTYPES["bf16"] else value


def check(sattn, variant, sizes, seed=0, compiled=None):
    compiled = compiled or sattn.compile(program(variant))
    arrays = operands(variant, sizes, seed)
    expected, lse = attention(variant, arrays)
    compiled(*map(passed, arrays.values()))
    o = arrays["o"].astype(np.float64)
    assert np.abs(o - expected).max(initial=0) <= TOLERANCE[variant.dtype] * np.abs(expected).max(initial=1), sizes
    assert (o[np.isneginf(lse)] == 0).all()
    if variant.lse:
        np.testing.assert_allclose(arrays["lse"], lse, rtol=3e-6, atol=1e-5)
    if variant.max_scores:
        np.testing.assert_allclose(arrays["max_scores"], max_scores(variant, arrays), rtol=3e-6, atol=1e-5)


@pytest.mark.share(3)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(sattn, case):
    variant, problems = CASES[case]
    if DTYPES[variant.dtype] is None:
        pytest.skip("no bf16 in NumPy")
    compiled = sattn.compile(program(variant))
    for seed, sizes in enumerate(problems):
        check(sattn, variant, sizes, seed, compiled)


def random_case(seed):
    """A variant and sizes, by chance."""
    rng = np.random.default_rng(seed)

    def choose(*options):
        return options[rng.integers(len(options))]

    group = choose(1, 1, 2, 3)
    packed = choose(1, 1, 1, 2, 3)
    rank = choose(3, 4)
    variant = Flex(
        head_dim=choose(8, 16, 20), value_dim=choose(None, 8, 24), dtype=choose("f32", "f16"), rank=rank, group=group,
        packed=packed, scale_argument=choose(None, None, -0.3),
        lse=choose(True, False), score_mod=choose(None, None, *SCORE_MODS), key_lengths=choose(False, False, True),
        mask_mod=choose(None, None, *[m for m in MASK_MODS if m != "offset" or rank == 4]),
        left=choose(None, None, int(rng.integers(-10, 60))), right=choose(None, 0, int(rng.integers(-10, 60))),
        prefix=choose(0, 0, int(rng.integers(0, 40))), bottom_right=choose(False, True),
        lists=choose((), (), ("partial",), ("full",), ("partial", "full")), block_size=choose((16, 16), (32, 48)),
        tile=choose((16, 16), (8, 8), None))
    variant = dataclasses.replace(variant, max_scores=variant.lse and choose(False, True))
    # Lists have one block of queries of packed heads.
    queries = int(rng.integers(0, variant.block_size[0] + 1 if packed > 1 and variant.lists else 90))
    sizes = Sizes(queries, int(rng.integers(0, 90)), heads=packed * group * int(rng.integers(1, 3)),
                  batch=int(rng.integers(1, 3)))
    if variant.left is None and variant.right is None:
        variant = dataclasses.replace(variant, prefix=0, bottom_right=False)
    return variant, sizes


@pytest.mark.share(10)
@pytest.mark.parametrize("seed", range(200))
def test_random(sattn, seed):
    check(sattn, *random_case(seed), seed)


UNSEEN = {
    "after_the_queries": (Flex(right=0), Sizes(queries=64, keys=90)),
    "before_the_window": (Flex(left=8, right=0, bottom_right=True), Sizes(queries=20, keys=90)),
    "after_the_lengths": (Flex(key_lengths=True), Sizes(queries=20, keys=90, batch=5)),
    "in_no_list": (Flex(lists=("partial", "full"), block_size=(32, 16)), Sizes(queries=20, keys=90, batch=2)),
    "packed": (Flex(right=0, packed=4), Sizes(queries=40, keys=90, heads=4)),
    "packed_lengths": (Flex(key_lengths=True, packed=4), Sizes(queries=5, keys=90, heads=4, batch=5)),
    "lengths_and_causal": (Flex(key_lengths=True, right=0, bottom_right=True), Sizes(queries=70, keys=90, batch=5)),
    "lengths_and_window": (Flex(key_lengths=True, left=30, right=3), Sizes(queries=70, keys=90, batch=5)),
    "lengths_and_mask": (Flex(key_lengths=True, mask_mod="sinks"), Sizes(queries=20, keys=90, batch=5)),
    "lengths_and_lists": (Flex(key_lengths=True, lists=("partial", "full"), mask_mod="dilated"), Sizes(queries=40, keys=90, batch=5)),
    "padding": (Flex(mask_mod="padding"), Sizes(queries=20, keys=90, batch=5)),
    "padding_and_causal": (Flex(mask_mod="padding", right=0), Sizes(queries=70, keys=90, batch=5)),
    "padding_packed": (Flex(mask_mod="padding", packed=4), Sizes(queries=5, keys=90, heads=4, batch=5)),
    "padding_and_partial": (Flex(mask_mod="padding", lists=("partial",)), Sizes(queries=40, keys=90, batch=5)),
    "lengths_and_scale": (Flex(key_lengths=True, scale_argument=-0.3), Sizes(queries=20, keys=90, batch=5)),
}


@pytest.mark.parametrize("case", UNSEEN)
def test_keys_that_no_query_sees_do_not_show(sattn, case):
    """NaN in rows of K that no query sees, and in V where these are whole blocks or after a batch's keys."""
    variant, sizes = UNSEEN[case]
    arrays = operands(variant, sizes)
    expected, lse = attention(variant, arrays)
    seen = seen_by(variant, arrays, (sizes.batch, sizes.heads, sizes.queries, sizes.keys))
    unseen = ~seen.reshape(sizes.batch, -1, variant.packed * sizes.queries, sizes.keys).any(2)
    assert unseen.any()
    arrays["k"][unseen] = np.nan
    for first in range(0, sizes.keys, variant.tile[1]):
        block = slice(first, first + variant.tile[1])
        arrays["v"][unseen[..., block].all(-1), block] = np.nan
    if lengths := {"lengths", "prefix"} & arrays.keys():
        arrays["v"].swapaxes(1, 2)[np.arange(sizes.keys) >= arrays[lengths.pop()][:, None]] = np.nan
    assert np.isnan(arrays["v"]).any()
    sattn.compile(program(variant))(*arrays.values())
    np.testing.assert_allclose(arrays["o"], expected, atol=TOLERANCE["f32"] * np.abs(expected).max())
    np.testing.assert_allclose(arrays["lse"], lse, rtol=3e-6, atol=1e-5)


def test_lists_of_one_mask_agree(sattn):
    """To the last bit: partial blocks whose elements are all visible, and full ones, in the order in which they are walked."""
    sizes = Sizes(queries=96, keys=128)
    blocks = np.arange(4)
    variants = Flex(lists=("partial", "full"), mask_mod="causal"), Flex(lists=("partial",), mask_mod="causal")
    results = []
    for variant in variants:
        arrays = operands(variant, sizes)
        for row in range(3):
            listed = {"partial": [row], "full": blocks[:row]}
            if len(variant.lists) == 1:
                listed["partial"] += [*blocks[:row][::-1]]
            for kind in variant.lists:
                arrays[f"{kind}_num"][:, :, row] = len(listed[kind])
                arrays[f"{kind}_idx"][:, :, row, :len(listed[kind])] = listed[kind]
        sattn.compile(program(variant))(*arrays.values())
        results.append((arrays["o"], arrays["lse"]))
    for one, other in zip(*results):
        np.testing.assert_array_equal(one, other)


def test_rows_after_the_keys_are_not_read(sattn):
    """K and V are the first rows of larger arrays, whose others are NaN."""
    variant, sizes = Flex(), Sizes(queries=20, keys=53)
    arrays = operands(variant, sizes)
    expected, _ = attention(variant, arrays)
    for name in "kv":
        wide = np.full((*arrays[name].shape[:2], 96, variant.head_dim), np.nan, np.float32)
        wide[:, :, :53] = arrays[name]
        arrays[name] = wide[:, :, :53]
    sattn.compile(program(variant))(*arrays.values())
    np.testing.assert_allclose(arrays["o"], expected, atol=TOLERANCE["f32"] * np.abs(expected).max())


def with_gaps(array):
    """A copy whose elements are two apart along each dimension, at an address of no larger alignment than theirs."""
    wide = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    view = wide[tuple(slice(1, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def test_any_strides(sattn):
    """Transposed, reversed, with gaps, and one element for all."""
    variant = Flex(score_mod="relative_2d", mask_mod="document", group=2)
    sizes = Sizes(queries=70, keys=50, heads=4, batch=2)
    arrays = operands(variant, sizes)

    arrays["q"] = np.ascontiguousarray(arrays["q"].swapaxes(1, 2)).swapaxes(1, 2)
    k = arrays["k"]
    arrays["k"] = np.lib.stride_tricks.as_strided(k, k.shape, (0, 0, *k.strides[2:]), writeable=True)
    arrays["v"] = np.ascontiguousarray(arrays["v"][..., ::-1].swapaxes(-1, -2)).swapaxes(-1, -2)
    for name in ("grid", "doc", "o", "lse"):
        arrays[name] = with_gaps(arrays[name])
    expected, lse = attention(variant, arrays)
    sattn.compile(program(variant))(*arrays.values())
    np.testing.assert_allclose(arrays["o"], expected, atol=TOLERANCE["f32"] * np.abs(expected).max())
    np.testing.assert_allclose(arrays["lse"], lse, rtol=3e-6, atol=1e-5)


@pytest.mark.parametrize("packed", [1, 2])
def test_any_strides_of_lists(sattn, packed):
    """Lists and lengths with gaps, packed rows reversed; nothing is aligned to more than an element."""
    variant = Flex(lists=("partial", "full"), right=0, key_lengths=True, packed=packed, dtype="f16")
    sizes = Sizes(queries=30, keys=150, heads=4, batch=2)
    arrays = operands(variant, sizes)
    arrays |= {name: with_gaps(value) for name, value in arrays.items() if getattr(value, "ndim", 0)}
    arrays["q"] = np.ascontiguousarray(arrays["q"][:, :, ::-1])[:, :, ::-1]
    expected, lse = attention(variant, arrays)
    sattn.compile(program(variant))(*arrays.values())
    np.testing.assert_allclose(arrays["o"].astype(np.float64), expected, atol=TOLERANCE["f16"] * np.abs(expected).max())
    np.testing.assert_allclose(arrays["lse"], lse, rtol=3e-6, atol=1e-5)
