"""Gradients of sattn.scaled_dot_product_attention beside those of the dense formula in float64, on any device."""

import dataclasses

import sattn
import torch


@dataclasses.dataclass(frozen=True)
class Case:
    """block: rows and columns of a stored block. down, across: block rows and columns of the mask. batch: of query, and
    of the result; key, value, mask: theirs. columns: of query and key, and of value. index: of crow and col. twice:
    whether a block row has a block twice."""

    block: tuple = (32, 32)
    down: int = 4
    across: int = 5
    batch: tuple = (2, 3)
    key: tuple | None = None
    value: tuple | None = None
    mask: tuple = ()
    columns: tuple = (64, 64)
    dropout: float = 0.0
    scale: float | None = None
    index: torch.dtype = torch.int64
    twice: bool = False


CASES = {
    "plain": Case(),
    "one_matrix": Case(batch=(), block=(64, 64), columns=(64, 32)),
    "heads": Case(batch=(3,), mask=(3,), block=(64, 16), columns=(24, 40)),
    "heads_share_keys": Case(batch=(2, 4), key=(2, 1), value=(2, 1), mask=(4,)),
    "heads_share_keys_alone": Case(batch=(2, 4), key=(2, 1)),
    "batches_share_keys": Case(batch=(3, 2), key=(1, 2), value=(1, 2), mask=(3, 1)),
    "all_share_keys": Case(batch=(3, 2), key=(), value=(), mask=(3, 2)),
    "queries_broadcast": Case(batch=(1, 3), key=(2, 3), value=(2, 3)),
    "three_batches": Case(batch=(2, 1, 3), key=(2, 2, 3), value=(1, 2, 1), mask=(2, 1)),
    "wide": Case(columns=(128, 128), block=(128, 64), down=2, across=3),
    "wider": Case(columns=(160, 96), block=(64, 64), batch=(2,)),
    "one_column": Case(columns=(1, 1), block=(16, 16)),
    "odd_columns": Case(columns=(20, 33), block=(16, 48)),
    "short_indices": Case(index=torch.int32, block=(16, 32)),
    "twice": Case(twice=True, mask=(2, 1)),
    "negative_scale": Case(scale=-0.3),
    "dropout": Case(dropout=0.3, mask=(2, 3)),
    "dropout_shared": Case(dropout=0.6, batch=(2, 4), key=(2, 1), value=(2, 1)),
    "dropout_all": Case(dropout=1.0),
    "no_blocks": Case(down=1),
}


def pattern(case, device):
    """(crow, col, values) in which block row 1, or the only one, is empty, and how often each element is stored."""
    generator = torch.Generator().manual_seed(1)
    shape = (*case.mask, case.down, case.across)
    # As many blocks in each batch: a permutation of the same columns.
    row = torch.arange(case.down) != 1 if case.down > 1 else torch.zeros(1, dtype=torch.bool)
    counts = torch.where(row, torch.randint(1, case.across, (case.down,), generator=generator), 0)
    order = torch.rand(shape, generator=generator).argsort(-1)
    crow = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
    col = torch.cat([order[..., place, :count] for place, count in enumerate(counts.tolist())], -1)
    if case.twice and col.shape[-1] > 1:
        col[..., -1] = col[..., -2]
    rows = torch.repeat_interleave(torch.arange(case.down), counts)
    times = torch.zeros(*case.mask, case.down * case.across, dtype=torch.float64)
    times.scatter_add_(-1, rows * case.across + col, torch.ones(col.shape, dtype=torch.float64))
    times = times.reshape(shape).repeat_interleave(case.block[0], -2).repeat_interleave(case.block[1], -1)
    crow = crow.expand(*case.mask, -1).to(device, case.index)
    values = torch.ones((*col.shape, *case.block), dtype=torch.bool, device=device)
    return (crow, col.to(device, case.index), values), times.to(device)


def operands(case, device, dtype):
    """query, key, value, which require gradients, and the gradient of the result."""
    generator = torch.Generator().manual_seed(0)
    rows, keys = case.down * case.block[0], case.across * case.block[1]
    depth, width = case.columns
    key, value = (case.batch if own is None else own for own in (case.key, case.value))
    own = [torch.randn(shape, generator=generator, dtype=torch.float64).to(device, dtype).requires_grad_()
           for shape in ((*case.batch, rows, depth), (*key, keys, depth), (*value, keys, width))]
    batch = torch.broadcast_shapes(case.batch, key, value, case.mask)
    return own, torch.randn((*batch, rows, width), generator=generator, dtype=torch.float64).to(device, dtype)


def kept(case, mask, own, batch):
    """The factors of the weights after the softmax: 0 for weights that are dropped. Seeds are as those of the call
    after the next torch.manual_seed(3)."""
    if not case.dropout:
        return 1
    torch.manual_seed(3)
    query, key = (torch.zeros(*batch, tensor.shape[-2], 8, dtype=torch.float32, device=tensor.device) for tensor in own[:2])
    ones = torch.eye(key.shape[-2], dtype=torch.float32, device=key.device)
    with torch.no_grad():
        shown = [sattn.scaled_dot_product_attention(query, key, one.contiguous(), mask, case.dropout)
                 for one in _halves(ones)]
    return (torch.cat(shown, -1) != 0).double() / max(1 - case.dropout, 1e-30)


def _halves(ones):
    """Columns of a matrix, at most 512 together; each has the same seed."""
    for part in ones.split(512, -1):
        torch.manual_seed(3)
        yield part


def found(case, device, dtype):
    """The result and the gradients of query, key and value."""
    mask, _ = pattern(case, device)
    own, grad = operands(case, device, dtype)
    torch.manual_seed(3)
    out = sattn.scaled_dot_product_attention(*own, mask, case.dropout, scale=case.scale)
    return out.detach(), *torch.autograd.grad(out, own, grad)


def expected(case, device, dtype):
    """The same in float64, of operands of this type."""
    mask, times = pattern(case, device)
    own, grad = operands(case, device, dtype)
    drop = kept(case, mask, own, grad.shape[:-2])
    query, key, value = wide = [tensor.detach().double().requires_grad_() for tensor in own]
    scale = query.shape[-1] ** -0.5 if case.scale is None else case.scale
    scores = (query @ key.mT * scale).masked_fill(times == 0, -torch.inf)
    weights = (scores - scores.amax(-1, keepdim=True).clamp(min=-1e300).detach()).exp() * times
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-300)
    out = (weights * drop) @ value
    return out.detach(), *torch.autograd.grad(out, wide, grad.double())


def errors(results, others):
    """The largest difference of each result, relative to the largest element."""
    return [((one.double() - other).abs().max() / other.abs().max().clamp(min=1e-3)).item() if one.numel() else 0.0
            for one, other in zip(results, others)]
