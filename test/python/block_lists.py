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
    """The results of the op: two, or four if full blocks have lists of their own."""
    is_seen, is_full = counts > 0, counts >= heights[:, None] * widths
    lists = []
    for listed in [is_seen & ~is_full, is_seen & is_full] if separate else [is_seen]:
        numbers = listed.sum(-1, dtype=np.int32)
        columns = np.argsort(~listed, axis=-1, kind="stable").astype(np.int32)
        lists += [numbers, np.where(np.arange(counts.shape[-1]) < numbers[..., None], columns, 0).astype(np.int32)]
    return lists


def program(separate, name="lists"):
    counts, extents = "tensor<?x?x?x?xi32>", "tensor<?xi32>"
    types = ["tensor<?x?x?xi32>", counts] * (2 if separate else 1)
    outs = ", ".join(f"%out{place}" for place in range(len(types)))
    return f"""func.func @{name}(%counts: {counts}, %heights: {extents}, %widths: {extents},
    {", ".join(f"%out{place}: {own}" for place, own in enumerate(types))}) -> ({", ".join(types)}) {{
  %0:{len(types)} = sattn.block_lists ins(%counts, %heights, %widths : {counts}, {extents}, {extents})
      outs({outs} : {", ".join(types)}) -> {", ".join(types)}
  return {", ".join(f"%0#{place}" for place in range(len(types)))} : {", ".join(types)}
}}
"""
