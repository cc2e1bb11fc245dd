"""How operands and results of flex_attention lie in memory: the order of dimensions, heads in the rows of a tile."""

import numpy as np

#: Queries up to which heads that share a head of key and value are packed into the rows of a tile.
PACKED_QUERIES = 16


def in_order_of(strides, shape):
    """(a shape, places): an array of that shape whose dimensions are taken from these places has the other shape, and
    its batches, heads and queries the order in memory that the strides have. places: None where they are in order."""
    if strides[0] >= strides[1] >= strides[2] or 0 in strides[:3]:  # Repeated elements have no order in memory.
        return shape, None
    order = sorted(range(3), key=lambda place: -abs(strides[place]))
    return (*(shape[place] for place in order), shape[3]), (*map(order.index, range(3)), 3)


def new_in_order_of(array, shape, is_zero=False):
    """A new array of a shape, whose batches, heads and queries lie in memory as the array's do."""
    if isinstance(array, np.ndarray):
        own, places = in_order_of(array.strides, shape)
        return (np.zeros if is_zero else np.empty)(own, array.dtype).transpose(places or (0, 1, 2, 3))
    own, places = in_order_of(array.stride(), shape)
    made = array.new_zeros(own) if is_zero else array.new_empty(own)
    return made.permute(places) if places else made


def packed(array, heads):
    """(B, H, M, ...) as (B, heads, H // heads * M, ...), where it lies."""
    shape = array.shape
    shape = shape[0], heads, shape[1] // heads * shape[2], *shape[3:]
    # PyTorch's view raises where no view is possible; for NumPy `packs` has checked it.
    return array.reshape(shape) if type(array) is np.ndarray else array.view(shape)


def packs(query, heads, mask):
    """Whether the heads of query that share one of key's `heads` are packed: where queries are few, rows of q and of
    the result are at one distance, and lists say the same for all of them. mask: a Mask or None."""
    _, all_heads, queries, _ = query.shape
    if not 0 < queries <= PACKED_QUERIES or not 0 < heads < all_heads or all_heads % heads:
        return False
    if queries > 1:
        batch, head, row = (query.strides if type(query) is np.ndarray else query.stride())[:3]
        if head != queries * row or not row or query.shape[0] > 1 and abs(row) <= abs(batch) < abs(head):
            return False
    if mask is None or mask.function is None:
        return True
    if mask.lists is None:
        # The blocks that the compiler finds are those of all of a tile's rows.
        return not mask.function.needs_head
    return queries <= mask.block[0] and not (mask.is_ours and mask.function.needs_head) and all(
        array is None or array.shape[1] == 1 for array in mask.lists)
