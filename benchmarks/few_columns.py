"""Few columns (decoding): how near the chosen parameters of bsr_addmm come to the best of a sweep over tile and split.

    python benchmarks/few_columns.py [--blocks 128 64] [--columns 16] [--layouts linear] [--out FILE]

A row is one product of a 4096 x 4096 (or --size) sparse matrix with N columns, as CUDA graphs over several weights, so
that none is in the L2 cache; candidates take turns behind other work, and medians count (timing.py). Layouts: `linear`
is x @ W^T with rows of x and of the result, `columns` is W @ b with b of K x N.
"""

import argparse
import concurrent.futures
import itertools
import os
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import result_files  # noqa: E402
import sattn  # noqa: E402
from linear import graph_of, weights_of  # noqa: E402
from timing import measure  # noqa: E402

SPLITS = (1, 2, 4)


def candidates_of(block, n):
    """`meta` of each."""
    columns = [c for c in (8, 16, 32, 64) if c >= min(n, 64)][:2]
    depths = sorted({min(block, 64), min(block, 128)})
    for rows, c, depth, split in itertools.product((128, 64, 32, 16), columns, depths, SPLITS):
        if rows > block or rows * split > 512 or c > max(32, n):
            continue
        yield {"tile": (rows, c, depth), "split_k": split}
        if rows < 64:
            for warps in (1, 2, 4):
                yield {"tile": (rows, c, depth), "split_k": split, "warps": warps}


def operands_of(m, k, n, block, sparsity, layout):
    weights = weights_of(m, k, block, sparsity)
    b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    if layout == "linear":
        b, out = b.T.contiguous().T, out.T.contiguous().T
    return weights, b, out


def row_of(m, k, n, block, sparsity, layout, rounds):
    weights, b, out = operands_of(m, k, n, block, sparsity, layout)

    def call(weight, meta):
        return sattn.bsr_dense_addmm(None, weight, b, beta=0, out=out, meta=meta)

    def attempt(meta):
        try:
            call(weights[0], meta)
            torch.cuda.synchronize()
            return None
        except (ValueError, RuntimeError, NotImplementedError) as error:
            return str(error).splitlines()[0][:200]

    metas = [None, *candidates_of(block, n)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        refused = {str(meta): why for meta, why in zip(metas, pool.map(attempt, metas)) if why}
    metas = [meta for meta in metas if str(meta) not in refused]
    call(weights[0], None)
    wanted = out.float().clone()
    differences = {}
    for meta in metas:
        out.zero_()
        call(weights[0], meta)
        differences[str(meta)] = float((out.float() - wanted).abs().max() / wanted.abs().max())
    timed = {str(meta): graph_of([lambda w=w, meta=meta: call(w, meta) for w in weights]) for meta in metas}
    measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 2) for name, candidate in timed.items()}
    best = min(micros, key=micros.get)
    return {"m": m, "k": k, "n": n, "block": block, "sparsity": sparsity / 100, "layout": layout,
            "default_us": micros["None"], "best_us": micros[best], "best": best,
            "default_over_best": round(micros[best] / micros["None"], 3), "us": micros, "refused": refused,
            "difference": max(differences.values()), "differs": max(differences, key=differences.get)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", nargs=2, type=int, default=(4096, 4096), metavar=("M", "K"))
    parser.add_argument("--blocks", nargs="*", type=int, default=[128, 64, 32, 16])
    parser.add_argument("--columns", nargs="*", type=int, default=[16])
    parser.add_argument("--sparsities", nargs="*", type=int, default=[50, 80, 90], help="in hundredths")
    parser.add_argument("--layouts", nargs="*", choices=["linear", "columns"], default=["linear", "columns"])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    options = parser.parse_args(arguments)
    rows = []
    for layout, block, n, sparsity in itertools.product(options.layouts, options.blocks, options.columns,
                                                        options.sparsities):
        rows.append(row_of(*options.size, n, block, sparsity, layout, options.rounds))
        row = rows[-1]
        print(f"{layout} {block} {n} {sparsity}: default {row['default_us']} best {row['best_us']} {row['best']} "
              f"diff {row['difference']:.4f} {row['differs']}", flush=True)
        for name, micros in sorted(row["us"].items(), key=lambda item: item[1])[:6]:
            print(f"    {micros:7.2f} {name}")
        for name, why in row["refused"].items():
            print(f"    refused {name}: {why}")
        result_files.write(options.out, "few_columns", rows, **result_files.gpu())


if __name__ == "__main__":
    main()
