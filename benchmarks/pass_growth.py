#!/usr/bin/env python3
"""Which passes' time grows faster than the program.

    python3 benchmarks/pass_growth.py --tools FOLDER [--programs chain ...] [--targets cpu ...] [--ops 400 800 ...]

FOLDER is the one of sparse-opt (build/bin). Programs of several sizes run through a target's pipeline with
--mlir-timing, one thread; of several runs each pass counts with its least time. The exponent of a pass is that of
the last step: 1 if twice the program takes twice as long, 2 if it takes four times as long. Listed are passes
with an exponent above --limit that take --least ms at the end, and all passes with --all.

  chain    one product and so many elementwise ops, fused into its kernel
  kernels  a product for each 50 ops, one after another
  loops    one tile with a loop for each 20 ops, whose products are stored (sm_90a alone, where the loops of a tile
           share a ring; from wgtile-create-tensor-maps)
"""

import argparse
import collections
import math
import re
import subprocess
import tempfile
from pathlib import Path

import result_files

OPS = [400, 800, 1600, 3200]
TARGETS = ["cpu", "sm_90a", "sm_80"]
PROGRAMS = ["chain", "kernels", "loops"]
OPS_PER_KERNEL, OPS_PER_LOOP = 50, 20

PRODUCT = """  %{name} = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %{b} : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {{meta = #sattn.meta<tile = [64, 64, 64]>}} -> tensor<?x?xbf16>
"""
ELEMENTWISE = """  %{name} = linalg.generic {{indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%{source}, %c : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%out : tensor<?x?xbf16>) {{
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %sum = arith.{op} %x, %y : bf16
    linalg.yield %sum : bf16
  }} -> tensor<?x?xbf16>
"""
FUNCTION = """#ij = affine_map<(i, j) -> (i, j)>
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
             %c: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {{
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
{body}  return %{result} : tensor<?x?xbf16>
}}
"""

TILE = """!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!out = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
gpu.module @kernels attributes {{wgtile.target = #wgtile.target<chip = "sm_90a">}} {{
  gpu.func @tile(%a: memref<?x?xbf16> {{wgtile.tma_compatible}}, %b: memref<?x?xbf16> {{wgtile.tma_compatible}},
                 %crow: memref<?xi32>, %out: memref<?x?xbf16> {{wgtile.tma_compatible}}, %n: index)
      kernel attributes {{wgtile.tma, known_block_size = array<i32: 128, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {{
{body}    }}
    gpu.return
  }}
}}
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %crow: memref<?xi32>, %out: memref<?x?xbf16>, %n: index) {{
  wgtile.launch @kernels::@tile grid(%n) args(%a, %b, %crow, %out, %n)
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?xi32>, memref<?x?xbf16>, index
  return
}}
"""
LOOP = """      %end{i} = memref.load %crow[%i] : memref<?xi32>
      %last{i} = arith.index_cast %end{i} : i32 to index
      %r{i} = scf.for %p = %c0 to %last{i} step %c1 iter_args(%acc = %zero) -> (!acc) {{
        %ta = wgtile.load %a[%i, %p] : memref<?x?xbf16> -> !a
        %tb = wgtile.load %b[%p, %j] : memref<?x?xbf16> -> !a
        %d = wgtile.mma %ta, %tb, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }}
      %t{i} = arith.truncf %r{i} : !acc to !out
      %by{i} = arith.constant {by} : index
      %to{i} = arith.addi %j, %by{i} : index
      wgtile.store %t{i}, %out[%i, %to{i}] in_bounds [true, true] : !out, memref<?x?xbf16>
"""
TILE_PASSES = ("builtin.module(wgtile-create-tensor-maps,wgtile-stage-stores,wgtile-schedule,wgtile-split-k,"
               "gpu.module(wgtile-defer-reductions,wgtile-overlap,wgtile-split-range,wgtile-place-waits,wgtile-specialize,"
               "wgtile-order-warpgroups,wgtile-pipeline),wgtile-persist,wgtile-overlap-launches,"
               "gpu.module(wgtile-allocate-shared,wgtile-place-fences,wgtile-verify-sync,wgtile-assign-stages,"
               "convert-wgtile-to-nvvm,expand-strided-metadata,lower-affine,cse,convert-scf-to-cf,convert-kernel-to-llvm,"
               "convert-nvvm-to-llvm,reconcile-unrealized-casts))")


def chain(ops):
    """The ops alternate, so that none is folded into the one before it."""
    body, last = PRODUCT.format(name="r0", b="b"), "r0"
    for i in range(1, ops):
        body += ELEMENTWISE.format(name=f"r{i}", source=last, op=["addf", "mulf", "subf"][i % 3])
        last = f"r{i}"
    return FUNCTION.format(body=body, result=last)


def kernels(ops):
    body, last = "", "b"
    for i in range(ops // OPS_PER_KERNEL):
        body += PRODUCT.format(name=f"r{i}", b=last)
        last = f"r{i}"
    return FUNCTION.format(body=body, result=last)


def loops(ops):
    return TILE.format(body="".join(LOOP.format(i=i, by=64 * i) for i in range(ops // OPS_PER_LOOP)))


def make(program, ops, target):
    """The text of a program and the option of sparse-opt that lowers it; None if the target cannot take it."""
    if program == "loops":
        return (loops(ops), "--pass-pipeline=" + TILE_PASSES) if target == "sm_90a" else None
    return {"chain": chain, "kernels": kernels}[program](ops), \
        "--sattn-to-cpu" if target == "cpu" else f"--sattn-to-nvvm=chip={target}"


def time_passes(tool, text, option, folder):
    """Milliseconds of each pass."""
    source = folder / "program.mlir"
    source.write_text(text)
    done = subprocess.run([tool, source, option, "--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading",
                           "-o", folder / "output"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"pass_growth: error: {done.stderr.strip()[:1000]}")
    times = collections.Counter()
    for line in done.stderr.splitlines():
        if match := re.match(r"\s*([\d.]+) \(\s*[\d.]+%\)\s+(\S.*)", line):
            times[match[2].strip()] += float(match[1]) * 1e3
    return times


def least(runs):
    return {name: min(run.get(name, 0) for run in runs) for name in runs[0]}


def exponent(sizes, times):
    return math.log(max(times[-1], 1e-3) / max(times[-2], 1e-3)) / math.log(sizes[-1] / sizes[-2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--ops", type=int, nargs="+", default=OPS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=1.3)
    parser.add_argument("--least", type=float, default=5)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for program in options.programs:
        for target in options.targets:
            texts = [make(program, ops, target) for ops in options.ops]
            if None in texts:
                continue
            with tempfile.TemporaryDirectory() as name:
                times = [least([time_passes(options.tools / "sparse-opt", *text, Path(name)) for _ in range(options.runs)])
                         for text in texts]
            print(f"{program}, {target}: ms at {', '.join(map(str, options.ops))} ops, exponent of the last step")
            for name in sorted(times[-1], key=times[-1].get, reverse=True):
                row = [time.get(name, 0) for time in times]
                growth = exponent(options.ops, row)
                rows.append({"program": program, "target": target, "pass": name, "ms": row, "exponent": growth})
                if options.all or name == "Total" or (row[-1] >= options.least and growth > options.limit):
                    print(f"  {name:44}" + "".join(f"{value:9.1f}" for value in row) + f"{growth:7.2f}")
    result_files.write(options.out, "pass_growth", rows, runs=options.runs, ops=options.ops, **result_files.load())


if __name__ == "__main__":
    main()
