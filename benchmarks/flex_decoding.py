"""Few queries (decoding) with grouped heads: flex_attention with packed heads, without, and PyTorch's SDPA.

    python benchmarks/flex_decoding.py [--queries 1 16] [--keys 8192] [--rounds 3]

32 heads of query share 8 of key and value, D128, bf16, a causal mask that counts from the end. Microseconds, medians of
CUDA graphs that take turns behind other work (timing.py); beside them the bytes of K and V over the time.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import sattn  # noqa: E402
from sattn._ops import flex_attention_layout  # noqa: E402
from timing import in_graph, measure  # noqa: E402

HEADS, KV_HEADS, COLUMNS = 32, 8, 128


def attention(arrays, packed_queries):
    """A call whose program is chosen now; each has a cache entry of its own, since the limit is no part of a call's
    key."""
    kept = flex_attention_layout.PACKED_QUERIES
    flex_attention_layout.PACKED_QUERIES = packed_queries
    try:
        return sattn.flex_attention(*arrays, causal="bottom_right", enable_gqa=True)
    finally:
        flex_attention_layout.PACKED_QUERIES = kept
        sattn._call.cache.guarded_calls.clear()


def row_of(batch, queries, keys, rounds):
    torch.manual_seed(0)
    arrays = [torch.randn(batch, heads, length, COLUMNS, device="cuda", dtype=torch.bfloat16)
              for heads, length in ((HEADS, queries), (KV_HEADS, keys), (KV_HEADS, keys))]
    mask = torch.ones(queries, keys, dtype=torch.bool, device="cuda").tril(keys - queries)

    def sdpa():
        return torch.nn.functional.scaled_dot_product_attention(*arrays, attn_mask=mask, enable_gqa=True)

    calls = {"packed": lambda: attention(arrays, 16), "unpacked": lambda: attention(arrays, 0), "SDPA": sdpa}
    expected = sdpa().double()
    for name, call in calls.items():
        error = (call().double() - expected).norm() / expected.norm()
        assert error < 0.01, (name, error)
    timed = {name: in_graph(call) for name, call in calls.items()}
    measure(timed, rounds)
    size = 2 * batch * KV_HEADS * keys * COLUMNS * 2
    return {name: (1000 * one.median_ms(), size / one.median_ms() / 1e9) for name, one in timed.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, nargs="*", default=[1, 16])
    parser.add_argument("--batches", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--keys", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for batch in options.batches:
        for queries in options.queries:
            row = row_of(batch, queries, options.keys, options.rounds)
            print(f"B{batch} M{queries} N{options.keys}: " + ", ".join(
                f"{name} {time:.1f} us ({rate:.2f} TB/s)" for name, (time, rate) in row.items()), flush=True)


if __name__ == "__main__":
    main()
