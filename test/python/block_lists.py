"""Counts of visible elements, and the lists that sattn.block_lists makes of them, by NumPy."""

import numpy as np


def _counts(rng, shape, height=7, width=5, kinds=(0, 0, 1, 34, 35)):
    """Blocks of height x width, smaller at the ends, that are empty, seen in part and wholly."""
    heights, widths = np.full(shape[2], height, np.int32), np.full(shape[3], width, np.int32)
    heights[-1:], widths[-1:] = 2, 3
    sizes = heights[:, None] * widths
    return np.minimum(rng.choice(np.array(kinds, np.int32), shape), sizes).astype(np.int32), heights, widths


COUNTS = {
    "one": lambda rng: _counts(rng, (1, 1, 1, 1)),
    "few": lambda rng: _counts(rng, (2, 3, 4, 5)),
    "a step": lambda rng: _counts(rng, (1, 1, 3, 256)),
    "several steps": lambda rng: _counts(rng, (1, 2, 3, 700)),
    "empty": lambda rng: _counts(rng, (1, 1, 3, 300), kinds=(0,)),
    "full": lambda rng: _counts(rng, (1, 1, 3, 300), kinds=(35,)),
    "partial": lambda rng: _counts(rng, (1, 1, 3, 300), kinds=(1, 2))}


def expected(counts, heights, widths, separate):
    is_seen, is_full = counts > 0, counts >= heights[:, None] * widths
    listed = np.stack([is_seen & ~is_full, is_seen & is_full] if separate else [is_seen])
    return listed.sum(-1, dtype=np.int32), np.argsort(~listed, axis=-1, kind="stable").astype(np.int32)


def program(separate, name="lists"):
    kinds = 2 if separate else 1
    counts, extents = "tensor<?x?x?x?xi32>", "tensor<?xi32>"
    outs = f"tensor<{kinds}x?x?x?xi32>", f"tensor<{kinds}x?x?x?x?xi32>"
    return f"""func.func @{name}(%counts: {counts}, %heights: {extents}, %widths: {extents}, %numbers: {outs[0]}, %columns: {outs[1]})
    -> ({outs[0]}, {outs[1]}) {{
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : {counts}, {extents}, {extents})
      outs(%numbers, %columns : {outs[0]}, {outs[1]}) -> {outs[0]}, {outs[1]} {"{separate}" if separate else ""}
  return %0#0, %0#1 : {outs[0]}, {outs[1]}
}}
"""
