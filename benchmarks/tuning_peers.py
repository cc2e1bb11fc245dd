#!/usr/bin/env python3
"""Tuned products beside the computed default, dense cuBLAS and PyTorch's Triton kernel, tuned too, in one run.

    python3 benchmarks/tuning_peers.py RESULTS [--tools FOLDER] [--tuned FILE] [--tune SECONDS] [--out results.json]

RESULTS is what benchmarks/tuning.py wrote: 12 of its products in bf16 are measured, spread over blocks, columns and
sparsities. `tuned` has the fastest parameters of the results, `default` those that are chosen without a table. Triton's
are found by PyTorch's own optimizer (triton_tuning.py) for --tune seconds each, and kept in FILE. FOLDER is the one of
sparse-translate. Candidates take turns, behind other work; medians of CUDA event times, in milliseconds; `x_...` is the
time of cuBLAS over that of a candidate.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import bsr_addmm  # noqa: E402
import cost_model  # noqa: E402
import problems  # noqa: E402
import result_files  # noqa: E402
import triton_tuning  # noqa: E402
from timing import in_graph, measure  # noqa: E402

COUNT = 12
LEAST_COLUMNS = 256  # Fewer columns are decoding, which PyTorch's kernel is not made for.


def pick(rows):
    """Products in bf16, spread evenly over those in the order of blocks, columns and sparsities."""
    products = []
    for row in rows:
        op, facts = cost_model.read(row["problem"])
        if op == "bsr_addmm" and facts["dtype"] == "bf16" and facts["n"] >= LEAST_COLUMNS and len(row["trials"]) > 3:
            products.append((facts["block_rows"], facts["n"], facts["nnz"], row["problem"], row))
    products.sort(key=lambda product: product[:4])
    return [products[index * len(products) // COUNT][-1] for index in range(min(COUNT, len(products)))]


def text_of(parameters):
    """The inside of #sattn.meta<...>."""
    tile = ", ".join(str(int(parameters[name])) for name in ("tile_m", "tile_n", "tile_k"))
    hints = "".join(f", {name} = {int(parameters[name])}" for name in ("stages", "warps", "raster_group", "split_k")
                    if parameters.get(name))
    return f"tile = [{tile}]{hints}"


def best_of(row):
    return min((trial for trial in row["trials"] if trial["ratio"] > 0), key=lambda trial: trial["ratio"])["parameters"]


def measure_row(row, tools, tuned):
    _, facts = cost_model.read(row["problem"])
    m, n, k, block = (int(facts[name]) for name in ("m", "n", "k", "block_rows"))
    sparsity = 1 - facts["nnz"] / (m // block * (k // block))
    problem = problems.make(m, k, n, block, sparsity, "uniform")
    metas = {"default": text_of(cost_model.estimate(row["problem"])), "tuned": text_of(best_of(row))}
    calls = {name: bsr_addmm.ours(tools, problem, meta, 0.0)[0]["ours"] for name, meta in metas.items()}
    dense = problem.dense()
    out = torch.empty_like(problem.c)
    calls["cublas"] = lambda: torch.matmul(dense, problem.b, out=out)
    reference = torch.matmul(dense.double(), problem.b.double())
    errors = {}
    for name in metas:
        problem.c.fill_(torch.nan)
        calls[name]()
        errors[name] = bsr_addmm.relative_error(problem.c, reference)
    del reference
    peers, skipped = bsr_addmm.peer_calls(["triton", bsr_addmm.TUNED], problem, dense, tuned)
    calls.update(peers)
    candidates = {}
    for name, call in calls.items():
        try:
            candidates[name] = in_graph(call)
        except Exception as failure:  # Whatever is wrong with a peer is reported, not ours.
            if name in metas:
                raise
            skipped[name] = (str(failure).splitlines() or ["no graph"])[0][:200]
            torch.cuda.synchronize()
    measure(candidates, 3)
    times = {name: candidate.median_ms() for name, candidate in candidates.items()}
    return {"m": m, "n": n, "k": k, "block": block, "sparsity": round(sparsity, 3), "metas": metas, "errors": errors,
            "ms": times, **{f"x_{name}": times["cublas"] / ms for name, ms in times.items() if name != "cublas"},
            "skipped": skipped}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--tools", type=Path, default=bsr_addmm.default_tools())
    parser.add_argument("--tuned", type=Path, default=Path("triton_tuned.json"), metavar="FILE")
    parser.add_argument("--tune", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--budget", type=float, default=300, metavar="SECONDS", help="no row begins after it")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    bsr_addmm.use_tools(parser, options.tools)
    start, rows = time.monotonic(), []
    tuned = triton_tuning.Parameters(options.tuned, options.tune)
    for row in pick(json.loads(options.results.read_text())["rows"]):
        if time.monotonic() - start > options.budget:
            break
        rows.append(measure_row(row, options.tools, tuned))
        shown = {name: round(value, 2) for name, value in rows[-1].items() if name.startswith("x_")}
        print(row["problem"], shown, rows[-1]["skipped"] or "", flush=True)
        result_files.write(options.out, "tuning_peers", rows, **result_files.gpu(), tune_seconds=options.tune)


if __name__ == "__main__":
    main()
