"""Times of GPU work, measured in turns so that a drifting clock meets all alike."""

import statistics

import torch

# What takes longer than this runs in every eighth round only.
SLOW_MS = 8.0
# Dense products of this size keep the device busy, and warm, at the start of a round until the host has enqueued all
# of it: about a millisecond.
HEAD_START_SIZE = 8192


class Timed:
    """One candidate: enqueues its work on the current stream, `launches` products a call."""

    def __init__(self, call, launches=1):
        self.call, self.launches, self.times = call, launches, []

    def record(self):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        self.call()
        stop.record()
        return start, stop

    def median_ms(self):
        """Of one product."""
        return statistics.median(self.times) / self.launches


def in_graph(call, launches=20):
    """The same work as a CUDA graph of so many products."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            call()
    return Timed(graph.replay, launches)


def head_start(cache={}):
    """Enqueues work that nobody waits for."""
    if not cache:
        cache["x"] = torch.randn(HEAD_START_SIZE, HEAD_START_SIZE, device="cuda", dtype=torch.bfloat16)
        cache["y"] = torch.empty_like(cache["x"])
    torch.matmul(cache["x"], cache["x"], out=cache["y"])


def measure(candidates, rounds=20):
    """Fills the times of {name: Timed}: rounds in which each runs once, enqueued behind other work, so that
    the time that Python needs does not show."""
    for candidate in candidates.values():
        candidate.call()
    torch.cuda.synchronize()
    slow = set()
    for name, candidate in candidates.items():
        start, stop = candidate.record()
        torch.cuda.synchronize()
        if start.elapsed_time(stop) > SLOW_MS:
            slow.add(name)
    for index in range(rounds):
        head_start()
        events = {name: candidate.record() for name, candidate in candidates.items()
                  if name not in slow or index % 8 == 0}
        torch.cuda.synchronize()
        for name, (start, stop) in events.items():
            candidates[name].times.append(start.elapsed_time(stop))
