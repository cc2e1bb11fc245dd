#!/usr/bin/env python3
"""bsr_addmm on a GPU beside dense cuBLAS, PyTorch's Triton kernels and cuSPARSE, in one run on random data.

    python3 benchmarks/bsr_addmm.py [--tools FOLDER] [--out results.json]

FOLDER is the one of sparse-translate (a bundle's bin/); its neighbour lib/ has the binding. Needs PyTorch and
apache-tvm-ffi. A peer that is missing or refuses, and a case that our compiler refuses, are named and left out.

    --cases square beta skinny zipf   which tables (default: all)
    --blocks 128 64   --sparsity .5   which rows of them
    --meta 'tile = [128, 256, 64]'    tile parameters instead of METAS; several give a row each
    --peers ''                        no peers besides cuBLAS (names: triton, blocked_ell, bsr, csr)
    --tuned FILE                      a peer more, triton_tuned: PyTorch's Triton kernel with parameters found by
                                      PyTorch's own optimizer (triton_tuning.py). FILE keeps them; those that it
                                      does not have are searched first, for --tune seconds each (default: 20)
    --budget SECONDS                  start no further row after that time (default: 95)

Candidates take turns of launches back to back (timing.py), medians of CUDA event times; rates are of stored blocks. `x`
is the time of the dense product by cuBLAS over ours in the same run: what to compare between runs, for the card's
clocks drift. `unprepared` plans the sparse operand anew in each call. `error` is the relative norm of the difference
from the product in float64, beside cuBLAS's.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import problems  # noqa: E402
import result_files  # noqa: E402
import triton_tuning  # noqa: E402
from timing import Timed, in_graph, measure  # noqa: E402

# Parameters by rows of a block and sparsity, the fastest of those tried; what is not here gets the compiler's choice.
METAS = {(128, sparsity): "tile = [128, 256, 64]" for sparsity in (0.5, 0.8, 0.9)}
METAS |= {(64, 0.5): "tile = [128, 256, 64]", (32, 0.5): "tile = [128, 256, 32]"}
METAS |= {(64, sparsity): "tile = [64, 256, 64], raster_group = 1" for sparsity in (0.8, 0.9)}
METAS |= {(32, sparsity): "tile = [32, 256, 32], raster_group = 1" for sparsity in (0.8, 0.9)}
METAS |= {(16, sparsity): "tile = [16, 256, 16], raster_group = 1" for sparsity in (0.5, 0.8, 0.9)}
SKINNY_METAS = {(block, sparsity): f"tile = [{block}, 64, 64]" for block in (128, 64) for sparsity in (0.5, 0.8, 0.9)}
PEERS = ["triton", "blocked_ell", "bsr", "csr"]
TUNED = "triton_tuned"
BLOCKS, SPARSITIES = [128, 64, 32, 16], [0.5, 0.8, 0.9]

# The ratio that a case must reach, times dense cuBLAS, by block and sparsity.
GOALS = {(128, 0.5): 1.75, (128, 0.8): 4.2, (128, 0.9): 7.5, (64, 0.5): 1.5, (64, 0.8): 3.1, (64, 0.9): 5.7,
         (32, 0.5): 0.8, (32, 0.8): 1.6, (32, 0.9): 2.8, (16, 0.5): 0.3, (16, 0.8): 0.65, (16, 0.9): 1.15}
BETA_SHARE = {0.5: 0.95, 0.8: 0.90, 0.9: 0.85}
SKINNY_GOALS = {0.5: 1.05, 0.8: 1.5, 0.9: 2.0}
ZIPF_SHARE = 0.7


class Refused(Exception):
    """A program that does not compile or does not run; the message is one line."""


def rows_of(options):
    """The rows to measure, as keyword arguments of `measure_row`."""
    size = options.size
    square = [{"block": block, "sparsity": sparsity} for block in options.blocks for sparsity in options.sparsity]
    rows = []
    if "square" in options.cases:
        rows += [{"case": "square", "shape": (size, size, size), "goal": GOALS.get((row["block"], row["sparsity"])),
                  "peers": options.peers, **row} for row in square]
    if "beta" in options.cases:
        for row in square:
            goal = GOALS.get((row["block"], row["sparsity"]))
            rows.append({"case": "beta", "shape": (size, size, size), "beta": 1.0,
                         "goal": goal and round(goal * BETA_SHARE[row["sparsity"]], 3), **row})
    if "skinny" in options.cases:
        rows += [{"case": "skinny", "shape": (4096, 4096, 256), "graph": True,
                  "goal": SKINNY_GOALS.get(row["sparsity"]) if row["block"] == 64 else None,
                  "peers": [name for name in options.peers if name != "csr"], **row}
                 for row in square if row["block"] in (64, *options.skinny_blocks)]
    if "zipf" in options.cases and 64 in options.blocks:
        rows.append({"case": "zipf", "shape": (size, size, size), "pattern": "zipf", "block": 64, "sparsity": 0.9,
                     "goal": round(GOALS[64, 0.9] * ZIPF_SHARE, 3), "peers": options.peers})
    expanded = []
    for row in rows:
        default = (SKINNY_METAS if row["case"] == "skinny" else METAS).get((row["block"], row["sparsity"]), "")
        expanded += [{**row, "meta": meta} for meta in options.meta or [default]]
    return expanded


def default_tools():
    """The folder of the tools of this bundle or checkout, or None."""
    return next((folder for folder in (HERE.parent / "bin", HERE.parent / "build" / "bin") if folder.exists()), None)


def use_tools(parser, tools):
    """Lets the package find the libraries beside the tools; ends with the parser's error where there are none."""
    if tools is None or not (tools / "sparse-translate").exists():
        parser.error("--tools: expected a folder with sparse-translate")
    os.environ.setdefault("SATTN_LIBRARIES", str(tools.resolve().parent / "lib"))


def translate(tools, text, to, chip):
    done = subprocess.run([str(tools / "sparse-translate"), f"--to={to}", f"--chip={chip}", "-"], input=text,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines()
        raise Refused(errors[0] if errors else f"sparse-translate failed with exit code {done.returncode}")
    return done.stdout


def compile_program(tools, source, chip="sm_90a", cache={}):
    """The loaded program, and the milliseconds from its text to that."""
    if (source, chip) not in cache:
        import sattn

        start = time.perf_counter()
        text = source.text()
        manifest, ptx = (translate(tools, text, to, chip) for to in ("manifest", "ptx"))
        try:
            program = sattn.load(manifest, ptx)
        except RuntimeError as error:
            raise Refused(str(error).splitlines()[0]) from None
        cache[source, chip] = program, (time.perf_counter() - start) * 1e3
    return cache[source, chip]


def relative_error(result, reference):
    return ((result.double() - reference).norm() / reference.norm()).item()


def ours(tools, problem, meta, beta):
    """{name: enqueue}: the prepared call, and the unprepared where that differs; and the time of compiling."""
    from sattn._ops.bsr_addmm import BsrAddmm

    source = BsrAddmm(block=(problem.block, problem.block), alpha=1.0, beta=beta, meta=meta)
    program, compile_ms = compile_program(tools, source)
    arguments = (problem.crow, problem.col, problem.values, problem.b, problem.c)

    def unprepared():
        program(*arguments)

    try:
        unprepared()
    except (RuntimeError, ValueError, TypeError) as error:
        raise Refused(str(error).splitlines()[0]) from None
    prepared = program.prepare(*arguments)
    if '"preprocess"' not in program.manifest:
        return {"ours": unprepared}, compile_ms
    return {"ours": lambda: prepared(*arguments), "unprepared": unprepared}, compile_ms


def peer_calls(names, problem, dense, tuned):
    """({name: enqueue}, {name: why not}). tuned: a triton_tuning.Parameters, or None."""
    calls, skipped = {}, {}

    def add(name, make):
        if name not in names:
            return
        try:
            call = make()
            call()
            torch.cuda.synchronize()
            calls[name] = call
        except Exception as error:  # Whatever is wrong with a peer is reported, not ours.
            skipped[name] = (str(error).splitlines() or [type(error).__name__])[0][:200]

    def triton(tuned=None):
        from torch.sparse._triton_ops import bsr_dense_addmm

        m, k, n = problem.shape
        bsr = torch.sparse_bsr_tensor(problem.crow, problem.col, problem.values, size=(m, k))
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        meta = tuned.of(problem, bsr, out) if tuned else None
        return lambda: bsr_dense_addmm(problem.c, bsr, problem.b, beta=0, out=out, meta=meta)

    def cusparse(method):
        from cusparse import Cusparse

        out = torch.empty_like(problem.c)
        library = Cusparse()
        if method == "csr":
            return library.csr(dense, problem.b, out)
        return getattr(library, method)(problem, out)

    add("triton", triton)
    add(TUNED, lambda: triton(tuned))
    for method in ("blocked_ell", "bsr", "csr"):
        add(method, lambda method=method: cusparse(method))
    return calls, skipped


def measure_row(tools, rounds, *, case, shape, block, sparsity, meta, goal, beta=0.0, pattern="uniform", graph=False,
                peers=(), tuned=None):
    """One row of the results."""
    m, k, n = shape
    problem = problems.make(m, k, n, block, sparsity, pattern)
    dense = problem.dense()
    former = problem.c.double() * beta
    calls, compile_ms = ours(tools, problem, meta, beta)
    problem.c.copy_(former / beta if beta else torch.full_like(problem.c, torch.nan))
    calls["ours"]()
    result = problem.c.clone()
    reference = torch.matmul(dense.double(), problem.b.double()) + former
    error = relative_error(result, reference)
    problem.c.copy_(former / beta if beta else torch.full_like(problem.c, torch.nan))
    calls["ours"]()
    same_bits = torch.equal(problem.c, result)

    out = former.to(torch.bfloat16)
    if beta:
        out.addmm_(dense, problem.b)
    else:
        torch.matmul(dense, problem.b, out=out)
    cublas_error = relative_error(out, reference)
    del reference, former
    calls["cublas"] = lambda: torch.matmul(dense, problem.b, out=out)
    if beta:
        calls["cublas_beta"] = lambda: out.addmm_(dense, problem.b)
    others, skipped = peer_calls(peers, problem, dense, tuned)
    calls.update(others)

    candidates = {}
    for name, call in calls.items():
        try:
            candidates[name] = in_graph(call) if graph else Timed(call)
        except Exception as failure:
            if name not in others:
                raise
            skipped[name] = (str(failure).splitlines() or ["no graph"])[0][:200]
            torch.cuda.synchronize()
    measure(candidates, rounds)
    times = {name: candidate.median_ms() for name, candidate in candidates.items()}
    row = {"case": case, "m": m, "k": k, "n": n, "block": block, "sparsity": sparsity, "beta": beta,
           "pattern": pattern, "graph": graph, "meta": meta, "compile_ms": round(compile_ms, 1), "ms": times["ours"],
           "tflops": problem.work / times["ours"] / 1e9, "cublas_ms": times["cublas"],
           "cublas_tflops": 2 * m * k * n / times["cublas"] / 1e9, "x_cublas": times["cublas"] / times["ours"],
           "goal": goal, "error": error, "cublas_error": cublas_error, "same_bits": same_bits,
           "peers": {name: {"ms": times[name], "tflops": problem.work / times[name] / 1e9}
                     for name in others if name in times}, "skipped": skipped}
    if TUNED in row["peers"]:
        row["peers"][TUNED]["meta"] = tuned.found(problem)
    for name in ("unprepared", "cublas_beta"):
        if name in times:
            row[f"{name}_ms"] = times[name]
    return row


def describe(row):
    """One line for people."""
    head = (f"{row['case']:6} {row['block']:3} {row['sparsity']} {row['meta'] or 'default':32} {row['ms'] * 1e3:8.1f} us "
            f"{row['tflops']:4.0f} TFLOP/s  x {row['x_cublas']:.2f}")
    if row["goal"]:
        head += f" ({'ok' if row['x_cublas'] >= row['goal'] else 'LOW'}, goal {row['goal']})"
    if "unprepared_ms" in row:
        head += f" unprepared x {row['cublas_ms'] / row['unprepared_ms']:.2f}"
    head += f"  cuBLAS {row['cublas_tflops']:.0f}  error {row['error']:.2e} / {row['cublas_error']:.2e}"
    head += "" if row["same_bits"] else "  TWO ANSWERS"
    head += "".join(f"  {name} {peer['tflops']:.0f}" for name, peer in row["peers"].items())
    return head + "".join(f"  no {name}: {why}" for name, why in row["skipped"].items())


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=default_tools())
    parser.add_argument("--cases", nargs="*", default=["square", "beta", "skinny", "zipf"],
                        choices=["square", "beta", "skinny", "zipf"])
    parser.add_argument("--blocks", nargs="*", type=int, default=BLOCKS)
    parser.add_argument("--skinny-blocks", nargs="*", type=int, default=[])
    parser.add_argument("--sparsity", nargs="*", type=float, default=SPARSITIES)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--meta", nargs="*")
    parser.add_argument("--peers", nargs="*", default=PEERS)
    parser.add_argument("--tuned", type=Path, metavar="FILE")
    parser.add_argument("--tune", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=95)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    options.peers = [name for name in options.peers if name]
    if unknown := set(options.peers) - set(PEERS):
        parser.error(f"--peers: expected names out of {', '.join(PEERS)}, but got {', '.join(sorted(unknown))}")
    if options.tuned:
        options.peers.append(TUNED)
    use_tools(parser, options.tools)
    return options


def write(path, rows, left_out):
    result_files.write(path, "bsr_addmm", rows, **result_files.gpu(), left_out=left_out)


def main(arguments=None):
    start = time.monotonic()
    options = parse(arguments)
    tuned = triton_tuning.Parameters(options.tuned, options.tune) if options.tuned else None
    rows, left_out = [], []
    for wanted in rows_of(options):
        label = f"{wanted['case']} {wanted['block']} {wanted['sparsity']} {wanted['meta'] or 'default'}"
        if time.monotonic() - start > options.budget:
            left_out.append({"row": label, "why": "no time left"})
            continue
        try:
            row = measure_row(options.tools, options.rounds, tuned=tuned, **wanted)
        except (Refused, RuntimeError) as refusal:  # An error of our compiler, or of CUDA: the other rows may do.
            reason = (str(refusal).splitlines() or [type(refusal).__name__])[0]
            left_out.append({"row": label, "why": reason})
            print(f"{label}: left out: {reason}", flush=True)
            continue
        finally:
            torch.cuda.empty_cache()
        rows.append(row)
        print(describe(row), flush=True)
        if options.out:
            write(options.out, rows, left_out)
    print(f"{len(rows)} rows in {time.monotonic() - start:.0f} s; left out: {len(left_out)}")
    if options.out:
        write(options.out, rows, left_out)


if __name__ == "__main__":
    main()
