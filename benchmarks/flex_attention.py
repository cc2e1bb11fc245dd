#!/usr/bin/env python3
"""sattn.flex_attention on a GPU beside other libraries' attention, in one run on random data.

    python3 benchmarks/flex_attention.py [--rows dense_4096 ...] [--peers fa4 flex ...] [--out results.json]
    python3 benchmarks/flex_attention.py --merge FIRST.json SECOND.json ... --out results.json
    python3 benchmarks/flex_attention.py --list

Needs PyTorch and apache-tvm-ffi; SATTN_LIBRARIES names the folder of the libraries. Peers that are not installed are
named and left out. cuDNN's SDPA, the yardstick, is in every run: of rows that it cannot compute it does the causal or
the dense problem of the same size, and its rate is that time's for the row's work.

    --rows NAME ...     of --list (default: all)
    --peers NAME ...    of fa4, flex, flex_flash, cudnn_flex, cudnn_bsa (default: all; none: no name after it)
    --rounds N          rounds of turns (default: 5)
    --power SECONDS     how long each candidate runs for its clock and power (default: 0.5; 0: not at all)
    --no-do-bench       without Triton's do_bench, which stands beside
    --check             compile, launch and compare; no times
    --rank3             ours also with the heads of all batches as one dimension, where a row allows it
    --sm80              ours also as code of sm_80
    --meta TEXT ...     ours also with other parameters: "tile = [128, 128, 64], stages = 2, raster_group = 4"
    --sweep             ours also with the tiles, stages and orders of attention_rows.sweep
    --pipeline TEXT ... ours also with other options of the compiler's pipeline: "late=false"
    --budget SECONDS    no row begins after it (default: 420)
    --hang SECONDS      a step without an end for so long is given up (default: 150)
    --merge FILE ...    the rows of several results; candidates of one row are scaled by SDPA's time to the first file's

Every candidate is compared with attention in float64 before it is timed, by the relative norm of its error. Candidates
take turns on a hot card, behind the same heavy work (timing.py); medians of CUDA event times count, the spread is that
of the rounds' medians. TFLOP/s counts 2 (D + Dv) operations for each visible pair. Rows that begin with `long` have
masks of long_masks.py: ours is sattn.flex_attention in Python with the mask's function. They also say what a call takes
on the wall clock that prepares its mask first, ours and cudnn.flex_attention's. What crashes or hangs is given up by
name, and the rest goes on.
"""

import argparse
import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import attention_rows  # noqa: E402

PEERS = ["fa4", "flex", "flex_flash", "cudnn_flex", "cudnn_bsa"]


# ---------------------------------------------------------------------------
# The text of a row
# ---------------------------------------------------------------------------


def best_peer(row):
    """(name, facts) of the fastest that computes the row, or None."""
    peers = {name: facts for name, facts in row["candidates"].items()
             if not name.startswith("sattn") and "ms" in facts and (name != "sdpa" or row["sdpa_does"])}
    return min(peers.items(), key=lambda item: item[1]["ms"], default=None)


def best_of_sweep(row):
    """(name, facts) of the fastest of ours with given parameters, or None."""
    swept = {name: facts for name, facts in row["candidates"].items() if name.startswith("sattn, tile") and "ms" in facts}
    return min(swept.items(), key=lambda item: item[1]["ms"], default=None)


def describe(row):
    """Lines for people."""
    lines = [f"{row['row']}: {row['title']}, {row['seconds']:.0f} s"]
    for name, facts in row["candidates"].items():
        text = f"  {name:14}"
        if "ms" in facts:
            text += f" {facts['tflops']:6.1f} TFLOP/s +-{facts['spread'] / 2:.1%}"
        if "x_sdpa" in facts:
            text += f"  x sdpa {facts['x_sdpa']:.3f}"
        if "with_plan_ms" in facts:
            text += f"  {facts['ms']:.3f} ms, the mask too {facts['with_plan_ms']:.3f}"
        if "error" in facts:
            text += f"  error {facts['error']:.2e}"
        if "do_bench_tflops" in facts:
            text += f"  do_bench {facts['do_bench_tflops']:.0f}"
        if "mhz" in facts:
            text += (f"  {facts['mhz']:.0f} MHz {facts['watts']:.0f} W {facts['tflops'] / facts['mhz'] * 1e3:.0f}/GHz"
                     f" {facts['watts'] / facts['tflops']:.2f} W/TFLOP/s")
        lines.append(f"{text}  first call {facts['first_call_s']:.2f} s")
    lines += [f"  {name:14} no: {why}" for name, why in row["failed"].items()]
    best, sattn = best_peer(row), row["candidates"].get("sattn", {})
    if best and "ms" in sattn:
        aim = f", aim {row['aim']:.2f}" if row["aim"] else ""
        goal = f" (at least {row['least']:.2f}{aim})" if row["least"] else ""
        lines.append(f"  sattn over the best peer, {best[0]}: {best[1]['ms'] / sattn['ms']:.3f}{goal}")
    best = best_of_sweep(row)
    if best and "ms" in sattn:
        lines.append(f"  sattn's default over the best of the sweep, {best[0]}: {best[1]['ms'] / sattn['ms']:.3f}")
    errors = [row["candidates"].get(name, {}).get("error") for name in ("sattn", "sdpa")]
    if None not in errors and errors[0] > 1.05 * errors[1]:
        lines.append(f"  sattn's error is {errors[0] / errors[1]:.2f} of cuDNN's")
    return "\n".join(lines)


def merged(results):
    """One of several results: of each row the candidates of all, times as if SDPA had that of the first."""
    together = {**results[0], "rows": [], "merged": len(results)}
    rows, peers = {}, {}
    for result in results:
        for package, version in result["peers"].items():
            if peers.get(package, "not installed") == "not installed":
                peers[package] = version
        for row in result["rows"]:
            first = rows.setdefault(row["row"], row)
            if first is row:
                together["rows"].append(row)
                continue
            sdpa = [one["candidates"].get("sdpa", {}).get("ms") for one in (first, row)]
            for name, facts in row["candidates"].items():
                if name in first["candidates"] or None in sdpa or "ms" not in facts:
                    continue
                factor = sdpa[0] / sdpa[1]
                scaled = dict(facts, scaled_by=factor, ms=facts["ms"] * factor, tflops=facts["tflops"] / factor)
                first["candidates"][name] = scaled
                first["failed"].pop(name, None)
            for name, why in row["failed"].items():
                if name not in first["candidates"]:
                    first["failed"].setdefault(name, why)
    return {**together, "peers": peers}


# ---------------------------------------------------------------------------
# Processes that measure
# ---------------------------------------------------------------------------


class Run:
    """Rows that are measured by one process after the other, until none is left."""

    def __init__(self, options):
        self.options = options
        self.rows, self.failed, self.about = [], {}, {}
        # {row: {candidate: why}} of those that ended a process. The first program of all is of no row.
        self.lost, self.warm = {}, True
        self.until = time.time() + options.budget

    def run(self):
        left = list(self.options.rows)
        may_do_more = True
        while left and may_do_more and time.time() < self.until:
            may_do_more = self.measure(left)
            done = {row["row"] for row in self.rows} | set(self.failed)
            left = [name for name in left if name not in done]
        for name in left:
            self.failed.setdefault(name, "no time left" if time.time() >= self.until else "not begun")

    def start(self, left, pipe):
        options = {"rows": left, "peers": ["sdpa", *self.options.peers], "named_peers": self.options.named_peers,
                   "rounds": self.options.rounds, "power": self.options.power, "do_bench": self.options.do_bench,
                   "check": self.options.check, "rank3": self.options.rank3, "sm80": self.options.sm80,
                   "meta": self.options.meta, "sweep": self.options.sweep, "pipeline": self.options.pipeline, "warm": self.warm,
                   "until": self.until, "lost": self.lost, "pipe": pipe}
        return subprocess.Popen([sys.executable, str(HERE / "attention_worker.py"), json.dumps(options)],
                                pass_fds=[pipe], env=dict(os.environ, PYTHONUNBUFFERED="1"))

    def measure(self, left):
        """Runs a process until it ends, dies or hangs, and gives whether another may do more: what this one was doing
        then is lost."""
        reader, writer = os.pipe()
        process = self.start(left, writer)
        os.close(writer)
        self.step, why = ["", ""], ""
        with os.fdopen(reader, "rb", buffering=0) as events, selectors.DefaultSelector() as selector:
            selector.register(events, selectors.EVENT_READ)
            buffer = b""
            while True:
                if not selector.select(self.options.hang):
                    why = f"no end after {self.options.hang:.0f} s"
                    process.kill()
                    break
                if not (part := events.read(1 << 16)):
                    break
                *lines, buffer = (buffer + part).split(b"\n")
                for line in lines:
                    why = self.take(json.loads(line)) or why
        code = process.wait()
        if code == 0 and not why:
            return False
        row, candidate = self.step
        why = why or (f"ended by signal {-code}" if code < 0 else f"exit code {code}")
        print(f"{row or 'start'} {candidate}: {why}", flush=True)
        if row and candidate and candidate not in ("timing", "power", "do_bench"):
            self.lost.setdefault(row, {})[candidate] = why
        elif row:
            self.failed[row] = f"{candidate or 'operands'}: {why}"
        else:  # Without the first program another may do.
            is_first, self.warm = self.warm, False
            return is_first
        return True

    def take(self, event):
        """Takes a line of a process; gives why it will die."""
        if "step" in event:
            self.step = event["step"]
        elif "about" in event:
            self.about = event["about"]
        elif "failed" in event:
            self.failed[event["failed"]["row"]] = event["failed"]["why"]
            print(f"{event['failed']['row']}: failed: {event['failed']['why']}", flush=True)
        elif "row" in event:
            self.rows.append(event["row"])
            print(describe(event["row"]), flush=True)
            self.write()
        return event.get("dead", "")

    def write(self):
        if self.options.out:
            write(self.options.out, {"benchmark": "flex_attention", **self.about, "rounds": self.options.rounds,
                                     "rows": self.rows, "failed": self.failed})


def write(path, result):
    path.write_text(json.dumps(result, indent=1) + "\n")


def list_rows():
    for name, row in attention_rows.ROWS.items():
        print(f"{name:22} {row.title():46} {attention_rows.count_operations(row) / 1e12:8.2f} TFLOP")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=list(attention_rows.ROWS), choices=list(attention_rows.ROWS))
    parser.add_argument("--peers", nargs="*", choices=PEERS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--power", type=float, default=0.5)
    parser.add_argument("--no-do-bench", dest="do_bench", action="store_false")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rank3", action="store_true")
    parser.add_argument("--sm80", action="store_true")
    parser.add_argument("--meta", nargs="*", default=[])
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--pipeline", nargs="*", default=[])
    parser.add_argument("--budget", type=float, default=420)
    parser.add_argument("--hang", type=float, default=150)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    options.named_peers = options.peers or []
    options.peers = PEERS if options.peers is None else options.peers
    return options


def main(arguments=None):
    start = time.monotonic()
    options = parse(arguments)
    if options.list:
        list_rows()
        return 0
    if options.merge:
        result = merged([json.loads(path.read_text()) for path in options.merge])
        print("\n".join(map(describe, result["rows"])))
        if options.out:
            write(options.out, result)
        return 0
    run = Run(options)
    run.run()
    run.write()
    print(f"{len(run.rows)} rows in {time.monotonic() - start:.0f} s")
    for name, why in run.failed.items():
        print(f"left out: {name}: {why}")
    return 1 if run.failed or not run.rows else 0


if __name__ == "__main__":
    sys.exit(main())
