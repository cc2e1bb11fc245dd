#!/usr/bin/env python3
"""How near the computed defaults of bsr_addmm come to the best of a grid, on 36 shapes that no table holds.

    python3 benchmarks/defaults.py [--target cuda|cpu] [--budget SECONDS] [--out results.json]

Needs the package's libraries (build/lib, a bundle's lib/, or $SATTN_LIBRARIES) and, for CUDA, PyTorch. A row is one
shape: `default / best` is the rate of the parameters that are chosen without `meta`, over that of the fastest of them
and the candidates. Rows below --bar (default: 0.8) are named at the end.

    --shapes 0 3 7     which of SHAPES, by number (default: all)
    --rounds 2         turns of each candidate (on the CPU: 20 calls)
    --threads N        kernels that are compiled at one time (default: as many as cores)
    --budget SECONDS   of all: compiling stops at half of it, and no row begins after it (default: 280)

The grid, of which only what the target takes is tried, at most 12 candidates a shape: tiles of one block row, or on
CUDA as many as make 128 rows, by 64, 128 or 256 columns (CPU: 16 to 256) and as deep as the default's; then for the
widest tile of one block row groups of 1 and 8, 3 stages, 2 and 8 warps and half the depth, and for that of several
groups of 1 and 8. All are compiled before anything is timed, through the package's `meta=`; candidates that are
refused are left out, and named in the results. Candidates take turns. On CUDA they run behind other work, and medians
count (timing.py); on the CPU sizes are a fourth, and the least times count.
"""

import argparse
import concurrent.futures
import os
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import result_files  # noqa: E402
from row_lengths import LENGTHS  # noqa: E402

# M, K, N, rows and columns of a block, sparsity, element type, lengths of rows (row_lengths.py).
UNIFORM = [
    (8192, 8192, 4096, 64, 0.3, "bf16"), (4096, 12288, 8192, 128, 0.55, "f16"), (16384, 4096, 1024, 64, 0.75, "bf16"),
    (5120, 13824, 5120, 64, 0.85, "f16"), (11008, 4096, 2048, 128, 0.9, "bf16"), (4096, 4096, 4096, 64, 0.97, "bf16"),
    (8192, 2048, 8192, 32, 0.4, "bf16"), (4096, 4096, 1536, 32, 0.7, "f16"), (6144, 6144, 6144, 32, 0.93, "bf16"),
    (4096, 4096, 2048, 16, 0.6, "bf16"), (8192, 4096, 4096, 16, 0.9, "f16"), (2048, 8192, 512, 16, 0.97, "bf16"),
    (2048, 2048, 2048, 64, 0.5, "f16"), (1024, 1024, 1024, 64, 0.8, "bf16"), (3072, 768, 3072, 64, 0.66, "bf16"),
    (768, 3072, 12288, 32, 0.66, "f16"), (2560, 10240, 96, 64, 0.7, "bf16"), (8192, 8192, 64, 64, 0.9, "bf16"),
    (4096, 11008, 16, 128, 0.8, "f16"), (16384, 16384, 128, 128, 0.95, "bf16"), (8192, 8192, 33, 32, 0.85, "bf16"),
    (6400, 4864, 1000, 64, 0.45, "bf16"), (3840, 8960, 2500, 128, 0.62, "f16"), (9984, 2496, 777, 32, 0.77, "bf16"),
    (4992, 4992, 1234, 16, 0.88, "f16"), (20480, 1280, 6000, 64, 0.92, "bf16"), (1152, 20480, 3456, 128, 0.35, "bf16"),
    (2176, 2176, 4352, 128, 0.94, "f16"), (12800, 6400, 320, 32, 0.57, "f16"), (7168, 3584, 200, 16, 0.74, "bf16"),
]
# Rows of power-law length.
ZIPF = [
    (8192, 8192, 8192, 64, 0.8, "bf16"), (8192, 8192, 2048, 64, 0.9, "bf16"), (8192, 8192, 512, 64, 0.9, "bf16"),
    (4096, 8192, 1024, 128, 0.85, "bf16"), (16384, 8192, 256, 32, 0.95, "f16"), (4096, 16384, 768, 64, 0.97, "bf16"),
]
SHAPES = [(*shape, "uniform") for shape in UNIFORM] + [(*shape, "zipf") for shape in ZIPF]
CPU_SCALE = 4
MOST_CANDIDATES = 12
GROUPED_ROWS = 128
# Elements of an accumulator that the registers of a CTA hold, on every GPU with kernels.
MOST_ACCUMULATORS = 128 * 256


def shape_of(numbers, target):
    """(m, k, n, block, sparsity, dtype, lengths), smaller on the CPU: whole blocks still."""
    m, k, n, block, sparsity, dtype, lengths = numbers
    if target == "cpu":
        m, k = (max(2, size // CPU_SCALE // block) * block for size in (m, k))
        n = max(1, n // CPU_SCALE)
        dtype = "f32" if dtype == "f16" else dtype
    return m, k, n, block, sparsity, dtype, lengths


def candidates_of(block, target):
    """`meta` of each candidate for blocks of block x block."""
    depth = min(block, 64)
    if target == "cpu":
        tiles = [(block, columns, depth) for columns in (16, 32, 64, 128, 256)]
        tiles += [(block, columns, depth // 2) for columns in (64, 128) if depth >= 16]
        return [{"tile": tile} for tile in tiles]
    rows = [block] + ([GROUPED_ROWS] if block < GROUPED_ROWS else [])
    tiles = [(height, columns, depth if height == block else min(depth, 32 if block < 64 else 64))
             for height in rows for columns in (256, 128, 64) if height * columns <= MOST_ACCUMULATORS]
    widest = tiles[0]
    metas = [{"tile": tile} for tile in tiles]
    metas += [{"tile": widest, "raster_group": 1}, {"tile": widest, "raster_group": 8}, {"tile": widest, "stages": 3}]
    if block < 64:
        metas += [{"tile": widest, "warps": 2}, {"tile": widest, "warps": 8}]
    if depth >= 32:
        metas.append({"tile": (*widest[:2], depth // 2)})
    if block < GROUPED_ROWS:
        metas += [{"tile": tiles[3], "raster_group": 1}, {"tile": tiles[3], "raster_group": 8}]
    return metas[:MOST_CANDIDATES]


def describe_meta(meta):
    """As the compiler writes it, which is how the default's is known."""
    if meta is None:
        return "default"
    return ", ".join(f"{name} = {list(value) if name == 'tile' else value}" for name, value in meta.items())


def pattern(m, k, block, sparsity, lengths):
    """crow and col of round((1 - sparsity) * blocks) blocks: of all alike, or in rows of other lengths."""
    rng = np.random.default_rng(0)
    rows, columns = m // block, k // block
    if lengths != "uniform":
        counts = LENGTHS[lengths](rng, rows, columns, max(1, round((1 - sparsity) * rows * columns)))
        col = np.concatenate([np.sort(rng.permutation(columns)[:count]) for count in counts])
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), col.astype(np.int32)
    places = np.sort(rng.permutation(rows * columns)[:max(1, round((1 - sparsity) * rows * columns))])
    crow = np.concatenate([[0], np.cumsum(np.bincount(places // columns, minlength=rows))])
    return crow.astype(np.int32), (places % columns).astype(np.int32)


class Cuda:
    """Operands as PyTorch's, times by CUDA events."""

    def __init__(self):
        import torch

        self.torch = torch
        self.name = torch.cuda.get_device_name()
        self.library = f"torch {torch.__version__}"

    def operands(self, m, k, n, block, sparsity, dtype, lengths="uniform"):
        torch = self.torch
        element = {"bf16": torch.bfloat16, "f16": torch.float16}[dtype]
        crow, col = (torch.from_numpy(array).cuda() for array in pattern(m, k, block, sparsity, lengths))
        generator = torch.Generator("cuda").manual_seed(0)

        def random(*shape):
            return torch.randn(*shape, device="cuda", dtype=element, generator=generator)

        return (crow, col, random(len(col), block, block)), random(k, n), random(m, n)

    def measure(self, calls, rounds):
        """{name: median milliseconds}."""
        from timing import Timed, measure

        timed = {name: Timed(call) for name, call in calls.items()}
        measure(timed, rounds)
        return {name: candidate.median_ms() for name, candidate in timed.items()}

    def done(self):
        self.torch.cuda.empty_cache()


class Cpu:
    """Operands as NumPy's, times by the clock."""

    def __init__(self):
        self.name = result_files.cpu_name()
        self.library = f"NumPy {np.__version__}"

    def operands(self, m, k, n, block, sparsity, dtype, lengths="uniform"):
        import ml_dtypes

        element = {"bf16": ml_dtypes.bfloat16, "f32": np.float32}[dtype]
        crow, col = pattern(m, k, block, sparsity, lengths)
        rng = np.random.default_rng(0)

        def random(*shape):
            return rng.standard_normal(shape, np.float32).astype(element)

        return (crow, col, random(len(col), block, block)), random(k, n), random(m, n)

    def measure(self, calls, rounds):
        """{name: least milliseconds}: what else the machine does only adds."""
        times = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                start = time.perf_counter()
                call()
                times[name].append(1e3 * (time.perf_counter() - start))
        return {name: min(values) for name, values in times.items()}

    def done(self):
        pass


def one_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def compile_all(sattn, device, shapes, target, threads, deadline):
    """Calls every candidate once on a small operand of its block and type, many at a time, so that its kernel is kept.

    Returns ({(block, dtype): metas that work}, {(block, dtype): {meta: why not}}).
    """
    wanted = [(block, dtype, meta) for block, dtype in sorted({(shape[3], shape[5]) for shape in shapes})
              for meta in candidates_of(block, target)]
    small = {}
    for block, dtype, _ in wanted:
        if (block, dtype) not in small:
            small[block, dtype] = device.operands(4 * block, 4 * block, 64, block, 0.5, dtype)

    def attempt(job):
        block, dtype, meta = job
        if time.monotonic() > deadline:
            return "no time left to compile it"
        operand, dense, out = small[block, dtype]
        try:
            sattn.bsr_dense_addmm(None, operand, dense, beta=0, out=out, meta=meta)
        except (ValueError, RuntimeError, NotImplementedError) as error:
            return one_line(error)
        return None

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        reasons = list(pool.map(attempt, wanted))
    good, refused = {}, {}
    for (block, dtype, meta), why in zip(wanted, reasons):
        if why is None:
            good.setdefault((block, dtype), []).append(meta)
        else:
            refused.setdefault((block, dtype), {})[describe_meta(meta)] = why
    return good, refused


def default_text(sattn, target, shape, prepared):
    """The parameters that are chosen without `meta`, as text."""
    from sattn._ops.bsr_addmm import BsrAddmm

    m, k, n, block, _, dtype, _ = shape
    source = BsrAddmm(dtype=dtype, out=dtype, block=(block, block), beta=0.0)
    return sattn.cache.chosen(source, "cpu" if target == "cpu" else 0, (m, n, k), prepared.nnz,
                              longest=prepared.longest)


def measure_row(sattn, device, target, shape, metas, rounds):
    """One row of the results."""
    m, k, n, block, sparsity, dtype, lengths = shape
    operand, dense, out = device.operands(*shape)
    prepared = sattn.prepare(operand)
    chosen = default_text(sattn, target, shape, prepared)
    tried = {"default": None}
    # The default's own parameters are no other candidate.
    tried |= {describe_meta(meta): meta for meta in metas if describe_meta(meta) != chosen}

    def call(meta):
        return lambda: sattn.bsr_dense_addmm(None, prepared, dense, beta=0, out=out, meta=meta)

    calls = {name: call(meta) for name, meta in tried.items()}
    for run in calls.values():
        run()
    times = device.measure(calls, rounds)
    best = min(times, key=times.get)
    work = 2 * operand[2].size * n if target == "cpu" else 2 * operand[2].numel() * n
    return {"m": m, "k": k, "n": n, "block": block, "sparsity": sparsity, "dtype": dtype, "rows": lengths,
            "default": chosen,
            "default_ms": times["default"], "best": chosen if best == "default" else best, "best_ms": times[best],
            "default_over_best": times[best] / times["default"], "tflops": work / times["default"] / 1e9,
            "ms": times}


def describe(row, bar):
    """One line for people."""
    text = (f"{row['m']:5} x {row['k']:5} x {row['n']:5} {row['dtype']:4} block {row['block']:3} "
            f"{row['sparsity']:.2f} {row['rows']:7}  default / best {row['default_over_best']:.2f}  {row['default_ms'] * 1e3:8.1f} us "
            f"{row['tflops']:6.2f} TFLOP/s  {row['default']}")
    if row["default_over_best"] < 1:
        text += f"; best: {row['best']}, {row['best_ms'] * 1e3:.1f} us"
    return text + ("  LOW" if row["default_over_best"] < bar else "")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--shapes", nargs="*", type=int, default=list(range(len(SHAPES))))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=float, default=280)
    parser.add_argument("--bar", type=float, default=0.8)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if options.rounds is None:
        options.rounds = 20 if options.target == "cpu" else 2
    if wrong := [index for index in options.shapes if not 0 <= index < len(SHAPES)]:
        parser.error(f"--shapes: expected numbers from 0 to {len(SHAPES) - 1}, but got {wrong[0]}")
    return options


def write(path, options, device, rows, left_out, refused):
    result_files.write(path, "defaults", rows, device=device.name, library=device.library, bar=options.bar,
                       left_out=left_out, refused={f"{dtype}, blocks of {block}": reasons
                                                   for (block, dtype), reasons in refused.items()})


def main(arguments=None):
    start = time.monotonic()
    options = parse(arguments)
    import sattn

    device = Cpu() if options.target == "cpu" else Cuda()
    shapes = [shape_of(SHAPES[index], options.target) for index in options.shapes]
    good, refused = compile_all(sattn, device, shapes, options.target, options.threads, start + options.budget / 2)
    print(f"{device.name}: {sattn.cache.info().compilations} kernels in {time.monotonic() - start:.0f} s; refused: "
          f"{sum(map(len, refused.values()))}", flush=True)
    for (block, dtype), reasons in refused.items():
        for meta, why in reasons.items():
            print(f"  {dtype}, blocks of {block}, {meta}: {why}")
    rows, left_out = [], []
    for shape in shapes:
        label = "{} x {} x {}, block {}, sparsity {}, {}, {}".format(*shape)
        why = "no time left"
        if time.monotonic() - start < options.budget:
            try:
                rows.append(measure_row(sattn, device, options.target, shape, good.get((shape[3], shape[5]), []),
                                        options.rounds))
                print(describe(rows[-1], options.bar), flush=True)
                continue
            except (ValueError, RuntimeError, NotImplementedError) as error:
                why = one_line(error)
            finally:
                device.done()
        left_out.append({"row": label, "why": why})
        print(f"{label}: left out: {why}", flush=True)
    if options.out:
        write(options.out, options, device, rows, left_out, refused)
    low = [row for row in rows if row["default_over_best"] < options.bar]
    print(f"{len(rows)} shapes in {time.monotonic() - start:.0f} s; left out: {len(left_out)}; default / best: least "
          f"{min((row['default_over_best'] for row in rows), default=0):.2f}; below {options.bar}: {len(low)}")
    for row in low:
        print(f"  {describe(row, options.bar)}")
    return 1 if low or left_out else 0


if __name__ == "__main__":
    sys.exit(main())
