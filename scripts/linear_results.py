"""The tables of the newest results of benchmarks/linear.py: all for docs/Performance.md, decoding for README."""

import json

from results_table import RESULTS, ResultsError

# M, K and N of README's rows.
DECODING = [(4096, 4096, 1), (4096, 4096, 16), (4096, 4096, 64), (14336, 4096, 16)]


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


def _micros(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _times(rows, name):
    return " / ".join(_micros(row["us"][name]) for row in rows)


def table(path):
    """All shapes, in both layouts: microseconds."""
    lines = [f"By [{path.name}](../benchmarks/results/{path.name}):", "",
             "| M x K, N | blocks | not stored | dense | b of K x N | linear |", "|---|---|---|---|---|---|"]
    for (m, k, n, block), rows in _groups(path).items():
        stored = " / ".join(f"{row['sparsity']:g}" for row in rows)
        lines.append(f"| {m} x {k}, {n} | {block} | {stored} | {_micros(rows[0]['us']['dense_linear'])} | "
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
        dense = next((_micros(some[0]["us"]["dense_linear"]) for some in rows if some), "")
        cells = " | ".join(_times(some, "ours_linear") if some else "" for some in rows)
        lines.append(f"| {shape[0]} x {shape[1]}, {shape[2]} | {dense} | {cells} |")
    return "\n".join(lines) + "\n"
