"""The plot of the newest results of benchmarks/bsr_addmm.py for README: times faster than dense cuBLAS, by block and
sparsity."""

import json

import plots
import results_table

# Candidates with bars, by name, with their colours. The others are far below 1: a sentence gives their best.
BARS = {"sattn": "blue", "triton_tuned": "orange", "triton": "pale-orange", "blocked_ell": "grey"}
NAMES = {"sattn": "sattn", **results_table.PEERS}
LABEL = "Sparse products on a GPU, times faster than the dense product by cuBLAS"


def ratios(row):
    """How many times faster than the dense product each candidate is."""
    return {"sattn": row["x_cublas"],
            **{name: row["cublas_ms"] / peer["ms"] for name, peer in row["peers"].items()}}


def panels(rows):
    """{block: {sparsity: ratios}}, the fastest of our rows for each."""
    best = {}
    for row in rows:
        key = row["block"], row["sparsity"]
        if key not in best or row["ms"] < best[key]["ms"]:
            best[key] = row
    found = {}
    for (block, sparsity), row in best.items():
        found.setdefault(f"blocks of {block} x {block}", {})[f"{sparsity:.0%}"] = ratios(row)
    return found


def plot(path):
    """The figure: for each size of blocks a panel, with a group of bars for each sparsity."""
    results = json.loads(path.read_text())
    rows = [row for row in results["rows"] if row["case"] == "square"]
    if not rows:
        raise results_table.ResultsError(f"{path.name}: expected rows of the case 'square', but got none")
    blocks = panels(rows)
    every = [values for groups in blocks.values() for values in groups.values()]
    notes = [f"Percentages: blocks that are not stored. M = K = N = {rows[0]['m']}, C = A b, time of the kernel alone."]
    by_hand = any(row["meta"] for row in rows)
    notes.append(("sattn: tiles picked by hand, the fastest of those tried. " if by_hand else "") +
                 "torch: bsr_dense_addmm of PyTorch, tuned by PyTorch's own optimizer, and with its defaults.")
    others = {name: max(values[name] for values in every if name in values)
              for name in NAMES if name not in BARS and any(name in values for values in every)}
    if others:
        listed = ", ".join(f"{NAMES[name]} (at most {best:.2f})" for name, best in others.items())
        notes.append(f"Not drawn: {listed}.")
    made = plots.figure(392)
    plots.heading(made, "Sparse products: times faster than dense cuBLAS",
                  f"bf16, {results['device']}, {results['date']}", notes)
    plots.bars(made, blocks, {name: (NAMES[name], colour) for name, colour in BARS.items()}, top=68, bottom=108,
               line="dense cuBLAS", labelled=lambda values: "sattn")
    return made
