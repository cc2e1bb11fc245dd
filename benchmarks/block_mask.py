#!/usr/bin/env python3
"""Lists of a mask's blocks from its function: create_block_mask here beside PyTorch's, eager and compiled.

    python3 benchmarks/block_mask.py --libraries FOLDER [--device cuda] [--length 131072] [--out results.json]

FOLDER is the one of libsattn.so (build/lib). The four lists and their transposes; PyTorch's makes them all at once.
Times are medians of calls that end with the device's work, the function traced and compiled before; on CUDA ours also
as a CUDA graph, which leaves out the time of Python (`graph`). `attention`: the lists that a call of flex_attention
makes, which need not be exact nor transposed. PyTorch's holds arrays of all elements where it is not compiled: it is
left out where that does not fit in a GPU's memory, by name, and with --no-peers. Lists that differ from PyTorch's are
an error.
"""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
LISTS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
         "full_q_num_blocks", "full_q_indices")
BLOCKS = [128, 64]


def masks_of(torch, length, device):
    """name: mask_mod; the last two are not proved to leave a block of more than one element full."""
    generator = torch.Generator().manual_seed(0)
    ends = torch.randint(1, length, (max(length // 4096, 1),), generator=generator).sort().values
    document = torch.searchsorted(ends, torch.arange(length), right=True).int().to(device)
    side = 2 ** (length.bit_length() // 2)
    parent = torch.randint(0, 2, (length,), generator=generator).int().to(device)
    return {
        "causal": lambda b, h, q_idx, kv_idx: q_idx >= kv_idx,
        "window": lambda b, h, q_idx, kv_idx: (q_idx >= kv_idx) & (q_idx - kv_idx < 1024),
        "sinks": lambda b, h, q_idx, kv_idx: (kv_idx < 4) | (q_idx >= kv_idx) & (q_idx - kv_idx < 1024),
        "document": lambda b, h, q_idx, kv_idx: (document[q_idx] == document[kv_idx]) & (q_idx >= kv_idx),
        "neighbourhood": lambda b, h, q_idx, kv_idx: ((q_idx // side - kv_idx // side).abs() <= 8) &
                                                     ((q_idx % side - kv_idx % side).abs() <= 8),
        "random": lambda b, h, q_idx, kv_idx: (parent[q_idx] == 1) & (parent[kv_idx] == 1)}


def median_ms(torch, call, device, rounds):
    times = []
    for _ in range(rounds + 1):
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[1:])


def same(torch, own, other):
    """Whether two masks list the same blocks; what comes after the number does not count."""
    for numbers, indices in zip(LISTS[::2], LISTS[1::2]):
        count, columns = getattr(own, numbers), getattr(own, indices).shape[-1]
        if not torch.equal(count, getattr(other, numbers)):
            return False
        listed = torch.arange(columns, device=count.device) < count[..., None]
        if not torch.equal(getattr(own, indices)[listed], getattr(other, indices)[listed]):
            return False
    return True


def row_of(torch, sattn, name, mask_mod, length, block, device, rounds, with_peers):
    from torch.nn.attention.flex_attention import create_block_mask

    def ours():
        mask = sattn.create_block_mask(mask_mod, None, None, length, length, device=device, BLOCK_SIZE=block)
        for kind in LISTS:
            getattr(mask, kind)
        return mask

    peers = {"torch": lambda: create_block_mask(mask_mod, None, None, length, length, device=device, BLOCK_SIZE=block),
             "torch_compiled": lambda: create_block_mask(mask_mod, None, None, length, length, device=device, BLOCK_SIZE=block,
                                                         _compile=True)}
    def attention():
        mask = sattn.create_block_mask(mask_mod, None, None, length, length, device=device, BLOCK_SIZE=block)
        function, values = sattn._trace.user_functions.traced("mask_mod", mask_mod)
        return mask.for_kernel(function, values, None, device, mask.BLOCK_SIZE, (1, 1))

    mask = ours()
    attention()
    times = {"ours": median_ms(torch, ours, device, rounds), "attention": median_ms(torch, attention, device, rounds)}
    if device.type == "cuda":
        from timing import in_graph, measure

        graphs = {"graph": in_graph(ours, launches=1), "attention_graph": in_graph(attention, launches=1)}
        measure(graphs, rounds)
        times |= {name: graph.median_ms() for name, graph in graphs.items()}
    for peer, call in peers.items() if with_peers else ():
        try:
            if not same(torch, mask, call()):
                raise SystemExit(f"{name}, blocks of {block}: the lists differ from those of {peer}")
            times[peer] = median_ms(torch, call, device, rounds)
        except (RuntimeError, torch.OutOfMemoryError) as error:
            print(f"{name}: {peer}: {str(error).splitlines()[0]}", file=sys.stderr)
    return {"mask": name, "length": length, "block": block, "ms": {key: round(value, 4) for key, value in times.items()}}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of libsattn.so")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--length", type=int, default=131072, help="queries, and keys")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    options = parser.parse_args(arguments)
    os.environ["SATTN_LIBRARIES"] = str(options.libraries)
    import torch
    import result_files

    import sattn

    device = torch.device(options.device)
    name = torch.cuda.get_device_name() if device.type == "cuda" else result_files.cpu_name()
    rows = []
    for mask, mask_mod in masks_of(torch, options.length, device).items():
        for block in BLOCKS:
            rows.append(row_of(torch, sattn, mask, mask_mod, options.length, block, device, options.rounds,
                               not options.no_peers))
            print(json.dumps(rows[-1]), flush=True)
            result_files.write(options.out, "block_mask", rows, device=name, torch=torch.__version__)


if __name__ == "__main__":
    main()
