"""Measures rows of benchmarks/flex_attention.py, which starts it as a process of its own.

What happens goes to a pipe as lines of JSON: {"step": [row, candidate]} before anything that may fail or hang,
{"row": {...}} after a row, {"about": {...}} once. A process that dies is started again without what killed it.
"""

import datetime
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass

import attention_peers
import attention_rows
import torch
from attention_rows import ROWS

# Queries that the reference computes at a time, and pairs of queries and keys of all: of more, some chunks are checked.
CHUNK, MOST_PAIRS = 1024, 1 << 31
# Relative norms of errors: bf16 rounds weights and results, which gives 2e-3 to 4e-3.
WRONG = 1e-2


@dataclass
class Data:
    """Operands of a row. numbers: attention_rows.vectors."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    scale: float
    lists: attention_rows.Lists | None
    numbers: torch.Tensor | dict


def make_data(row, device="cuda"):
    generator = torch.Generator(device).manual_seed(0)

    def random(heads, columns):
        shape = (row.batch, heads, row.length, columns)
        return torch.randn(shape, device=device, generator=generator, dtype=torch.float32).to(torch.bfloat16)

    kv_heads = row.kv_heads or row.heads
    numbers = attention_rows.vectors(row)
    if isinstance(numbers, dict):
        numbers = {name: torch.from_numpy(array).to(device) for name, array in numbers.items()}
    else:
        numbers = torch.from_numpy(numbers).to(device)
    return Data(random(row.heads, row.head_dim), random(kv_heads, row.head_dim), random(kv_heads, row.values),
                row.head_dim ** -0.5, attention_rows.lists(row) if row.has_lists else None, numbers)


# ---------------------------------------------------------------------------
# The reference, in float64
# ---------------------------------------------------------------------------


def chunks_of(row, most_pairs=MOST_PAIRS):
    """(batch, head, queries) of what is checked: everything, or evenly many parts with the first and the last."""
    chunks = [(b, h, slice(first, min(first + CHUNK, row.length)))
              for b in range(row.batch) for h in range(row.heads) for first in range(0, row.length, CHUNK)]
    most = max(2, most_pairs // (min(CHUNK, row.length) * row.length))
    if len(chunks) <= most:
        return chunks
    return [chunks[round(place * (len(chunks) - 1) / (most - 1))] for place in range(most)]


def seen_by(row, data, chunk):
    """Which keys the queries of a chunk see."""
    b, h, rows = chunk
    device = data.q.device
    i = torch.arange(rows.start, rows.stop, device=device)[:, None]
    j = torch.arange(row.length, device=device)[None, :]
    if row.mask != "blocks":
        return attention_rows.visible_function(row, data.numbers)(i, j)
    listed = torch.zeros(row.length // row.block, row.length // row.block, dtype=torch.bool, device=device)
    listed.scatter_(1, torch.from_numpy(data.lists.full_indices[b, h]).long().to(device), True)
    return listed[i // row.block, j // row.block]


def reference(row, data, chunk):
    """The chunk's rows of the result, in float64."""
    b, h, rows = chunk
    k, v = (tensor[b, h // row.group].double() for tensor in (data.k, data.v))
    scores = data.q[b, h, rows].double() @ k.T * data.scale
    if row.score == "softcap":
        scores = attention_rows.CAP * torch.tanh(scores / attention_rows.CAP)
    elif row.score == "alibi":
        i = torch.arange(rows.start, rows.stop, device=k.device)[:, None]
        scores += float(attention_rows.slopes(row.heads)[h]) * (torch.arange(row.length, device=k.device) - i)
    scores.masked_fill_(~seen_by(row, data, chunk), -torch.inf)
    return torch.softmax(scores, -1).nan_to_num_(0) @ v


class References:
    """The reference results."""

    def __init__(self, row, data):
        self.chunks = {chunk[:2] + (chunk[2].start, chunk[2].stop): reference(row, data, chunk)
                       for chunk in chunks_of(row)}
        self.norm = sum(float((part ** 2).sum()) for part in self.chunks.values()) ** 0.5

    def error(self, out):
        """The relative norm of the error of (B, H, S, D); infinite where anything is no number."""
        if not bool(torch.isfinite(out).all()):
            return float("inf")
        total = 0.0
        for (b, h, begin, end), expected in self.chunks.items():
            total += float(((out[b, h, begin:end].double() - expected) ** 2).sum())
        return total ** 0.5 / self.norm


# ---------------------------------------------------------------------------
# Candidates
# ---------------------------------------------------------------------------


def ours(row, data, target="cuda", meta=None, rank=4, options="", is_prepared=False):
    """A call of the compiled program, with an output that begins as NaN. options: of the pipeline; is_prepared: with
    what depends on lists alone done before, as other libraries do it in their plans."""
    import sattn

    compiled = sattn.compile(attention_rows.program(row, meta, rank), target, options=options)
    out = torch.full((*data.q.shape[:-1], row.values), torch.nan, device=data.q.device, dtype=torch.bfloat16)
    arguments = [data.q, data.k, data.v]
    if data.lists:
        arguments += [torch.from_numpy(array).to(out.device) for array in data.lists.operands(row).values()]
    for _, kind, value in attention_rows.captures(row):
        arguments.append(value if kind == "f32" else torch.from_numpy(value).to(out.device))
    arguments.append(out)
    if rank == 3:
        arguments = [tensor.flatten(0, 1) if isinstance(tensor, torch.Tensor) else tensor for tensor in arguments]

    run = compiled.prepare(*arguments) if is_prepared else compiled

    def call():
        run(*arguments)
        return out

    return call


def ours_by_function(row, data):
    """A call of sattn.flex_attention with the mask of a function."""
    import sattn

    visible = attention_rows.visible_function(row, data.numbers)

    def mask_mod(b, h, i, j):
        return visible(i, j)

    def plan():
        return sattn.create_block_mask(mask_mod, None, None, row.length, row.length, device=data.q.device)

    return attention_peers.with_plan(plan, lambda mask: sattn.flex_attention(
        data.q, data.k, data.v, block_mask=mask, scale=data.scale, enable_gqa=row.group != 1))


def candidates_of(options, row):
    """{name: a function of row and data that gives a call}, ours first."""
    if row.by_function:
        found = {"sattn": ours_by_function}
        return found | {name: attention_peers.PEERS[name] for name in attention_peers.PEERS if name in options["peers"]}
    found = {"sattn": ours}
    if options["rank3"] and not row.has_lists and row.score != "alibi":
        found["sattn, rank 3"] = lambda row, data: ours(row, data, rank=3)
    if options["sm80"]:
        found["sattn, sm_80"] = lambda row, data: ours(row, data, target="sm_80")
    for meta in options["meta"] + (attention_rows.sweep(row) if options["sweep"] else []):
        found[f"sattn, {meta}"] = lambda row, data, meta=meta: ours(row, data, meta=meta)
    for text in options["pipeline"]:
        found[f"sattn, {text}"] = lambda row, data, text=text: ours(row, data, options=text)
    return found | {name: attention_peers.PEERS[name] for name in attention_peers.PEERS if name in options["peers"]}


def wall_ms(call, rounds):
    """Median of calls that begin and end with an idle device."""
    times = []
    for _ in range(rounds + 1):
        torch.cuda.synchronize()
        start = time.monotonic()
        call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.monotonic() - start))
    return statistics.median(times[1:])


class Dead(Exception):
    """The device takes no more work of this process."""


def reason_of(failure):
    lines = [line for line in str(failure).splitlines() if line.strip()] or ["no message"]
    return f"{type(failure).__name__}: {lines[0]}"[:300]


def check_device():
    """Raises Dead if an error of the device is not over."""
    try:
        torch.cuda.synchronize()
    except Exception as failure:
        raise Dead(reason_of(failure)) from None


# ---------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------


class Worker:
    def __init__(self, options, events):
        self.options, self.events, self.absent = options, events, set()

    def tell(self, **event):
        self.events.write(json.dumps(event) + "\n")
        self.events.flush()

    def prepare(self, name, candidates):
        """(calls, {candidate: facts}, {candidate: why not}): those that give what they should."""
        row, calls, facts, failed = ROWS[name], {}, {}, {}
        self.tell(step=[name, ""])
        data = make_data(row)
        references = References(row, data)
        lost = self.options["lost"].get(name, {})
        for candidate, make in candidates.items():
            if candidate in lost:
                failed[candidate] = lost[candidate]
                continue
            self.tell(step=[name, candidate])
            try:
                start = time.monotonic()
                call = make(row, data)
                out = call()
                torch.cuda.synchronize()
                facts[candidate] = {"first_call_s": time.monotonic() - start}
                if candidate != "sdpa" or attention_peers.sdpa_does(row):
                    error = facts[candidate]["error"] = references.error(out)
                    if not error <= WRONG:
                        raise ValueError(f"wrong: a relative error of {error:.1e}")
                calls[candidate] = call
                del out
            except attention_peers.Skip as skip:
                facts.pop(candidate, None)
                if candidate in self.options["named_peers"]:
                    failed[candidate] = f"skipped: {skip}"
            except ImportError as failure:  # The same for every row: said once.
                if candidate not in self.absent or candidate in self.options["named_peers"]:
                    failed[candidate] = reason_of(failure)
                self.absent.add(candidate)
            except Exception as failure:
                facts.pop(candidate, None)
                failed[candidate] = reason_of(failure)
                print(f"  {candidate}: {failed[candidate]}", flush=True)
                check_device()
        return calls, facts, failed

    def measure(self, name, calls, facts):
        from timing import Timed, head_start, measure, read_power

        operations = attention_rows.count_operations(ROWS[name])
        self.tell(step=[name, "timing"])
        timed = {candidate: Timed(call) for candidate, call in calls.items()}
        measure(timed, self.options["rounds"])
        for candidate, one in timed.items():
            ms = one.median_ms()
            facts[candidate] |= {"ms": ms, "tflops": operations / ms / 1e9,
                                 "spread": (max(one.rounds) - min(one.rounds)) / ms}
            if "sdpa" in timed:
                facts[candidate]["x_sdpa"] = timed["sdpa"].median_ms() / ms
        for candidate, call in calls.items():
            if hasattr(call, "with_plan"):
                self.tell(step=[name, "timing"])
                facts[candidate]["with_plan_ms"] = wall_ms(call.with_plan, self.options["rounds"])
        if self.options["power"] > 0:
            self.tell(step=[name, "power"])
            head_start(40)
            for candidate, call in calls.items():
                mhz, watts = read_power(call, self.options["power"])
                if mhz:
                    facts[candidate] |= {"mhz": mhz, "watts": watts}
        if self.options["do_bench"]:
            self.tell(step=[name, "do_bench"])
            from triton.testing import do_bench

            for candidate, call in calls.items():
                ms = do_bench(call, warmup=20, rep=80, return_mode="median")
                facts[candidate]["do_bench_tflops"] = operations / ms / 1e9

    def run_row(self, name):
        row, start = ROWS[name], time.monotonic()
        calls, facts, failed = self.prepare(name, candidates_of(self.options, row))
        if calls and not self.options["check"]:
            self.measure(name, calls, facts)
        self.tell(row={
            "row": name, "title": row.title(), "batch": row.batch, "heads": row.heads, "kv_heads": row.kv_heads,
            "length": row.length, "head_dim": row.head_dim, "value_dim": row.values, "mask": row.mask,
            "score": row.score, "block": row.block if row.mask == "blocks" else None,
            "pairs": attention_rows.count_pairs(row), "sdpa_does": attention_peers.sdpa_does(row),
            "least": row.least, "aim": row.aim, "seconds": time.monotonic() - start, "candidates": facts,
            "failed": failed})

    def warm_up(self):
        """The compiler and the driver do what they do once."""
        self.tell(step=["", "first program"])
        small = attention_rows.with_lengths_over(ROWS["dense_4096"], 16)
        try:
            ours(small, make_data(small))()
        except Exception as failure:
            print(f"first program: {reason_of(failure)}", flush=True)
        check_device()

    def run(self):
        self.tell(step=["", ""])
        self.tell(about={"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
                         "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                         "peers": attention_peers.versions()})
        if self.options["warm"]:
            self.warm_up()
        for name in self.options["rows"]:
            if time.time() > self.options["until"]:
                break
            try:
                self.run_row(name)
            except Dead:
                raise
            except Exception as failure:
                self.tell(failed={"row": name, "why": reason_of(failure)})
                check_device()
            torch.cuda.empty_cache()


def main():
    options = json.loads(sys.argv[1])
    # The process prints for people; the other process reads the pipe.
    with os.fdopen(options["pipe"], "w") as events, torch.no_grad():
        try:
            Worker(options, events).run()
        except Dead as failure:
            Worker(options, events).tell(dead=str(failure))
            return 3
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")))
    sys.exit(main())
