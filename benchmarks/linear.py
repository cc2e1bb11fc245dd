"""The layouts of dense and out, and few columns: x @ W^T with a sparse W beside W @ b, and beside dense cuBLAS in both.

    python benchmarks/linear.py [--small] [--out benchmarks/results/linear-h200.json]

Each candidate is a CUDA graph of products with several weights in turn, so that no weight is in the L2 cache; the card
is hot (timing.py), all candidates of a row run in turns, and a time is a median. Rates are against the dense product of
the same layout; `linear_rate` is ours in the layout of a linear layer against ours with b of K x N.
"""

import argparse
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import result_files  # noqa: E402
import sattn  # noqa: E402
from problems import make  # noqa: E402
from timing import Timed, measure  # noqa: E402

# (M, K), N, blocks, sparsities in hundredths.
WIDE = [((8192, 8192), n, (128, 64), (50, 80)) for n in (8192, 2048)] + [((4096, 4096), 256, (128, 64), (50, 80, 90))]
FEW = [((4096, 4096), n, (128, 64, 32, 16), (50, 80, 90)) for n in (64, 16, 8, 1)] + [
    ((14336, 4096), 16, (128, 64), (50, 80, 90))]
# Weights that do not fit into an L2 cache of 50 MB together, at least, and products in a graph.
L2_BYTES, LEAST_WEIGHTS, REPEATS = 2 * 50e6, 3, 3


def graph_of(calls):
    """A candidate: a graph of the calls, a few times."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for call in calls:
            for _ in range(2):
                call()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPEATS):
            for call in calls:
                call()
    timed = Timed(graph.replay, REPEATS * len(calls))
    # A graph does not keep what its kernels read and write.
    timed.calls = calls
    return timed


def count_copies(one_bytes):
    """How many weights of so many bytes take turns."""
    return min(16, max(LEAST_WEIGHTS, round(L2_BYTES / one_bytes)))


def weights_of(m, k, block, sparsity):
    """Prepared sparse matrices, sparsity in hundredths: as many as do not fit into the L2 cache together."""
    copies = count_copies(m * k * 2 * (100 - sparsity) / 100)
    problems = [make(m, k, 8, block, sparsity / 100, seed=seed) for seed in range(copies)]
    return [sattn.prepare((problem.crow, problem.col, problem.values)) for problem in problems]


def candidates_of(m, k, n, block, sparsity):
    """{name: Timed}, and the largest relative difference between the two of ours."""
    weights = weights_of(m, k, block, sparsity)
    dense = [torch.randn(m, k, device="cuda", dtype=torch.bfloat16) for _ in range(count_copies(m * k * 2))]
    b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
    x, bias = b.T.contiguous(), torch.randn(m, device="cuda", dtype=torch.bfloat16)
    out, y = (torch.empty(shape, device="cuda", dtype=torch.bfloat16) for shape in ((m, n), (n, m)))
    calls = {
        "dense": [lambda w=w: torch.mm(w, b, out=out) for w in dense],
        "dense_linear": [lambda w=w: torch.mm(x, w.t(), out=y) for w in dense],
        "ours": [lambda w=w: sattn.bsr_dense_addmm(None, w, b, beta=0, out=out) for w in weights],
        "ours_linear": [lambda w=w: sattn.linear(x, w, out=y) for w in weights],
        "ours_linear_bias": [lambda w=w: sattn.linear(x, w, bias, out=y) for w in weights],
        "ours_x": [lambda w=w: sattn.bsr_dense_addmm(None, w, x.T, beta=0, out=out) for w in weights],
        "ours_y": [lambda w=w: sattn.bsr_dense_addmm(None, w, b, beta=0, out=y.T) for w in weights],
    }
    calls["ours"][0]()
    calls["ours_linear"][0]()
    difference = float((out - y.T).abs().max() / out.abs().max())
    return {name: graph_of(every) for name, every in calls.items()}, difference


def row_of(m, k, n, block, sparsity, rounds):
    timed, difference = candidates_of(m, k, n, block, sparsity)
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    return {"m": m, "k": k, "n": n, "block": block, "sparsity": sparsity / 100, "us": micros,
            "linear_rate": round(micros["ours"] / micros["ours_linear"], 3),
            "over_dense_linear": round(micros["dense_linear"] / micros["ours_linear"], 3),
            "difference": round(difference, 5)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    parser.add_argument("--small", action="store_true", help="one size of each kind")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    shapes = [WIDE[1], WIDE[2], FEW[1]] if options.small else WIDE + FEW
    rows = []
    for (m, k), n, blocks, sparsities in shapes:
        for block in blocks:
            for sparsity in sparsities:
                rows.append(row_of(m, k, n, block, sparsity, options.rounds))
                print(json.dumps(rows[-1]), flush=True)
                result_files.write(options.out, "linear", rows, **result_files.gpu())


if __name__ == "__main__":
    main()
