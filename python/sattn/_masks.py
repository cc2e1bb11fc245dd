"""Masks: functions of (b, h, q_idx, kv_idx) that are combined, and those that have a name."""

import dataclasses
import functools
import math

from ._texts import integer

#: Comparisons of a mask whose blocks the compiler tells apart, at most.
MOST_COMPARISONS = 4
#: Positions are at most this, and so are the numbers of a named mask.
MOST = 2**30


def noop_mask(b, h, q_idx, kv_idx):
    """The mask_mod by which every query sees every key."""
    return kv_idx == kv_idx


def _require_callable(masks):
    for mask in masks:
        if not callable(mask):
            raise TypeError(f"expected functions of (b, h, q_idx, kv_idx), but got {type(mask).__name__}")


def and_masks(*mask_mods):
    """The mask_mod by which a query sees a key where all of `mask_mods` say so. Raises TypeError for what is no function."""
    _require_callable(mask_mods)

    def both(b, h, q_idx, kv_idx):
        seen = noop_mask(b, h, q_idx, kv_idx)
        for mask_mod in mask_mods:
            seen = seen & mask_mod(b, h, q_idx, kv_idx)
        return seen

    return both


def or_masks(*mask_mods):
    """The mask_mod by which a query sees a key where any of `mask_mods` says so. Raises TypeError for what is no function."""
    _require_callable(mask_mods)

    def either(b, h, q_idx, kv_idx):
        seen = kv_idx != kv_idx
        for mask_mod in mask_mods:
            seen = seen | mask_mod(b, h, q_idx, kv_idx)
        return seen

    return either


@dataclasses.dataclass(frozen=True)
class Band:
    """#sattn.mask: query i sees key j if j < prefix or -left <= j - (i + offset) <= right; None does not restrict.

    The offset is 0, or with bottom_right the number of keys minus that of queries.
    """

    left: int | None = None
    right: int | None = None
    prefix: int = 0
    bottom_right: bool = False

    def text(self):
        numbers = [f"{name} = {getattr(self, name)}" for name in ("left", "right") if getattr(self, name) is not None]
        numbers += [f"prefix = {self.prefix}"] * (self.prefix != 0) + ["bottom_right = true"] * self.bottom_right
        return f"#sattn.mask<{', '.join(numbers)}>"

    def node(self, graph, lengths):
        """Whether a query sees a key, as an expression (_expression.py). lengths: nodes of the numbers of queries and keys."""
        query, key = map(graph.position, ("q_idx", "kv_idx"))
        distance = graph.arithmetic("sub", key, query)
        if self.bottom_right:
            distance = graph.arithmetic("sub", distance, graph.arithmetic("sub", lengths[1], lengths[0]))
        node = graph.constant(True)
        if self.left is not None:
            node = graph.bitwise("and", node, graph.compare("ge", distance, graph.constant(-self.left)))
        if self.right is not None:
            node = graph.bitwise("and", node, graph.compare("le", distance, graph.constant(self.right)))
        return graph.bitwise("or", node, graph.compare("lt", key, graph.constant(self.prefix))) if self.prefix else node


def _distance(name, value):
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) in ("bool", "torch.bool"):  # 0 and 1 to Python.
        raise TypeError(f"argument '{name}': expected an integer, but got {type(value).__name__}")
    number = integer(name, value)
    if not 0 <= number <= MOST:
        raise ValueError(f"argument '{name}': expected numbers from 0 to 2^30, or None for no limit, but got {number}")
    return number


def named(causal, window, prefix):
    """The Band of flex_attention's arguments, or None. Raises ValueError or TypeError for what is none."""
    if causal is None and window is None and prefix is None:
        return None
    if window is None:
        ends = ()
    elif isinstance(window, (tuple, list)) and len(window) == 2:
        ends = window
    else:
        raise TypeError(f"argument 'window': expected (left, right), how many keys before and after, but got {window!r}")
    # Numbers of other types become ints first: one in an array may change where it lies.
    numbers = [value if value is None or type(value) is int else _distance(name, value)
               for name, value in zip(("prefix", "window", "window"), (prefix, *ends))]
    try:
        return _kept_band(causal, *numbers)
    except TypeError:  # Of what has no hash, the other one says what is wrong.
        return _band(causal, *numbers)


def _band(causal, prefix, left=None, right=None):
    if type(causal) not in (type(None), bool, str) or causal not in (None, False, True, "top_left", "bottom_right"):
        raise ValueError(f"argument 'causal': expected 'top_left', 'bottom_right', True or False, but got {causal!r}")
    left, right = (None if end is None else _distance("window", end) for end in (left, right))
    if causal:
        right = 0
    if prefix is not None:
        prefix = _distance("prefix", prefix)
        if left is None and right is None:
            raise ValueError("argument 'prefix': expected causal or window beside it, since alone it restricts nothing")
    if left is None and right is None:
        return None
    return Band(left, right, prefix or 0, causal == "bottom_right")


# True and 1 are equal, but not both a `causal`.
_kept_band = functools.lru_cache(1024, typed=True)(_band)


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
    """Whether the compiler makes the mask's function an attribute (Canonicalize.cpp): it then needs no lists of blocks."""
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
    """From which key on no query sees any, as far as constants of the mask's function say it, or None."""
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
    """Whether every query sees every key, as noop_mask says it."""
    return node.op == "eq" and node.operands[0] is node.operands[1] or node.op == "constant" and node.payload == 1


def _count_comparisons(node):
    """How many comparisons of positions with numbers a mask is the `and`, `or` and `not` of; infinite: of others, too."""
    if is_everything(node) or node.op == "ne" and node.operands[0] is node.operands[1]:
        return 0
    if node.op in ("and", "or", "xor") and node.dtype == "i1":
        return sum(map(_count_comparisons, node.operands))
    return 1 if _difference(node, numbers=True) in ((1, -1), (-1, 1), (1, 0), (-1, 0), (0, 1), (0, -1)) else math.inf


def is_derived(node):
    """Whether the compiler tells the blocks of the mask's function apart (docs/Masks.md): it needs no lists of them."""
    return is_band(node) or _count_comparisons(node) <= MOST_COMPARISONS
