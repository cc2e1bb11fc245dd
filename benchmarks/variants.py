#!/usr/bin/env python3
"""bsr_addmm on a GPU in other ways than bsr_addmm.py: code of another chip, blocks that are no squares, C apart.

    python3 benchmarks/variants.py [--tools FOLDER] [--out results.json]

FOLDER is the one of sparse-translate (a bundle's bin/). Needs PyTorch and apache-tvm-ffi. Each row is the rate of a
variant over that of its base in the same run, in turns of launches back to back (timing.py), on random data in bf16:

    chip   code for sm_80 over that for sm_90a, b of K x N and a linear layer   (bar: 0.35)
    block  blocks of 24 x 40, 8 x 8, 16 x 128 over the square block at or above the smaller side (bar: 0.5)
    input  beta = 1 with C in an array of its own over C in place of the result
    row    the same, one row for all: C is broadcast
    pad    N of 2047 and 255, whose rows TMA cannot take, over the next multiple of 8 (bar: 0.5)

    --cases chip block input row pad   which of them (default: all)
    --size 8192                     rows and columns, less what no whole block fills
"""

import argparse
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import problems  # noqa: E402
import result_files  # noqa: E402
from bsr_addmm import compile_program, default_tools, use_tools  # noqa: E402
from timing import Timed, measure  # noqa: E402

# Blocks, and the side of the square to compare with.
BLOCKS = {(24, 40): 32, (8, 8): 16, (16, 128): 16}
BARS = {"chip": 0.35, "block": 0.5, "pad": 0.5}
SPARSITIES = [0.5, 0.9]


def make_call(options, problem, chip="sm_90a", beta=0.0, c=None, is_linear=False):
    """A prepared product; with c, an array that is added, else to what the result holds. A linear layer has rows of K
    and of M."""
    from sattn._ops.bsr_addmm import BsrAddmm

    source = BsrAddmm(block=tuple(problem.values.shape[1:]), alpha=1.0, beta=beta, input="" if c is None else "bf16",
                      transpose_b=is_linear, transpose_out=is_linear)
    program, _ = compile_program(options.tools, source, chip)
    inputs = () if c is None else (c,)
    out = torch.empty_like(problem.c) if beta == 0 or c is not None else problem.c
    b = problem.b.T.contiguous() if is_linear else problem.b
    out = out.T.contiguous() if is_linear else out
    arguments = (problem.crow, problem.col, problem.values, b, *inputs, out)
    prepared = program.prepare(*arguments)
    return lambda: prepared(*arguments)


def make_problem(options, block, sparsity):
    height, width = (block, block) if isinstance(block, int) else block
    size = options.size
    return problems.make(size // height * height, size // width * width, size, block, sparsity)


def pairs(options, case, sparsity):
    """(name, a variant's problem and call, its base's problem and call)."""
    if case == "chip":
        for block in (128, 64, 32, 16):
            problem = make_problem(options, block, sparsity)
            for layout, is_linear in (("", False), (", linear", True)):
                yield (f"sm_80, blocks of {block}{layout}",
                       (problem, make_call(options, problem, "sm_80", is_linear=is_linear)),
                       (problem, make_call(options, problem, is_linear=is_linear)))
    elif case == "block":
        for block, side in BLOCKS.items():
            variant, base = make_problem(options, block, sparsity), make_problem(options, side, sparsity)
            yield (f"blocks of {block[0]} x {block[1]} over {side}", (variant, make_call(options, variant)),
                   (base, make_call(options, base)))
    elif case == "pad":
        for block in (128, 64, 32):
            for n in (2048, 256):
                odd, even = (problems.make(options.size, options.size, columns, block, sparsity)
                             for columns in (n - 1, n))
                yield f"N = {n - 1}, blocks of {block}", (odd, make_call(options, odd)), (even, make_call(options, even))
    else:
        for block in (128, 64, 32):
            problem = make_problem(options, block, sparsity)
            c = torch.randn_like(problem.c)
            if case == "row":
                c = c[:1].expand(problem.c.shape)
            yield (f"C {'of one row' if case == 'row' else 'apart'}, blocks of {block}",
                   (problem, make_call(options, problem, beta=1.0, c=c)),
                   (problem, make_call(options, problem, beta=1.0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=default_tools())
    parser.add_argument("--cases", nargs="*", default=["chip", "block", "input", "row", "pad"],
                        choices=["chip", "block", "input", "row", "pad"])
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    use_tools(parser, options.tools)
    start = time.monotonic()
    rows = []
    for case in options.cases:
        for sparsity in SPARSITIES:
            for name, (problem, call), (base_problem, base_call) in pairs(options, case, sparsity):
                timed = {"variant": Timed(call), "base": Timed(base_call)}
                measure(timed, options.rounds)
                rate = problem.work / timed["variant"].median_ms() / 1e9
                base_rate = base_problem.work / timed["base"].median_ms() / 1e9
                bar = BARS.get(case)
                rows.append({"case": case, "name": name, "sparsity": sparsity, "tflops": rate,
                             "base_tflops": base_rate, "ratio": rate / base_rate, "bar": bar})
                verdict = "" if bar is None else f" ({'ok' if rate >= bar * base_rate else 'LOW'}, bar {bar})"
                print(f"{name:32} {sparsity} {rate:5.0f} TFLOP/s, base {base_rate:5.0f}, {rate / base_rate:.2f}{verdict}",
                      flush=True)
                torch.cuda.empty_cache()
    print(f"{len(rows)} rows in {time.monotonic() - start:.0f} s")
    result_files.write(options.out, "variants", rows, **result_files.gpu(), size=options.size)


if __name__ == "__main__":
    main()
