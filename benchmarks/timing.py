"""Times of GPU work, measured in turns so that a drifting clock meets all alike.

The card is limited by its power, and its clock follows what ran in the last tens of milliseconds. Every turn begins
with the same heavy work, so that no candidate finds a card that a light one before it let cool down; then the
candidate runs back to back, first untimed.
"""

import math
import statistics
import subprocess
import time

import torch

# A turn: the heavy work, then the candidate, untimed and timed; and the most launches of a candidate.
HEAT_MS, WARM_MS, TIMED_MS, MOST_LAUNCHES = 60.0, 10.0, 20.0, 100
# The heavy work: dense products of this size, about 1.5 ms each.
HEAVY_SIZE, HEAVY_MS = 8192, 1.5


class Timed:
    """One candidate: enqueues its work on the current stream, `launches` products a call."""

    def __init__(self, call, launches=1):
        self.call, self.launches, self.times = call, launches, []
        # The median of each round's times.
        self.rounds = []

    def record(self):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        self.call()
        stop.record()
        return start, stop

    def median_ms(self):
        """The median time of one product, in milliseconds."""
        return statistics.median(self.times) / self.launches


def in_graph(call, launches=20):
    """The same work as a CUDA graph of so many products. It keeps `call`, which holds what the graph reads."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            call()
    timed = Timed(graph.replay, launches)
    timed.captured = call
    return timed


def head_start(products=1, cache={}):
    """Enqueues work that nobody waits for."""
    if not cache:
        cache["x"] = torch.randn(HEAVY_SIZE, HEAVY_SIZE, device="cuda", dtype=torch.bfloat16)
        cache["y"] = torch.empty_like(cache["x"])
    for _ in range(products):
        torch.matmul(cache["x"], cache["x"], out=cache["y"])


def launches_in(duration_ms, one_ms):
    return min(max(math.ceil(duration_ms / one_ms), 1), MOST_LAUNCHES)


def measure(candidates, rounds=3):
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
            head_start(round(HEAT_MS / HEAVY_MS))
            for _ in range(launches_in(WARM_MS, once[name])):
                candidate.call()
            events = [candidate.record() for _ in range(launches_in(TIMED_MS, once[name]))]
            torch.cuda.synchronize()
            times = [start.elapsed_time(stop) for start, stop in events]
            candidate.times += times
            candidate.rounds.append(statistics.median(times))


def read_power(call, seconds):
    """(MHz, W) while `call` runs back to back, means of the second half; None where nvidia-smi says nothing."""
    query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits", "-lms", "50"]
    with subprocess.Popen(query, stdout=subprocess.PIPE, text=True) as sampler:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(20):
                call()
            torch.cuda.synchronize()
        sampler.terminate()
        samples = [tuple(map(float, line.split(","))) for line in sampler.stdout.read().splitlines()
                   if line.count(",") == 1]
    samples = samples[len(samples) // 2:]
    if not samples:
        return None, None
    return tuple(statistics.mean(values) for values in zip(*samples))
