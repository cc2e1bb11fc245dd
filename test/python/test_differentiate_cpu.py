"""Derivatives by sattn-differentiate against finite differences, in f64."""

import derivatives
import numpy as np
import pytest

#: Ops that are defined on a part of the numbers.
DOMAINS = {"acos": (-0.9, 0.9), "asin": (-0.9, 0.9), "atanh": (-0.9, 0.9), "acosh": (1.1, 3), "log": (0.2, 3), "log2": (0.2, 3),
           "log10": (0.2, 3), "log1p": (-0.8, 3), "sqrt": (0.2, 3), "rsqrt": (0.2, 3), "powf": (0.2, 3), "tan": (-1.2, 1.2)}
STEP = 1e-6


@pytest.fixture(scope="module")
def compiled(emulation_tools, tmp_path_factory):
    text = "".join(derivatives.program(name, expression, "f64") for name, expression in derivatives.OPS.items())
    return derivatives.Compiled(emulation_tools, tmp_path_factory.mktemp("derived"), text)


@pytest.mark.parametrize("name", derivatives.OPS)
def test_finite_differences(compiled, name):
    count = derivatives.arity(derivatives.OPS[name])
    low, high = DOMAINS.get(name, (-3, 3))
    # None is within a step of a tie, of a bound or of a whole number.
    arguments = np.random.default_rng(1).uniform(low, high, (count, 50))
    found = compiled.call(f"op_{name}_vjp", ["f64"] * (count + 1), ["f64"] * count, *arguments, np.array(1.5))
    for number in range(count):
        ends = []
        for sign in (1, -1):
            moved = arguments.copy()
            moved[number] += sign * STEP
            ends.append(compiled.call(f"op_{name}", ["f64"] * count, ["f64"], *moved)[0])
        np.testing.assert_allclose(found[number], 1.5 * (ends[0] - ends[1]) / (2 * STEP), rtol=2e-6, atol=1e-7)


def random_program(name, random):
    """A function of three numbers whose ops are smooth but for ties, and finite."""
    values, lines = ["%x", "%y", "%z"], ["%one = arith.constant 1.0 : f64"]
    for number in range(random.integers(3, 15)):
        left, right, third = random.choice(values[-5:], 3)
        op = random.choice(["add", "mul", "fma", "tanh", "sin", "sigmoid", "root", "quotient", "maximum", "fmin", "where", "abs"])
        result = f"%v{number}"

        def add(text, own=None):
            lines.append(f"{own or result} = {text}")

        if op in ("root", "quotient"):
            add(f"arith.mulf {right}, {right} : f64", f"{result}a")
            add(f"arith.addf {result}a, %one : f64", f"{result}b")
            add(f"math.sqrt {result}b : f64" if op == "root" else f"arith.divf {left}, {result}b : f64")
        elif op == "sigmoid":
            add(f"math.exp {left} : f64", f"{result}a")
            add(f"arith.addf %one, {result}a : f64", f"{result}b")
            add(f"arith.divf {right}, {result}b : f64")
        elif op == "where":
            add(f"arith.cmpf olt, {left}, {right} : f64", f"{result}a")
            add(f"arith.select {result}a, {third}, {left} : f64")
        elif op == "fma":
            add(f"math.fma {left}, {right}, {third} : f64")
        elif op in ("tanh", "sin", "abs"):
            add(f"math.{'absf' if op == 'abs' else op} {left} : f64")
        else:
            add(f"arith.{ {'maximum': 'maximumf', 'fmin': 'minnumf'}.get(op, op + 'f') } {left}, {right} : f64")
        # Numbers stay small.
        add(f"math.tanh {result} : f64", f"{result}t")
        values.append(f"{result}t")
    return (f"func.func @{name}(%x: f64, %y: f64, %z: f64) -> f64 attributes {{sattn.differentiate = array<i64: 0, 1, 2>}} {{\n  "
            + "\n  ".join(lines) + f"\n  return {values[-1]} : f64\n}}\n")


def test_random_programs(emulation_tools, tmp_path):
    programs = [random_program(f"f{seed}", np.random.default_rng(seed)) for seed in range(200)]
    compiled = derivatives.Compiled(emulation_tools, tmp_path, "".join(programs))
    smooth = []
    for seed, text in enumerate(programs):
        arguments = np.random.default_rng(seed).uniform(-2, 2, (3, 8))
        found = compiled.call(f"f{seed}_vjp", ["f64"] * 4, ["f64"] * 3, *arguments, np.array(1.0))
        for number in range(3):
            ends = []
            for steps in (1, -1, 0):
                moved = arguments.copy()
                moved[number] += steps * STEP
                ends.append(compiled.call(f"f{seed}", ["f64"] * 3, ["f64"], *moved)[0])
            above, below, here = ends
            is_smooth = np.abs(above - 2 * here + below) < 1e-9  # No tie within a step.
            smooth.append(is_smooth)
            expected = (above - below) / (2 * STEP)
            np.testing.assert_allclose(found[number][is_smooth], expected[is_smooth], rtol=1e-5, atol=2e-6, err_msg=text)
    assert np.mean(smooth) > 0.98


def test_a_branch_that_is_not_picked(emulation_tools, tmp_path):
    """Its derivative is infinite or NaN, and is not seen."""
    text = """
    func.func @f(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
      %zero = arith.constant 0.0 : f32
      %root = math.sqrt %x : f32
      %log = math.log %root : f32
      %product = arith.mulf %log, %y : f32
      %is_positive = arith.cmpf ogt, %x, %zero : f32
      %r = arith.select %is_positive, %product, %x : f32
      return %r : f32
    }
    func.func @softplus(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
      %most = arith.constant 20.0 : f32
      %power = math.exp %x : f32
      %sum = math.log1p %power : f32
      %is_large = arith.cmpf ogt, %x, %most : f32
      %r = arith.select %is_large, %x, %sum : f32
      return %r : f32
    }"""
    compiled = derivatives.Compiled(emulation_tools, tmp_path, text)
    x, y = np.array([0.0, -1, 4, 0]), np.array([2.0, 2, 2, np.nan])
    found = compiled.call("f_vjp", ["f32"] * 3, ["f32"] * 2, x, y, np.array(3.0))
    np.testing.assert_allclose(found, [[3, 3, 2 * 3 / 4 / 2, 3], [0, 0, 3 * np.log(2), 0]], rtol=1e-6)
    found = compiled.call("softplus_vjp", ["f32"] * 2, ["f32"], np.array([-200.0, 0, 19, 200]), np.array(2.0))
    np.testing.assert_allclose(found, [[0, 1, 2, 2]], rtol=1e-6)


def test_narrow_types(emulation_tools, tmp_path):
    """Cotangents of f16 are f32, and not rounded on the way."""
    text = """
    func.func @f(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
      %narrow = arith.truncf %x : f32 to f16
      %factor = arith.truncf %y : f32 to f16
      %product = arith.mulf %narrow, %factor : f16
      %r = arith.extf %product : f16 to f32
      return %r : f32
    }"""
    compiled = derivatives.Compiled(emulation_tools, tmp_path, text)
    found = compiled.call("f_vjp", ["f32"] * 3, ["f32"] * 2, np.array([0.5]), np.array([3.0]), np.array(1.0001))
    np.testing.assert_array_equal(found[:, 0], np.float32(1.0001) * np.array([3, 0.5], np.float32))
