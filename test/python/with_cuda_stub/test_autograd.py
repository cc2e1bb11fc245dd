"""Tensors that require gradients, duals, and version counters, on the long way and on the short one, over the stub."""

import cuda_tensors
import pytest

NAMES = ["bsr", "input", "dense", "left_alpha", "right_alpha", "out"]


@pytest.fixture(params=[False, True], ids=["matrix", "prepared"])
def given(package, request):
    """The arguments of a product by name; those called twice before take the short way."""
    bsr = cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    shapes = {"input": (128, 64), "dense": (64, 64), "left_alpha": (128,), "right_alpha": (64,), "out": (128, 64)}
    return {"bsr": package.prepare(bsr) if request.param else bsr,
            **{name: cuda_tensors.zeros(*shape) for name, shape in shapes.items()}}


def require_grad(given, name):
    """Has an operand require a gradient; of a prepared operand, its values."""
    (given[name].values if hasattr(given[name], "longest") else given[name]).requires_grad_()


@pytest.mark.parametrize("name", NAMES)
def test_an_out_is_refused_where_gradients_are_recorded(package, torch, stub_cuda, given, name):
    require_grad(given, name)
    for _ in range(2):
        launches = len(stub_cuda.lines("launch"))
        refusal = "a tensor that requires no grad" if name == "out" else "none where .* a gradient is recorded"
        with pytest.raises(NotImplementedError, match=f"argument 'out': expected {refusal}"):
            package.bsr_dense_addmm(**given)
        assert len(stub_cuda.lines("launch")) == launches
        with torch.no_grad():
            assert package.bsr_dense_addmm(**given) is given["out"]
        assert len(stub_cuda.lines("launch")) > launches


# A warning of PyTorch's own, at the first dual of a process.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:FutureWarning")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "bsr"])
def test_duals_are_refused(package, torch, stub_cuda, given, name):
    plain = given[name]
    package.bsr_dense_addmm(**given)
    for _ in range(2):
        launches = len(stub_cuda.lines("launch"))
        with torch.autograd.forward_ad.dual_level(), torch.no_grad():
            given[name] = torch.autograd.forward_ad.make_dual(plain, torch.ones_like(plain))
            with pytest.raises(NotImplementedError, match=f"argument '{name}': expected a tensor without a tangent"):
                package.bsr_dense_addmm(**given)
        assert len(stub_cuda.lines("launch")) == launches
    # A tangent of a level that is over.
    package.bsr_dense_addmm(**given)


def test_each_write_counts(package, given):
    for count in range(1, 4):
        package.bsr_dense_addmm(**given)
        assert given["out"]._version == count
    assert not any(given[name]._version for name in given if name not in ("bsr", "out"))
    given["input"] = given["out"]
    for count in range(4, 7):
        package.bsr_dense_addmm(**given)
        assert given["out"]._version == count


def test_the_short_way_counts(package, given, short):
    package.bsr_dense_addmm(**given)
    short()
    package.bsr_dense_addmm(**given)
    assert given["out"]._version == 2


def test_what_is_refused_is_not_counted(package, given):
    for _ in range(2):
        with pytest.raises(ValueError):
            package.bsr_dense_addmm(**{**given, "dense": cuda_tensors.zeros(72, 64)})
        assert given["out"]._version == 0


def test_tensors_of_inference_mode_have_no_counter(package, torch, given):
    with torch.inference_mode():
        given["out"] = cuda_tensors.zeros(128, 64)
    for _ in range(3):
        assert package.bsr_dense_addmm(**given) is given["out"]
