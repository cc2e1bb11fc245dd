"""Tensors that require gradients, duals, and version counters, on the long way and on the short one, over the stub."""

import pytest

pytest.importorskip("tvm_ffi")
import fake_torch  # noqa: E402

NAMES = ["bsr", "input", "dense", "left_alpha", "right_alpha", "out"]


@pytest.fixture(params=[False, True], ids=["matrix", "prepared"])
def given(package, request):
    """The arguments of a product by name; those called twice before take the short way."""
    bsr = fake_torch.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    shapes = {"input": (128, 64), "dense": (64, 64), "left_alpha": (128,), "right_alpha": (64,), "out": (128, 64)}
    return {"bsr": package.prepare(bsr) if request.param else bsr,
            **{name: fake_torch.zeros(*shape) for name, shape in shapes.items()}}


def tensor_of(given, name):
    """The tensor that autograd sees."""
    if name != "bsr":
        return given[name]
    values = given["bsr"].values
    return values() if callable(values) else values


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_refused_where_they_are_recorded(package, torch, stub_cuda, given, name):
    tensor_of(given, name).requires_grad = True
    for _ in range(2):
        launches = len(stub_cuda.lines("launch"))
        with pytest.raises(NotImplementedError, match=f"argument '{name}': expected a tensor that requires no grad"):
            package.bsr_dense_addmm(**given)
        assert len(stub_cuda.lines("launch")) == launches
        with torch.no_grad():
            assert package.bsr_dense_addmm(**given) is given["out"]
        assert len(stub_cuda.lines("launch")) > launches


@pytest.mark.parametrize("name", NAMES)
def test_duals_are_refused(package, torch, stub_cuda, given, name):
    tensor_of(given, name).tangent = fake_torch.zeros(1)
    package.bsr_dense_addmm(**given)  # A tangent of a level that is over.
    for _ in range(2):
        launches = len(stub_cuda.lines("launch"))
        with torch.autograd.forward_ad.dual_level(), torch.no_grad():
            with pytest.raises(NotImplementedError, match=f"argument '{name}': expected a tensor without a tangent"):
                package.bsr_dense_addmm(**given)
        assert len(stub_cuda.lines("launch")) == launches


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
            package.bsr_dense_addmm(**{**given, "dense": fake_torch.zeros(72, 64)})
        assert given["out"]._version == 0


def test_tensors_of_inference_mode_have_no_counter(package, given):
    given["out"].inference = True
    for _ in range(3):
        assert package.bsr_dense_addmm(**given) is given["out"]


def test_a_program_counts_what_it_may_write(sattn, torch, stub_cuda):
    from fake_torch_cpu import Tensor, np

    program = sattn.compile("""
        func.func @f(%a: memref<4xf32>) {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          memref.store %one, %a[%c0] : memref<4xf32>
          return
        }""")
    array = Tensor(np.zeros(4, np.float32))
    torch.Tensor = Tensor
    program(array)
    assert array._version == 1 and array.array[0] == 1
    array.requires_grad = True
    with pytest.raises(NotImplementedError, match="argument 'arg0': expected a tensor that requires no gradient"):
        program(array)
    with torch.no_grad():
        program(array)
    assert array._version == 2
