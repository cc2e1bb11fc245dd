"""The table and the plots of results of benchmarks/flex_attention.py, for README and the page of its performance.

    python3 scripts/flex_attention_results.py [RESULTS.json]
"""

import json
import sys
from pathlib import Path

import matplotlib
import plots
import results_table
from results_table import RESULTS, ResultsError

# Peers by name: their title, and their colour in plots.
PEERS = {"sdpa": ("cuDNN SDPA", "grey"), "fa4": ("FA4", "orange"), "flex_flash": ("torch flex, FLASH", "pale-orange"),
         "flex": ("torch flex, Triton", "purple"), "cudnn_flex": ("cudnn.flex", "green"),
         "cudnn_bsa": ("cudnn.BSA", "text")}
# README's plot: rows of benchmarks/flex_attention.py with their titles, and its series, of peers without a common row.
OVERVIEW = {"dense_8192": "no mask", "causal_8192": "causal", "window_8192": "window\n1024",
            "prefix_8192": "prefix\n1024", "document_causal_8192": "documents,\ncausal", "alibi_8192": "ALiBi,\ncausal",
            "softcap_8192": "softcap,\ncausal", "blocks_128": "8 of 32\nblocks of 128"}
SERIES = {("sattn",): ("sattn", "blue"), ("flex",): ("PyTorch flex_attention (Triton)", "purple"),
          ("fa4", "flex_flash"): ("FlashAttention-4", "orange"),
          ("cudnn_flex", "cudnn_bsa"): ("cuDNN front end", "green"), ("sdpa",): ("cuDNN SDPA", "grey")}


def newest():
    """The last file of results, or None."""
    return max(RESULTS.glob("*-flex_attention.json"), default=None)


def load(path):
    """The results of a file: those with rows that have a time of ours."""
    try:
        results = json.loads(path.read_text())
        rows = [row for row in results["rows"] if "tflops" in row["candidates"].get("sattn", {})]
        return {**results, "rows": rows}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/flex_attention.py writes, but got {error!r}") from None


def peers_of(row):
    """{peer: facts} of those that compute the row."""
    return {name: row["candidates"][name] for name in PEERS
            if "ms" in row["candidates"].get(name, {}) and (name != "sdpa" or row["sdpa_does"])}


def best(row):
    """(name, facts) of the fastest peer, or None."""
    return min(peers_of(row).items(), key=lambda item: item[1]["ms"], default=None)


def _pair(ours, other, value):
    if other is None or not all("mhz" in one for one in (ours, other[1])):
        return ""
    return f"{value(ours)} / {value(other[1])}"


def cells(row, peers):
    ours, other = row["candidates"]["sattn"], best(row)
    yield from (row["title"], f"{ours['tflops']:.0f}")
    for name in peers:
        facts = peers_of(row).get(name)
        yield f"{facts['tflops']:.0f}" if facts else ""
    yield f"**{other[1]['ms'] / ours['ms']:.2f}**" if other else ""
    yield f"{row['least']:.2f}" if row["least"] else ""
    yield _pair(ours, other, lambda one: f"{one['tflops'] / one['mhz'] * 1e3:.0f}")
    yield _pair(ours, other, lambda one: f"{one['watts'] / one['tflops']:.2f}")


def table(path):
    """A Markdown table of one file of results, for a page in docs/."""
    results = load(path)
    peers = [name for name in PEERS if any(name in peers_of(row) for row in results["rows"])]
    titles = ["mask, head, batch x heads x length", "sattn", *(PEERS[name][0] for name in peers), "over the best peer",
              "at least", "TFLOP/s per GHz", "W per TFLOP/s"]
    lines = [f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}, cuDNN {results['cudnn']}"
             f" ([{path.name}](../benchmarks/results/{path.name})), TFLOP/s:", "",
             f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    lines += [f"| {' | '.join(cells(row, peers))} |" for row in results["rows"]]
    absent = [package for package, version in results["peers"].items() if version == "not installed"]
    if absent:
        lines += ["", f"Not there in that run: {', '.join(absent)}."]
    return "\n".join(lines) + "\n"


LABEL = "Attention on a GPU, TFLOP/s of visible work, sattn beside other libraries"


def rates(row):
    """{name: TFLOP/s} of ours and of the peers that compute the row."""
    return {name: facts["tflops"] for name, facts in {"sattn": row["candidates"]["sattn"], **peers_of(row)}.items()}


def _source(results):
    return f"bf16, {results['device']}, {results['date']}"


def plot(path):
    """The figure of all rows: a bar of ours for each, and a mark for each peer."""
    results = load(path)
    rows = results["rows"]
    if not rows:
        raise ResultsError(f"{path.name}: expected rows with times, but got none")
    bottom, top, step, left = 102, 74, 22, 300
    made = plots.figure(top + bottom + step * len(rows))
    plots.heading(made, "Attention forward: TFLOP/s of visible work", _source(results), [
        "A row: mask, D and columns of a head, batch x heads x length; 32:8 heads of query and of key.",
        "FA4: FlashAttention-4. cudnn.flex and cudnn.BSA: cuDNN's front end. No mark: the library has no such mask.",
        "Visible work: 2 (D + Dv) operations for each pair of a query and a key that it sees. "
        "All with default parameters."])
    wide, height = plots.WIDTH, made.bbox.height
    with matplotlib.rc_context(plots.STYLE):
        axes = made.add_axes((left / wide, bottom / height, 1 - (left + 40) / wide, step * len(rows) / height))
        axes.barh(range(len(rows)), [rates(row)["sattn"] for row in rows], 0.55, color=plots.LIGHT["blue"],
                  label="sattn")
        for name, (title, colour) in PEERS.items():
            marks = [(place, found[name]) for place, found in enumerate(map(rates, rows)) if name in found]
            if marks:
                axes.plot([rate for _, rate in marks], [place for place, _ in marks], "|", markersize=14,
                          markeredgewidth=3.5, color=plots.LIGHT[colour], label=title)
        axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=range(len(rows)), yticklabels=[row["title"] for row in rows],
                 xlim=(0, 1.04 * max(max(rates(row).values()) for row in rows)))
        axes.tick_params(length=0)
        axes.tick_params("y", labelcolor=plots.LIGHT["text"], labelsize=11)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        handles, titles = axes.get_legend_handles_labels()
        made.legend([handles[-1], *handles[:-1]], [titles[-1], *titles[:-1]], loc="upper left", frameon=False, ncols=7,
                    borderaxespad=0, bbox_to_anchor=(10 / wide, 1 - 36 / height), handlelength=1, columnspacing=1.4,
                    labelcolor=plots.LIGHT["muted"])
    return made


def newest_beside_torch():
    """The last file that has rates of PyTorch's own flex_attention, or None."""
    files = [path for path in RESULTS.glob("*-flex_attention.json")
             if any("flex" in peers_of(row) for row in load(path)["rows"])]
    return max(files, default=None)


def overview(path):
    """The figure of README: a group of bars for each of a few rows, those of one size."""
    results = load(path)
    rows = {row["row"]: row for row in results["rows"]}
    groups = {title: {names: found[name] for names in SERIES for name in names if name in found}
              for title, found in ((title, rates(rows[name])) for name, title in OVERVIEW.items() if name in rows)}
    if not groups:
        raise ResultsError(f"{path.name}: expected rows of README's plot, but got none")
    made = plots.figure(400)
    plots.heading(made, "Attention forward: TFLOP/s of visible work", _source(results), [
        "All with default parameters: nothing was picked by hand. No bar: the library has no such mask or score "
        "function.",
        "FlashAttention-4: prefix, documents and ALiBi through PyTorch's flex_attention. cuDNN front end: cudnn.flex, "
        "of blocks cudnn.BSA.",
        "Visible work: 2 (D + Dv) operations for each pair of a query and a key that it sees; time of the kernel "
        "alone.",
        "D = 128, 16 heads; batch 2 with 8192 queries and keys, in the row of blocks batch 4 with 4096."])
    plots.bars(made, {"": groups}, SERIES, top=68, bottom=120, labelled=lambda values: ("sattn",), digits=0)
    return made


def sentence(path):
    """The numbers of README's plot in one sentence of Markdown."""
    results = load(path)
    found = [rates(row) for row in results["rows"] if row["row"] in OVERVIEW]
    over_torch = [one["sattn"] / one["flex"] for one in found if "flex" in one]
    others = [{name: rate for name, rate in one.items() if name not in ("sattn", "flex")} for one in found]
    over_best = [one["sattn"] / max(other.values()) for one, other in zip(found, others, strict=True) if other]
    if not over_torch or not over_best:
        raise ResultsError(f"{path.name}: expected rows of README's plot, but got none")
    return (f"**On one {results['device']}, attention in bf16 runs {results_table.span(over_torch)} times as fast as "
            f"PyTorch's compiled `flex_attention`**, by mask, and {min(over_best):.2f} to {max(over_best):.2f} times "
            f"as fast as the fastest of the other libraries, all with default parameters "
            f"([{path.name}](benchmarks/results/{path.name})).\n")


def main(arguments):
    try:
        path = Path(arguments[0]) if arguments else newest()
        if path is None:
            raise ResultsError(f"no results of flex_attention in {RESULTS}")
        print(table(path), end="")
    except (ResultsError, OSError) as error:
        print(f"flex_attention_results: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
