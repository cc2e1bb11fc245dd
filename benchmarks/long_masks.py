"""Masks of long sequences for benchmarks/flex_attention.py, of the kinds that Attention Gym and cuDNN's own benchmark
have: their functions, and the keys that each query sees. NumPy only.

    packed          documents after each other, each causal
    local           causal, 512 keys back
    sinks           local, and the first 4 keys
    tree_depth      segments that are the nodes of a binary tree, in the order of a walk in depth: a query sees the nodes
                    above its own, and its own causally
    tree_breadth    the same tree, level after level
    longformer      256 keys to both sides, and 8 positions that see all and that all see
    hstu            documents of a causal context and as many targets, which see the context and themselves
"""

import numpy as np

MASKS = ["packed", "local", "sinks", "tree_depth", "tree_breadth", "longformer", "hstu"]
LOCAL, SINKS, RADIUS, GLOBALS, LEVELS = 512, 4, 256, 8, 7
# Documents of a sequence, and how unequal they and the tree's segments are.
DOCUMENTS, UNEVEN = 13, 0.5


def _lengths(total, count, uneven):
    """So many lengths, the same in each run, with this sum; those of a short sequence may be 0."""
    weights = 1 + uneven * np.random.default_rng(42).uniform(-1, 1, count)
    ends = np.rint(np.cumsum(weights) * total / weights.sum()).astype(np.int64)
    return np.diff(ends, prepend=0)


def _starts(lengths):
    return np.cumsum(lengths) - lengths


def _tree_order(is_depth):
    """Nodes in the order of their segments; node n has the children 2 n and 2 n + 1, from 1 on."""
    if not is_depth:
        return list(range(1, 1 << LEVELS))

    def walk(node):
        return [node, *walk(2 * node), *walk(2 * node + 1)] if node < 1 << LEVELS else []

    return walk(1)


def _tree(length, is_depth):
    """(the node of each position, each node's start and length by its number)."""
    order = _tree_order(is_depth)
    own = _lengths(length, len(order), 0.2)
    starts, lengths = np.zeros(1 << LEVELS, np.int64), np.zeros(1 << LEVELS, np.int64)
    starts[order], lengths[order] = _starts(own), own
    return np.repeat(order, own), starts, lengths


def _hstu(length):
    """(the document of each position, starts of documents and of their targets by document)."""
    lengths = _lengths(length, DOCUMENTS, UNEVEN)
    starts = _starts(lengths)
    return np.repeat(np.arange(DOCUMENTS), lengths), starts, starts + lengths // 2


def _globals(length):
    return np.unique((np.arange(GLOBALS) * 2 + 1) * length // (2 * GLOBALS))


def vectors(mask, length):
    """{name: one i32 for each position}: what the mask's function captures."""
    found = {}
    if mask == "packed":
        found["document"] = np.repeat(np.arange(DOCUMENTS), _lengths(length, DOCUMENTS, UNEVEN))
    elif mask.startswith("tree"):
        nodes, _, _ = _tree(length, mask == "tree_depth")
        # When a walk in depth comes to a node, and when it has left all that are below.
        enter, leave = (np.zeros(1 << LEVELS, np.int64) for _ in range(2))
        for place, node in enumerate(_tree_order(True)):
            enter[node], leave[node] = place, place + (1 << (LEVELS + 1 - int(node).bit_length())) - 1
        found = {"enter": enter[nodes], "leave": leave[nodes]}
    elif mask == "longformer":
        found["is_global"] = np.isin(np.arange(length), _globals(length))
    elif mask == "hstu":
        document, _, targets = _hstu(length)
        found = {"document": document, "is_target": np.arange(length) >= targets[document]}
    return {name: array.astype(np.int32) for name, array in found.items()}


def function(mask, captured):
    """(i, j) -> whether query i sees key j, of arrays of any library. captured: `vectors` as that library's arrays."""
    if mask == "local":
        return lambda i, j: (i >= j) & (i - j <= LOCAL)
    if mask == "sinks":
        return lambda i, j: (i >= j) & ((j < SINKS) | (i - j <= LOCAL))
    if mask == "longformer":
        is_global = captured["is_global"]
        return lambda i, j: ((i - j <= RADIUS) & (j - i <= RADIUS)) | (is_global[i] == 1) | (is_global[j] == 1)
    if mask == "packed":
        document = captured["document"]
        return lambda i, j: (document[i] == document[j]) & (i >= j)
    if mask == "hstu":
        document, is_target = captured["document"], captured["is_target"]
        return lambda i, j: (document[i] == document[j]) & (i >= j) & ((is_target[j] == 0) | (i == j))
    enter, leave = captured["enter"], captured["leave"]
    return lambda i, j: (enter[i] >= enter[j]) & (enter[i] < leave[j]) & (i >= j)


def intervals(mask, length):
    """Keys that each query sees: [(begin, end)] of arrays by query, disjoint and rising, some empty."""
    i = np.arange(length)
    if mask == "local":
        return [(np.maximum(i - LOCAL, 0), i + 1)]
    if mask == "sinks":
        together = i - LOCAL <= SINKS
        return [(0 * i, np.where(together, i + 1, SINKS)), (np.where(together, i + 1, i - LOCAL), i + 1)]
    if mask == "packed":
        lengths = _lengths(length, DOCUMENTS, UNEVEN)
        return [(np.repeat(_starts(lengths), lengths), i + 1)]
    if mask == "hstu":
        document, starts, targets = _hstu(length)
        is_target = i >= targets[document]
        return [(starts[document], np.where(is_target, targets[document], i + 1)), (np.where(is_target, i, i + 1), i + 1)]
    if mask == "longformer":
        return _longformer(length)
    nodes, starts, lengths = _tree(length, mask == "tree_depth")
    levels = np.frexp(nodes)[1] - 1
    found = []
    for level in range(LEVELS):
        above = nodes >> np.maximum(levels - level, 0)
        begin = np.where(level > levels, i + 1, starts[above])
        found.append((begin, np.where(level < levels, starts[above] + lengths[above], i + 1)))
    return found


def _longformer(length):
    i, tokens = np.arange(length), _globals(length)
    low, high = np.maximum(i - RADIUS, 0), np.minimum(i + RADIUS + 1, length)
    before, after = np.searchsorted(tokens, low), np.searchsorted(tokens, high)
    sees_all = np.isin(i, tokens)
    # Blocks after the last interval are empty.
    padded = np.append(tokens, np.full(GLOBALS + 1, length))
    found = []
    for slot in range(len(tokens) + 1):
        token = np.where(slot < before, padded[min(slot, len(tokens))], padded[np.maximum(after + slot - before - 1, 0)])
        begin = np.where(slot == before, low, token)
        end = np.where(slot == before, high, np.minimum(token + 1, length))
        found.append((np.where(sees_all, 0 if slot == 0 else length, begin), np.where(sees_all, length, end)))
    return found
