#!/usr/bin/env python3
"""The backward of sattn.flex_attention on a GPU beside others, on random data.

    python3 benchmarks/flex_attention_backward.py [--rows dense_4096 ...] [--peers sdpa flex ...] [--out results.json]

Peers are cuDNN's SDPA and compiled flex_attention of PyTorch, FlashAttention-4, and cudnn.flex_attention and cudnn.BSA
of NVIDIA's front end (attention_backward_peers.py). Each is measured where it is installed and does the row.

Needs PyTorch and apache-tvm-ffi; SATTN_LIBRARIES names the folder of the libraries. Rows are those of
flex_attention.py. A call is torch.autograd.grad of query, key and value, of a graph that is retained: what precedes the
kernels, and PyTorch's host time where that is more, count. Candidates take turns on a hot card (timing.py); medians of
CUDA event times count.

TFLOP/s counts 5 (D + Dv) operations for each visible pair: 2.5 times the forward's. The error of each gradient is the
relative norm beside float64, of the first batch and head, or of the first group's heads.

    --rounds N          rounds of turns (default: 3)
    --power SECONDS     how long each candidate runs for its clock and power (default: 0.5; 0: not at all)
"""

import argparse
import math
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
import attention_backward_peers as peers  # noqa: E402
import attention_peers  # noqa: E402
import attention_rows  # noqa: E402
import attention_worker  # noqa: E402
import result_files  # noqa: E402
import timing  # noqa: E402

ROWS = ["dense_4096", "dense_8192", "causal_4096", "causal_8192", "window_8192", "prefix_8192", "softcap_8192", "alibi_8192",
        "document_8192", "document_causal_8192", "blocks_128", "blocks_64", "gqa_8192", "d64_dense", "d64_causal", "d256_causal"]


def ours(row, data):
    """A call of the forward, by sattn.flex_attention."""
    import sattn

    score = attention_peers.score_function(row, data.q.device)
    named, mask = {}, None
    if row.mask == "causal":
        named = {"causal": True}
    elif row.mask == "window":
        named = {"causal": True, "window": (attention_rows.WINDOW, None)}
    elif row.mask == "prefix":
        named = {"causal": True, "prefix": attention_rows.PREFIX}
    elif row.mask != "dense":
        mask = attention_peers.block_mask(row, data, 128)
    return lambda: sattn.flex_attention(data.q, data.k, data.v, score, mask, data.scale, row.group != 1, **named)


def reference(row, data, upstream):
    """The gradients in float64 of the first head of key and value, and of the heads of query that share it."""
    group, length = row.group, row.length
    q, k, v = (tensor[:1, :heads].double().requires_grad_() for tensor, heads in ((data.q.detach(), group), (data.k.detach(), 1),
                                                                                   (data.v.detach(), 1)))
    positions = torch.arange(length, device="cuda")
    visible = attention_rows.visible_function(row, data.numbers)
    score = attention_peers.score_function(row, data.q.device)
    listed = None
    if row.has_lists:
        listed = attention_peers.block_mask(row, data, 128).to_dense()[0, 0] != 0
        for dim in range(2):
            listed = listed.repeat_interleave(data.lists.block, dim)
    for head in range(group):
        for first in range(0, length, 1024):
            rows = slice(first, first + 1024)
            scores = q[0, head, rows] @ k[0, 0].T * data.scale
            if score is not None:
                scores = score(scores, 0, head, positions[rows, None], positions[None])
            if row.mask != "dense":
                scores = scores.masked_fill(~visible(positions[rows, None], positions[None]), -math.inf)
            if listed is not None:
                scores = scores.masked_fill(~listed[rows, :length], -math.inf)
            (torch.softmax(scores, -1) @ v[0, 0] * upstream[0, head, rows].double()).sum().backward()
    return q.grad, k.grad, v.grad


def measure(name, options):
    """The facts of a row."""
    row = attention_rows.ROWS[name]
    data = attention_worker.make_data(row)
    for tensor in (data.q, data.k, data.v):
        tensor.requires_grad_()
    upstream = torch.randn(row.batch, row.heads, row.length, row.values, device="cuda").to(torch.bfloat16)
    candidates = {"sattn": lambda: peers.by_autograd(ours(row, data), (data.q, data.k, data.v), upstream)}
    candidates |= {peer: lambda peer=peer: peers.PEERS[peer](row, data, upstream) for peer in options.peers}
    expected = reference(row, data, upstream)
    timed, facts, failed = {}, {}, {}
    for candidate, make in candidates.items():
        try:
            call = make()
            found = [gradient[:1, :own.shape[1]] for gradient, own in zip(call(), expected)]
            errors = [float((one.double() - own).norm() / own.norm()) for one, own in zip(found, expected)]
            facts[candidate] = {"errors": errors}
            timed[candidate] = timing.Timed(call)
        except Exception as error:  # A peer that cannot is named.
            failed[candidate] = (str(error).splitlines() or [type(error).__name__])[0][:300]
    timing.measure(timed, options.rounds)
    operations = attention_rows.count_operations(row) * 2.5
    for candidate, own in timed.items():
        ms = own.median_ms()
        facts[candidate] |= {"ms": ms, "tflops": operations / ms / 1e9}
        if options.power:
            facts[candidate]["mhz"], facts[candidate]["watt"] = timing.read_power(own.call, options.power)
    return {"row": name, "title": row.title(), "sdpa_does": attention_peers.sdpa_does(row), "candidates": facts, "failed": failed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=ROWS, choices=list(attention_rows.ROWS))
    parser.add_argument("--peers", nargs="*", default=list(peers.PEERS), choices=list(peers.PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--power", type=float, default=0.5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    start, rows = time.monotonic(), []
    for name in options.rows:
        rows.append(measure(name, options))
        print(rows[-1]["title"], *(f"  {candidate}: {own['ms']:.3f} ms, {own['tflops']:.0f} TFLOP/s, errors "
                                   f"{' '.join(f'{error:.1e}' for error in own['errors'])}, {own.get('mhz')} MHz, {own.get('watt')} W"
                                   for candidate, own in rows[-1]["candidates"].items()),
              *(f"  {candidate}: {why}" for candidate, why in rows[-1]["failed"].items()), sep="\n", flush=True)
        result_files.write(options.out, "flex_attention_backward", rows, **result_files.gpu(),
                           peers=attention_peers.versions())
    print(f"{len(rows)} rows in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
