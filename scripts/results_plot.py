"""Draws the newest results of benchmarks/bsr_addmm.py: times faster than dense cuBLAS, by block and sparsity.

    python3 scripts/results_plot.py [RESULTS.json] [light|dark] > plot.svg

Plain SVG, so that it needs no library and the same results give the same file.
"""

import json
import math
import sys
from pathlib import Path

import results_table
import svg

# Candidates with a bar, by name, with its colour. The others are far below 1: a sentence gives their best.
BARS = {"sattn": "blue", "triton_tuned": "orange", "triton": "pale-orange", "blocked_ell": "grey"}
NAMES = {"sattn": "sattn", **results_table.PEERS}
WIDTH, HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 860, 372, 92, 300, 48, 20
GAP = 26


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


def legend(series):
    """A row of the colours' names."""
    parts, x = [], LEFT
    for name in series:
        parts += [svg.rect(x, 54, 11, 11, BARS[name], 2), svg.text(x + 17, 64, NAMES[name], "muted small")]
        x += 17 + 8 * len(NAMES[name]) + 14
    return [*parts, svg.line(x, 60, x + 16, 60, "text-line", 1.5), svg.text(x + 22, 64, "dense cuBLAS", "muted small")]


def plot(path, dark=None):
    """The text of an SVG: for each size of blocks a panel, with a group of bars for each sparsity."""
    results = json.loads(path.read_text())
    blocks = panels(results)
    if not blocks:
        raise results_table.ResultsError(f"{path.name}: expected rows of the case 'square', but got none")
    every = [values for groups in blocks.values() for values in groups.values()]
    series = [name for name in BARS if any(name in values for values in every)]
    most = max(values[name] for values in every for name in series if name in values)
    step = 1 if most <= 5 else 2
    high = step * math.ceil(1.05 * most / step)
    size = results["rows"][0]["m"]

    def y(value):
        return BOTTOM - value / high * (BOTTOM - TOP)

    parts = [svg.text(LEFT, 30, "Times faster than the dense product by cuBLAS", "text strong"),
             svg.text(WIDTH - RIGHT, 30, f"M = K = N = {size}, bf16, {results['device']}", "muted small", "end"),
             *legend(series)]
    for tick in range(0, high + 1, step):
        parts += [svg.line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "grid-line"),
                  svg.text(LEFT - 8, y(tick) + 4, str(tick), "muted small", "end")]
    panel = (WIDTH - LEFT - RIGHT - GAP * len(blocks)) / len(blocks)
    for place, (block, groups) in enumerate(blocks.items()):
        left = LEFT + GAP / 2 + place * (panel + GAP)
        group = panel / len(groups)
        bar = (group - 12) / len(series)
        for column, (sparsity, values) in enumerate(groups.items()):
            start = left + column * group + 6
            for index, name in enumerate(series):
                if name not in values:
                    continue
                top = y(values[name])
                parts.append(svg.rect(start + index * bar, top, bar - 1.5, BOTTOM - top, BARS[name], 1,
                                      f"{NAMES[name]}: {values[name]:.2f}"))
            label = y(values["sattn"]) - 6
            if label - 12 < y(1) < y(values["sattn"]):  # The line of the dense product would cross it.
                label = y(1) - 6
            parts += [svg.text(start + bar / 2, label, f"{values['sattn']:.1f}", "text small strong", "middle"),
                      svg.text(start + (group - 12) / 2, BOTTOM + 18, f"{sparsity:.0%}", "muted small", "middle")]
        parts.append(svg.text(left + panel / 2, BOTTOM + 38, f"blocks of {block} x {block}", "text small", "middle"))
    parts.append(svg.line(LEFT, y(1), WIDTH - RIGHT, y(1), "text-line", 1.5))
    others = {name: max(values[name] for values in every if name in values)
              for name in NAMES if name not in BARS and any(name in values for values in every)}
    note = "Percentages: blocks that are not stored."
    if others:
        note += " Not drawn: " + ", ".join(f"{NAMES[name]} (at most {best:.2f})" for name, best in others.items()) + "."
    parts.append(svg.text(LEFT, HEIGHT - 12, note, "muted small"))
    return svg.document(WIDTH, HEIGHT, "Times faster than the dense product by cuBLAS", parts, dark)


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
