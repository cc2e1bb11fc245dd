"""Draws the newest results of benchmarks/bsr_addmm.py: times faster than dense cuBLAS, by block and sparsity.

    python3 scripts/results_plot.py [RESULTS.json] [light|dark] > plot.svg

Plain SVG, so that it needs no library and the same results give the same file.
"""

import json
import sys
from pathlib import Path

import bars
import results_table
import svg

# Candidates with a bar, by name, with its colour. The others are far below 1: a sentence gives their best.
BARS = {"sattn": "blue", "triton_tuned": "orange", "triton": "pale-orange", "blocked_ell": "grey"}
NAMES = {"sattn": "sattn", **results_table.PEERS}
HEIGHT = 372


def ratios(row):
    """How many times faster than the dense product each candidate is."""
    return {"sattn": row["x_cublas"],
            **{name: row["cublas_ms"] / peer["ms"] for name, peer in row["peers"].items()}}


def panels(results):
    """{block: {sparsity: ratios}} of the square cases, the fastest of our rows for each."""
    best = {}
    for row in results["rows"]:
        key = row["block"], row["sparsity"]
        if row["case"] == "square" and (key not in best or row["ms"] < best[key]["ms"]):
            best[key] = row
    found = {}
    for (block, sparsity), row in best.items():
        found.setdefault(block, {})[sparsity] = ratios(row)
    return found


def plot(path, dark=None):
    """The text of an SVG: for each size of blocks a panel, with a group of bars for each sparsity."""
    results = json.loads(path.read_text())
    blocks = panels(results)
    if not blocks:
        raise results_table.ResultsError(f"{path.name}: expected rows of the case 'square', but got none")
    every = [values for groups in blocks.values() for values in groups.values()]
    series = {name: (NAMES[name], colour) for name, colour in BARS.items() if any(name in values for values in every)}
    size = results["rows"][0]["m"]
    parts = [svg.text(bars.LEFT, 30, "Times faster than the dense product by cuBLAS", "text strong"),
             svg.text(bars.WIDTH - bars.RIGHT, 30, f"M = K = N = {size}, bf16, {results['device']}", "muted small", "end"),
             *bars.legend(series, "dense cuBLAS"),
             *bars.draw({f"blocks of {block} x {block}": {f"{sparsity:.0%}": values for sparsity, values in groups.items()}
                         for block, groups in blocks.items()}, series, lambda values: "sattn")]
    others = {name: max(values[name] for values in every if name in values)
              for name in NAMES if name not in BARS and any(name in values for values in every)}
    note = "Percentages: blocks that are not stored."
    if others:
        note += " Not drawn: " + ", ".join(f"{NAMES[name]} (at most {best:.2f})" for name, best in others.items()) + "."
    parts.append(svg.text(bars.LEFT, HEIGHT - 12, note, "muted small"))
    return svg.document(bars.WIDTH, HEIGHT, "Times faster than the dense product by cuBLAS", parts, dark)


def main(arguments):
    modes = {"light": False, "dark": True}
    dark = modes[arguments.pop()] if arguments and arguments[-1] in modes else None
    try:
        print(plot(Path(arguments[0]) if arguments else results_table.newest(), dark), end="")
    except (results_table.ResultsError, OSError) as error:
        print(f"results_plot: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
