"""Calls of the BSR family whose gradients are compared with those of dense formulas in float64, on any device."""

import dataclasses

import torch

import sattn

NAMES = "values", "dense", "input", "left_alpha", "right_alpha", "alpha", "beta"
#: Duplicate columns, columns that do not ascend, and a row without a block.
CROW, COL, DOWN, ACROSS = (0, 3, 3, 5, 6), (2, 0, 2, 1, 4, 3), 4, 5


@dataclasses.dataclass(frozen=True)
class Case:
    """A product. index, values, dense: batch dimensions; input, left, right: shapes, or None for operands that are absent, where N, M
    stand for sizes. alpha, beta: numbers, which are tensors where these need a gradient. shift: blocks that no row refers to, at
    both ends. kind: how the matrix is given. lies: dimensions of dense that are contiguous, "rows" or "columns"."""

    index: tuple = ()
    values: tuple = ()
    dense: tuple = ()
    input: tuple | None = None
    left: tuple | None = None
    right: tuple | None = None
    alpha: float = 1.0
    beta: float = 1.0
    block: tuple = (16, 8)
    columns: int = 24
    kind: str = "tuple"
    shift: int = 0
    lies: str = "rows"
    index_type: torch.dtype = torch.int32


CASES = {
    "plain": Case(),
    "of_i64": Case(index_type=torch.int64),
    "prepared": Case(kind="prepared"),
    "sparse_tensor": Case(kind="sparse", index_type=torch.int64),
    "all": Case(input=("M", "N"), left=("M",), right=("N",), alpha=0.7, beta=-0.4),
    "vector_input": Case(input=("N",)),
    "column_input": Case(input=("M", 1), beta=2.0),
    "one_input": Case(input=(1, 1)),
    "beta_zero": Case(input=("M", "N"), beta=0.0),
    "alpha_zero": Case(input=("M", "N"), left=("M",), right=("N",), alpha=0.0),
    "blocks_of_no_row": Case(shift=2),
    "batch_of_dense": Case(dense=(3,), input=("N",), right=("N",)),
    "batch_of_values": Case(values=(2,), left=("M",)),
    "batch_of_both": Case(values=(2, 1), dense=(1, 3), input=(3, 1, "N")),
    "batch_of_indices": Case(index=(2,), values=(2,), dense=(2,), left=(2, "M"), right=(1, "N")),
    "shared_values": Case(index=(2,), dense=()),
    "batch_prepared": Case(values=(2,), dense=(2,), kind="prepared"),
    "columns_of_dense": Case(lies="columns", dense=(2,)),
    "one_column": Case(columns=1, input=("M", 1)),
    "odd_columns": Case(columns=7, left=("M",)),
    "wide_blocks": Case(block=(8, 32)),
}


def _indices(case, device):
    crow, col = torch.tensor(CROW), torch.tensor(COL)
    if case.shift:
        crow, col = crow + case.shift, torch.cat([torch.full((case.shift,), 9), col, torch.full((case.shift,), -3)])
    if case.index:  # Each batch has its own.
        crow = torch.stack([crow, torch.tensor([0, 0, 4, 6, 6])])
        col = torch.stack([col, col.flip(0)])
    return crow.to(device, case.index_type), col.to(device, case.index_type)


def operands(case, device, dtype, seed=0):
    """(crow, col, the tensors of NAMES that a case has by name, the gradient of the result)."""
    generator = torch.Generator(device).manual_seed(seed)

    def make(*shape):
        return torch.randn(shape, generator=generator, device=device).to(dtype)

    crow, col = _indices(case, device)
    sizes = {"M": DOWN * case.block[0], "N": case.columns}
    dense = make(*case.dense, ACROSS * case.block[1], case.columns)
    if case.lies == "columns":
        dense = dense.mT.contiguous().mT
    found = {"values": make(*case.values, col.shape[-1], *case.block), "dense": dense}
    for name, shape in (("input", case.input), ("left_alpha", case.left), ("right_alpha", case.right)):
        if shape is not None:
            found[name] = make(*(sizes.get(size, size) for size in shape))
    found |= {name: torch.tensor(number, dtype=torch.float64) for name, number in (("alpha", case.alpha), ("beta", case.beta))}
    batch = torch.broadcast_shapes(case.index, case.values, case.dense)
    return crow, col, found, make(*batch, sizes["M"], sizes["N"])


def to_dense(crow, col, values, across):
    """The matrix (*, M, K), by operations that PyTorch differentiates."""
    batch = torch.broadcast_shapes(crow.shape[:-1], values.shape[:-3])
    height, width = values.shape[-2:]
    crow, col = (index.expand(*batch, -1).reshape(-1, index.shape[-1]).tolist() for index in (crow, col))
    values = values.expand(*batch, -1, -1, -1).reshape(-1, *values.shape[-3:])
    matrices = []
    for offsets, places, blocks in zip(crow, col, values):
        grid = [[[] for _ in range(across)] for _ in offsets[1:]]
        for row, (begin, end) in enumerate(zip(offsets, offsets[1:])):
            for place in range(begin, end):
                grid[row][places[place]].append(blocks[place])
        zero = blocks.new_zeros(height, width)
        matrices.append(torch.cat([torch.cat([sum(own, zero) for own in row], 1) for row in grid], 0))
    return torch.stack(matrices).reshape(*batch, *matrices[0].shape)


def matrix_of(kind, crow, col, values, block):
    """The matrix as a call takes it, and the tensor whose gradient is that of the values."""
    if kind == "sparse":
        size = *values.shape[:-3], (crow.shape[-1] - 1) * block[0], ACROSS * block[1]
        matrix = torch.sparse_bsr_tensor(crow, col, values.detach(), size, requires_grad=values.requires_grad, check_invariants=False)
        return matrix, matrix
    if kind == "prepared":
        return sattn.prepare((crow, col, values)), values
    return (crow, col, values), values


def gradients(case, device, dtype, needs, seed=0, **options):
    """Gradients of the operands with these names, by sattn, in order."""
    crow, col, own, grad = operands(case, device, dtype, seed)
    tensors = {name: tensor.requires_grad_(name in needs) for name, tensor in own.items()}
    matrix, leaf = matrix_of(case.kind, crow, col, tensors["values"], case.block)
    tensors["values"] = leaf
    given = {name: tensor for name, tensor in tensors.items() if name != "values"}
    for name in {"alpha", "beta"} - set(needs):
        given[name] = getattr(case, name)
    given.setdefault("input", None)
    if given["input"] is None and "beta" not in needs:
        given["beta"] = 0
    out = sattn.bsr_dense_addmm(given.pop("input"), matrix, given.pop("dense"), **given, **options)
    found = torch.autograd.grad(out, [tensors[name] for name in needs], grad)
    return [gradient.values() if gradient.layout == torch.sparse_bsr else gradient for gradient in found]


def expected(case, device, dtype, needs, seed=0):
    """The same in float64, by PyTorch."""
    crow, col, own, grad = operands(case, device, dtype, seed)
    tensors = {name: tensor.double().detach().requires_grad_(name in needs) for name, tensor in own.items()}
    matrix = to_dense(crow, col, tensors["values"], ACROSS)
    out = tensors["alpha"].to(device) * (matrix @ tensors["dense"])
    if "left_alpha" in tensors:
        out = out * tensors["left_alpha"][..., None]
    if "right_alpha" in tensors:
        out = out * tensors["right_alpha"][..., None, :]
    if "input" in tensors:
        out = out + tensors["beta"].to(device) * tensors["input"]
    found = torch.autograd.grad(out, [tensors[name] for name in needs], grad.double(), allow_unused=True)
    return [torch.zeros_like(tensors[name]) if gradient is None else gradient for name, gradient in zip(needs, found)]


def names_of(case):
    """The operands of a case, of which all may need a gradient."""
    absent = {name for name, shape in (("input", case.input), ("left_alpha", case.left), ("right_alpha", case.right)) if shape is None}
    return [name for name in NAMES if name not in absent and not (name == "beta" and case.input is None)]


def errors(found, wanted):
    """The relative norm of the error of each gradient, whose shapes must agree."""
    assert [own.shape for own in found] == [other.shape for other in wanted]
    return [float((own.double().to(other.device) - other).norm() / other.norm().clamp(min=1e-2)) for own, other in zip(found, wanted)]
