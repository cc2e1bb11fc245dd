"""A linear layer of block-sparse weights that trains, beside a dense one: forward and backward, and the parts of the
backward.

    python benchmarks/bsr_gradients.py [--small] [--out benchmarks/results/DATE-DEVICE-bsr_gradients.json]

x @ W^T with W of M x K, x of N x K, bf16. `step` is the forward and the backward with gradients of x and of the
weights; `dense_step` is the same of torch.nn.functional.linear. `step_x` and `step_values` have one gradient alone,
`forward` is the forward without gradients, `sampled` one product at the stored blocks (`sattn.sampled_addmm`). Rates of
the backward's parts take the difference of a step and the forward for the part's time. Each is a CUDA graph; the card
is hot (timing.py), all candidates of a row run in turns, and a time is a median, in microseconds. Errors are the
largest differences from float64 of the products of the same bf16 numbers, in units of the largest element, for ours and
for the dense layer.
"""

import argparse
import json
import sys
from pathlib import Path

import torch
from torch.nn.functional import linear

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import result_files  # noqa: E402
import sattn  # noqa: E402
from problems import make  # noqa: E402
from timing import in_graph, measure  # noqa: E402

SIZE, COLUMNS, BLOCKS, SPARSITIES = 8192, (8192, 2048), (128, 64), (0.5, 0.8, 0.9)
LAUNCHES = 3
# Rows and columns of the results that are compared with float64.
COMPARED = 512


def step_of(layer, wanted, grad):
    return lambda: torch.autograd.grad(layer(), wanted, grad)


def error_of(found, expected):
    return float((found.double() - expected).abs().max() / expected.abs().max())


def row_of(n, block, sparsity, rounds):
    problem = make(SIZE, SIZE, 8, block, sparsity, seed=0)
    bsr = torch.sparse_bsr_tensor(problem.crow, problem.col, problem.values, size=(SIZE, SIZE))
    weight = sattn.bsr_to_dense(bsr).detach().requires_grad_()
    values = problem.values.detach().requires_grad_()
    x = torch.randn(n, SIZE, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    grad = torch.randn(n, SIZE, device="cuda", dtype=torch.bfloat16)
    matrix = sattn.prepare((problem.crow, problem.col, values))

    def ours():
        return sattn.linear(x, matrix)

    def dense():
        return linear(x, weight)

    y = ours()
    d_x, d_values = torch.autograd.grad(y, (x, values), grad)
    dense_d_x, dense_d_w = torch.autograd.grad(dense(), (x, weight), grad)
    # Its graph would bind the leaves to this stream.
    del y
    few = slice(0, COMPARED)
    expected_d_x = grad[few].double() @ weight.detach().double()
    expected_d_w = grad[:, few].double().T @ x.detach().double()
    rows = block * (COMPARED // block)
    stored = int(problem.crow[COMPARED // block])
    blocks = expected_d_w[:rows].reshape(rows // block, block, SIZE // block, block).transpose(1, 2)
    row_numbers = torch.repeat_interleave(torch.arange(rows // block, device="cuda"),
                                          problem.crow.diff()[:rows // block].long())
    errors = {"d_x": error_of(d_x[few], expected_d_x), "dense_d_x": error_of(dense_d_x[few], expected_d_x),
              "d_values": error_of(d_values[:stored], blocks[row_numbers, problem.col[:stored].long()]),
              "dense_d_w": error_of(dense_d_w[:rows], expected_d_w[:rows])}
    fixed = sattn.prepare((problem.crow, problem.col, problem.values))
    with torch.no_grad():
        sampled = [sattn.sampled_addmm(bsr, grad.T, x.detach(), beta=0)]
    candidates = {
        "dense_step": step_of(dense, (x, weight), grad), "step": step_of(ours, (x, values), grad),
        "step_x": step_of(lambda: sattn.linear(x, fixed), (x,), grad),
        "step_values": step_of(lambda: sattn.linear(x.detach(), matrix), (values,), grad)}
    calls = {name: in_graph(call, LAUNCHES) for name, call in candidates.items()}
    with torch.no_grad():
        out = torch.empty_like(grad)
        calls["forward"] = in_graph(lambda: sattn.linear(x, matrix, out=out), LAUNCHES)
        calls["dense_forward"] = in_graph(lambda: torch.mm(x, weight.t(), out=out), LAUNCHES)
        calls["sampled"] = in_graph(lambda: sattn.sampled_addmm(bsr, grad.T, x.detach(), beta=0, out=sampled[0]), LAUNCHES)
    measure(calls, rounds)
    micros = {name: round(1e3 * call.median_ms(), 1) for name, call in calls.items()}
    return {"n": n, "block": block, "sparsity": sparsity, "us": micros, "errors": errors,
            "over_dense": round(micros["dense_step"] / micros["step"], 3),
            "d_x_rate": round(micros["forward"] / (micros["step_x"] - micros["forward"]), 3),
            "d_values_rate": round(micros["sampled"] / (micros["step_values"] - micros["forward"]), 3)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    parser.add_argument("--small", action="store_true", help="one number of columns")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    rows = []
    for n in COLUMNS[1:] if options.small else COLUMNS:
        for block in BLOCKS:
            for sparsity in SPARSITIES:
                rows.append(row_of(n, block, sparsity, options.rounds))
                print(json.dumps(rows[-1]), flush=True)
                result_files.write(options.out, "bsr_gradients", rows, **result_files.gpu())


if __name__ == "__main__":
    main()
