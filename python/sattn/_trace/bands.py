"""Facts about a mask from its expression: bands, and the keys that are visible to queries."""

import math

from .expression import MOST

#: Comparisons of a mask whose blocks the compiler tells apart, at most.
MOST_COMPARISONS = 4


def _linear(node, numbers):
    """(factor of q_idx, of kv_idx) of a sum of positions and constants, with `numbers` captured ones too, or None."""
    if node.op == "argument":
        return {"q_idx": (1, 0), "kv_idx": (0, 1)}.get(node.payload)
    if node.dtype == "i32" and (node.op == "constant" or node.op == "number" and numbers):
        return 0, 0
    if node.op not in ("add", "sub") or node.dtype != "i32":
        return None
    left, right = (_linear(operand, numbers) for operand in node.operands)
    sign = 1 if node.op == "add" else -1
    return None if left is None or right is None else tuple(a + sign * b for a, b in zip(left, right))


def _difference(node, numbers=False):
    """The factors of the positions in what a comparison compares with 0, or None."""
    if node.op not in ("lt", "le", "gt", "ge") or node.operands[0].dtype != "i32":
        return None
    left, right = (_linear(operand, numbers) for operand in node.operands)
    if left is None or right is None:
        return None
    sign = 1 if node.op in ("gt", "ge") else -1
    return tuple(sign * (a - b) for a, b in zip(left, right))


def is_band(node):
    """Whether the compiler makes the mask's function an attribute (Canonicalize.cpp): it then needs no lists of
    blocks."""
    if node.op == "and":
        return all(map(is_band, node.operands))
    return _difference(node) in ((1, -1), (-1, 1)) or is_everything(node)


def _with_constant(node):
    """(factor of q_idx, of kv_idx, constant) of a sum of positions and small constants, or None."""
    if node.op == "argument":
        return {"q_idx": (1, 0, 0), "kv_idx": (0, 1, 0)}.get(node.payload)
    if node.dtype != "i32":
        return None
    if node.op == "constant":
        return (0, 0, node.payload) if abs(node.payload) <= MOST // 4 else None
    if node.op not in ("add", "sub"):
        return None
    left, right = map(_with_constant, node.operands)
    sign = 1 if node.op == "add" else -1
    found = None if left is None or right is None else tuple(a + sign * b for a, b in zip(left, right))
    return found if found and abs(found[2]) <= MOST // 4 else None  # Else it may wrap.


_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "and": "or", "or": "and"}


def keys_seen(node, queries, is_negated=False):
    """The key from which on none is visible, as far as constants of the mask's function tell it, or None."""
    if node.op == "xor" and node.dtype == "i1" and node.operands[1].op == "constant":  # As `not` is written.
        return keys_seen(node.operands[0], queries, is_negated ^ (node.operands[1].payload == 1))
    op = _NEGATED.get(node.op) if is_negated else node.op
    if op in ("and", "or") and node.dtype == "i1":
        ends = [keys_seen(operand, queries, is_negated) for operand in node.operands]
        known = [end for end in ends if end is not None]
        if op == "and":
            return min(known, default=None)
        return max(known) if len(known) == len(ends) else None
    if op not in ("lt", "le", "gt", "ge"):
        return None
    left, right = map(_with_constant, node.operands if op in ("lt", "le") else reversed(node.operands))
    if left is None or right is None:
        return None
    query, key, constant = (a - b for a, b in zip(left, right))
    if key != 1 or query not in (0, -1):
        return None
    # kv_idx + query * q_idx + constant <= 0, or < 0.
    return max(-constant + (op in ("le", "ge")) + (queries - 1 if query else 0), 0)


def is_everything(node):
    """Whether the mask's expression is true everywhere by its form, as that of noop_mask."""
    return node.op == "eq" and node.operands[0] is node.operands[1] or node.op == "constant" and node.payload == 1


def _count_comparisons(node):
    """How many comparisons of positions with numbers a mask is the `and`, `or` and `not` of; infinite: of others,
    too."""
    if is_everything(node) or node.op == "ne" and node.operands[0] is node.operands[1]:
        return 0
    if node.op in ("and", "or", "xor") and node.dtype == "i1":
        return sum(map(_count_comparisons, node.operands))
    return 1 if _difference(node, numbers=True) in ((1, -1), (-1, 1), (1, 0), (-1, 0), (0, 1), (0, -1)) else math.inf


def is_derived(node):
    """Whether the compiler tells the blocks of the mask's function apart (docs/Masks.md): it needs no lists of them."""
    return is_band(node) or _count_comparisons(node) <= MOST_COMPARISONS
