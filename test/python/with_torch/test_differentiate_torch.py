"""Derivatives by sattn-differentiate against PyTorch's autograd, at ties, bounds, zeros and infinities too."""

import re

import derivatives
import numpy as np
import pytest
import torch
from masks import grid
from sattn._trace import regions, user_functions
from test_traced_functions import NAMES, SHAPE, torch_functions

EDGES = np.array([-np.inf, -100, -3, -1, -0.5, -0.0, 0, 0.5, 1, 2, 3, 100, np.inf, np.nan], np.float32)
COTANGENT = np.float32(1.5)
#: PyTorch 2.11 has other derivatives of these, at ties and bounds.
NEW = "maxnumf", "minnumf", "clamp", "bounds", "clamp_min", "clamp_max", "minima"
IS_OLD = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 15)
OPS = {
    "addf": torch.add, "subf": torch.sub, "mulf": torch.mul, "divf": torch.div, "remf": torch.fmod, "negf": torch.neg,
    "maximumf": torch.maximum, "minimumf": torch.minimum, "maxnumf": torch.fmax, "minnumf": torch.fmin,
    "select": lambda x, y: torch.where(x < y, x, y), "fma": lambda x, y, z: torch.addcmul(z, x, y), 
    "powf": torch.pow, "atan2": torch.atan2, "copysign": torch.copysign, "fpowi": lambda x: x ** 3, "fpowi_0": lambda x: x ** 0,
    "sigmoid": lambda x: torch.sigmoid(-x), "absf": torch.abs, "roundeven": torch.round,
    **{name: getattr(torch, name) for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "floor",
        "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc")},
}


def autograd(function, arrays):
    given = [torch.from_numpy(np.ascontiguousarray(array)).requires_grad_() for array in arrays]
    result = function(*given)
    found = torch.autograd.grad(result, given, torch.full_like(result, float(COTANGENT)), allow_unused=True)
    return np.stack([np.zeros(array.shape, np.float32) if one is None else one.numpy() for array, one in zip(arrays, found)])


@pytest.fixture(scope="module")
def compiled(emulation_tools, tmp_path_factory):
    text = "".join(derivatives.program(name, derivatives.OPS[name], "f32") for name in OPS)
    return derivatives.Compiled(emulation_tools, tmp_path_factory.mktemp("derived"), text)


@pytest.fixture(autouse=True)
def known(request):
    if IS_OLD and request.node.callspec.params["name"] in NEW:
        pytest.skip("this PyTorch has another derivative")


@pytest.mark.parametrize("name", OPS)
def test_ops(compiled, name):
    count = derivatives.arity(derivatives.OPS[name])
    # A sign of an infinity or NaN has the derivative of other signs, where PyTorch's is NaN.
    values = EDGES[np.isfinite(EDGES)] if name == "copysign" else EDGES
    arrays = [array.ravel() for array in np.meshgrid(*[values] * count)]
    found = compiled.call(f"op_{name}_vjp", ["f32"] * (count + 1), ["f32"] * count, *arrays, COTANGENT)
    np.testing.assert_allclose(found, autograd(OPS[name], arrays), rtol=3e-6, atol=1e-30)


def activations():
    """Functions whose derivatives are those of their names, not of what they are composed of."""
    functional = torch.nn.functional
    return {
        "relu": lambda s, b, h, i, j: torch.relu(s), "bounds": lambda s, b, h, i, j: s.clamp(-1, 2),
        "clamp_min": lambda s, b, h, i, j: s.clamp(min=0.5), "clamp_max": lambda s, b, h, i, j: torch.clamp(s, max=0.5),
        "maximum": lambda s, b, h, i, j: s.maximum(s * 2), "abs": lambda s, b, h, i, j: s.abs(),
        "sign": lambda s, b, h, i, j: torch.sign(s) + s, "sigmoid": lambda s, b, h, i, j: torch.sigmoid(s),
        "silu": lambda s, b, h, i, j: functional.silu(s), "logsigmoid": lambda s, b, h, i, j: functional.logsigmoid(s),
        "softplus": lambda s, b, h, i, j: functional.softplus(s), "softcap": lambda s, b, h, i, j: 20 * torch.tanh(s / 20),
        "remainder": lambda s, b, h, i, j: torch.remainder(s, -0.75), "fmod": lambda s, b, h, i, j: s.fmod(0.75),
        "square": lambda s, b, h, i, j: s.square() + s ** 3 + 2 ** s + s ** -1,
        "masked": lambda s, b, h, i, j: torch.where(i >= j, s * (i - j), -float("inf")),
        "alibi": lambda s, b, h, i, j: s + (j - i) * 0.25 * torch.exp2(-h.float()),
        "detached": lambda s, b, h, i, j: s * torch.sigmoid(s).detach() + s.tanh().detach().exp(),
        "narrow": lambda s, b, h, i, j: s.to(torch.float16).float() * 0.5 + s.bfloat16().float(),
    }


#: Functions with roots and logarithms of negative numbers, which are not picked.
UNPICKED = "nan", "minima"


def function_of(name, score_mod):
    """(the program of a score_mod and its derivative, the types of its captured numbers, those numbers)"""
    found, captured = user_functions.traced("score_mod", score_mod)
    types = [type for own in regions.types_of(found.captures) for type in own]
    values = [number for capture, value in zip(found.captures, captured) for number in
              (regions.numbers_of(capture, value) if capture.kind != "array" else [None])]
    region = regions.text(found, 0, types, approximate=False, is_derived=True)
    arguments, body, result = re.fullmatch(r"score_mod \{\n\^bb0\((.*?)\):\n(.*)  sattn.yield (.*) : f32\n\}", region, re.DOTALL).groups()
    text = (f"func.func @{name}({arguments}) -> f32 attributes {{sattn.differentiate = array<i64: 0>}} {{\n"
            f"{body}  return {result} : f32\n}}\n")
    return text, types, values


@pytest.mark.parametrize("name", [*NAMES, *activations()])
def test_traced_functions(emulation_tools, tmp_path, name):
    functions = {**torch_functions(torch), **activations()}
    text, types, values = function_of("f", functions[name])
    if None in values:
        pytest.skip("reads captured tensors")
    scores = np.linspace(-3, 3, np.prod(SHAPE), dtype=np.float32)
    scores[:13] = np.nan_to_num(EDGES[:13], posinf=90, neginf=-90)
    places = [np.ascontiguousarray(np.broadcast_to(index, SHAPE)).astype(np.int32) for index in grid(SHAPE)]
    scores = scores.reshape(SHAPE)
    found = derivatives.Compiled(emulation_tools, tmp_path, text).call(
        "f_vjp", ["f32", *["i32"] * 4, *types, "f32"], ["f32"], scores, *places, *map(np.array, values), COTANGENT)
    given = torch.from_numpy(scores).requires_grad_()
    result = functions[name](given, *map(torch.from_numpy, places)).float()
    expected = torch.zeros(SHAPE)
    if result.requires_grad:
        expected, = torch.autograd.grad(result.expand(SHAPE), given, torch.full(SHAPE, float(COTANGENT)))
    if name in UNPICKED:
        assert not np.isnan(found).any()
        expected = torch.where(expected.isnan(), torch.from_numpy(found[0]), expected)
    np.testing.assert_allclose(found[0], expected.numpy(), rtol=2e-5, atol=1e-6)
