"""Tile programs of attention on a GPU, against attention's definition in double precision."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from attention_programs import VARIANTS, program  # noqa: E402
from attention_reference import Sizes, attention, operands  # noqa: E402

sattn = pytest.importorskip("sattn")
torch = pytest.importorskip("torch")

# Largest error, as a part of the largest value: P is rounded to the operands' type, and so is the result.
# f32 is tf32.
TOLERANCE = {"bf16": 1.6e-2, "f16": 2e-3, "f32": 3e-3}


def sizes_of(variant):
    """Odd lengths where a mask may hide what is beyond the last key."""
    heads = max(3, 2 * variant.group)
    batch = 2 if variant.batched else 1
    if variant.causal or variant.window is not None:
        return [Sizes(queries=length, keys=length, heads=heads, batch=batch) for length in (128, 1000, 1537)]
    if variant.tail:
        return [Sizes(queries=300, keys=length, heads=heads, batch=batch) for length in (1, 129, 1000)]
    return [Sizes(queries=300, keys=length, heads=heads, batch=batch) for length in (128, 1024)]


CASES = {name: variant for name, variant in VARIANTS.items() if name != "m192"}
CASES |= {f"{name}_f16": dataclasses.replace(VARIANTS[name], dtype="f16") for name in ("dense", "causal")}
CASES |= {f"{name}_tail": dataclasses.replace(VARIANTS[name], tail=True) for name in ("list", "d64m128", "d256")}
CASES |= {f"{name}_lse": dataclasses.replace(VARIANTS[name], lse=True) for name in ("causal", "window", "rank4causal")}
CASES["window_100"] = dataclasses.replace(VARIANTS["window"], window=100)
HOW = {"specialized": ("cuda", ""), "plain": ("cuda", "schedule=plain"), "sm_80": ("sm_80", "")}


def on_device(value, dtype):
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind in "fV" and value.dtype.itemsize == 2:
        bits = torch.from_numpy(value.view(np.int16).copy()).cuda()
        return bits.view({"bf16": torch.bfloat16, "f16": torch.float16}[dtype])
    return torch.from_numpy(value).cuda()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(case, how):
    variant = CASES[case]
    target, options = HOW[how]
    compiled = sattn.compile(program(variant), target, options=options)
    for seed, sizes in enumerate(sizes_of(variant)):
        arrays = operands(variant, sizes, seed)
        expected, lse = attention(variant, arrays)
        tensors = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
        compiled(*tensors.values())
        result = tensors["o"].double().cpu().numpy()
        assert np.abs(result - expected).max() <= TOLERANCE[variant.dtype] * np.abs(expected).max(), sizes
        if variant.lse:
            found = tensors["lse"].double().cpu().numpy()
            assert np.array_equal(np.isneginf(found), np.isneginf(lse)), sizes
            finite = np.isfinite(lse)
            assert np.abs(found[finite] - lse[finite]).max(initial=0) <= 1e-3, sizes


@pytest.mark.parametrize("case", ["dense", "causal", "window", "list", "lse", "d64causal", "d256"])
def test_delays_change_no_bit(case, request):
    """The same bits whatever the warps' timing."""
    variant = CASES[case]
    text = program(variant)
    plain = sattn.compile(text, "cuda")
    delayed = sattn.compile(text, "cuda", options="delays=2000")
    arrays = operands(variant, sizes_of(variant)[-1])
    first = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
    plain(*first.values())
    for _ in range(max(1, request.config.getoption("launches") // 10)):
        again = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
        for _ in range(10):
            delayed(*again.values())
        assert torch.equal(first["o"], again["o"])
