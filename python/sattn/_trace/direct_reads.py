"""Captured arrays that a function reads at the query or the key itself, which must be as long as those."""

from .._arrays.evaluation import in_order

_LENGTHS = {"q_idx": 0, "kv_idx": 1}


def of(result):
    """((number of a capture, its dimension, 0 for the query or 1 for the key), ...) of a function's expression."""
    found = set()
    for node in in_order(result):
        if node.op != "load":
            continue
        for dimension, index in enumerate(node.operands):
            while index.op == "cast" and index.dtype != "f32" and index.operands[0].dtype != "f32":
                index = index.operands[0]
            if index.op == "argument" and index.payload in _LENGTHS:
                found.add((node.payload, dimension, _LENGTHS[index.payload]))
    return tuple(sorted(found))


def require(function, values, lengths):
    """Raises ValueError where a captured array is shorter than the (queries, keys) that it is read at."""
    for number, dimension, which in function.direct_reads:
        extent = values[number].shape[dimension]
        if extent < lengths[which]:
            raise ValueError(f"argument '{function.kind}': expected at least {lengths[which]} elements along dimension "
                             f"{dimension} of the captured array '{function.captures[number].name}', which is read at "
                             f"{('q_idx', 'kv_idx')[which]}, but got {extent}")
