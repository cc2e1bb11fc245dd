#!/usr/bin/env python3
"""Products with factors of 8 bits, and of f32 in tf32, on a GPU, beside dense ones of cuBLAS, PyTorch's Triton kernel
and bf16, in one run.

    python3 benchmarks/eight_bits.py [--size 4096] [--blocks 64 128] [--dtypes int8 e4m3 e5m2 tf32] [--out results.json]

Each row is one matrix of stored blocks, sparsity 0.5 unless --sparsity says another. Candidates: `linear`, b with
contiguous columns, as a linear layer has it; `rows`, b with contiguous rows, which a copy transposes in each call;
`bf16`, the same blocks in bf16 and b with contiguous rows; `dense`, torch._int_mm, torch._scaled_mm or torch.mm of the
whole matrix; `triton`, PyTorch's own kernel, of int8 and f32 alone. They take turns (timing.py); rates are of stored
blocks, but of `dense`, whose are of all. `error` of `linear` is the relative norm of its difference from the product in
float64, 0 for int8.
"""

import argparse
import sys
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import problems  # noqa: E402
import result_files  # noqa: E402
from bsr_addmm import default_tools, use_tools  # noqa: E402
from timing import Timed, measure  # noqa: E402

DTYPES = {"int8": torch.int8, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "tf32": torch.float32}
# The rate that `linear` must reach at 4096: operations a second, in 10^12; and `rows` of that.
GOALS = {("int8", 64, 0.5): 500, ("int8", 128, 0.5): 700, ("tf32", 64, 0.5): 200}
ROWS_SHARE = 0.7


def narrow(tensor, dtype):
    """Random elements of that type, from those of bf16."""
    if dtype == torch.float32:
        return torch.randn_like(tensor, dtype=dtype)
    if dtype == torch.int8:
        return (tensor.float() * 40).round().clamp(-128, 127).to(dtype)
    return tensor.to(dtype)


def peers_of(problem, values, b, columns):
    """({name: call}, {name: why not})."""
    dense = problems.Problem(problem.block, problem.crow, problem.col, values, b, problem.c).dense()
    scale = torch.ones((), device="cuda")

    def triton():
        from torch.sparse._triton_ops import bsr_dense_addmm

        bsr = torch.sparse_bsr_tensor(problem.crow, problem.col, values, size=dense.shape)
        out = torch.zeros(problem.c.shape, device="cuda", dtype=torch.int32 if b.dtype == torch.int8 else b.dtype)
        return lambda: bsr_dense_addmm(out, bsr, b, beta=0, out=out)

    products = {torch.int8: lambda: torch._int_mm(dense, columns), torch.float32: lambda: torch.mm(dense, columns)}
    made = {"dense": lambda: products.get(b.dtype, lambda: torch._scaled_mm(
        dense, columns, scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16))}
    if b.dtype in products:
        made["triton"] = triton
    calls, skipped = {}, {}
    for name, make in made.items():
        try:
            calls[name] = make()
            calls[name]()
            torch.cuda.synchronize()
        except Exception as error:  # Whatever is wrong with a peer is reported, not ours.
            calls.pop(name, None)
            skipped[name] = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return calls, skipped


def row_of(dtype_name, size, block, sparsity, rounds):
    """One row of the results."""
    import sattn

    dtype = DTYPES[dtype_name]
    problem = problems.make(size, size, size, block, sparsity)
    values, b = narrow(problem.values, dtype), narrow(problem.b, dtype)
    columns = b.t().contiguous().t()
    out_type = {torch.int8: torch.int32, torch.float32: torch.float32}.get(dtype, torch.bfloat16)
    precision = "tf32" if dtype == torch.float32 else None
    rows, linear = torch.empty(size, size, device="cuda", dtype=out_type), torch.empty(
        size, size, device="cuda", dtype=out_type).t()
    operand = sattn.prepare((problem.crow, problem.col, values))
    wide = sattn.prepare((problem.crow, problem.col, problem.values))
    calls = {"linear": lambda: sattn.bsr_dense_addmm(None, operand, columns, beta=0, out=linear, precision=precision),
             "rows": lambda: sattn.bsr_dense_addmm(None, operand, b, beta=0, out=rows, precision=precision),
             "bf16": lambda: sattn.bsr_dense_addmm(None, wide, problem.b, beta=0, out=problem.c)}
    peers, skipped = peers_of(problem, values, b, columns)
    calls |= peers
    candidates = {name: Timed(call) for name, call in calls.items()}
    measure(candidates, rounds)
    whole = problems.Problem(block, problem.crow, problem.col, values.double(), b, problem.c).dense()
    reference = whole @ b.double()
    row = {"dtype": dtype_name, "size": size, "block": block, "sparsity": sparsity,
           "error": ((linear.double() - reference).norm() / reference.norm()).item(),
           "same": torch.equal(linear, rows), "skipped": skipped}
    for name, candidate in candidates.items():
        ms = candidate.median_ms()
        work = 2 * size**3 if name == "dense" else problem.work
        row[name] = {"ms": ms, "tops": work / ms / 1e9}
    return row


def describe(row):
    """One line for people."""
    goal = GOALS.get((row["dtype"], row["block"], row["sparsity"])) if row["size"] == 4096 else None
    head = f"{row['dtype']} {row['size']} block {row['block']} {row['sparsity']}:"
    for name in ("linear", "rows", "bf16", "dense", "triton"):
        if name in row:
            head += f"  {name} {row[name]['tops']:.0f}"
    if goal:
        met = row["linear"]["tops"] >= goal and row["rows"]["tops"] >= ROWS_SHARE * goal
        head += f"  ({'ok' if met else 'LOW'}, goal {goal}, rows {ROWS_SHARE * goal:.0f})"
    head += f"  error {row['error']:.1e}{'' if row['same'] else '  TWO ANSWERS'}"
    return head + "".join(f"  no {name}: {why}" for name, why in row["skipped"].items())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=default_tools())
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--blocks", nargs="*", type=int, default=[64, 128])
    parser.add_argument("--sparsity", nargs="*", type=float, default=[0.5])
    parser.add_argument("--dtypes", nargs="*", choices=list(DTYPES), default=list(DTYPES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    use_tools(parser, options.tools)
    torch.backends.cuda.matmul.allow_tf32 = True
    rows = []
    for dtype in options.dtypes:
        for block in options.blocks:
            for sparsity in options.sparsity:
                rows.append(row_of(dtype, options.size, block, sparsity, options.rounds))
                print(describe(rows[-1]), flush=True)
                torch.cuda.empty_cache()
    result_files.write(options.out, "eight_bits", rows, **result_files.gpu())


if __name__ == "__main__":
    main()
