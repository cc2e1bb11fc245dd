"""Prints the newest results of benchmarks/bsr_addmm.py as README shows them, or those of benchmarks/attention.py.

    python3 scripts/results_table.py [RESULTS.json]
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
# Parts of pages that are written from results, and the markers around them.
PARTS = ["results", "numbers", "attention", "linear", "decoding", "family", "flex_attention", "peers, forward",
         "peers, backward", "peers, products", "peers, cpu", "peers, products on a CPU"]
MARKERS = {name: (f"<!-- {name}: begin (./dev docs writes this) -->", f"<!-- {name}: end -->") for name in PARTS}
# Column titles of the peers that a run may have.
PEERS = {"triton": "torch Triton", "triton_tuned": "torch Triton, tuned", "blocked_ell": "cuSPARSE Blocked-ELL",
         "bsr": "cuSPARSE BSR", "csr": "cuSPARSE CSR"}
# Rows of benchmarks/attention.py: mask, columns of a head, batch x heads x length.
ATTENTION = {"dense_4096": "dense, D128, 4 x 16 x 4096", "dense_8192": "dense, D128, 2 x 16 x 8192",
             "causal_4096": "causal, D128, 4 x 16 x 4096", "causal_8192": "causal, D128, 2 x 16 x 8192",
             "d64_dense": "dense, D64, 4 x 32 x 4096", "d64_causal": "causal, D64, 4 x 32 x 4096",
             "d256_dense": "dense, D256, 4 x 8 x 4096", "d256_causal": "causal, D256, 4 x 8 x 4096"}
CASES = {"square": "", "beta": ", C added", "skinny": ", in a CUDA graph", "zipf": ", power-law rows"}


class ResultsError(Exception):
    """Results, or a place for them, that are missing or malformed."""


def micros(value):
    """Microseconds: whole ones from 100 on, else tenths."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


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
    tile, _, hints = row["meta"].removeprefix("tile = [").partition("]")
    return tile.replace(", ", " x ") + hints.replace(" = ", " ") or "chosen"


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


def newest_attention():
    """The last file of results of attention, or None."""
    return max(RESULTS.glob("*-attention.json"), default=None)


def attention_table(path):
    """A Markdown table of one file of results of attention, for a page in docs/."""
    try:
        results = json.loads(path.read_text())
        lines = [f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}, cuDNN {results['cudnn']}"
                 f" ([{path.name}](../benchmarks/results/{path.name})):", "",
                 "| mask, head, batch x heads x length | TFLOP/s | cuDNN | x cuDNN | TFLOP/s per GHz | W per TFLOP/s |",
                 "|---|---|---|---|---|---|"]
        for row in results["rows"]:
            pair = [row[name] for name in ("ours", "cudnn")]
            per_clock = energy = ""
            # Clock and power are not measured with --power 0.
            if all("mhz" in one for one in pair):
                per_clock = " / ".join(f"{one['tflops'] / one['mhz'] * 1e3:.0f}" for one in pair)
                energy = " / ".join(f"{one['watts'] / one['tflops']:.2f}" for one in pair)
            lines.append(f"| {ATTENTION.get(row['row'], row['row'])} | {pair[0]['tflops']:.0f} | {pair[1]['tflops']:.0f} "
                         f"| **{row['x']:.2f}** | {per_clock} | {energy} |")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/attention.py writes, but got {error!r}") from None
    return "\n".join(lines) + "\n"


def span(values):
    """ "1.6 to 7.5": the least and the most."""
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def sentence(path):
    """The numbers of large blocks in one sentence of Markdown, from one file of results."""
    results = json.loads(path.read_text())
    rows = [row for row in results["rows"] if row["case"] == "square" and row["block"] >= 64]
    if not rows:
        raise ResultsError(f"{path.name}: expected rows of the case 'square' with blocks of 64 or more, but got none")
    sparsities = [row["sparsity"] for row in rows]
    text = (f"**On one {results['device']}, products in bf16 with blocks of 64 x 64 and 128 x 128 run "
            f"{span([row['x_cublas'] for row in rows])} times as fast as dense cuBLAS**, at {min(sparsities):.0%} to "
            f"{max(sparsities):.0%} sparsity")
    if any(row["meta"] for row in rows):
        text += " and with tiles picked by hand"
    tuned = all("triton_tuned" in row["peers"] for row in rows)
    peer = "triton_tuned" if tuned else "triton"
    if all(peer in row["peers"] for row in rows):
        text += (f", and {span([row['peers'][peer]['ms'] / row['ms'] for row in rows])} times as fast as PyTorch's "
                 f"Triton kernel, {'tuned by its own optimizer' if tuned else 'which was not tuned'}")
    return text + " ([all results](#results)).\n"


def split(text, name):
    """The text before, between and after the markers of a part of a page."""
    begin, end = MARKERS[name]
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ResultsError(f"expected the page to have both markers of its {name} once")
    before, rest = text.split(begin)
    return before, *rest.split(end)


def replace(text, name, new):
    """The page with other text between the markers of a part."""
    begin, end = MARKERS[name]
    before, _, after = split(text, name)
    return f"{before}{begin}\n{new}{end}{after}"


def main(arguments):
    try:
        path = Path(arguments[0]) if arguments else newest()
        print((attention_table if path.stem.endswith("-attention") else table)(path), end="")
    except (ResultsError, OSError) as error:
        print(f"results_table: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
