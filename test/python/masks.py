"""Masks and modified scores as users write them, for the tests of the package and of docs/Masks.md."""

import numpy as np

LENGTH = 100
RNG = np.random.default_rng(7)
DOCUMENTS = np.sort(RNG.integers(0, 5, LENGTH)).astype(np.int32)
PREFIXES = np.array([3, 40], np.int32)
SLOPES = (2.0 ** -np.arange(1, 5)).astype(np.float32)
RELATIVE = RNG.standard_normal((4, 33), np.float32)
BIAS = RNG.standard_normal((4, LENGTH, LENGTH), np.float32)
PARENTS = np.maximum(np.arange(LENGTH) - RNG.integers(1, 6, LENGTH), 0)
WINDOW = 20
SINKS = 4


def _ancestors():
    """Whether key j is query i itself or one of its ancestors, a boolean matrix."""
    seen = np.eye(LENGTH, dtype=bool)
    for node in range(1, LENGTH):
        seen[node] |= seen[PARENTS[node]]
    return seen


TREE = _ancestors()


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def sliding_window(b, h, q_idx, kv_idx):
    return (q_idx >= kv_idx) & (q_idx - kv_idx <= WINDOW)


def constant_window(b, h, q_idx, kv_idx):
    return (q_idx >= kv_idx) & (q_idx - kv_idx <= 20)


def dilated(b, h, q_idx, kv_idx):
    return (q_idx >= kv_idx) & ((q_idx - kv_idx) % 3 == 0)


def prefix(b, h, q_idx, kv_idx):
    return (kv_idx < PREFIXES[b]) | (q_idx >= kv_idx)


def document(b, h, q_idx, kv_idx):
    return (DOCUMENTS[q_idx] == DOCUMENTS[kv_idx]) & (q_idx >= kv_idx)


def tree(b, h, q_idx, kv_idx):
    return TREE[q_idx, kv_idx]


def neighbourhood(b, h, q_idx, kv_idx):
    rows = q_idx // 10 - kv_idx // 10
    columns = q_idx % 10 - kv_idx % 10
    return np.maximum(np.abs(rows), np.abs(columns)) <= 2


def sinks(b, h, q_idx, kv_idx):
    return (q_idx >= kv_idx) & ((kv_idx < SINKS) | (q_idx - kv_idx < WINDOW))


def by_head(b, h, q_idx, kv_idx):
    return np.where(h % 2 == 0, q_idx >= kv_idx, np.abs(q_idx - kv_idx) < 9)


def nothing_for_some(b, h, q_idx, kv_idx):
    return (q_idx % 3 != 0) & (q_idx >= kv_idx)


def alibi(score, b, h, q_idx, kv_idx):
    return score + SLOPES[h] * (kv_idx - q_idx)


def relative(score, b, h, q_idx, kv_idx):
    return score + RELATIVE[h, np.clip(kv_idx - q_idx + 16, 0, 32)]


def bias(score, b, h, q_idx, kv_idx):
    return score + BIAS[h, q_idx, kv_idx]


def softcap(score, b, h, q_idx, kv_idx, cap=2.0):
    return cap * np.tanh(score / cap)


def head_scale(score, b, h, q_idx, kv_idx):
    return np.where(h < 2, score * 0.5, score - 0.1 * np.abs(q_idx - kv_idx))


def masked_score(score, b, h, q_idx, kv_idx):
    return np.where(q_idx % 4 == kv_idx % 4, -np.inf, score)


MASKS = {function.__name__: function for function in (
    causal, sliding_window, constant_window, dilated, prefix, document, tree, neighbourhood, sinks, by_head,
    nothing_for_some)}
SCORES = {function.__name__: function for function in (alibi, relative, bias, softcap, head_scale, masked_score)}


def grid(shape):
    """(b, h, q_idx, kv_idx) of all elements, as arrays that broadcast."""
    return np.ogrid[tuple(slice(size) for size in shape)]


def seen(mask_mod, shape):
    """Which elements a mask_mod says are visible, all of them at once."""
    return np.broadcast_to(mask_mod(*grid(shape)), shape)


def scores_of(query, key, visible=True, score_mod=None, scale=None):
    """(B, H, M, N) in float64, -inf for keys that are not visible."""
    query, key = query.astype(np.float64), np.repeat(key.astype(np.float64), query.shape[1] // key.shape[1], axis=1)
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if score_mod is not None:
        scores = score_mod(scores, *grid(scores.shape))
    return np.where(visible, scores, -np.inf)


def attention(query, key, value, visible=True, score_mod=None, scale=None):
    """(output, lse) by the definition, in float64; of a query that sees no key 0 and -inf."""
    scores = scores_of(query, key, visible, score_mod, scale)
    value = np.repeat(value.astype(np.float64), query.shape[1] // value.shape[1], axis=1)
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (np.log(total) + largest)[..., 0]
    return weights @ value / np.where(total == 0, 1, total), lse


def operands(batch=2, heads=4, queries=LENGTH, keys=None, columns=16, kv_heads=None, dtype=np.float32, seed=0):
    """(query, key, value), random."""
    rng = np.random.default_rng(seed)
    keys = queries if keys is None else keys

    def normal(count, length):
        return rng.standard_normal((batch, count, length, columns), np.float32).astype(dtype)

    return normal(heads, queries), normal(kv_heads or heads, keys), normal(kv_heads or heads, keys)
