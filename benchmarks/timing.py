"""Times of GPU work, measured in turns so that a drifting clock meets all alike.

The card is limited by its power: within milliseconds its clock follows what runs. In a turn a candidate runs back
to back, first until the clock is its own, then timed; a single launch would be timed at the clock that the candidate
before it left.
"""

import math
import statistics

import torch

# A candidate's turn, untimed and timed, and the most launches of it.
WARM_MS, TIMED_MS, MOST_LAUNCHES = 10.0, 20.0, 100
# Dense products of this size keep the device busy, and warm, at the start of a turn until the host has enqueued some
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


def launches_in(duration_ms, one_ms):
    return min(max(math.ceil(duration_ms / one_ms), 1), MOST_LAUNCHES)


def measure(candidates, rounds=5):
    """Fills the times of {name: Timed}: rounds in which each has one turn, enqueued behind other work, so that the
    time that Python needs does not show. What takes longer than a turn is run once, after one untimed launch."""
    once = {}
    for name, candidate in candidates.items():
        candidate.call()
        torch.cuda.synchronize()
        start, stop = candidate.record()
        torch.cuda.synchronize()
        once[name] = start.elapsed_time(stop)
    for _ in range(rounds):
        for name, candidate in candidates.items():
            head_start()
            for _ in range(launches_in(WARM_MS, once[name])):
                candidate.call()
            events = [candidate.record() for _ in range(launches_in(TIMED_MS, once[name]))]
            torch.cuda.synchronize()
            candidate.times += [start.elapsed_time(stop) for start, stop in events]
