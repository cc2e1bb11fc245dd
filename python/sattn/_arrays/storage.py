"""Checks of the arrays of a BSR matrix: shapes, batches, contents."""

import functools
import json
import math

import numpy as np

from .._native import libraries
from . import adapters, dtypes


def require_types(arrays, crow, col, values, name="bsr", elements=dtypes.FACTORS):
    """The names of (values', crow's) element types. Raises ValueError for others than `elements` and those of
    indices."""
    dtype = adapters.require_element(name, values, arrays, elements)
    index = adapters.require_element("crow", crow, arrays, ("i32", "i64"))
    adapters.require_element("col", col, arrays, (index,))
    return dtype, index


def with_equal_ranks(crow, col, values):
    """The three arrays with as many batch dimensions each, which broadcast; leading ones are added."""
    for name, array, core, shape in (("values", values, 3, "(*, nnz, BM, BK)"), ("crow", crow, 1, "(*, M / BM + 1)"),
                                     ("col", col, 1, "(*, nnz)")):
        if array.ndim < core or name == "crow" and array.shape[-1] < 1:
            raise ValueError(f"argument '{name}': expected shape {shape}, but got {tuple(array.shape)}")
    batch = tuple(values.shape[:-3])
    for name, array in (("crow", crow), ("col", col)):
        batch = broadcast_batch(batch, name, array.shape[:-1])
    return tuple(with_rank(array, len(batch) + core) for array, core in ((crow, 1), (col, 1), (values, 3)))


def broadcast_batch(batch, name, other):
    """The batch dimensions and an argument's own, broadcast. Raises ValueError where they do not fit."""
    try:
        return np.broadcast_shapes(batch, tuple(other))
    except ValueError:
        raise ValueError(f"argument '{name}': expected batches that broadcast with {batch}, but got "
                         f"{tuple(other)}") from None


def batch_of(crow, col, values):
    """Batch dimensions of a matrix, given its arrays."""
    return np.broadcast_shapes(tuple(crow.shape[:-1]), tuple(col.shape[:-1]), tuple(values.shape[:-3]))


def with_rank(array, rank):
    """The array with leading dimensions of 1, up to this rank."""
    return array[(None,) * (rank - array.ndim)] if array.ndim < rank else array


def require_own_shape(shape, batch, crow, values, name="bsr"):
    """Raises ValueError where a matrix's own shape contradicts its arrays, which have these batches."""
    height, width = values.shape[-2:]
    rows = (crow.shape[-1] - 1) * height
    if len(shape) != len(batch) + 2 or shape[:-2] != batch or shape[-2] != rows:
        wanted = ", ".join(map(str, (*batch, rows, "K")))
        raise ValueError(f"argument '{name}': expected shape ({wanted}), as crow and values have it, but got {shape}")
    if shape[-1] < 0 or shape[-1] % width:
        raise ValueError(f"argument '{name}': expected columns in whole blocks of {width}, but got shape {shape}")


@functools.cache
def _checker(dtype, index, batch, block, columns):
    """A function that raises ValueError for (crow, col, values) that a product would refuse. columns: of blocks, or
    None."""
    arguments = [{"kind": "tensor", "element": element, "rank": batch + core, "name": name, "access": "read"}
                 for name, element, core in (("crow", index, 1), ("col", index, 1), ("values", dtype, 3))]
    operands = [{"name": name, "argument": argument, "rank": rank, **({} if name == "values" else {"types": [index]})}
                for argument, (name, rank) in enumerate((("crow", 1), ("col", 1), ("values", 3)))]

    def extent(argument, dimension):
        return {"argument": argument, "dimension": dimension}

    checks = [{"check": "equal", "extent": extent(2, place), "what": f"block {what}", "to": {"constant": size},
               "reason": "the block's"} for place, what, size in ((-2, "rows", block[0]), (-1, "columns", block[1]))]
    checks += [{"check": "equal", "extent": extent(1, -1), "what": "stored blocks", "to": extent(2, -3)},
               {"check": "at_least", "extent": extent(0, -1), "what": "offset", "least": 1},
               {"check": "offsets", "argument": 0, "into": 1, "equally_many": [1, 2]},
               {"check": "indices", "argument": 1, "offsets": 0,
                "below": None if columns is None else {"constant": columns}}]
    contract = {"op": "bsr_storage", "operands": operands, "checks": checks}
    return libraries.binding().checker(json.dumps({"version": 3, "name": "prepare", "target": "cpu",
                                                   "arguments": arguments, "contracts": [contract]}))


def check_contents(operand, columns):
    """Raises ValueError where offsets do not ascend within [0, nnz], or a column that a row refers to is outside of the
    matrix: what a product on the CPU checks. Waits for arrays on a CUDA device. columns, of blocks, may be None.

    Returns one more than the largest block column, the stored blocks of the block row that has most of them, and
    whether every stored block belongs to a block row.
    """
    crow, col = (np.asarray(operand.arrays.host(array)) for array in (operand.crow, operand.col))
    check = _checker(operand.element, operand.index, crow.ndim - 1, operand.block, columns)
    values = operand.values if operand.order is None else operand.values.swapaxes(-1, -2)
    check(*map(adapters.NUMPY.passed, (crow, col)), operand.arrays.passed(values))
    batch = np.broadcast_shapes(crow.shape[:-1], col.shape[:-1])
    crow, col = (np.broadcast_to(array, batch + array.shape[-1:]).reshape(math.prod(batch), array.shape[-1])
                 for array in (crow, col))
    longest = int(np.diff(crow, axis=-1).max(initial=0))
    largest = max((int(places[offsets[0]:offsets[-1]].max(initial=-1)) + 1 for offsets, places in zip(crow, col)),
                  default=0)
    return largest, longest, bool((crow[:, 0] == 0).all() and (crow[:, -1] == col.shape[-1]).all())
