"""The package with tensors of PyTorch on the CPU: what it takes, what it refuses, and what it owes autograd."""

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad

# PyTorch's own, of what it does itself.
pytestmark = [pytest.mark.filterwarnings(kind) for kind in (
    "ignore:Sparse", "ignore:The PyTorch API of nested tensors", "ignore::DeprecationWarning:torch")]
NAMES = ["bsr", "input", "dense", "left_alpha", "right_alpha", "out"]
KINDS = {"tensor": lambda bsr, package: bsr, "prepared": lambda bsr, package: package.prepare(bsr),
         "arrays": lambda bsr, package: (bsr.crow_indices(), bsr.col_indices(), bsr.values())}


@pytest.fixture
def given():
    torch.manual_seed(0)
    mask = (torch.rand(4, 5) < 0.5).repeat_interleave(16, 0).repeat_interleave(16, 1)
    shapes = {"input": (64, 24), "dense": (80, 24), "left_alpha": (64,), "right_alpha": (24,), "out": (64, 24)}
    return {"bsr": (torch.randn(64, 80) * mask).to_sparse_bsr((16, 16)),
            **{name: torch.randn(shape) for name, shape in shapes.items()}}


def expected(given, beta=1):
    product = given["bsr"].to_dense().double() @ given["dense"].double()
    product = given["left_alpha"].double()[:, None] * product * given["right_alpha"].double()
    return (product + beta * given["input"].double() if beta else product).detach()


def near(result, wanted):
    assert result.shape == wanted.shape and (result.double() - wanted).norm() <= 1e-5 * wanted.norm() + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("name", NAMES)
def test_parameters_where_grad_mode_is_off(package, given, kind, mode, name):
    wanted = expected(given)
    given[name] = torch.nn.Parameter(given[name])
    for _ in range(2):
        operand = KINDS[kind](given["bsr"], package)
        refusal = "a tensor that requires no grad" if name == "out" else "none where .* a gradient is recorded"
        with pytest.raises(NotImplementedError, match=f"argument 'out': expected {refusal}"):
            package.bsr_dense_addmm(**{**given, "bsr": operand})
        for _ in range(2):
            with mode():
                near(package.bsr_dense_addmm(**{**given, "bsr": operand}), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_inference_tensors(package, given, kind):
    wanted = expected(given)
    with torch.inference_mode():
        given = {name: tensor.clone() for name, tensor in given.items()}
        operand = KINDS[kind](given["bsr"], package)
        for _ in range(3):
            near(package.bsr_dense_addmm(**{**given, "bsr": operand}), wanted)
    for _ in range(2):
        near(package.bsr_dense_addmm(**{**given, "bsr": operand}), wanted)


# PyTorch's first dual scripts decompositions, of which its later versions warn.
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_duals(package, given, kind, name):
    with forward_ad.dual_level():
        plain = given[name]
        if name == "bsr":
            values = forward_ad.make_dual(plain.values(), torch.ones_like(plain.values()))
            bsr = plain.crow_indices(), plain.col_indices(), values
        else:
            bsr = KINDS[kind](given["bsr"], package)
            given[name] = forward_ad.make_dual(plain, torch.ones_like(plain))
        for _ in range(2):
            with pytest.raises(NotImplementedError, match=f"argument '{name}': expected a tensor without a tangent"):
                package.bsr_dense_addmm(**{**given, "bsr": bsr})
        given[name] = plain
        package.bsr_dense_addmm(**{**given, "bsr": KINDS[kind](given["bsr"], package)})


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_is_seen_by_a_backward_pass(package, given, kind):
    operand = KINDS[kind](given["bsr"], package)
    for _ in range(3):
        leaf = torch.ones(64, 24, requires_grad=True)
        loss = (leaf * given["out"]).sum()  # Which keeps out for leaf's gradient.
        version = given["out"]._version
        package.bsr_dense_addmm(**{**given, "bsr": operand})
        assert given["out"]._version == version + 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    view = given["out"][:]
    version = given["out"]._version
    package.bsr_dense_addmm(**{**given, "bsr": operand, "out": view})
    assert given["out"]._version == version + 1
    before = [given[name]._version for name in NAMES[1:-1]]
    assert before == [0] * 4


def test_a_program_counts_its_writes(package):
    program = package.compile("""
        func.func @f(%a: memref<4xf32>) {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          memref.store %one, %a[%c0] : memref<4xf32>
          return
        }""")
    array = torch.zeros(4)
    program(array)
    assert array[0] == 1 and array._version == 1
    array = torch.nn.Parameter(array)
    with pytest.raises(NotImplementedError, match="expected a tensor that requires no gradient"):
        program(array)
    with torch.no_grad():
        program(array)
    assert array._version == 2


@pytest.mark.parametrize("number", [torch.tensor(2.0), torch.tensor(2), torch.tensor(2.0, dtype=torch.bfloat16),
                                    torch.tensor(2.0, dtype=torch.float64), np.float32(2), np.array(2)])
def test_numbers(package, given, number):
    given["left_alpha"], given["right_alpha"] = torch.ones(64), torch.ones(24)
    wanted = 2 * expected(given)
    for _ in range(2):
        near(package.bsr_dense_addmm(**given, alpha=number, beta=number), wanted)


@pytest.mark.parametrize("number, error, message", [
    (torch.tensor(1j), TypeError, "expected a real number, but got Tensor"),
    (torch.ones(1), TypeError, r"expected a real number, but got an array of shape \(1,\)"),
    (torch.tensor(1.0, device="meta"), ValueError, "expected a tensor on the CPU or a CUDA device")])
def test_what_is_no_number(package, given, number, error, message):
    with pytest.raises(error, match=f"argument 'alpha': {message}"):
        package.bsr_dense_addmm(**given, alpha=number)


@pytest.mark.parametrize("make", [torch.Tensor.to_sparse_coo, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc,
                                  lambda dense: dense.to_sparse_bsc((16, 16)), lambda dense: dense])
def test_other_layouts(package, given, make):
    other = make(given["bsr"].to_dense())
    with pytest.raises(TypeError, match=rf"argument 'bsr': expected layout torch.sparse_bsr, but got {other.layout}; "
                                        r"use \.to_sparse_bsr\(\(BM, BK\)\)"):
        package.prepare(other)
    # The message's advice works.
    package.prepare(other.to_sparse_bsr((16, 16)))


@pytest.mark.parametrize("shape", [(48, 80), (96, 80), (64, 64), (64, 160), (1, 64, 80), (2, 64, 80), (64, 88), (64,)])
def test_the_shape_of_a_tensor_counts(package, given, shape):
    bsr = given.pop("bsr")
    bad = torch.sparse_bsr_tensor(bsr.crow_indices(), bsr.col_indices(), bsr.values(), shape, check_invariants=False)
    names_bsr = shape[1:] not in ((64,), (160,))
    for _ in range(2):
        with pytest.raises(ValueError, match="argument '(bsr|dense|col)': expected"):
            package.bsr_dense_addmm(**given, bsr=bad)
        if names_bsr:
            with pytest.raises(ValueError, match="argument 'bsr': expected (shape|columns)"):
                package.bsr_dense_addmm(**given, bsr=bad)
        package.bsr_dense_addmm(**given, bsr=bsr)


def test_batches(package):
    torch.manual_seed(0)
    dense = torch.randn(3, 32, 48)
    bsr = dense.to_sparse_bsr((16, 16))
    b = torch.randn(48, 8)
    for _ in range(2):
        near(package.bsr_dense_addmm(None, bsr, b, beta=0), dense.double() @ b.double())
    crow, col, values = bsr.crow_indices()[0], bsr.col_indices(), bsr.values()
    for arrays in ((crow, col, values), (crow, col[0], values), (crow[None], col[:1], values), (crow, col, values[0])):
        wanted = torch.broadcast_to(dense if arrays[2].dim() == 4 else dense[0], dense.shape).double() @ b.double()
        for operand in (arrays, package.prepare(arrays)):
            for _ in range(2):
                near(package.bsr_dense_addmm(None, operand, b, beta=0), wanted)


@pytest.mark.parametrize("name", NAMES)
def test_nested_tensors(package, given, name):
    package.bsr_dense_addmm(**given)
    nested = torch.nested.nested_tensor([given["bsr"].values() if name == "bsr" else given[name]])
    given[name] = (given["bsr"].crow_indices(), given["bsr"].col_indices(), nested) if name == "bsr" else nested
    with pytest.raises(TypeError, match=f"argument '{name}': expected a dense tensor, but got a nested one"):
        package.bsr_dense_addmm(**given)


@pytest.mark.parametrize("kind", [(torch.int8, torch.int8), (torch.float8_e4m3fn, torch.float8_e5m2)], ids=str)
def test_factors_of_8_bits(package, kind):
    """Factors as arrays: PyTorch has no sparse tensor of every type."""
    torch.manual_seed(0)
    crow, col = torch.tensor([0, 2, 2, 3], dtype=torch.int32), torch.tensor([0, 3, 1], dtype=torch.int32)
    values, dense = (torch.randint(-8, 8, shape).to(dtype) for shape, dtype in zip(((3, 16, 32), (128, 24)), kind))
    matrix = torch.zeros(48, 128)
    for block, (row, column) in enumerate(((0, 0), (0, 3), (2, 1))):
        matrix[16 * row:16 * row + 16, 32 * column:32 * column + 32] += values[block].float()
    product = matrix @ dense.float()
    for given in (dense, dense.t().contiguous().t()):
        result = package.bsr_dense_addmm(None, (crow, col, values), given, beta=0)
        assert result.dtype == (torch.int32 if kind[0] == torch.int8 else torch.float32)
        assert (result == product).all()
        for _ in range(2):  # Where the binding could know the call.
            result = package.bsr_dense_addmm(None, package.prepare((crow, col, values)), given, beta=0, alpha=0.5)
            assert (result == torch.round(0.5 * product) if kind[0] == torch.int8 else result == 0.5 * product).all()
    out = torch.ones(48, 24, dtype=torch.bfloat16)
    assert package.bsr_dense_addmm(out, (crow, col, values), dense, out=out) is out
    assert (out == (1 + product).bfloat16()).all()


def test_f64(package, given):
    """Tensors of PyTorch, and the operations that torch.compile calls, with scalars that no f32 has."""
    torch.manual_seed(0)
    wide = {name: tensor.double() for name, tensor in given.items()}
    bsr, dense = wide["bsr"], wide["dense"]
    crow, col, values = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    product = bsr.to_dense() @ dense

    def close(result, wanted):
        assert result.dtype == torch.float64
        torch.testing.assert_close(result, wanted, rtol=1e-13, atol=1e-13)

    for _ in range(2):  # Where the binding knows the call.
        close(package.bsr_dense_addmm(wide["input"], bsr, dense, alpha=0.1, beta=0.3), 0.3 * wide["input"] + 0.1 * product)
    close(package.linear(dense.t(), bsr), product.t())
    mask = (bsr.to_dense() != 0).double()
    sampled = package.sampled_addmm(bsr, wide["input"], dense.t(), alpha=0.1, beta=0.3)
    close(sampled.to_dense(), 0.3 * bsr.to_dense() + 0.1 * mask * (wide["input"] @ dense.t()))
    weights = torch.softmax(bsr.to_dense().masked_fill(mask == 0, -torch.inf), -1).nan_to_num(0)
    close(package.bsr_softmax(bsr).to_dense(), weights)
    scores = (0.1 * wide["input"] @ dense.t()).masked_fill(mask == 0, -torch.inf)
    close(package.scaled_dot_product_attention(wide["input"], dense, dense, bsr, scale=0.1),
          torch.softmax(scores, -1).nan_to_num(0) @ dense)
    from sattn.torch import library  # noqa: F401

    ops = torch.ops.sattn
    close(ops.bsr_addmm(wide["input"], crow, col, values, 80, dense, 0.3, 0.1, None, None, ""),
          0.3 * wide["input"] + 0.1 * product)
    close(ops.sampled_addmm(crow, col, values, wide["input"], dense.t(), 0.3, 0.1, ""), sampled.values())
    close(ops.bsr_softmax(crow, col, values), package.bsr_softmax(bsr).values())
