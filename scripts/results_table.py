"""Prints the newest results of benchmarks/bsr_addmm.py as README shows them.

    python3 scripts/results_table.py [RESULTS.json]
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- results: begin (./dev docs writes this) -->", "<!-- results: end -->"
# Column titles of the peers that a run may have.
PEERS = {"triton": "torch Triton", "blocked_ell": "cuSPARSE Blocked-ELL", "bsr": "cuSPARSE BSR", "csr": "cuSPARSE CSR"}
CASES = {"square": "", "beta": ", C added", "skinny": ", in a CUDA graph", "zipf": ", power-law rows"}


class ResultsError(Exception):
    """Results, or a place for them, that are missing or malformed."""


def newest():
    """The last file of results; their names begin with the date."""
    files = sorted(RESULTS.glob("*-bsr_addmm.json"))
    if not files:
        raise ResultsError(f"no results in {RESULTS.relative_to(ROOT)}")
    return files[-1]


def product(row):
    sizes = [row["m"], row["k"], row["n"]]
    return (f"{sizes[0]}³" if len(set(sizes)) == 1 else " x ".join(map(str, sizes))) + CASES[row["case"]]


def tile(row):
    tile, _, wishes = row["meta"].removeprefix("tile = [").partition("]")
    return tile.replace(", ", " x ") + wishes.replace(" = ", " ") or "chosen"


def time(row):
    return f"{row['ms']:.3f} ms" if row["ms"] >= 0.1 else f"{row['ms'] * 1e3:.1f} us"


def cells(row, unprepared, peers):
    """One row's cells."""
    yield from (product(row), str(row["block"]), f"{row['sparsity']:.0%}", tile(row), time(row),
                f"{row['tflops']:.0f}", f"{row['cublas_tflops']:.0f}", f"**{row['x_cublas']:.2f}**")
    if unprepared:
        yield f"{row['cublas_ms'] / row['unprepared_ms']:.2f}" if "unprepared_ms" in row else "same"
    for name in peers:
        yield f"{row['peers'][name]['tflops']:.0f}" if name in row["peers"] else ""


def table(path):
    """A Markdown table of one file of results."""
    try:
        results = json.loads(path.read_text())
        rows = results["rows"]
        unprepared = any("unprepared_ms" in row for row in rows)
        peers = [name for name in PEERS if any(name in row["peers"] for row in rows)]
        titles = ["M x K x N", "block", "sparsity", "tile", "time", "TFLOP/s", "dense cuBLAS", "x dense",
                  *(["unprepared"] if unprepared else []), *(PEERS[name] for name in peers)]
        lines = [f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}"
                 f" ([{path.name}](benchmarks/results/{path.name})):", "",
                 f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
        lines += [f"| {' | '.join(cells(row, unprepared, peers))} |" for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/bsr_addmm.py writes, but got {error!r}") from None
    return "\n".join(lines) + "\n"


def split(text):
    """What is before, between and after the markers of a page."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ResultsError("expected README.md to have both markers of its table of results once")
    before, rest = text.split(BEGIN)
    return before, *rest.split(END)


def replace(text, new):
    """The page with another table between its markers."""
    before, _, after = split(text)
    return f"{before}{BEGIN}\n{new}{END}{after}"


def main(arguments):
    try:
        print(table(Path(arguments[0]) if arguments else newest()), end="")
    except (ResultsError, OSError) as error:
        print(f"results_table: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
