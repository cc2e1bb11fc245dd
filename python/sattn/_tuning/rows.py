"""Rows of tuned parameters: those of tables, and those of this process alone."""

import collections.abc
import sys
import warnings

import numpy as np

from .._call import cache
from .._compiler import compiler, tuning
from .._native import libraries
from . import blocked_tensors, table_file
from .table_file import Rows, Section

# The op in tables of each function of PyTorch, and what it calls the numbers of a row, in order.
_FUNCTIONS = {"bsr_dense_addmm": ("bsr_addmm", ("GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps")),
              "scatter_mm": ("scatter_mm", ("GROUP_SIZE", "SPLIT_N", "TILE_M", "TILE_N", "num_stages", "num_warps"))}
_TILE = "tile_m", "tile_n", "tile_k"
#: This machine's CPU as a device: rows of tables name its kind.
CPU = compiler.CPU
# {Section: Rows} of this process, which dump() writes.
_own = {}


def device_name_of(arrays):
    """The name of the device that arrays of one of the libraries are on."""
    return libraries.binding().device_name(arrays.device.index) if arrays.on_gpu else CPU


def current_device_name():
    """The name of PyTorch's current CUDA device, or where PyTorch is not imported, of the first; without one, "cpu"."""
    torch = sys.modules.get("torch")
    if torch is not None and not torch.cuda.is_available():
        return CPU
    try:
        return libraries.binding().device_name(0 if torch is None else torch.cuda.current_device())
    except RuntimeError:  # No driver, or none of its devices.
        return CPU


def _section(op, device, version):
    """The Section of a version (of the kernels, dtype, sparsity); dtype may be a pair, of operands and result."""
    if not isinstance(version, tuple) or len(version) != 3:
        raise ValueError(f"argument 'version': expected (number, dtype, sparsity), but got {version!r}")
    number, dtype, sparsity = version
    factor, result = dtype if isinstance(dtype, tuple) and len(dtype) == 2 else (dtype, dtype)
    if device == CPU:
        device = tuning.host_device()
    return Section(_FUNCTIONS.get(op, (op,))[0], device, int(number), blocked_tensors.element_of(factor),
                   blocked_tensors.element_of(result), int(float(sparsity) * 100 + 0.5))


def _meta(names, values):
    """Parameters by name; a whole tile as `meta` of a call has it."""
    found = dict(zip(names, values))
    if all(name in found for name in _TILE):
        tile = tuple(found.pop(name) for name in _TILE)
        return {"tile": tile, **found}
    return found


def _named(op, value):
    """(names, values) of parameters: a dict of them, or numbers in PyTorch's order."""
    if isinstance(value, collections.abc.Mapping):
        found = dict(value)
        if "tile" in found:
            found.update(zip(_TILE, found.pop("tile"), strict=True))
        return tuple(sorted(found)), tuple(int(found[name]) for name in sorted(found))
    names = _FUNCTIONS.get(op, (op, ()))[1]
    if len(value) != len(names):
        raise ValueError(f"argument 'value': expected a dict, or {len(names)} numbers ({', '.join(names)}), but got "
                         f"{value!r}")
    return names, tuple(map(int, value))


def get_meta(op, key, device_name=None, version=(0, "f16", 0.5), exact=False):
    """Tuned parameters of an op, of the tables that the library searches (docs/MetaTable.md) and those of update().

    op: "bsr_dense_addmm", whose key is (M, K, N, BM, BK, beta == 0, beta == 1, alpha == 1), or "scatter_mm", (M, K, N,
    BM, BK); or an op as tables name it. device_name: as its driver has it, or "cpu"; None is the current CUDA device,
    or where none is, the CPU. version: (version of the kernels, dtype, sparsity); dtype: of PyTorch, NumPy or a name,
    or a pair of those of the operands and the result. exact: without it a device that no section is for takes those of
    its family, such as of the A100 SXM4 80GB for any A100.

    Returns {name: number}, or None where no table has the row. A key with "*" in some places gives {key: parameters} of
    all rows that match, and None where no section is for the device. Parameters have the names of the section; a whole
    tile is "tile", as in `meta` of a call. Raises NotImplementedError for an op that no table has rows of, ValueError
    for a key of another length and for a version that is none.
    """
    section = _section(op, current_device_name() if device_name is None else device_name, version)
    is_pattern = any(isinstance(each, str) and each == "*" for each in key)
    wanted = [tuning.ANY if isinstance(each, str) and each == "*" else int(each) for each in key]
    try:
        found = cache.tables().rows(section.op, section.device, section.version, section.dtype, section.out_dtype,
                                    section.sparsity, wanted, exact)
    except compiler.CompileError as error:
        if "expected an op" in str(error):
            raise NotImplementedError(f"argument 'op': {error}") from None
        raise ValueError(f"argument 'key': {error}") from None
    matching = {}
    for table in found:
        for row, values in table["rows"]:
            matching.setdefault(tuple(row), _meta(table["parameters"], values))
    if is_pattern:
        return dict(sorted(matching.items())) or None
    return next(iter(matching.values()), None)


def update(op, device_name, version, key, value):
    """Sets the parameters of a row of this process; get_meta and calls take them at once, and dump() writes them.

    op, version, key: as of get_meta. value: parameters as a dict, or their numbers in the order of PyTorch's names:
    (GROUP_SIZE_ROW, SPLIT_N, num_stages, num_warps) of bsr_dense_addmm, (GROUP_SIZE, SPLIT_N, TILE_M, TILE_N,
    num_stages, num_warps) of scatter_mm. An empty one, of a search that failed, is left out with a RuntimeWarning; what
    is set already changes nothing. Raises ValueError for numbers that no row may have, and for other parameters than
    the section's rows have here.
    """
    if not value:
        warnings.warn(f"update: expected parameters of {op} {tuple(key)} for {device_name}, but got none; the row is "
                      "left out", RuntimeWarning, stacklevel=2)
        return
    section = _section(op, device_name, version)
    names, values = _named(op, value)
    row = Rows(names, {tuple(bool(each) if isinstance(each, np.bool_) else each for each in key): values})
    _, messages = tuning.problems_of(table_file.text_of({section: row}), "update")
    if messages:
        raise ValueError(messages.splitlines()[0].split(": ", 1)[1])
    if table_file.add(_own, section, row):
        cache.search_first(table_file.text_of(_own))


def dump(path=None):
    """Writes the rows of update() into a table's file, that of the user unless a path is given; calls of all processes
    search the user's.

    Rows of other keys stay as they are, and a file that has all rows already is left alone. The file is replaced at
    once, under a lock on FILE.lock, so that processes may dump at one time. Raises ValueError where the file is no
    table, or its section has other parameters, OSError where it cannot be written; it is then as it was.
    """
    if _own:
        table_file.merge_into(table_file.user_path() if path is None else path, _own)
