"""scatter_mm as an operation of PyTorch, with its gradient: products of the same pairs, in other lists."""

from .._arrays import adapters, lazy_torch as torch, patterns
from .scatter_mm import LISTS, multiply, scatter_mm
from .spec import OpSpec, register

_LISTS = "offsets", "q", "p", "r"


def _lists(given):
    """(format, lists by name, meta), as of scatter_mm.lists_of."""
    format = given[0]
    lists = dict(zip(_LISTS, given[1:5]))
    return format, {key: lists[key] for key in LISTS[format]}, {"SPLIT_N": given[5]}


def _kernel(blocks, others, format, offsets, q, p, r, split, accumulators, precision):
    sums = None if accumulators is None else accumulators.clone()
    return multiply(blocks, others, _lists((format, offsets, q, p, r, split)), sums, None, precision or None)


def _fake(blocks, others, format, offsets, q, p, r, split, accumulators, precision):
    if accumulators is not None:
        return torch.empty_like(accumulators)
    if format != "scatter_mm":
        raise NotImplementedError("argument 'accumulators': expected a tensor where scatter_mm is traced, since its size depends on "
                                  "the contents of lists, but got None")
    return blocks.new_empty((offsets.shape[0] - 1, blocks.shape[1], others.shape[2]))


def _entries_of(offsets, count):
    """The entry of a list of offsets that each of `count` places is in; -1, or the number of entries, where none."""
    places = torch.arange(count, device=offsets.device)
    return torch.searchsorted(offsets.long(), places, right=True) - 1


def _parts_at(places, columns, rows, split):
    """The numbers of the parts whose first elements are at these places of a matrix with so many columns."""
    return places // (columns * rows) * split + places % columns // max(columns // split, 1)


def _pairs_of(given, height):
    """(p, q, r), one of each for each pair: the block, the part of others and the part of the result, which has so many
    rows. r is -1 where a pair counts for none."""
    (rows, depth), split = given.blocks.shape[1:], given.split
    where, count = torch.where, given.q.shape[0]
    if given.format == "scatter_mm":
        entries = _entries_of(given.offsets, count)
        return given.p.long(), given.q.long(), where(entries < given.offsets.shape[0] - 1, entries, -1)
    columns = given.others.shape[-1]
    targets = _parts_at(given.r.long(), columns, rows, split)
    if given.format == "bsr_strided_mm":
        entries = _entries_of(given.offsets, count)
        is_used = (entries >= 0) & (entries < targets.shape[0])
        return (given.p.long(), _parts_at(given.q.long(), columns, depth, split),
                where(is_used, targets[where(is_used, entries, 0)], -1) if targets.shape[0]
                else entries.new_full((count,), -1))
    # Each block has a pair for each part of a row, where there is an entry for that part of the result.
    blocks = given.blocks.shape[0]
    limit = height // rows
    own, first = _entries_of(given.offsets, blocks), torch.arange(split, device=given.offsets.device)[:, None]
    is_used = (own >= 0) & (own < min(given.offsets.shape[0] - 1, limit))
    own = where(is_used, own, 0)
    begin, end = given.offsets.long()[own], given.offsets.long()[(own + 1).clamp(max=given.offsets.shape[0] - 1)]
    places = first * end + (split - first) * begin + torch.arange(blocks, device=first.device) - begin
    r = own * split + first
    is_entry = torch.zeros(limit * split + 1, dtype=torch.bool, device=first.device)
    is_entry[targets.clamp(max=limit * split)] = True
    is_used = is_used & is_entry[r.clamp(max=limit * split)]
    q = given.q.long()[where(is_used, places, 0)] if count else places
    return (torch.arange(blocks, device=first.device).repeat(split), _parts_at(q, columns, depth, split).reshape(-1),
            where(is_used, r, -1).reshape(-1))


def _parts_of(matrix, rows, split, is_grid):
    """The parts of matrices, (parts, rows, columns), those of batches side by side."""
    if not is_grid:
        return matrix
    batch, (height, width) = matrix.shape[:-2], matrix.shape[-2:]
    grid = matrix.reshape(batch.numel(), height // rows, rows, split, width // split)
    return grid.permute(1, 3, 2, 0, 4).reshape(height // rows * split, rows, -1)


def _matrix_of(parts, shape, split, is_grid):
    """The inverse of _parts_of."""
    if not is_grid:
        return parts
    rows = parts.shape[1]
    grid = parts.reshape(shape[-2] // rows, split, rows, shape[:-2].numel(), shape[-1] // split)
    return grid.permute(3, 0, 2, 1, 4).reshape(shape)


def _sums(left, right, keys, pairs, count, precision):
    """(count, M, N): the sum of left[a] @ right[b] over the pairs (a, b) of each key; keys of `count` count for
    none."""
    order = torch.argsort(keys, stable=True)
    offsets = patterns.offsets_of(adapters.arrays_of("keys", keys), keys[order][None], count)[0]
    lists = "scatter_mm", {"offsets": offsets, "q": pairs[1][order], "p": pairs[0][order]}, None
    sums = left.new_zeros((count, left.shape[1], right.shape[2]))
    return multiply(left.contiguous(), right, lists, sums, False, precision) if sums.numel() and left.numel() else sums


def _gradient(grad, needs, given):
    found = {"accumulators": grad} if "accumulators" in needs else {}
    if needs == found.keys():
        return found
    is_grid, split, precision = given.format != "scatter_mm", given.split, given.precision or None
    if is_grid and not given.others.numel():
        return found | {name: torch.zeros_like(getattr(given, name)) for name in needs - found.keys()}
    (rows, depth), blocks = given.blocks.shape[1:], given.blocks.shape[0]
    p, q, r = _pairs_of(given, grad.shape[-2])
    is_used, r = r >= 0, r.clamp(min=0)
    targets = _parts_of(grad.to(given.blocks.dtype), rows, split, is_grid)
    if "others" in needs:
        count = _parts_of(given.others, depth, split, is_grid).shape[0]
        sums = _sums(given.blocks.mT, targets, torch.where(is_used, q, count), (p, r), count, precision)
        found["others"] = _matrix_of(sums, given.others.shape, split, is_grid)
    if "blocks" in needs:
        others = _parts_of(given.others, depth, split, is_grid)
        found["blocks"] = _sums(targets, others.mT, torch.where(is_used, p, blocks), (r, q), blocks, precision)
    return found


_INDICES = "offsets", "q", "p", "r"
register(OpSpec(
    scatter_mm, "scatter_mm",
    {"blocks": "tensor", "others": "tensor", "indices_data": "pairs", "accumulators": "tensor?",
     "precision": "precision"},
    kernel=_kernel, fake=_fake, written="accumulators", autocast=("blocks", "others"), gradient=_gradient,
    gradients={"blocks": (*_INDICES, "others"), "others": (*_INDICES, "blocks"), "accumulators": ()},
    types={"accumulators": "_Array | None"}))
