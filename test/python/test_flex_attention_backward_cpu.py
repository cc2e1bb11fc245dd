"""sattn.flex_attention_dq and sattn.flex_attention_dkdv on the CPU, against their definition in float64."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from attention_reference import DTYPES  # noqa: E402
from flex_backward_programs import gradients, operands, program  # noqa: E402
from flex_programs import Flex, Sizes  # noqa: E402
from test_flex_attention_cpu import CASES as FORWARD, passed, random_case  # noqa: E402

TOLERANCE = {"f32": 4e-6, "f16": 3e-3, "bf16": 2e-2}
# No heads in the rows of another's.
CASES = {name: (dataclasses.replace(variant, lse=True, max_scores=False), problems)
         for name, (variant, problems) in FORWARD.items()
         if "packed" not in name and "max_scores" not in name}
ODD = [Sizes(queries=45, keys=50), Sizes(queries=33, keys=17), Sizes(queries=1, keys=70)]
GROUPS = [Sizes(queries=45, keys=50, heads=4, batch=2), Sizes(queries=129, keys=70, heads=6, batch=3)]
CASES |= {
    # Parts of the columns, the last of which is smaller, or empty in the narrower gradient.
    "parts_of_keys": (Flex(head_dim=40, value_dim=16, group=2, right=0, tile=(32, 16, 24)), GROUPS),
    "parts_of_both": (Flex(head_dim=40, value_dim=40, dtype="f16", score_mod="softcap", tile=(32, 16, 16)), ODD),
    "parts_of_one_kv_batch": (Flex(head_dim=24, value_dim=72, one_kv_batch=True, tile=(32, 16, 16)), GROUPS),
    "parts_lists": (Flex(head_dim=24, lists=("partial", "full"), mask_mod="dilated", tile=(32, 16, 8)), ODD),
    "parts_lengths": (Flex(head_dim=33, value_dim=21, key_lengths=True, tile=(32, 16, 16)), GROUPS),
    "group_causal": (Flex(group=2, right=0), GROUPS),
    "group_of_3": (Flex(group=3, right=0), [Sizes(queries=45, keys=50, heads=6)]),
    "group_of_7": (Flex(group=7, lists=("partial",), mask_mod="by_head"), [Sizes(queries=70, keys=33, heads=7)]),
    "group_lists": (Flex(group=2, lists=("partial", "full"), mask_mod="dilated"), GROUPS),
    "group_full": (Flex(group=2, lists=("full",), block_size=(64, 32)), GROUPS),
    "group_by_head": (Flex(group=2, mask_mod="by_head", score_mod="alibi"), GROUPS),
    "group_bias": (Flex(group=2, score_mod="bias", right=0), GROUPS),
    "one_kv_batch_group_causal": (Flex(one_kv_batch=True, group=2, right=0, prefix=9), GROUPS),
    "one_kv_batch_lengths": (Flex(one_kv_batch=True, key_lengths=True, right=0, bottom_right=True), GROUPS),
    "one_kv_batch_lists": (Flex(one_kv_batch=True, lists=("partial",), mask_mod="prefixes"), GROUPS),
}


def check(sattn, variant, sizes, seed, dq, dkdv):
    given, arrays, cotangents = operands(variant, sizes, seed)
    expected = gradients(variant, arrays, *cotangents)
    dq(*map(passed, given["dq"].values()))
    dkdv(*map(passed, given["dkdv"].values()))
    found = {name: given["dq" if name == "dq" else "dkdv"][name].astype(np.float64) for name in expected}
    for name, own in expected.items():
        error = np.abs(found[name] - own).max(initial=0)
        assert error <= TOLERANCE[variant.dtype] * max(1, np.abs(own).max(initial=0)), (name, sizes, error)


def compiled(sattn, variant):
    text = program(variant)
    return sattn.compile(text, entry="dq"), sattn.compile(text, entry="dkdv")


@pytest.mark.share(3)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(sattn, case):
    variant, problems = CASES[case]
    if DTYPES[variant.dtype] is None:
        pytest.skip("no bf16 in NumPy")
    programs = compiled(sattn, variant)
    for seed, sizes in enumerate(problems):
        check(sattn, variant, sizes, seed, *programs)


@pytest.mark.share(10)
@pytest.mark.parametrize("seed", range(100))
def test_random(sattn, seed):
    variant, sizes = random_case(seed)
    variant = dataclasses.replace(variant, packed=1, lse=True, max_scores=False)
    sizes = dataclasses.replace(sizes, heads=variant.group * 2)
    check(sattn, variant, sizes, seed, *compiled(sattn, variant))
