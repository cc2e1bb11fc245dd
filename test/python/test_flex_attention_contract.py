"""The arguments that sattn.flex_attention's programs refuse, on both targets, by name."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from flex_programs import Flex, Sizes, operands, program  # noqa: E402

SIZES = Sizes(queries=70, keys=90, heads=4, batch=2)
VARIANT = Flex(lists=("partial", "full"), key_lengths=True, group=2, score_mod="alibi", right=0)
ONE_LIST = Flex(lists=("full",))
NAMES = {"partial_num": "partial_counts", "partial_idx": "partial_indices", "full_num": "full_counts",
         "full_idx": "full_indices", "lengths": "key_lengths", "slopes": "capture_0", "o": "out"}


def shaped(name, shape):
    """Another shape."""
    def change(arrays):
        arrays[name] = np.zeros(shape, arrays[name].dtype)
    return change


def holding(name, place, number):
    def change(arrays):
        arrays[name][place] = number
    return change


def entry(kind, number):
    """The last entry of the last list is this number."""
    def change(arrays):
        arrays[f"{kind}_num"][-1, -1, -1] = 1
        arrays[f"{kind}_idx"][-1, -1, -1, 0] = number
    return change


def in_the_place_of(name, other):
    def change(arrays):
        arrays[name] = arrays[other]
    return change


# Blocks are of 32 x 32: 3 of queries, and of keys 2 whole ones and one more.
LAST = 2  # of keys: it ends after them
REFUSED = {
    "heads and group": (shaped("q", (2, 3, 70, 32)), r"argument 'out': expected dimension 1 \(H\) to be 3"),
    "batch of k": (shaped("k", (3, 2, 90, 32)), r"argument 'k': expected dimension 0 \(B\) to be 2 \(as in argument 'q'\), but got 3"),
    "heads of k": (shaped("k", (2, 4, 90, 32)), r"argument 'k': expected dimension 1 \(heads\) to be 2 \(H / 2\), but got 4"),
    "batch of v": (shaped("v", (1, 2, 90, 32)), r"argument 'v': expected dimension 0 \(B\) to be 2"),
    "heads of v": (shaped("v", (2, 1, 90, 32)), r"argument 'v': expected dimension 1 \(heads\) to be 2"),
    "keys of v": (shaped("v", (2, 2, 91, 32)), r"argument 'v': expected dimension 2 \(N\) to be 90 \(as in argument 'k'\), but got 91"),
    "batch of out": (shaped("o", (1, 4, 70, 32)), r"argument 'out': expected dimension 0 \(B\) to be 2"),
    "queries of out": (shaped("o", (2, 4, 71, 32)), r"argument 'out': expected dimension 2 \(M\) to be 70 \(as in argument 'q'\), but got 71"),
    "heads of lse": (shaped("lse", (2, 2, 70)), r"argument 'lse': expected dimension 1 \(H\) to be 4"),
    "queries of lse": (shaped("lse", (2, 4, 1)), r"argument 'lse': expected dimension 2 \(M\) to be 70"),
    "number of key lengths": (shaped("lengths", (3,)), r"argument 'key_lengths': expected dimension 0 \(B\) to be 2"),
    "key length above N": (holding("lengths", 1, 91), r"argument 'key_lengths': expected key lengths in \[0, 90\], but got 91 at \[1\]"),
    "key length below 0": (holding("lengths", 0, -1), r"argument 'key_lengths': expected key lengths in \[0, 90\], but got -1 at \[0\]"),
    "empty capture": (shaped("slopes", (0,)), r"argument 'capture_0': expected at least 1 element in each dimension, but got 0"),
    "out is q": (in_the_place_of("o", "q"), r"argument 'out': expected memory apart from argument 'q', but got memory that overlaps it"),
    "rank": (shaped("k", (2, 90, 32)), r"argument 'k': expected rank 4"),
}
for kind, what in (("partial", "blocks of keys"), ("full", "blocks of keys, one that ends after N last,")):
    most = 3
    counts, indices = NAMES[f"{kind}_num"], NAMES[f"{kind}_idx"]
    REFUSED |= {
        f"batch of {counts}": (shaped(f"{kind}_num", (3, 4, 3)), rf"argument '{counts}': expected dimension 0 \(B\) to be 2 \(as in argument 'q'\), but got 3"),
        f"heads of {counts}": (shaped(f"{kind}_num", (2, 1, 3)), rf"argument '{counts}': expected dimension 1 \(H\) to be 4 \(as in argument 'q'\), but got 1"),
        f"length of {counts}": (shaped(f"{kind}_num", (2, 4, 2)), rf"argument '{counts}': expected dimension 2 \(blocks of queries\) to be 3 \(ceil\(M / 32\)\), but got 2"),
        f"batch of {indices}": (shaped(f"{kind}_idx", (1, 4, 3, 4)), rf"argument '{indices}': expected dimension 0 \(B\) to be 2"),
        f"heads of {indices}": (shaped(f"{kind}_idx", (2, 2, 3, 4)), rf"argument '{indices}': expected dimension 1 \(H\) to be 4"),
        f"length of {indices}": (shaped(f"{kind}_idx", (2, 4, 5, 4)), rf"argument '{indices}': expected dimension 2 \(blocks of queries\) to be 3"),
        f"count above in {counts}": (holding(f"{kind}_num", (1, 3, 2), 5), rf"argument '{counts}': expected counts in \[0, 4\], the length of a list of argument '{indices}', but got 5 at \[1, 3, 2\]"),
        f"count below 0 in {counts}": (holding(f"{kind}_num", (0, 0, 0), -1), rf"argument '{counts}': expected counts in \[0, 4\].*but got -1 at \[0, 0, 0\]"),
        f"block above in {indices}": (entry(kind, most), rf"argument '{indices}': expected {what} in \[0, {most}\), but got {most} at \[1, 3, 2, 0\]"),
        f"block below 0 in {indices}": (entry(kind, -1), rf"argument '{indices}': expected {what} in \[0, {most}\), but got -1"),
    }


def ends_after_n_first(arrays):
    arrays["full_num"][-1, -1, -1] = 2
    arrays["full_idx"][-1, -1, -1, :2] = LAST, 0


REFUSED["block after N before another"] = (
    ends_after_n_first, r"argument 'full_indices': expected blocks of keys, one that ends after N last, in \[0, 2\), but got 2 at \[1, 3, 2, 0\]")


@pytest.fixture(scope="module")
def compiled():
    """The programs of a target, compiled once."""
    return {}


def program_for(sattn, compiled, target, variant=VARIANT):
    key = target, variant
    if key not in compiled:
        compiled[key] = sattn.compile(program(variant), target)
    return compiled[key]


@pytest.mark.parametrize("case", REFUSED)
def test_refused_on_the_cpu(sattn, compiled, case):
    change, message = REFUSED[case]
    arrays = operands(VARIANT, SIZES)
    change(arrays)
    before = arrays["lse"].copy()
    with pytest.raises(ValueError, match=message):
        program_for(sattn, compiled, "cpu")(*arrays.values())
    assert (arrays["lse"] == before).all()


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_check_for_a_gpu(sattn, compiled, case):
    change, message = REFUSED[case]
    arrays = operands(GPU, SIZES)
    change(arrays)
    with pytest.raises(ValueError, match=message):
        program_for(sattn, compiled, "sm_90a", GPU).check(*arrays.values())


# f32 has no kernels on a GPU.
GPU = Flex(**{**VARIANT.__dict__, "dtype": "f16"})


@pytest.mark.parametrize("target, variant", [("cpu", VARIANT), ("sm_90a", GPU)])
def test_taken(sattn, compiled, target, variant):
    program_for(sattn, compiled, target, variant).check(*operands(variant, SIZES).values())


def test_heads_that_are_no_multiple_of_the_group(sattn):
    variant = Flex(group=2)
    arrays = operands(variant, SIZES)
    for name in ("q", "o", "lse"):
        arrays[name] = arrays[name][:, :3].copy()
    with pytest.raises(ValueError, match=r"argument 'q': expected dimension 1 \(H\) to be a multiple of the group, but got 3"):
        sattn.compile(program(variant))(*arrays.values())
