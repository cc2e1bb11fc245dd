"""Masks: functions of (b, h, q_idx, kv_idx) that are combined, and those that have a name."""

import dataclasses
import functools

from .._native.c_arguments import integer
from .._trace.expression import MOST


def noop_mask(b, h, q_idx, kv_idx):
    """The mask_mod that makes every key visible to every query."""
    return kv_idx == kv_idx


def _require_callable(masks):
    for mask in masks:
        if not callable(mask):
            raise TypeError(f"expected functions of (b, h, q_idx, kv_idx), but got {type(mask).__name__}")


def and_masks(*mask_mods):
    """The mask_mod that makes a key visible where all of `mask_mods` do. Raises TypeError for what is no
    function."""
    _require_callable(mask_mods)

    def both(b, h, q_idx, kv_idx):
        seen = noop_mask(b, h, q_idx, kv_idx)
        for mask_mod in mask_mods:
            seen = seen & mask_mod(b, h, q_idx, kv_idx)
        return seen

    return both


def or_masks(*mask_mods):
    """The mask_mod that makes a key visible where any of `mask_mods` does. Raises TypeError for what is no
    function."""
    _require_callable(mask_mods)

    def either(b, h, q_idx, kv_idx):
        seen = kv_idx != kv_idx
        for mask_mod in mask_mods:
            seen = seen | mask_mod(b, h, q_idx, kv_idx)
        return seen

    return either


@dataclasses.dataclass(frozen=True)
class Band:
    """#sattn.mask: key j is visible to query i if j < prefix or -left <= j - (i + offset) <= right; None does not
    restrict.

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
        """Whether a key is visible to a query, as an expression (_trace/expression.py). lengths: nodes of the numbers
        of queries and keys."""
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
    """The Band of flex_attention's arguments, or None. Raises ValueError or TypeError for invalid arguments."""
    if causal is None and window is None and prefix is None:
        return None
    if window is None:
        ends = ()
    elif isinstance(window, (tuple, list)) and len(window) == 2:
        ends = window
    else:
        raise TypeError("argument 'window': expected (left, right), how many keys before and after, but got "
                        f"{window!r}")
    # Numbers of other types become ints first: one in an array may change where it lies.
    numbers = [value if value is None or type(value) is int else _distance(name, value)
               for name, value in zip(("prefix", "window", "window"), (prefix, *ends))]
    try:
        return _kept_band(causal, *numbers)
    except TypeError:  # An argument has no hash; _band says what is wrong with it.
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
