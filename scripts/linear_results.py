"""The newest results of benchmarks/linear.py: a table of all for docs/Performance.md, a table and a plot of decoding
for README."""

import json

import plots
from results_table import RESULTS, ResultsError, micros

# M, K and N of README's rows.
DECODING = [(4096, 4096, 1), (4096, 4096, 16), (4096, 4096, 64), (14336, 4096, 16)]
# Blocks and their colours in the plot.
COLOURS = {128: "blue", 64: "pale-blue", 32: "orange", 16: "pale-orange"}


def newest():
    """The last file of results, or None."""
    return max(RESULTS.glob("*-linear.json"), default=None)


def _groups(path):
    """{(M, K, N, block): rows by what is not stored} of a file."""
    try:
        groups = {}
        for row in json.loads(path.read_text())["rows"]:
            groups.setdefault((row["m"], row["k"], row["n"], row["block"]), []).append(row)
        return groups
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/linear.py writes, but got {error!r}") from None


def _times(rows, name):
    return " / ".join(micros(row["us"][name]) for row in rows)


def table(path):
    """All shapes, in both layouts: microseconds."""
    lines = [f"By [{path.name}](../benchmarks/results/{path.name}):", "",
             "| M x K, N | blocks | not stored | dense | b of K x N | linear |", "|---|---|---|---|---|---|"]
    for (m, k, n, block), rows in _groups(path).items():
        stored = " / ".join(f"{row['sparsity']:g}" for row in rows)
        lines.append(f"| {m} x {k}, {n} | {block} | {stored} | {micros(rows[0]['us']['dense_linear'])} | "
                     f"{_times(rows, 'ours')} | {_times(rows, 'ours_linear')} |")
    return "\n".join(lines) + "\n"


def decoding(path):
    """Few columns in the layout of a linear layer: microseconds, blocks side by side."""
    groups = _groups(path)
    blocks = sorted({key[3] for key in groups if key[:3] in DECODING}, reverse=True)
    lines = [f"`sattn.linear` of a prepared bf16 weight at N rows of x, on one H200, microseconds where 0.5 / 0.8 / 0.9 of "
             f"the blocks are not stored ([{path.name}](benchmarks/results/{path.name})):", "",
             "| M x K, N | dense cuBLAS | " + " | ".join(f"blocks of {block}" for block in blocks) + " |",
             "|---|---|" + "---|" * len(blocks)]
    for shape in DECODING:
        rows = [groups.get((*shape, block)) for block in blocks]
        dense = next((micros(some[0]["us"]["dense_linear"]) for some in rows if some), "")
        cells = " | ".join(_times(some, "ours_linear") if some else "" for some in rows)
        lines.append(f"| {shape[0]} x {shape[1]}, {shape[2]} | {dense} | {cells} |")
    return "\n".join(lines) + "\n"


LABEL = "Decoding on a GPU, times faster than a dense linear layer by cuBLAS"


def plot(path):
    """The figure of the same: for each shape a panel, with a bar of each size of blocks for each sparsity."""
    groups = _groups(path)
    panels = {}
    for m, k, n in DECODING:
        for block in COLOURS:
            for row in groups.get((m, k, n, block), []):
                panel = panels.setdefault(f"{m} x {k}, N = {n}", {})
                times = row["us"]
                panel.setdefault(f"{row['sparsity']:.0%}", {})[block] = times["dense_linear"] / times["ours_linear"]
    if not panels:
        raise ResultsError(f"{path.name}: expected rows of few columns, but got none")
    made = plots.figure(372)
    plots.heading(made, "Decoding: times faster than dense F.linear by cuBLAS",
                  f"bf16, {json.loads(path.read_text())['device']}, {path.name[:len('2026-01-01')]}", [
                      "Percentages: blocks that are not stored. sattn.linear of a prepared weight of M x K, at N rows "
                      "of x.", "sattn: its default parameters."])
    series = {block: (f"sattn, blocks of {block}", colour) for block, colour in COLOURS.items()}
    plots.bars(made, panels, series, top=68, bottom=92,
               line="dense cuBLAS", labelled=lambda values: max(values, key=values.get))
    return made
