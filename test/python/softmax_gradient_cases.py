"""Calls of bsr_softmax whose gradients are compared with those of the definition in float64, on any device."""

import dataclasses

import torch
from bsr_gradient_cases import Case, matrix_of, operands

import sattn

#: Repeated columns, and a row without a block, are in all of them.
CASES = {
    "plain": Case(),
    "of_i64": Case(index_type=torch.int64),
    "prepared": Case(kind="prepared"),
    "sparse_tensor": Case(kind="sparse", index_type=torch.int64),
    "blocks_of_no_row": Case(shift=2),
    "blocks_of_no_row_prepared": Case(shift=2, kind="prepared"),
    "batch_of_values": Case(values=(2, 3)),
    "batch_of_indices": Case(index=(2,), values=(2,)),
    "shared_values": Case(index=(2,)),
    "one_value_of_both": Case(index=(2,), values=(3, 1)),
    "batch_prepared": Case(values=(2,), kind="prepared"),
    "wide_blocks": Case(block=(8, 200)),
    "large_blocks": Case(block=(64, 64)),
    "odd_blocks": Case(block=(5, 3)),
    "elements": Case(block=(1, 1)),
}
#: Cases that `sattn.prepare` refuses, since products do, are not prepared.
assert all(size % 8 == 0 for case in CASES.values() if case.kind == "prepared" for size in case.block)


def definition(crow, values):
    """The softmax of the stored elements of each row, by operations that PyTorch differentiates; 0 at blocks of no
    row and in rows of nothing but -inf."""
    batch = torch.broadcast_shapes(crow.shape[:-1], values.shape[:-3])
    offsets = crow.expand(*batch, -1).reshape(-1, crow.shape[-1]).tolist()
    matrices = []
    for own, blocks in zip(offsets, values.expand(*batch, -1, -1, -1).reshape(-1, *values.shape[-3:])):
        parts = [torch.zeros_like(blocks[:own[0]])]
        for begin, end in zip(own, own[1:]):
            rows = blocks[begin:end].transpose(0, 1)
            flat = rows.flatten(1)
            is_seen = (flat != -torch.inf).any(-1, keepdim=True)
            weights = torch.softmax(flat.masked_fill(~is_seen, 0), -1) * is_seen
            parts.append(weights.reshape(rows.shape).transpose(0, 1))
        matrices.append(torch.cat([*parts, torch.zeros_like(blocks[own[-1]:])]))
    return torch.stack(matrices).reshape(*batch, *values.shape[-3:])


def problem(case, device, dtype, seed=0):
    """(crow, col, values, the gradient of the result)."""
    crow, col, own, _ = operands(dataclasses.replace(case, dense=()), device, dtype, seed)
    values = own["values"]
    shape = *torch.broadcast_shapes(case.index, case.values), *values.shape[-3:]
    generator = torch.Generator(device).manual_seed(seed + 1)
    return crow, col, values, torch.randn(shape, generator=generator, device=device).to(dtype)


def gradient(case, device, dtype, seed=0):
    """The gradient of the values, by sattn."""
    crow, col, values, grad = problem(case, device, dtype, seed)
    matrix, leaf = matrix_of(case.kind, crow, col, values.requires_grad_(), case.block)
    found = sattn.bsr_softmax(matrix)
    found = found[2] if isinstance(found, tuple) else found.values() if isinstance(found, torch.Tensor) else found.values
    own = torch.autograd.grad(found, leaf, grad)[0]
    return own.values() if own.layout == torch.sparse_bsr else own


def expected(case, device, dtype, seed=0):
    """The same in float64, by PyTorch."""
    crow, _, values, grad = problem(case, device, dtype, seed)
    values = values.double().requires_grad_()
    return torch.autograd.grad(definition(crow, values), values, grad.double())[0]
