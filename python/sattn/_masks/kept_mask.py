"""Facts about the masks of earlier calls, which a repeated call checks again."""

import operator

from . import attention_mask
from .block_masks import BlockMask


class KeptMask:
    """Facts about a mask that its kernel depends on, without a reference to the mask."""

    __slots__ = "function", "are_given", "_parts_of", "_parts", "_snapshot"

    def __init__(self, mask, are_given, parts_of, parts, snapshot):
        #: The Function of mask_mod, and whether lists are given: those that were made here do not change.
        self.function, self.are_given = mask.function, are_given
        # A function that gives the parts of a mask, the last of which is its mask_mod, and the parts that the lists
        # were taken or made from.
        self._parts_of, self._parts = parts_of, parts
        # The snapshot of the captured values that the lists were made from, or None.
        self._snapshot = snapshot

    def __eq__(self, other):
        """Whether what `values` of one says of a mask holds for the other, too: lists of other shapes may differ."""
        return (self.function is other.function and self.are_given == other.are_given
                and self._snapshot is other._snapshot and all(map(operator.is_, self._parts, other._parts)))

    def values(self, block_mask):
        """The values that the mask's function captures now; None if it, or the lists, may have changed."""
        *parts, mask_mod = self._parts_of(block_mask)
        if not all(map(operator.is_, parts, self._parts)):
            return None
        values = self.function.bind(mask_mod)
        if values is None or self._snapshot is not None and not self._snapshot.holds(values):
            return None
        return values


# A BlockMask of ours keeps its given lists together, or None.
_own_parts_of = operator.attrgetter("_given", "BLOCK_SIZE", "seq_lengths", "_mask_mod")


def kept_mask(block_mask, mask):
    """The KeptMask of a mask and its Mask (attention_mask.py), or None where it is not known when that changes."""
    parts_of = _own_parts_of if isinstance(block_mask, BlockMask) else attention_mask.members_of
    *parts, _ = parts_of(block_mask)
    are_given, snapshot = parts[0] is not None, None
    if are_given and not mask.are_given:
        return None
    if not are_given and mask.lists is not None:
        snapshot = next((kept[0] for kept in block_mask._made.values() if kept[1] is mask.lists), None)
        if snapshot is None:
            return None
    return KeptMask(mask, are_given, parts_of, parts, snapshot)
