"""Tables of docs/Comparison.md: our rate over that of each peer, by the newest results of benchmarks that run peers."""

import json

import flex_attention_results
import results_table
from results_table import RESULTS, ResultsError

# Peers of benchmarks/flex_attention_backward.py.
BACKWARD = {"flex": "PyTorch flex_attention", "fa4": "FlashAttention-4", "cudnn_flex": "cudnn.flex, deterministic",
            "cudnn_flex_atomic": "cudnn.flex", "cudnn_bsa": "cudnn.BSA", "sdpa": "cuDNN SDPA"}

# Peers of benchmarks/sparse_cpu.py.
ON_A_CPU = {"scipy_bsr": "SciPy BSR", "scipy_csr": "SciPy CSR", "torch_bsr": "torch BSR", "torch_csr": "torch CSR",
            "numpy": "NumPy, dense"}


def _newest(name):
    files = sorted(RESULTS.glob(f"*-{name}.json"))
    if not files:
        raise ResultsError(f"no results of benchmarks/{name}.py in {RESULTS}")
    return files[-1]


def _markdown(head, columns, rows):
    return "\n".join([head, "", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns),
                      *(f"| {' | '.join(cells)} |" for cells in rows)]) + "\n"


def _source(path, what):
    return f"{what} ([{path.name}](benchmarks/results/{path.name})):"


def _rates_and_ratios(head, titles, rows, names):
    """A table of attention: our rate, and our rate over that of each peer of `names`, whose column has its title."""
    cells = []
    for title, rates in rows:
        over = [f"{rates['sattn'] / rates[name]:.2f}" if name in rates else "" for name in names]
        cells.append([title, f"{rates['sattn']:.0f}", *over])
    return _markdown(head, ["mask, head, batch x heads x length", "sattn, TFLOP/s", *titles], cells)


def forward(path):
    """Attention forward on a GPU."""
    results = flex_attention_results.load(path)
    peers = flex_attention_results.PEERS
    rows = [(row["title"], flex_attention_results.rates(row)) for row in results["rows"]]
    names = [name for name in peers if any(name in rates for _, rates in rows)]
    versions = results["peers"]
    head = _source(path, f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}, FlashAttention-4 "
                         f"{versions['flash-attn-4']}, cuDNN front end {versions['nvidia-cudnn-frontend']}")
    return _rates_and_ratios(head, [peers[name][0] for name in names], rows, names)


def backward(path):
    """Attention backward on a GPU."""
    results = json.loads(path.read_text())
    rows = []
    for row in results["rows"]:
        rows.append((row["title"], {name: facts["tflops"] for name, facts in row["candidates"].items()
                                    if "tflops" in facts and (name != "sdpa" or row["sdpa_does"])}))
    names = [name for name in BACKWARD if any(name in rates for _, rates in rows)]
    head = _source(path, f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}")
    return _rates_and_ratios(head, [BACKWARD[name] for name in names], rows, names)


def products(path):
    """Products on a GPU, the fastest of our rows for each size of blocks and sparsity."""
    results = json.loads(path.read_text())
    names = [name for name in results_table.PEERS if any(name in row["peers"] for row in results["rows"])]
    rows = []
    for row in results["rows"]:
        if row["case"] == "square":
            over = [f"{row['peers'][name]['ms'] / row['ms']:.1f}" if name in row["peers"] else "" for name in names]
            rows.append([str(row["block"]), f"{row['sparsity']:.0%}", f"{row['tflops']:.0f}", f"{row['x_cublas']:.2f}",
                         *over])
    head = _source(path, f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}, M = K = N = "
                         f"{results['rows'][0]['m']}, our tiles picked by hand")
    return _markdown(head, ["blocks", "not stored", "sattn, TFLOP/s", "dense cuBLAS",
                            *(results_table.PEERS[name] for name in names)], rows)


def cpu(path):
    """Attention forward on a CPU."""
    results = json.loads(path.read_text())
    head = _source(path, f"{results['cpu']} ({results['vector_extension']}), {results['threads']} threads, "
                         f"{results['date']}, PyTorch {results['torch']}, f32, {results['rows'][0]['length']} queries "
                         "and keys")
    rows = [[row["mask"], str(row["head_dim"]), f"{row['ours_gflops']:.0f}", f"{row['over_flex']:.2f}",
             f"{row['over_sdpa']:.2f}" if "over_sdpa" in row else ""] for row in results["rows"]]
    return _markdown(head, ["mask", "D", "sattn, GFLOP/s", "PyTorch flex_attention", "PyTorch SDPA"], rows)


def products_on_a_cpu(path):
    """Products on a CPU."""
    results = json.loads(path.read_text())
    rows = [[str(row["threads"]), str(row["block"]), f"{row['sparsity']:.0%}", f"{row['gflops']:.0f}",
             *(f"{row['over'][name]:.1f}" for name in ON_A_CPU)] for row in results["rows"]]
    m, k, n = (results["rows"][0][size] for size in "mkn")
    head = _source(path, f"{results['cpu']} ({results['vector_extension']}), with other work (load "
                         f"{results['load']:.0f}), {results['date']}, SciPy {results['scipy']}, PyTorch "
                         f"{results['torch']}, NumPy {results['numpy']}, f32, M x K x N = {m} x {k} x {n}")
    return _markdown(head, ["threads", "blocks", "not stored", "sattn, GFLOP/s", *ON_A_CPU.values()], rows)


def tables():
    """{name of the part: its text}."""
    made = {}
    for part, make, path in [("forward", forward, flex_attention_results.newest_beside_torch()),
                             ("backward", backward, _newest("flex_attention_backward")),
                             ("products", products, results_table.newest()),
                             ("cpu", cpu, _newest("flex_attention_cpu")),
                             ("products on a CPU", products_on_a_cpu, _newest("sparse_cpu"))]:
        try:
            made[f"peers, {part}"] = make(path)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ResultsError(f"{path.name}: expected rows with peers, but got {error!r}") from None
    return made
