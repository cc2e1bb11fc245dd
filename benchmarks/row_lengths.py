"""How many blocks the block rows of a random matrix store: seeded, and the same on every machine."""

import numpy as np


def uniform_lengths(rng, rows, columns, total):
    """Rows of `total` places that are drawn from all alike."""
    places = rng.permutation(rows * columns)[:total]
    return np.bincount(places // columns, minlength=rows)


def zipf_lengths(rng, rows, columns, total, exponent=1.2):
    """Row r (from 1) has length proportional to r ** -exponent, at most `columns`, in all `total`; shuffled."""
    weights = np.arange(1, rows + 1, dtype=float) ** -exponent
    low, high = 0.0, columns / weights[-1]
    for _ in range(200):  # The factor that gives the total, most rows being below the limit.
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(weights * middle, columns).sum() < total else (low, middle)
    exact = np.minimum(weights * high, columns)
    lengths = np.floor(exact).astype(int)
    largest = np.argsort(lengths - exact, kind="stable")
    lengths[largest[:total - lengths.sum()]] += 1
    rng.shuffle(lengths)
    return lengths


LENGTHS = {"uniform": uniform_lengths, "zipf": zipf_lengths}
