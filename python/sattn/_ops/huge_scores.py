"""Gradients where scores are huge: the logarithm of a sum of exponentials hides the sum there, so that each weight
would be wrong by a factor. Scores less the greatest one of their query have the same weights and gradients, and a
logarithm that hides nothing."""

import functools

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from .._trace.capturing import Capture
from .._trace.expression import Graph
from .._trace.user_functions import Function
from .flex_attention import AuxRequest, attend

#: Up to this size lse in f32 has an error of at most 2^-14, as its terms have.
MOST = 2.0**10


def _has_huge(lse):
    """Whether some query's lse, (B, H, M) on the host, is finite and beyond MOST."""
    if not lse.size if isinstance(lse, np.ndarray) else not lse.numel():
        return False
    if isinstance(lse, np.ndarray):
        return bool(np.abs(np.where(np.isfinite(lse), lse, 0)).max() > MOST)
    return bool(lse.abs().masked_fill(~lse.isfinite(), 0).max() > MOST)


@functools.lru_cache(256)
def _less_greatest(score, wide):
    """The Function of `score` (or the identity) minus its last capture, which holds a number for each query."""
    graph = Graph()
    captures = () if score is None else tuple(score.captures)
    node = graph.node("argument", "f32", payload="score") if score is None else score.result
    greatest = graph.node("load", "f32", *map(graph.position, ("b", "h", "q_idx")), payload=len(captures))
    capture = Capture("array", "max_scores", -1, element=wide, rank=3)
    return Function("score_mod", graph.arithmetic("sub", node, greatest), (*captures, capture), [], [])


def without(request, given, arrays):
    """(a Request, Gradients), whose gradients are those of the given two, and right where scores are huge. On CUDA lse
    is not looked at, for which the host would wait: there they are the given ones."""
    if arrays.on_gpu or not _has_huge(given.lse):
        return request, given
    greatest = attend(request._replace(wanted=AuxRequest(max_scores=True)))[2]
    # The maximum is -inf for a query that sees no key; nothing is subtracted from its scores.
    if arrays is adapters.NUMPY:
        greatest = np.where(np.isneginf(greatest), greatest.dtype.type(0), greatest)
    else:
        greatest = greatest.masked_fill(greatest == -torch.inf, 0)
    wide = "f64" if arrays.dtype(request.query.dtype) == "f64" else "f32"
    less = request._replace(score=_less_greatest(request.score, wide), wanted=AuxRequest(lse=True),
                            score_values=[*(request.score_values or ()), greatest])
    out, lse, _ = attend(less)
    return less, given._replace(out=out, lse=lse)
