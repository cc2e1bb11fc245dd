"""kernel_options of flex_attention: which mean something here, and which are PyTorch's alone."""

import collections.abc
import dataclasses
import warnings

from .._native.c_arguments import integer

#: Names of ours, with PyTorch's.
OURS = {"BLOCK_M": "tile_queries", "BLOCK_N": "tile_keys", "num_stages": "stages", "num_warps": "warps",
        "PRECISION": "precision", "tile_queries": "tile_queries", "tile_keys": "tile_keys", "stages": "stages",
        "warps": "warps", "raster_group": "raster_group", "precision": "precision", "register_rows": "register_rows",
        "register_vectors": "register_vectors", "threads": "threads"}
#: PyTorch's options that change nothing here; nor do its options of the backward (bwd_...), whose tiles are the
#: compiler's.
IGNORED = {"PRESCALE_QK", "ROWS_GUARANTEED_SAFE", "BLOCKS_ARE_CONTIGUOUS", "WRITE_DQ", "FORCE_USE_FLEX_ATTENTION",
           "USE_TMA",
           "kpack", "matrix_instr_nonkdim", "waves_per_eu", "BACKEND", "BLOCK_M1", "BLOCK_N1", "BLOCK_M2", "BLOCK_N2",
           "OUTPUT_LOGSUMEXP", "OUTPUT_MAX", "SPARSE_Q_BLOCK_SIZE", "SPARSE_KV_BLOCK_SIZE", "GQA_SHARED_HEADS",
           "HAS_FULL_BLOCKS", "IS_DIVISIBLE", "SM_SCALE", "SPLIT_KV", "num_buffers_warp_spec", "num_consumer_groups"}
HINTS = "stages", "warps", "raster_group", "register_rows", "register_vectors", "threads"
_remarked = set()


@dataclasses.dataclass(frozen=True)
class Options:
    """tile: queries and keys of a tile, or (). hints: (name, number) for the schedule. precision: or None."""

    tile: tuple = ()
    hints: tuple = ()
    precision: str | None = None

    def meta(self, value_dim):
        """The inside of #sattn.meta<...>, or "" for the compiler's choice."""
        if not self.tile:
            return ""
        hints = "".join(f", {name} = {number}" for name, number in self.hints)
        return f"tile = [{self.tile[0]}, {-(-value_dim // 8) * 8}, {self.tile[1]}]{hints}"


NONE = Options()


def _remark(text):
    if text not in _remarked:
        _remarked.add(text)
        warnings.warn(text, stacklevel=4)


def options_of(given):
    """The Options of a dict, or of None. Raises TypeError or ValueError for what cannot be."""
    if given is None:
        return NONE
    if not isinstance(given, collections.abc.Mapping):
        raise TypeError(f"argument 'kernel_options': expected a dict, but got {type(given).__name__}")
    found, ignored = {}, []
    for key, value in given.items():
        of_backward = str(key).startswith("bwd_")
        name = str(key).removeprefix("bwd_" if of_backward else "fwd_")
        if of_backward and name in OURS or name in IGNORED:
            ignored.append(key)
        elif name in OURS:
            if OURS[name] in found:
                raise ValueError(f"argument 'kernel_options': expected one value of '{OURS[name]}', but got several")
            found[OURS[name]] = value
        else:
            raise ValueError(f"argument 'kernel_options': expected keys out of {', '.join(OURS)} and PyTorch's, but "
                             f"got {key!r}")
    precision = found.pop("precision", None)
    if isinstance(precision, str):
        precision = precision.strip("'\"")
    if precision not in (None, "ieee", "tf32"):
        raise ValueError(f"argument 'kernel_options': expected precision 'ieee' or 'tf32', but got {precision!r}")
    for name, value in found.items():
        number = integer("kernel_options", value)
        if not 1 <= number <= 1024 or name.startswith("tile") and number % 8:
            raise ValueError(f"argument 'kernel_options': expected '{name}' from 1 to 1024"
                             f"{', a multiple of 8' if name.startswith('tile') else ''}, but got {value}")
        found[name] = number
    tile = tuple(found[name] for name in ("tile_queries", "tile_keys") if name in found)
    if len(tile) != 2:
        ignored += [name for name in found if name in given or name in OURS.values()]
        tile = ()
    if ignored:
        _remark(f"kernel_options: {', '.join(sorted(map(str, ignored)))} change nothing here"
                + ("" if tile else "; the sizes of a tile and hints count where both sizes are given"))
    return Options(tile, tuple((name, found[name]) for name in HINTS if name in found) if tile else (), precision)
