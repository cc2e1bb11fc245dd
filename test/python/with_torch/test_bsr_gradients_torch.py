"""Gradients of sparse products by PyTorch's autograd on the CPU, beside float64."""

import itertools

import pytest
import torch
from bsr_gradient_cases import ACROSS, CASES, COL, CROW, DOWN, Case, errors, expected, gradients, names_of, to_dense

import sattn
import sattn.nn
import shares

TOLERANCE = {torch.float64: 1e-12, torch.float32: 3e-6, torch.float16: 3e-3, torch.bfloat16: 2e-2}
pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name, dtype):
    case = CASES[name]
    if dtype in (torch.float16, torch.bfloat16) and case.index:  # Programs that others have.
        return
    needs = names_of(case)
    found = gradients(case, "cpu", dtype, needs)
    assert max(errors(found, expected(case, "cpu", dtype, needs))) < TOLERANCE[dtype]
    assert all(gradient.dtype == dtype for name, gradient in zip(needs, found) if name not in ("alpha", "beta"))


def test_every_combination_of_operands():
    case = CASES["all"]
    whole = dict(zip(names_of(case), gradients(case, "cpu", torch.float64, names_of(case))))
    wanted = dict(zip(names_of(case), expected(case, "cpu", torch.float64, names_of(case))))
    for count in range(1, len(whole) + 1):
        for needs in itertools.combinations(whole, count):
            found = gradients(case, "cpu", torch.float64, needs)
            assert max(errors(found, [wanted[name] for name in needs])) < 1e-12, needs


def pattern(dtype=torch.int32):
    return torch.tensor(CROW, dtype=dtype), torch.tensor(COL, dtype=dtype)


def problem(dtype=torch.float32, columns=24, seed=0, requires=True):
    """(crow, col, values, dense) of one product."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(len(COL), 16, 8, generator=generator, dtype=dtype).requires_grad_(requires)
    return *pattern(), values, torch.randn(ACROSS * 8, columns, generator=generator, dtype=dtype).requires_grad_(requires)


@pytest.mark.parametrize("alpha, beta", [(0, 1), (1, 0), (0, 0)])
def test_what_is_not_read_does_not_show(alpha, beta):
    crow, col, values, dense = problem()
    input = torch.randn(DOWN * 16, 24, requires_grad=True)
    with torch.no_grad():
        for tensor in ((values, dense) if alpha == 0 else ()) + ((input,) if beta == 0 else ()):
            tensor.fill_(torch.nan)
    sattn.bsr_dense_addmm(input, (crow, col, values), dense, alpha=alpha, beta=beta).sum().backward()
    assert not any(tensor.grad.isnan().any() for tensor in (values, dense, input))
    assert (input.grad == beta).all() and (alpha != 0 or (values.grad == 0).all() and (dense.grad == 0).all())


def test_only_what_needs_a_gradient_is_saved():
    """An input may change after the call, as that of torch.addmm may; factors may not."""
    crow, col, values, dense = problem()
    input = torch.randn(DOWN * 16, 24)
    out = sattn.bsr_dense_addmm(input, (crow, col, values), dense)
    input.add_(1)
    out.sum().backward()
    for tensor in (values, dense):
        out = sattn.bsr_dense_addmm(input, (crow, col, values), dense)
        with torch.no_grad():
            tensor.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()
    values = values.detach()
    out = sattn.bsr_dense_addmm(input, (crow, col, values), dense.detach() + 0 * dense.sum())
    out.sum().backward()


def test_indices_that_are_written_have_another_transpose():
    crow, col, values, dense = problem()
    for _ in range(2):
        sattn.bsr_dense_mm((crow, col, values), dense).sum().backward()
    dense.grad = None
    col[0] = 1
    sattn.bsr_dense_mm((crow, col, values), dense).sum().backward()
    other = dense.detach().clone().requires_grad_()
    (to_dense(crow, col, values, ACROSS) @ other).sum().backward()
    torch.testing.assert_close(dense.grad, other.grad)


def test_a_leaf_that_is_sparse():
    crow, col, values, dense = problem()
    matrix = torch.sparse_bsr_tensor(crow.long(), col.long(), values.detach(), (64, 40), requires_grad=True, check_invariants=False)
    with pytest.raises(RuntimeError, match="is_contiguous"):  # PyTorch adds up no gradients of such a leaf, its own included.
        matrix.values().sum().backward()
    for operand in (matrix, sattn.prepare(matrix)):
        for _ in range(2):  # Each makes a graph of its own.
            found, = torch.autograd.grad(sattn.bsr_dense_mm(operand, dense).square().sum(), matrix)
            assert found.layout == torch.sparse_bsr and torch.equal(found.col_indices(), matrix.col_indices())
        wanted, = torch.autograd.grad((to_dense(crow, col, values, ACROSS) @ dense.detach()).square().sum(), values)
        torch.testing.assert_close(found.values(), wanted)


def test_a_module_whose_values_are_a_parameter():
    crow, col, values, dense = problem()
    module = sattn.nn.Bsr((crow, col, values.detach().clone()), requires_grad=True)
    assert set(dict(module.named_parameters())) == {"values"} and set(dict(module.named_buffers())) == {"crow", "col"}
    optimizer = torch.optim.SGD(module.parameters(), 0.1)
    module(dense).sum().backward()
    sattn.bsr_dense_mm((crow, col, values), dense).sum().backward()
    torch.testing.assert_close(module.values.grad, values.grad)
    optimizer.step()
    torch.testing.assert_close(module(dense), to_dense(crow, col, values - 0.1 * values.grad, ACROSS) @ dense)
    half = module.bfloat16()
    assert half.values.dtype == torch.bfloat16 and half(dense.bfloat16()).dtype == torch.bfloat16


@pytest.mark.parametrize("shape", [(5,), (2, 3), ()])
@pytest.mark.parametrize("bias", [False, True])
def test_linear(shape, bias):
    crow, col, values, _ = problem()
    x = torch.randn(*shape, ACROSS * 8, requires_grad=True)
    own = torch.randn(DOWN * 16, requires_grad=True) if bias else None
    tensors = [x, values, *([own] if bias else [])]
    out = sattn.linear(x, (crow, col, values), own)
    other = torch.nn.functional.linear(x, to_dense(crow, col, values, ACROSS), own)
    torch.testing.assert_close(out, other)
    upstream = torch.randn_like(out)
    for found, wanted in zip(torch.autograd.grad(out, tensors, upstream), torch.autograd.grad(other, tensors, upstream)):
        torch.testing.assert_close(found, wanted)


def test_gradients_lie_as_their_tensors():
    crow, col, values, _ = problem()
    x = torch.randn(2, 3, ACROSS * 8, requires_grad=True)
    dense = torch.randn(24, ACROSS * 8).mT.requires_grad_()
    sattn.linear(x, (crow, col, values)).sum().backward()
    gradient, = torch.autograd.grad(sattn.bsr_dense_mm((crow, col, values), dense).sum(), dense)
    assert x.grad.is_contiguous() and values.grad.is_contiguous() and gradient.stride() == dense.stride()


def test_gradcheck():
    crow, col, values, dense = problem(torch.float64, columns=3)
    left, right, alpha = (torch.randn(size, dtype=torch.float64, requires_grad=True) for size in ((64,), (3,), ()))
    input = torch.randn(3, dtype=torch.float64, requires_grad=True)

    def function(values, dense, input, left, right, alpha):
        return sattn.bsr_dense_addmm(input, (crow, col, values), dense, alpha=alpha, left_alpha=left, right_alpha=right, beta=0.3)

    assert torch.autograd.gradcheck(function, (values, dense, input, left, right, alpha))


def test_random_programs():
    generator = torch.Generator().manual_seed(0)

    def pick(*choices):
        return choices[int(torch.randint(len(choices), (), generator=generator))]

    # Few kinds of programs, each of which is compiled, in many sizes and numbers.
    for seed in shares.seeds(60, 4):
        values, dense = pick((), (2,)), pick((), (2,))
        case = Case(values=values, dense=dense, columns=pick(1, 8, 24, 33), alpha=pick(1.0, 0.5), beta=pick(1.0, 0.0, -2.0),
                    input=pick(None, ("N",), ("M", 1), (*torch.broadcast_shapes(values, dense), "M", "N")),
                    kind=pick("tuple", "prepared"), shift=pick(0, 1))
        names = names_of(case)
        needs = [name for name in names if pick(True, False)] or [pick(*names)]
        found = gradients(case, "cpu", torch.float64, needs, seed)  # Sums that cancel have no error of many digits then.
        assert max(errors(found, expected(case, "cpu", torch.float64, needs, seed))) < 1e-10, (case, needs)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("kind", ["tuple", "prepared"])
def test_compiled(backend, kind):
    torch._dynamo.reset()
    crow, col, values, dense = problem()
    bias, alpha = torch.randn(24, requires_grad=True), torch.tensor(0.5, requires_grad=True)
    operand = sattn.prepare((crow, col, values)) if kind == "prepared" else None
    tensors = dense, bias, alpha, values

    def loss(dense, bias, alpha, values):
        matrix = (crow, col, values) if operand is None else operand
        return sattn.bsr_dense_addmm(bias, matrix, dense * 1, alpha=alpha, beta=2.0).sin().sum() + sattn.bsr_dense_mm(matrix, dense).sum()

    compiled = torch.autograd.grad(torch.compile(loss, fullgraph=True, backend=backend)(*tensors), tensors)
    for found, wanted in zip(compiled, torch.autograd.grad(loss(*tensors), tensors)):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("backend", [None, "aot_eager", "inductor"])
def test_autocast_is_that_of_linear(backend):
    torch._dynamo.reset()
    crow, col, values, _ = problem()
    x, bias = torch.randn(5, ACROSS * 8, requires_grad=True), torch.randn(DOWN * 16, requires_grad=True)
    prepared = sattn.prepare((crow, col, values))

    def step(x, bias):
        with torch.autocast("cpu", torch.bfloat16):
            return sattn.linear(x, prepared, bias), sattn.bsr_dense_mm((crow, col, values), x.mT)

    run = step if backend is None else torch.compile(step, fullgraph=True, backend=backend)
    tensors = x, bias, values
    found = run(x, bias)
    own = crow, col, values.bfloat16()
    wanted = sattn.linear(x.bfloat16(), own, bias.bfloat16()), sattn.bsr_dense_mm(own, x.bfloat16().mT)
    assert all(out.dtype == torch.bfloat16 and torch.equal(out, other) for out, other in zip(found, wanted))
    for out, other in zip(found, wanted):
        ours, theirs = (torch.autograd.grad(one.float().sum(), tensors, allow_unused=True, retain_graph=True) for one in (out, other))
        for tensor, one, two in zip(tensors, ours, theirs):  # A compiled step gives zeros of what a result does not need.
            one, two = (torch.zeros_like(tensor) if gradient is None else gradient for gradient in (one, two))
            assert one.dtype == torch.float32
            torch.testing.assert_close(one, two, atol=1e-2, rtol=1e-2)
    with torch.no_grad():  # A call that repeats another looks first, too.
        for _ in range(3):
            assert sattn.linear(x, prepared, bias).dtype == torch.float32
            assert step(x, bias)[0].dtype == torch.bfloat16


def test_autocast_leaves_f64_alone():
    crow, col, values, dense = problem(torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        assert sattn.bsr_dense_mm((crow, col, values), dense).dtype == torch.float64


def test_a_second_derivative_is_refused():
    crow, col, values, dense = problem()
    gradient, = torch.autograd.grad(sattn.bsr_dense_mm((crow, col, values), dense).square().sum(), dense, create_graph=True)
    with pytest.raises(NotImplementedError, match="bsr_dense_addmm: expected a first derivative"):
        gradient.sum().backward()


@pytest.mark.parametrize("name, value", [("out", torch.empty(64, 24)), ("check", True), ("meta", {"tile": (16, 16, 8)})])
def test_options_without_a_gradient(name, value):
    crow, col, values, dense = problem()
    with pytest.raises(NotImplementedError, match=f"argument '{name}': expected none where bsr_dense_addmm is traced"):
        sattn.bsr_dense_addmm(None, (crow, col, values), dense, beta=0, **{name: value})


def test_checkpointed_and_retained():
    crow, col, values, dense = problem()

    def product(dense):
        return sattn.bsr_dense_mm((crow, col, values), dense)

    wanted, = torch.autograd.grad(product(dense).sum(), dense)
    found, = torch.autograd.grad(torch.utils.checkpoint.checkpoint(product, dense, use_reentrant=False).sum(), dense)
    assert torch.equal(found, wanted)
    out = product(dense)
    first, second = (torch.autograd.grad(out.sum(), (dense, values), retain_graph=True) for _ in range(2))
    assert all(map(torch.equal, first, second))


def test_memory_does_not_grow():
    """Neither tensors nor what is kept of indices, over steps with new matrices."""
    import gc

    from sattn._arrays import derived

    def step(seed):
        crow, col, values, dense = problem(seed=seed)
        sattn.bsr_dense_mm((crow, col, values), dense).sum().backward()
        operand = sattn.prepare((crow, col, values))
        (operand @ dense).sum().backward()

    def count():
        gc.collect()
        return sum(issubclass(type(one), torch.Tensor) for one in gc.get_objects())

    for seed in range(10):
        step(seed)
    # Other tests' matrices may live on.
    before, kept = count(), len(derived._kept)
    for seed in range(200):
        step(seed)
    assert count() <= before + 2 and len(derived._kept) <= kept + 2
