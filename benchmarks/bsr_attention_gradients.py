"""The gradients of attention at the stored blocks of a BSR mask, beside those of FlexAttention and of dense attention.

    python benchmarks/bsr_attention_gradients.py [--small] [--out benchmarks/results/DATE-DEVICE-bsr_attention_gradients.json]

bf16, one batch; all heads share the mask. `step` is the forward and the gradients of query, key and value, `forward`
the forward without gradients, in microseconds; `backward` is their difference over `forward`. `dropout` drops a tenth
of the weights, `ours_flex` is sattn.flex_attention with the mask as a list of wholly visible blocks, `flex` PyTorch's
compiled one, `dense` PyTorch's attention of all keys. TFLOP/s count 14 operations for each visible pair and column: 4
of the forward and 10 of the gradients. Each candidate is a CUDA graph; the card is hot (timing.py), all candidates of a
row run in turns, and a time is a median. Errors are the largest differences from float64 of the same bf16 numbers, in
units of the largest element, in one head; `flex_errors` are PyTorch's. `ours` has a prepared mask; with a `tuple` a
graph transposes the pattern in each replay.
"""

import argparse
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import result_files  # noqa: E402
import sattn  # noqa: E402
from bsr_attention import flex_call, ours_flex_call  # noqa: E402
from problems import make  # noqa: E402
from timing import in_graph, measure, read_power  # noqa: E402

HEADS = 16
# Queries and keys, columns, block, sparsity in hundredths.
SHAPES = [(4096, 128, 64, 90), (4096, 128, 128, 90), (4096, 64, 64, 90), (4096, 64, 128, 90), (4096, 128, 64, 50),
          (4096, 128, 128, 50), (8192, 128, 128, 90)]
SMALL = SHAPES[:4]
LAUNCHES = 3


def expected_of(problem, size, operands, grad):
    """Gradients of the first head in float64."""
    visible = torch.zeros(size // problem.block, size // problem.block, dtype=torch.bool, device="cuda")
    visible[problem.rows(), problem.col.long()] = True
    visible = visible.repeat_interleave(problem.block, 0).repeat_interleave(problem.block, 1)
    query, key, value = own = [tensor.detach()[0, 0].double().requires_grad_() for tensor in operands]
    scores = (query @ key.mT * query.shape[-1] ** -0.5).masked_fill(~visible, -torch.inf)
    return torch.autograd.grad(scores.softmax(-1).nan_to_num(0) @ value, own, grad[0, 0].double())


def errors_of(found, expected):
    return [float((one[0, 0].double() - other).abs().max() / other.abs().max()) for one, other in zip(found, expected)]


def row_of(size, columns, block, sparsity, rounds):
    problem = make(size, size, 8, block, sparsity / 100, "uniform")
    own = [torch.randn(1, HEADS, size, columns, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3)]
    grad = torch.randn(1, HEADS, size, columns, device="cuda", dtype=torch.bfloat16)
    mask = problem.crow, problem.col, problem.values
    prepared = sattn.prepare(mask)
    calls = {"ours": lambda: sattn.scaled_dot_product_attention(*own, prepared),
             "tuple": lambda: sattn.scaled_dot_product_attention(*own, mask),
             "dropout": lambda: sattn.scaled_dot_product_attention(*own, mask, 0.1),
             "dense": lambda: torch.nn.functional.scaled_dot_product_attention(*own)}
    for name, make_call in (("ours_flex", ours_flex_call), ("flex", flex_call)):
        try:
            call = make_call(problem, size, *own)
            torch.autograd.grad(call(), own, grad)
            calls[name] = call
        except Exception as error:  # noqa: BLE001 - a peer that is not there, or fails, is left out by name.
            print(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr)
    expected = expected_of(problem, size, own, grad)
    errors = {name: errors_of(torch.autograd.grad(calls[name](), own, grad), expected) for name in ("ours", "flex")
              if name in calls}
    del expected
    timed = {name: in_graph(lambda call=call: torch.autograd.grad(call(), own, grad), LAUNCHES)
             for name, call in calls.items()}
    with torch.no_grad():
        timed |= {f"{name}_forward": in_graph(call, LAUNCHES) for name, call in calls.items()}
        measure(timed, rounds)
    micros = {name: round(1e3 * candidate.median_ms(), 1) for name, candidate in timed.items()}
    mhz, watts = read_power(timed["ours"].call, 1.0)
    backward = {name: round(micros[name] / micros[f"{name}_forward"] - 1, 2) for name in calls}
    operations = 14 * HEADS * len(problem.col) * block * block * columns
    return {"size": size, "columns": columns, "block": block, "sparsity": sparsity / 100, "us": micros,
            "backward": backward, "tflops": round(operations / micros["ours"] / 1e6, 1),
            "errors": errors["ours"], "flex_errors": errors.get("flex"), "mhz": mhz, "watts": watts}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    parser.add_argument("--small", action="store_true", help="the first four rows")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    rows = []
    for shape in SMALL if options.small else SHAPES:
        rows.append(row_of(*shape, options.rounds))
        print(json.dumps(rows[-1]), flush=True)
        result_files.write(options.out, "bsr_attention_gradients", rows, **result_files.gpu())


if __name__ == "__main__":
    main()
