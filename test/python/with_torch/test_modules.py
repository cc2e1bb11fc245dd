"""The package with PyTorch on the CPU: modules, torch.compile, tensors that are traced."""

import copy
import io
import pickle

import pytest
import torch

pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support", "ignore:Accessing the data pointer")


def dense_matrix(seed=0):
    torch.manual_seed(seed)
    mask = torch.tensor([[1, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]], dtype=torch.float32)
    return torch.randn(64, 64) * mask.repeat_interleave(16, 0).repeat_interleave(16, 1)


@pytest.fixture
def matrix():
    return dense_matrix()


@pytest.fixture
def bsr(matrix):
    return matrix.to_sparse_bsr((16, 16))


@pytest.fixture
def dense():
    torch.manual_seed(1)
    return torch.randn(64, 24)


def near(result, expected, tolerance=1e-4):
    return result.shape == expected.shape and (result.float() - expected.float()).abs().max() < tolerance


def test_operand(package, matrix, bsr, dense):
    operand = package.prepare(bsr)
    assert repr(operand) == ("sattn.Prepared(shape=(64, 64), block=(16, 16), nnz=7, dtype=torch.float32, "
                             "device='cpu')")
    assert operand.device == torch.device("cpu") and operand.to("cpu") is operand
    loaded = pickle.loads(pickle.dumps(operand))
    for other in (operand, loaded, copy.copy(operand), copy.deepcopy(operand)):
        for _ in range(2):
            assert near(other @ dense, matrix @ dense)
    half = operand.to(dtype=torch.bfloat16)
    assert near(half @ dense.bfloat16(), matrix @ dense, 0.5) and half.dtype == torch.bfloat16


def test_module(package, matrix, bsr, dense):
    import sattn.nn

    module = torch.nn.Sequential(sattn.nn.Bsr(bsr), torch.nn.ReLU())
    assert near(module(dense), (matrix @ dense).relu())
    assert "Prepared(shape=(64, 64)" in repr(module)
    # Moved as other modules are; nothing is prepared again where nothing moves.
    before = module[0].operand
    assert module.to("cpu")[0].operand is before
    half = copy.deepcopy(module).to(torch.bfloat16)
    assert half[0].values.dtype == half[0].operand.dtype == torch.bfloat16 and half[0].crow.dtype == torch.int64
    assert near(half(dense.bfloat16()), (matrix @ dense).relu(), 0.5)
    assert near(module(dense), (matrix @ dense).relu())
    with pytest.raises(ValueError, match="expected a tensor on the CPU or a CUDA device, but got one on meta"):
        copy.deepcopy(module).to("meta")


def test_state_of_a_module(package, bsr, dense):
    import sattn.nn

    module, other = sattn.nn.Bsr(bsr), dense_matrix(5)
    file = io.BytesIO()
    torch.save(sattn.nn.Bsr(other.to_sparse_bsr((16, 16))).state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    assert set(state) == {"crow", "col", "values"}
    module.load_state_dict(state)
    assert near(module(dense), other @ dense)
    # Values that change where they lie are seen.
    with torch.no_grad():
        module.values.mul_(2)
    assert near(module(dense), 2 * other @ dense)
    state["col"] = state["col"] - 1
    with pytest.raises(ValueError, match="argument 'col': expected block columns in"):
        module.load_state_dict(state)


@pytest.mark.parametrize("kind", ["matrix", "prepared", "module"])
def test_torch_compile(package, matrix, bsr, dense, kind):
    import sattn.nn

    operand = {"matrix": bsr, "prepared": package.prepare(bsr), "module": sattn.nn.Bsr(bsr)}[kind]

    def function(operand, dense):
        product = (operand(dense * 2) if kind == "module" else
                   package.bsr_dense_addmm(None, operand, dense * 2, beta=0))
        return product + 1

    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager")
    for _ in range(3):
        assert near(compiled(operand, dense), 2 * matrix @ dense + 1)


def traced(kind, call, dense):
    """Calls it with a tensor that stands for others."""
    if kind == "vmap":
        return torch.vmap(call, in_dims=1)(dense[:, None])
    if kind == "grad":
        return torch.func.grad(lambda dense: call(dense).sum())(dense)
    return torch.func.functionalize(call)(dense)


@pytest.mark.parametrize("kind, name", [("vmap", "BatchedTensor"), ("grad", "GradTrackingTensor"),
                                        ("functional", "FunctionalTensor")])
@pytest.mark.parametrize("prepared", [False, True])
def test_traced_tensors_are_refused_by_name(package, matrix, bsr, dense, kind, name, prepared):
    operand = package.prepare(bsr) if prepared else bsr

    def call(dense):
        return package.bsr_dense_addmm(None, operand, dense, beta=0)

    # The second time calls of this kind are remembered.
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=f"argument 'dense': expected a tensor with memory .* got a {name}"):
            traced(kind, call, dense)
        assert near(call(dense), matrix @ dense)


def test_programs_refuse_them_too(package, dense):
    program = package.compile("""
func.func @copy(%a: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.copy ins(%a : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""")
    with pytest.raises(NotImplementedError, match="expected a tensor with memory of its own"):
        torch.func.functionalize(lambda dense: program(dense, torch.empty_like(dense)))(dense)


@pytest.mark.parametrize("trains", [False, True])
def test_linear_takes_a_module(package, matrix, bsr, dense, trains):
    import sattn.nn

    module, x = sattn.nn.Bsr(bsr, requires_grad=trains), dense.T
    assert near(package.linear(x, module), x @ matrix.T)
    assert str(package.explain(package.linear, x, module)).startswith("code for the CPU, which launches no kernels\ntile = ")
    assert near(torch.compile(lambda x: package.linear(x, module) + 1, backend="eager")(x), x @ matrix.T + 1)
    if trains:
        package.linear(x, module).sum().backward()
        assert module.values.grad.shape == module.values.shape
    doubled = {"crow": module.crow, "col": module.col, "values": 2 * module.values}

    class Doubled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = module

        def forward(self, x):
            return package.linear(x, self.weight)

    result = torch.func.functional_call(Doubled(), {f"weight.{name}": value for name, value in doubled.items()}, (x,))
    assert near(result, 2 * (x @ matrix.T))
    assert near(package.bsr_dense_mm(module, dense), matrix @ dense)
    with pytest.raises(TypeError, match="but got Bsr; use its .operand"):
        package.bsr_softmax(module)


def test_vmap_is_refused_by_what_holds(package, bsr):
    with pytest.raises(NotImplementedError, match="argument 'x': .* but got a BatchedTensor; transforms of torch.func know no "
                                                  "function of sattn, which takes batches as dimensions of its arguments"):
        torch.vmap(lambda x: package.linear(x, bsr))(torch.zeros(3, 8, 64))
    assert package.linear(torch.zeros(3, 8, 64), bsr).shape == (3, 8, 64)
