"""The plot of the newest results of benchmarks/tuning_peers.py: times faster than dense cuBLAS, by default and tuned."""

import json

import plots
import results_table

BARS = {"tuned": ("sattn, tuned", "blue"), "default": ("sattn, default", "pale-blue"),
        "triton_tuned": ("torch Triton, tuned", "orange"), "triton": ("torch Triton", "pale-orange")}
LABEL = "Tuned sparse products on a GPU, times faster than the dense product by cuBLAS"


def newest():
    """The last file of results; their names begin with the date."""
    return max(results_table.RESULTS.glob("*-tuning_peers.json"))


def panels(rows):
    """{blocks: {sizes and sparsity: {candidate: times faster than cuBLAS}}}"""
    found = {}
    for row in rows:
        sizes = f"M {row['m']}\nK {row['k']}\nN {row['n']}\n{row['sparsity']:.0%}"
        found.setdefault(f"blocks of {row['block']}", {})[sizes] = {
            name: row[f"x_{name}"] for name in BARS if f"x_{name}" in row}
    return found


def plot(path):
    """The figure: a panel for each size of blocks, a group of bars for each product."""
    results = json.loads(path.read_text())
    if not results["rows"]:
        raise results_table.ResultsError(f"{path.name}: expected rows, but got none")
    made = plots.figure(416)
    notes = ["Below each group: sizes of the product, N columns of the dense matrix; blocks that are not stored.",
             "tuned: the fastest parameters that sparse-tune found. default: chosen without a table. Triton is tuned by "
             f"PyTorch's own optimizer, {results['tune_seconds']:.0f} s each."]
    plots.heading(made, "Tuned products: times faster than dense cuBLAS", f"bf16, {results['device']}, {results['date']}",
                  notes)
    plots.bars(made, panels(results["rows"]), BARS, top=68, bottom=138, line="dense cuBLAS", labelled=lambda values: "tuned")
    return made
