"""The newest results of the benchmarks of sampled products, softmax, scatter_mm, block-sparse attention and products of
8 bits: tables for docs/Performance.md."""

import json

from results_table import RESULTS, ResultsError, micros

# By benchmark: what its table shows, the fields that say what a row is, and the candidates, with titles of columns.
TABLES = {
    "sampled_addmm": ("`sampled_addmm`, microseconds", {"m": "M", "k": "K", "n": "N"},
                      {"ours": "ours", "ours_transposed": "mat2 in rows of N", "ours_beta": "input added",
                       "torch_triton": "torch Triton", "dense": "dense cuBLAS"}),
    "bsr_softmax": ("`bsr_softmax` with a cold L2, microseconds", {"size": "rows and columns", "rows": "lengths of rows"},
                    {"ours": "ours", "copy": "a copy of the same bytes", "torch_triton": "torch Triton",
                     "dense": "dense softmax"}),
    "bsr_attention": ("`scaled_dot_product_attention` of a BSR mask, microseconds",
                      {"heads": "heads", "size": "length", "columns": "D", "rows": "lengths of rows"},
                      {"ours": "ours", "ours_flex": "flex_attention of the same lists", "dropout": "with dropout",
                       "torch_triton": "torch Triton", "flex": "torch flex", "dense": "dense SDPA"}),
    "scatter_mm": ("`bsr_scatter_mm`, microseconds", {"m": "M", "k": "K", "n": "N"},
                   {"ours": "ours", "ours_strided": "bsr_strided_mm", "ours_of_torch": "PyTorch's lists",
                    "bsr_addmm": "bsr_dense_addmm", "torch_triton": "torch Triton", "dense": "dense cuBLAS"}),
}
EIGHT_BITS = {"linear": "linear", "rows": "b of K x N", "bf16": "bf16", "triton": "torch Triton", "dense": "dense"}


def newest(benchmark):
    """The last file of a benchmark's results, or None."""
    return max(RESULTS.glob(f"*-nvidia-*-{benchmark}.json"), default=None)


def _markdown(title, path, columns, rows):
    lines = [f"{title} ([{path.name}](../benchmarks/results/{path.name})):", "", f"| {' | '.join(columns)} |",
             "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _read(path, script, make):
    try:
        return make(json.loads(path.read_text())["rows"])
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/{script}.py writes, but got {error!r}") from None


def _times(benchmark, path):
    title, facts, names = TABLES[benchmark]

    def make(rows):
        given = {fact: column for fact, column in facts.items() if fact != "rows" or any(fact in row for row in rows)}
        shown = {name: column for name, column in names.items() if any(name in row["us"] for row in rows)}
        cells = [[*(str(row[fact]) for fact in given), str(row["block"]), f"{row['sparsity']:g}",
                  *(micros(row["us"][name]) if name in row["us"] else "" for name in shown)] for row in rows]
        return _markdown(title, path, [*given.values(), "blocks", "not stored", *shown.values()], cells)

    return _read(path, benchmark, make)


def _eight_bits(path):
    def make(rows):
        cells = [[row["dtype"], str(row["size"]), str(row["block"]), f"{row['sparsity']:g}",
                  *(f"{row[name]['tops']:.0f}" if name in row else "" for name in EIGHT_BITS)] for row in rows]
        columns = ["factors", "M, K and N", "blocks", "not stored", *EIGHT_BITS.values()]
        return _markdown("Products of 8 bits and of tf32, tera-operations per second of stored blocks", path, columns, cells)

    return _read(path, "eight_bits", make)


def tables():
    """All that there are, or ""."""
    parts = [_times(benchmark, path) for benchmark in TABLES if (path := newest(benchmark))]
    if path := newest("eight_bits"):
        parts.append(_eight_bits(path))
    return "\n".join(parts)
