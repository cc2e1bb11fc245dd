"""Prints the newest results of benchmarks/bsr_addmm.py as README shows them.

    python3 scripts/results_table.py [RESULTS.json]
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- results: begin (./dev docs writes this) -->", "<!-- results: end -->"


class ResultsError(Exception):
    """Results, or a place for them, that are missing or malformed."""


def newest():
    """The last file of results; their names begin with the date."""
    files = sorted(RESULTS.glob("*-bsr_addmm.json"))
    if not files:
        raise ResultsError(f"no results in {RESULTS.relative_to(ROOT)}")
    return files[-1]


def table(path):
    """A Markdown table of one file of results."""
    try:
        results = json.loads(path.read_text())
        lines = [
            f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']} for cuBLAS"
            f" ([{path.name}](benchmarks/results/{path.name})):",
            "",
            "| M = K = N | block | tile | sparsity | time | rate of stored blocks | dense cuBLAS | dense time / ours |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for row in results["rows"]:
            lines.append(
                f"| {row['size']} | {row['block']} | {' x '.join(map(str, row['tile']))} | {row['sparsity']:.0%} "
                f"| {row['ms']:.3f} ms | {row['tflops']:.0f} TFLOP/s "
                f"| {row['cublas_ms']:.3f} ms, {row['cublas_tflops']:.0f} TFLOP/s | {row['x_cublas']:.2f} |")
    except (KeyError, TypeError, ValueError) as error:
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
