"""Parameters of PyTorch's Triton kernel, found by PyTorch's own optimizer and kept in a file.

torch.sparse._triton_ops_meta.tune_bsr_dense_addmm walks from the reference parameters to better neighbours and times
each for 0.6 s, minutes for a shape. Here it times each for less, and stops at a limit with the best so far.
"""

import json
import time
from unittest import mock

# Milliseconds of untimed and of timed launches of one choice.
WARM_MS, TIMED_MS = 20, 60


class Parameters:
    """The parameters of all shapes that a run asks for."""

    def __init__(self, path, seconds):
        """path: JSON, made where it is not there. seconds: the limit of one search."""
        self.path, self.seconds = path, seconds
        self.kept = json.loads(path.read_text()) if path.exists() else {}

    @staticmethod
    def key(problem):
        m, k, n = problem.shape
        blocks = m // problem.block * (k // problem.block)
        longest = int((problem.crow[1:] - problem.crow[:-1]).max())
        return (f"{m} x {k} x {n}, blocks of {problem.block}, {len(problem.values)} of {blocks} stored, at most "
                f"{longest} in a row")

    def found(self, problem):
        """The parameters that are kept for a problem, or None: PyTorch's names and their values."""
        return self.kept.get(self.key(problem))

    def of(self, problem, bsr, out):
        """The parameters for a problem, searched where none are kept. bsr, out: A and the result, as PyTorch's."""
        if self.found(problem) is None:
            start = time.monotonic()
            self.kept[self.key(problem)] = search(problem, bsr, out, start + self.seconds)
            self.path.write_text(json.dumps(self.kept, indent=1) + "\n")
            print(f"tuned in {time.monotonic() - start:.0f} s: {self.key(problem)}: {self.found(problem)}", flush=True)
        return self.found(problem)


def search(problem, bsr, out, end):
    """The best parameters that the optimizer meets before `end`, of time.monotonic()."""
    import triton.testing
    from torch.sparse import _triton_ops_meta

    do_bench = triton.testing.do_bench

    def shorter(call, **_):
        # The optimizer passes over choices that fail, so it comes to its end at once.
        if time.monotonic() > end:
            raise TimeoutError("no time left")
        return do_bench(call, warmup=WARM_MS, rep=TIMED_MS)

    with mock.patch.object(triton.testing, "do_bench", shorter):
        meta = _triton_ops_meta.tune_bsr_dense_addmm(problem.c, bsr, problem.b, beta=0, out=out, force=True)
    if not meta:
        raise RuntimeError("PyTorch's optimizer found no parameters")
    return meta
