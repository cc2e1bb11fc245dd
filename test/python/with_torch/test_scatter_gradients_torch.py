"""Gradients of scatter_mm by PyTorch's autograd on the CPU, beside those of the same sums by PyTorch."""

import pytest
import torch

import sattn

ROWS, DEPTH, COLUMNS, PARTS = 16, 8, 24, 3
FORMATS = "scatter_mm", "bsr_strided_mm", "bsr_strided_mm_compressed"


def problem(format, dtype=torch.float64, batch=(), seed=0):
    """(indices_data, [blocks, others, accumulators], pairs (p, q, r) with which parts they are of)."""
    generator = torch.Generator().manual_seed(seed)

    def make(*shape):
        return torch.randn(shape, generator=generator, dtype=dtype).requires_grad_()

    blocks, width = make(5, ROWS, DEPTH), COLUMNS // PARTS
    if format == "scatter_mm":
        p, q = torch.tensor([0, 4, 2, 2, 1, 0, 3]), torch.tensor([1, 0, 1, 1, 2, 0, 2])
        data = format, torch.tensor([0, 2, 2, 6]), torch.stack([p, q], 1)  # The last pair is of no list.
        return data, [blocks, make(3, DEPTH, COLUMNS), make(3, ROWS, COLUMNS)], [(0, 1, 0), (4, 0, 0), (2, 1, 2), (2, 1, 2), (1, 2, 2),
                                                                                (0, 0, 2)]
    own = [blocks, make(*batch, 4 * DEPTH, COLUMNS), make(*batch, 3 * ROWS, COLUMNS)]
    meta = {"SPLIT_N": PARTS}

    def place(part, rows):
        return part // PARTS * rows * COLUMNS + part % PARTS * width

    if format == "bsr_strided_mm":
        pairs = [(0, 5, 7), (1, 5, 7), (3, 11, 0), (3, 0, 0), (2, 0, 4)]
        data = (format, torch.tensor([0, 2, 4, 4, 5]), torch.tensor([place(7, ROWS), place(0, ROWS), place(2, ROWS), place(4, ROWS)]),
                torch.tensor([p for p, _, _ in pairs]), torch.tensor([place(q, DEPTH) for _, q, _ in pairs]), meta)
        return data, own, pairs
    # The matrix of 3 x 4 blocks whose rows have 2, 0 and 3 of them; one part of the last row has no entry.
    offsets, col = [0, 2, 2, 5], [3, 0, 1, 1, 2]
    q_offsets, pairs = [], []
    for row, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        for part in range(PARTS):
            for block in range(begin, end):
                q_offsets.append(place(col[block] * PARTS + part, DEPTH))
                if (row, part) != (2, 1):
                    pairs.append((block, col[block] * PARTS + part, row * PARTS + part))
    entries = [part for part in (8, 0, 2, 1, 6, 3, 4, 5)]
    data = format, torch.tensor(offsets), torch.tensor([place(part, ROWS) for part in entries]), torch.tensor(q_offsets), meta
    return data, own, pairs


def grid(matrix, rows):
    """(parts, *, rows, columns of a part)."""
    return matrix.unflatten(-1, (PARTS, -1)).unflatten(-3, (-1, rows)).movedim(-2, -3).flatten(-4, -3).movedim(-3, 0)


def expected(format, blocks, others, accumulators, pairs):
    """The sums, as parts (parts, *, rows, columns)."""
    others, sums = (others, [*accumulators]) if format == "scatter_mm" else (grid(others, DEPTH), [*grid(accumulators, ROWS)])
    for p, q, r in pairs:
        sums[r] = sums[r] + blocks[p] @ others[q]
    return torch.stack(sums)


def parts_of(format, result):
    return result if format == "scatter_mm" else grid(result, ROWS)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("format", FORMATS)
def test_every_combination_of_operands(format, batch):
    if batch and format == "scatter_mm":
        return
    data, own, pairs = problem(format, batch=batch)
    sums = expected(format, *own, pairs)
    upstream = torch.randn_like(sums)
    whole = torch.autograd.grad(sums, own, upstream)
    for mask in range(1, 8):
        needs = [place for place in range(3) if mask >> place & 1]
        blocks, others, first = (tensor.detach().requires_grad_(place in needs) for place, tensor in enumerate(own))
        sums = first.clone()  # Which the call writes.
        out = sattn.scatter_mm(blocks, others, data, accumulators=sums)
        assert out is sums
        torch.testing.assert_close(parts_of(format, out.detach()), expected(format, *(tensor.detach() for tensor in own), pairs))
        given = blocks, others, first
        found = torch.autograd.grad(parts_of(format, out), [given[place] for place in needs], upstream)
        for one, place in zip(found, needs):
            torch.testing.assert_close(one, whole[place])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)])
def test_new_accumulators_and_other_types(format, dtype, tolerance):
    data, own, pairs = problem(format)
    wanted = torch.autograd.grad(expected(format, own[0], own[1], torch.zeros_like(own[2]), pairs).square().sum(), own[:2])
    blocks, others = (tensor.detach().to(dtype).requires_grad_() for tensor in own[:2])
    found = torch.autograd.grad(sattn.scatter_mm(blocks, others, data).float().square().sum(), (blocks, others))
    for one, two in zip(found, wanted):
        assert one.dtype == dtype and (one.double() - two).norm() < tolerance * two.norm()


@pytest.mark.parametrize("format", FORMATS)
def test_gradcheck(format):
    data, own, _ = problem(format)
    assert torch.autograd.gradcheck(lambda *given: sattn.scatter_mm(given[0], given[1], data, accumulators=given[2] * 1), own)


@pytest.mark.parametrize("format", FORMATS)
def test_compiled(format):
    torch._dynamo.reset()
    data, own, _ = problem(format, torch.float32)

    def loss(blocks, others, accumulators):
        sums = accumulators * 2
        sattn.scatter_mm(blocks * 1, others, data, accumulators=sums)
        return sums.sin().sum()

    compiled = torch.autograd.grad(torch.compile(loss, fullgraph=True, backend="aot_eager")(*own), own)
    for one, two in zip(compiled, torch.autograd.grad(loss(*own), own)):
        torch.testing.assert_close(one, two)


def test_a_leaf_is_not_written():
    data, (blocks, others, accumulators), _ = problem("scatter_mm")
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        sattn.scatter_mm(blocks, others, data, accumulators=accumulators)


def test_a_second_derivative_is_refused():
    data, (blocks, others, _), _ = problem("scatter_mm")
    gradient, = torch.autograd.grad(sattn.scatter_mm(blocks, others, data).square().sum(), blocks, create_graph=True)
    with pytest.raises(NotImplementedError, match="scatter_mm: expected a first derivative"):
        gradient.sum().backward()
