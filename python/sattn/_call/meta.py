"""Tile parameters of a call: `meta`."""

import collections.abc
import dataclasses

import numpy as np

from . import cache, memory

PARAMETERS = ("tile", "stages", "warps", "raster_group", "split_k", "register_rows", "register_vectors", "threads")
# PyTorch's names for them; a tile has N / SPLIT_N columns.
THEIRS = {"num_stages": "stages", "num_warps": "warps", "GROUP_SIZE_ROW": "raster_group"}


@dataclasses.dataclass(frozen=True)
class _Meta:
    """Parameters of a call: the tile, PyTorch's SPLIT_N, or neither; and hints for the schedule."""

    tile: tuple = ()
    split: int = 0
    hints: tuple = ()

    def text(self, choose):
        """The inside of #sattn.meta<...>. choose(row) is the compiler's choice, with a row's parameters."""
        if self.tile:
            tile = f"tile = [{', '.join(map(str, self.tile))}]"
        elif self.split:
            return choose((f"SPLIT_N={self.split}", *(f"{name}={value}" for name, value in self.hints)))
        else:
            chosen = choose(())
            tile = chosen[:chosen.index("]") + 1]
            hints = dict(item.split(" = ") for item in chosen[len(tile) + 2:].split(", ") if item)
            return ", ".join([tile, *(f"{name} = {value}" for name, value in {**hints, **dict(self.hints)}.items())])
        return ", ".join([tile, *(f"{name} = {value}" for name, value in self.hints)])


def _positive(name, value):
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value < 2**31:
        raise ValueError(f"argument 'meta': expected '{name}' to be a positive integer, but got {value!r}")
    return int(value)


def meta_of(meta):
    """Parameters by our names or PyTorch's. Raises ValueError or TypeError for what cannot be."""
    if not isinstance(meta, collections.abc.Mapping):
        raise TypeError(f"argument 'meta': expected a dict, but got {type(meta).__name__}")
    allowed = (*PARAMETERS, "SPLIT_N", *THEIRS)
    if unknown := set(meta) - set(allowed):
        raise ValueError(f"argument 'meta': expected keys out of {', '.join(allowed)}, but got "
                         f"{', '.join(sorted(map(str, unknown)))}")
    hints = {}
    for name in (*PARAMETERS[1:], *THEIRS):
        if meta.get(name) is not None:
            ours = THEIRS.get(name, name)
            if ours in hints:
                raise ValueError(f"argument 'meta': expected '{ours}' or '{name}', but got both")
            hints[ours] = _positive(name, meta[name])
    hints = tuple((name, hints[name]) for name in PARAMETERS[1:] if name in hints)
    tile, split = meta.get("tile"), meta.get("SPLIT_N")
    if tile is not None and split is not None:
        raise ValueError("argument 'meta': expected 'tile' or 'SPLIT_N', but got both")
    if split is not None:
        return _Meta(split=_positive("SPLIT_N", split), hints=hints)
    if tile is None:
        return _Meta(hints=hints)
    try:
        tile = tuple(_positive("tile", size) for size in tile)
    except (TypeError, ValueError):
        tile = tile,
    if len(tile) != 3:
        raise ValueError(f"argument 'meta': expected 'tile' of three positive sizes (M, N, K), but got {meta['tile']}")
    return _Meta(tile=tile, hints=hints)


def tile_of(meta):
    """The inside of #sattn.meta<...> for a function that takes a tile alone, or "". Raises as _meta_of."""
    if meta is None:
        return ""
    found = meta_of(meta)
    if not found.tile:
        raise ValueError("argument 'meta': expected 'tile' among its keys, but got "
                         f"{', '.join(map(str, meta)) or 'none'}")
    return found.text(None)


def program_with(meta, source, target, arrays):
    """The program of a source whose meta is the caller's, or "". Raises ValueError for a tile that does not fit."""
    try:
        return memory.with_memory(arrays, cache.program, source, target)
    except NotImplementedError as error:
        if not meta:
            raise
        raise ValueError(f"argument 'meta': {error}") from None
