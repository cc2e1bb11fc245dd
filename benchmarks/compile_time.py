#!/usr/bin/env python3
"""How long the compiler takes from text to PTX, to a cubin, and to LLVM IR for the CPU.

    python3 benchmarks/compile_time.py --tools FOLDER [--baseline FOLDER] [--runs 15] [--out results.json]

FOLDER is the one of sparse-translate (build/bin, or a bundle's bin/); with --baseline another version's is timed in
turn with it. Rows of 'first' are of the specializations of kernels that a process with the compiler makes at first
(--versions=tma), those of 'this' of all versions. Each time is that of a whole process, its start included, which is
listed first. Of several runs, all programs in turn, the least and the median are given in milliseconds: of the clock on
the wall, and of the processor, all threads and ptxas together, which other work on the machine changes less. Cubins are
left out where there is no ptxas on PATH or in SATTN_PTXAS.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import result_files

CHIPS = ["sm_90a", "sm_80"]
BLOCKS = [16, 32, 64, 128]
# The kind of beta: a constant that leaves the result's old value out, or an argument.
BETAS = ["0", "argument"]

PROGRAM = """func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x{b}x{b}xbf16>,
             %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>{parameter}) -> tensor<?x?xbf16> {{
  %alpha = arith.constant 1.0 : f32
{constant}  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x{b}x{b}xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}}
"""


def program(block, beta):
    if beta == "argument":
        return PROGRAM.format(b=block, parameter=", %beta: f32", constant="")
    return PROGRAM.format(b=block, parameter="", constant="  %beta = arith.constant 0.0 : f32\n")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_once(command):
    cpu, wall = cpu_seconds(), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    if done.returncode:
        raise SystemExit(f"compile_time: error: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return wall * 1e3, cpu * 1e3


def cases(blocks, chips, folder, ptxas):
    """(what, arguments of sparse-translate)"""
    yield {"what": "start"}, ["--version"]
    for block in blocks:
        for beta in BETAS:
            source = folder / f"{block}_{beta}.mlir"
            source.write_text(program(block, beta))
            for chip in chips:
                for to in ["ptx", "cubin"] if ptxas else ["ptx"]:
                    yield ({"what": to, "chip": chip, "block": block, "beta": beta},
                           [f"--to={to}", f"--chip={chip}", source, "-o", folder / "output"])
            yield ({"what": "llvmir", "chip": "cpu", "block": block, "beta": beta},
                   ["--to=llvmir", "--chip=cpu", source, "-o", folder / "output"])


def measure(tools, runs, blocks, chips, ptxas):
    """A row for each program and version, all in turn in each run."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        todo = [({"version": version, **what}, [*command, *arguments])
                for what, arguments in cases(blocks, chips, Path(name), ptxas)
                for version, command in tools.items() if version != "first" or what["what"] in ("ptx", "cubin")]
        times = [[run_once(command) for _, command in todo] for _ in range(runs)]
    for index, (what, _) in enumerate(todo):
        wall, cpu = zip(*[run[index] for run in times])
        rows.append({**what, "wall_ms": statistics.median(wall), "wall_ms_least": min(wall),
                     "cpu_ms": statistics.median(cpu), "cpu_ms_least": min(cpu)})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--blocks", type=int, nargs="+", default=BLOCKS)
    parser.add_argument("--chips", nargs="+", default=CHIPS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tools = {"baseline": [options.baseline / "sparse-translate"]} if options.baseline else {}
    tools["this"] = [options.tools / "sparse-translate"]
    tools["first"] = [*tools["this"], "--versions=tma"]
    ptxas = os.environ.get("SATTN_PTXAS") or shutil.which("ptxas")
    rows = measure(tools, options.runs, options.blocks, options.chips, ptxas)

    print(f"{'version':9} {'to':7} {'chip':7} {'block':>5} {'beta':9}   wall: least median   processor: least median, ms")
    for row in rows:
        print(f"{row['version']:9} {row['what']:7} {row.get('chip', ''):7} {row.get('block', ''):5} "
              f"{row.get('beta', ''):9} {row['wall_ms_least']:13.0f} {row['wall_ms']:6.0f} "
              f"{row['cpu_ms_least']:18.0f} {row['cpu_ms']:6.0f}")
    result_files.write(options.out, "compile_time", rows, runs=options.runs, **result_files.load(), ptxas=bool(ptxas))


if __name__ == "__main__":
    main()
