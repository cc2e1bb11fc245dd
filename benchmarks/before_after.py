#!/usr/bin/env python3
"""bsr_addmm's kernels of two compilers in one process, in turns: what a change of the compiler costs or gains.

    python3 benchmarks/before_after.py --compile bin/sparse-translate --kernels before      anywhere: the former compiler
    python3 benchmarks/before_after.py --kernels before [--tools FOLDER] [--out FILE]       on the GPU, with the new one

The rows are those of bsr_addmm.py. The former compiler's PTX runs by the new one's manifest, so that both meet the
same runtime: kernels must have the same names and parameters. `x` is the former time over the new one, medians of
--rounds rounds; the last line has its geometric mean and its least.
"""

import argparse
import hashlib
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import result_files  # noqa: E402


def key_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def source_of(row):
    from sattn._ops.bsr_addmm import BsrAddmm

    return BsrAddmm(block=(row["block"], row["block"]), alpha=1.0, beta=row.get("beta", 0.0), meta=row["meta"]).text()


def rows(options):
    """The rows of bsr_addmm.py, without peers."""
    import bsr_addmm

    return bsr_addmm.rows_of(bsr_addmm.parse(["--tools", str(options.tools), "--peers", ""]))


def compile_all(options):
    options.kernels.mkdir(parents=True, exist_ok=True)
    for text in dict.fromkeys(source_of(row) for row in rows(options)):
        subprocess.run([options.compile, "--to=ptx", "--chip=sm_90a", "-", "-o", options.kernels / f"{key_of(text)}.ptx"],
                       input=text, text=True, check=True)


def measure_row(options, row):
    import problems
    import sattn
    from bsr_addmm import translate
    from timing import Timed, in_graph, measure

    text = source_of(row)
    manifest, ptx = (translate(options.tools, text, to, "sm_90a") for to in ("manifest", "ptx"))
    problem = problems.make(*row["shape"], row["block"], row["sparsity"], row.get("pattern", "uniform"))
    arguments = (problem.crow, problem.col, problem.values, problem.b, problem.c)
    calls = {}
    for name, image in (("before", (options.kernels / f"{key_of(text)}.ptx").read_text()), ("after", ptx)):
        prepared = sattn.load(manifest, image).prepare(*arguments)
        calls[name] = lambda prepared=prepared: prepared(*arguments)
    candidates = {name: in_graph(call) if row.get("graph") else Timed(call) for name, call in calls.items()}
    measure(candidates, options.rounds)
    times = {name: candidate.median_ms() for name, candidate in candidates.items()}
    return {"case": row["case"], "block": row["block"], "sparsity": row["sparsity"], "meta": row["meta"], **times,
            "x": times["before"] / times["after"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=Path, required=True)
    parser.add_argument("--compile", metavar="SPARSE_TRANSLATE")
    parser.add_argument("--tools", type=Path, default=HERE.parent / "bin")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
        return
    import torch

    measured = []
    for row in rows(options):
        measured.append(measure_row(options, row))
        last = measured[-1]
        print(f"{last['case']:6} {last['block']:3} {last['sparsity']} before {last['before'] * 1e3:8.1f} us  after "
              f"{last['after'] * 1e3:8.1f} us  x {last['x']:.3f}", flush=True)
        torch.cuda.empty_cache()
    mean = math.exp(sum(math.log(row["x"]) for row in measured) / len(measured))
    print(f"geometric mean {mean:.4f}, least {min(row['x'] for row in measured):.3f}")
    result_files.write(options.out, "before_after", measured, **result_files.gpu(), mean=mean)


if __name__ == "__main__":
    main()
