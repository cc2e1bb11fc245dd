"""Draws the newest results of benchmarks/bsr_addmm.py: times faster than dense cuBLAS, by block and sparsity.

    python3 scripts/results_plot.py [RESULTS.json] > plot.svg

Plain SVG, so that it needs no library and the same results give the same file.
"""

import json
import math
import sys
from pathlib import Path

import results_table

SERIES = [("sattn", "#1f77b4"), ("triton", "#ff7f0e"), ("blocked_ell", "#2ca02c"), ("bsr", "#9467bd"),
          ("csr", "#8c564b")]
NAMES = {"sattn": "sattn", **results_table.PEERS}
HEIGHT, TOP, BOTTOM, LEFT, BAR, GAP = 360, 46, 54, 46, 15, 22


def ratios(row):
    """How many times faster than the dense product each candidate is."""
    return {"sattn": row["x_cublas"],
            **{name: row["cublas_ms"] / peer["ms"] for name, peer in row["peers"].items()}}


def plot(path):
    """The text of an SVG: a group of bars for each square case, on a logarithmic scale."""
    results = json.loads(path.read_text())
    best = {}
    for row in results["rows"]:
        key = row["block"], row["sparsity"]
        if row["case"] == "square" and (key not in best or row["ms"] < best[key]["ms"]):
            best[key] = row
    groups = [(key, ratios(row)) for key, row in best.items()]
    if not groups:
        raise results_table.ResultsError(f"{path.name}: expected rows of the case 'square', but got none")
    series = [entry for entry in SERIES if any(entry[0] in values for _, values in groups)]
    flat = [value for _, values in groups for value in values.values()]
    low = math.floor(math.log10(min([0.1, *flat])))
    high = max(1.0, math.log10(max(flat)))
    width = max(LEFT + len(groups) * (len(series) * BAR + GAP) + GAP, LEFT + 140 * len(series), 640)

    def y(value):
        return TOP + (high - math.log10(value)) / (high - low) * (HEIGHT - TOP - BOTTOM)

    size = results["rows"][0]["m"]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" font-family="sans-serif" '
             'font-size="11">', f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="16" font-size="13">Times faster than the dense product by cuBLAS, M = K = N = {size}, '
             f'bf16, {results["device"]}</text>']
    for index, (name, colour) in enumerate(series):
        x = LEFT + index * 140
        lines += [f'<rect x="{x}" y="24" width="10" height="10" fill="{colour}"/>',
                  f'<text x="{x + 14}" y="33">{NAMES[name]}</text>']
    ticks = [10.0 ** power * step for power in range(low, 2) for step in (1, 2, 5)]
    for tick in (tick for tick in ticks if low <= math.log10(tick) <= high):
        colour = "black" if tick == 1 else "#dddddd"
        lines += [f'<line x1="{LEFT}" x2="{width}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="{colour}"/>',
                  f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>']
    for index, ((block, sparsity), values) in enumerate(groups):
        start = LEFT + GAP + index * (len(series) * BAR + GAP)
        for place, (name, colour) in enumerate(series):
            if name in values:
                top = y(values[name])
                lines.append(f'<rect x="{start + place * BAR}" y="{top:.1f}" width="{BAR - 1}" '
                             f'height="{HEIGHT - BOTTOM - top:.1f}" fill="{colour}"><title>{NAMES[name]}: '
                             f'{values[name]:.2f}</title></rect>')
        middle = start + len(series) * BAR / 2
        lines += [f'<text x="{middle}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{sparsity:.0%}</text>',
                  f'<text x="{middle}" y="{HEIGHT - BOTTOM + 32}" text-anchor="middle">{block}</text>']
    lines.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">sparsity, above; rows and columns of a block, below</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main(arguments):
    try:
        print(plot(Path(arguments[0]) if arguments else results_table.newest()), end="")
    except (results_table.ResultsError, OSError) as error:
        print(f"results_plot: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
