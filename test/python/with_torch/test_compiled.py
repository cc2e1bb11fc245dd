"""sattn's functions under torch.compile(fullgraph=True) and torch.export on the CPU."""

import functools
import io
import math

import pytest
import torch
from torch.nn.attention import flex_attention as flex

pytestmark = [pytest.mark.filterwarnings(kind) for kind in ("ignore:Sparse", "ignore::DeprecationWarning:torch",
                                                           "ignore::FutureWarning:torch")]
LENGTH = 48
SLOPES = torch.tensor([0.5, 0.25])
DOCUMENTS = torch.arange(LENGTH) // 20


@pytest.fixture
def package(sattn):
    torch._dynamo.reset()
    return sattn


@pytest.fixture
def operands():
    torch.manual_seed(0)
    return [torch.randn(1, 2, LENGTH, 8) for _ in range(3)]


class Backend:
    """Runs graphs as they are, and keeps the operations in them."""

    def __init__(self):
        self.graphs = []

    def __call__(self, graph, _):
        self.graphs.append([node.target for node in graph.graph.nodes if node.op in ("call_function", "call_method")])
        return graph.forward

    def count(self, operation):
        """How often each graph has the operation."""
        return [sum(target in (operation, operation.default) for target in graph) for graph in self.graphs]


def compiled(function, backend=None, **options):
    return torch.compile(function, fullgraph=True, backend=Backend() if backend is None else backend, **options)


def attention(query, key, value, mask_mod=None, score_mod=None):
    """In float64; the functions are called for all elements."""
    scores = query.double() @ key.double().transpose(-1, -2) / math.sqrt(query.shape[-1])
    b, h, i, j = (torch.arange(size).view([-1 if place == axis else 1 for place in range(4)])
                  for axis, size in enumerate(scores.shape))
    if score_mod is not None:
        scores = score_mod(scores, b, h, i, j).double()
    if mask_mod is not None:
        scores = scores.masked_fill(~mask_mod(b, h, i, j), -math.inf)
    return torch.softmax(scores, -1) @ value.double()


def near(result, wanted):
    torch.testing.assert_close(result.double(), wanted.double(), rtol=0, atol=1e-4)


def alibi(score, b, h, q_idx, kv_idx):
    return score + SLOPES[h] * (kv_idx - q_idx)


def document(b, h, q_idx, kv_idx):
    return (DOCUMENTS[q_idx] == DOCUMENTS[kv_idx]) & (q_idx >= kv_idx)


@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_attention_is_one_node(package, operands, backend):
    used = Backend() if backend is None else backend
    mask = package.create_block_mask(document, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)

    def function(query, key, value):
        return package.flex_attention(query * 2, key, value, alibi, mask) + 1

    run = compiled(function, used)
    query, key, value = operands
    near(run(*operands), attention(2 * query, key, value, document, alibi) + 1)
    if backend is None:
        operation = torch.ops.sattn.flex_attention
        assert used.count(operation) == [1]
        assert {str(target) for target in used.graphs[0]} <= {"sattn.flex_attention", str(operation.default), *(
            f"<built-in function {name}>" for name in ("mul", "add", "getitem"))}


class Holder:
    def __init__(self, table, rate):
        self.table, self.rates = table, {"rate": rate}

    def score_mod(self, score, b, h, q_idx, kv_idx):
        return score + self.table[h] * self.rates["rate"]

    def __call__(self, score, b, h, q_idx, kv_idx):
        return self.score_mod(score, b, h, q_idx, kv_idx)


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", SLOPES.clone())

    def score_mod(self, score, b, h, q_idx, kv_idx):
        return score * self.table[h]


def closure(table, rate):
    def score_mod(score, b, h, q_idx, kv_idx, shift=0.5, *, factor=3):
        return torch.tanh(score + table[h] * rate + shift) * factor
    return score_mod


def with_table(table, score, b, h, q_idx, kv_idx):
    return score + table[h] * table.shape[0]


FUNCTIONS = {
    "closure": lambda: closure(SLOPES, 2), "float": lambda: closure(SLOPES, 0.125), "method": lambda: Holder(SLOPES, 2).score_mod,
    "object": lambda: Holder(SLOPES, 3), "module": lambda: Module().score_mod, "partial": lambda: functools.partial(with_table, SLOPES),
    "array": lambda: closure(SLOPES.numpy(), 2), "list": lambda: closure([SLOPES[0].item(), 1.5], 2) and closure(SLOPES, 7)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_functions_capture(package, operands, name):
    score_mod = FUNCTIONS[name]()
    found = compiled(lambda *arrays: package.flex_attention(*arrays, score_mod))(*operands)
    if name == "array":
        score_mod = closure(SLOPES, 2)
    near(found, attention(*operands, None, score_mod))


def test_functions_that_are_made_in_the_graph(package, operands):
    """With a tensor that is computed there."""
    def function(query, key, value, table, rate):
        twice = table * 2

        def score_mod(score, b, h, q_idx, kv_idx):
            return score + twice[h] * rate + SLOPES[h]
        return package.flex_attention(query, key, value, score_mod)

    run = compiled(function)
    for rate in (3, 4, 9):
        table = torch.randn(2)
        near(run(*operands, table, rate), attention(*operands, None, lambda s, b, h, i, j: s + 2 * table[h] * rate + SLOPES[h]))


def test_captured_values_that_change(package, operands):
    """Tensors are inputs, written or exchanged; numbers are guarded or inputs. Nothing is compiled here for them."""
    backend = Backend()
    run = compiled(lambda query, key, value, score_mod, mask: package.flex_attention(query, key, value, score_mod, mask), backend)

    def call(table, rate, documents):
        def mask_mod(b, h, q_idx, kv_idx):
            return documents[q_idx] == documents[kv_idx]
        mask = package.create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
        near(run(*operands, closure(table, rate), mask), attention(*operands, mask_mod, closure(table, rate)))

    call(SLOPES.clone(), 2, DOCUMENTS.clone())
    compilations, table = package.cache.info().compilations, torch.randn(2)
    for change in range(8):
        table.add_(0.5)
        call(table if change % 2 else torch.randn(2), change + 3, torch.arange(LENGTH) // (change + 5))
    assert package.cache.info().compilations == compilations
    # Once for the first number, and once for any.
    assert len(backend.graphs) <= 2
    for rate in (0.25, 0.5, 0.75):
        call(table, rate, DOCUMENTS)
    assert len(backend.graphs) <= 4


def test_a_number_that_shapes_the_function(package, operands):
    """A loop has as many turns as its number says: the graph is made anew."""
    def made(turns):
        def score_mod(score, b, h, q_idx, kv_idx):
            for turn in range(turns):
                score = score + turn
            return torch.tanh(score)
        return score_mod

    run = compiled(lambda query, key, value, score_mod: package.flex_attention(query, key, value, score_mod))
    for turns in (2, 3, 5):
        near(run(*operands, made(turns)), attention(*operands, None, made(turns)))


@pytest.mark.parametrize("maker", ["torch", "lists", "and"])
def test_masks(package, operands, maker):
    if maker == "torch":
        mask = flex.create_block_mask(document, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=16)
    elif maker == "lists":
        own = package.create_block_mask(document, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=16)
        mask = package.BlockMask.from_kv_blocks(own.kv_num_blocks, own.kv_indices, own.full_kv_num_blocks,
                                                own.full_kv_indices, BLOCK_SIZE=16, mask_mod=document,
                                                seq_lengths=(LENGTH, LENGTH))
    else:
        mask = package.create_block_mask(package.and_masks(document, lambda b, h, i, j: i - j < 9), None, None, LENGTH, LENGTH)
    seen = document if maker != "and" else lambda b, h, i, j: document(b, h, i, j) & (i - j < 9)
    near(compiled(lambda *arrays: package.flex_attention(*arrays, block_mask=mask))(*operands), attention(*operands, seen))
    near(compiled(lambda *arrays: package.flex_attention(*arrays, block_mask=mask, window=(4, 0)))(*operands),
         attention(*operands, lambda b, h, i, j: seen(b, h, i, j) & (i >= j) & (i - j <= 4)))


def test_other_arguments(package, operands):
    def function(query, key, value):
        out, aux = package.flex_attention(query, key, value, scale=0.5, causal="bottom_right", prefix=3,
                                          return_aux=package.AuxRequest(lse=True), kernel_options={"precision": "ieee"})
        _, lse = package.flex_attention(query, key, value, return_lse=True, enable_gqa=True)
        _, scores = package.flex_attention(query, key, value, return_aux=package.AuxRequest(max_scores=True))
        return out, aux.lse, lse, scores.max_scores, scores.lse, aux.max_scores
    wanted = function(*operands)
    found = compiled(function)(*operands)
    assert found[4] is found[5] is None
    for one, other in zip(found[:4], wanted[:4]):
        near(one, other)


def test_fake_results_are_those_of_kernels(package, operands):
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    for change in (lambda array: array, lambda array: array.transpose(1, 2).contiguous().transpose(1, 2), torch.Tensor.half):
        arrays = [change(array) for array in operands]
        real = package.flex_attention(*arrays, alibi, return_lse=True, causal=True)
        with mode:
            fake = package.flex_attention(*map(mode.from_tensor, arrays), alibi, return_lse=True, causal=True)
        for one, other in zip(fake, real):
            assert (one.shape, one.dtype, one.stride(), one.device) == (other.shape, other.dtype, other.stride(), other.device)


def test_operations_are_whole(package, operands):
    """PyTorch's own checks of an operation: schema, fake kernel, tracing by AOTAutograd, with symbolic shapes, too."""
    torch.manual_seed(0)
    crow, col, values = torch.tensor([0, 1, 3]), torch.tensor([1, 0, 2]), torch.randn(3, 16, 16)
    operations = torch.ops.sattn
    from sattn._trace import function_text, user_functions

    text = function_text.serialize(user_functions.traced("score_mod", alibi)[0])
    for operation, arguments in (
            (operations.linear, (torch.randn(5, 48), crow, col, values, 48, torch.randn(32), "")),
            (operations.bsr_addmm, (torch.randn(32, 8), crow, col, values, None, torch.randn(2, 48, 8), 0.5, 2, None, None, "")),
            (operations.sampled_addmm, (crow, col, values, torch.randn(32, 8), torch.randn(8, 48), 0.5, 1, "")),
            (operations.bsr_softmax, (crow, col, values)),
            (operations.flex_attention, (*operands, text, "", [SLOPES], None, [], [], [], [], None, False, True, True, ""))):
        torch.library.opcheck(operation.default, arguments)


def test_dynamic_shapes(package):
    backend = Backend()
    run = compiled(lambda query, key: package.flex_attention(query, key, key, alibi, causal=True), backend, dynamic=True)
    compilations = None
    for batch, queries, keys in ((3, 30, 40), (4, 50, 47), (5, 20, 90)):
        query, key = torch.randn(batch, 2, queries, 8), torch.randn(batch, 2, keys, 8)
        near(run(query, key), attention(query, key, key, lambda b, h, i, j: i >= j, alibi))
        compilations = compilations or package.cache.info().compilations
    assert len(backend.graphs) == 1 and package.cache.info().compilations == compilations


@pytest.mark.parametrize("name", ["query", "captured"])
def test_whether_gradients_are_recorded(package, operands, name):
    table = SLOPES.clone()
    (table if name == "captured" else operands[0]).requires_grad_()
    function = lambda *arrays: package.flex_attention(*arrays, lambda s, b, h, i, j: s + table[h])  # noqa: E731
    assert compiled(function)(*operands).requires_grad
    with torch.no_grad():
        near(compiled(function)(*operands), attention(*operands, None, lambda s, b, h, i, j: s + table[h]))


def test_what_cannot_be_traced_breaks_the_graph(package, operands):
    def score_mod(score, b, h, q_idx, kv_idx):
        return score if q_idx > kv_idx else score + 1

    function = lambda *arrays: package.flex_attention(*arrays, score_mod)  # noqa: E731
    with pytest.raises(torch._dynamo.exc.Unsupported, match="expected .* but got"):
        compiled(function)(*operands)
    with pytest.raises(TypeError, match=rf"argument 'score_mod': expected .* in {__file__}"):
        torch.compile(function, backend="eager")(*operands)


class Attention(torch.nn.Module):
    def __init__(self, package):
        super().__init__()
        self.package = package
        self.register_buffer("table", SLOPES.clone())

    def forward(self, query, key, value):
        def score_mod(score, b, h, q_idx, kv_idx):
            return score + self.table[h]
        mask = self.package.create_block_mask(lambda b, h, i, j: i - j < 9, None, None, LENGTH, LENGTH)
        return self.package.flex_attention(query * 2, key, value, score_mod, mask, causal=True)


@pytest.fixture
def matrix():
    torch.manual_seed(0)
    return torch.randn(64, 80) * (torch.rand(4, 5) < 0.5).repeat_interleave(16, 0).repeat_interleave(16, 1)


class Linear(torch.nn.Module):
    def __init__(self, package, matrix):
        super().__init__()
        self.package = package
        self.weight = torch.nn.Parameter(matrix.to_sparse_bsr((16, 16)), requires_grad=False)
        self.bias = torch.nn.Parameter(torch.randn(64), requires_grad=False)

    def forward(self, x):
        return self.package.linear(x * 2, self.weight, self.bias)


@pytest.mark.filterwarnings("ignore:The given buffer is not writable")  # A warning of torch.export.load before 2.15.
def test_export(package, operands, matrix):
    for module, arguments, name in ((Attention(package), tuple(operands), "flex_attention"),
                                    (Linear(package, matrix), (torch.randn(3, 80),), "linear")):
        with torch.no_grad():
            exported = torch.export.export(module, arguments, strict=False)
            targets = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
            assert targets.count(f"sattn.{name}.default") == 1 and len(targets) <= 5
            near(exported.module()(*arguments), module(*arguments))
            if name == "flex_attention":
                saved = io.BytesIO()
                torch.export.save(exported, saved)
                saved.seek(0)
                near(torch.export.load(saved).module()(*arguments), module(*arguments))


def test_strict_export(package, matrix):
    arguments = torch.randn(3, 80),
    module = Linear(package, matrix)
    with torch.no_grad():
        try:
            exported = torch.export.export(module, arguments, strict=True)
        except RuntimeError as error:
            if "do not have strides" not in str(error):
                raise
            pytest.skip("PyTorch before 2.15 asks a sparse tensor for its strides, to print the graph")
        near(exported.module()(*arguments), module(*arguments))
    assert "sattn.linear.default" in [str(node.target) for node in exported.graph.nodes]


@pytest.mark.parametrize("kind", ["prepared", "tuple", "module"])
def test_products(package, matrix, kind):
    import sattn.nn

    bsr = matrix.to_sparse_bsr((16, 16))
    operand = {"prepared": package.prepare(bsr), "module": sattn.nn.Bsr(bsr),
               "tuple": (bsr.crow_indices(), bsr.col_indices(), bsr.values().clone())}[kind]
    x, bias = torch.randn(3, 80), torch.randn(64)
    if kind == "module":
        function, name, wanted = lambda x: operand(x.T * 2).T, "bsr_addmm", 2 * x @ matrix.T
    else:
        function, name, wanted = lambda x: package.linear(x * 2, operand, bias), "linear", 2 * x @ matrix.T + bias
    for backend in (Backend(), "aot_eager"):
        near(compiled(function, backend)(x), wanted)
        if isinstance(backend, Backend):
            assert backend.count(getattr(torch.ops.sattn, name)) == [1]
    c = torch.randn(64, 3)
    if kind != "module":
        found = compiled(lambda c, dense: package.bsr_dense_addmm(c, operand, dense, beta=0.5, alpha=2))(c, x.T)
        near(found, 0.5 * c + 2 * matrix @ x.T)
        near(compiled(lambda dense: package.bsr_dense_mm(operand, dense))(x.T), matrix @ x.T)


def test_a_prepared_operand_is_found_by_its_memory(package, matrix, monkeypatch):
    """Its indices are not checked again, and what was prepared is used."""
    from sattn._arrays import sparse_operand
    from sattn._call import memory

    operand, seen = package.prepare(matrix.to_sparse_bsr((16, 16))), []
    monkeypatch.setattr(memory, "launcher", lambda program, found, *rest, own=memory.launcher: seen.append(found) or own(
        program, found, *rest))
    run = compiled(lambda x: package.linear(x, operand))
    x = torch.randn(3, 80)
    near(run(x), x @ matrix.T)
    assert seen == [operand]
    operand.update(operand.values * 2)
    near(run(x), 2 * x @ matrix.T)
    crow, col, values = operand.crow, operand.col, operand.values
    assert sparse_operand.prepared_of(crow, col, values) is operand
    assert sparse_operand.prepared_of(crow, col, values.half()).element == "f16"
    assert sparse_operand.prepared_of(crow.clone(), col, values) is None
    del operand, seen[:], run


def test_sampled_products(package, matrix):
    bsr = matrix.to_sparse_bsr((16, 16))
    parts = bsr.crow_indices(), bsr.col_indices(), bsr.values().clone()
    a, b = torch.randn(64, 8), torch.randn(8, 80)
    function = lambda a, b: package.bsr_softmax(package.sampled_addmm(parts, a, b, beta=0.5))[2] * 2  # noqa: E731
    backend = Backend()
    near(compiled(function, backend)(a, b), function(a, b))
    assert backend.count(torch.ops.sattn.sampled_addmm) == backend.count(torch.ops.sattn.bsr_softmax) == [1]


def test_an_out_breaks_the_graph(package, matrix):
    operand, x, out = package.prepare(matrix.to_sparse_bsr((16, 16))), torch.randn(3, 80), torch.empty(3, 64)
    function = lambda x, out: package.linear(x, operand, out=out) + 1  # noqa: E731
    with pytest.raises(torch._dynamo.exc.Unsupported, match="sattn.linear: 'out' is given"):
        compiled(function)(x, out)
    near(torch.compile(function, backend="eager")(x, out), x @ matrix.T + 1)
    near(out, x @ matrix.T)
