"""Times of a call."""

import sys
import time

import numpy as np

# Milliseconds of calls before those that are timed, and of these; and how many they are.
WARM_MS, TIMED_MS = 25, 100
FEWEST, MOST = 3, 10000

clock = time.perf_counter


def _repeated(call):
    """The times of calls on the host, in milliseconds."""
    times, total = [], 0.0
    while len(times) < FEWEST or total < WARM_MS + TIMED_MS and len(times) < MOST:
        start = clock()
        call()
        times.append((clock() - start) * 1e3)
        total += times[-1]
    return times


def _timed(times):
    """Consecutive times, without those of the calls that warm up; the last ones if all calls do."""
    total = 0.0
    for index, each in enumerate(times):
        total += each
        if total >= WARM_MS:
            return times[min(index + 1, len(times) - FEWEST):]
    return times[-FEWEST:]


def _on_device(call):
    """The times of calls on the current CUDA device, in milliseconds."""
    cuda = sys.modules["torch"].cuda

    def marked():
        events = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        events[0].record()
        call()
        events[1].record()
        return events

    first = marked()
    cuda.synchronize()
    each = max(first[0].elapsed_time(first[1]), 1e-3)
    for _ in range(min(int(WARM_MS / each), MOST)):
        call()
    marks = [marked() for _ in range(min(max(FEWEST, int(TIMED_MS / each)), MOST))]
    cuda.synchronize()
    return [start.elapsed_time(end) for start, end in marks]


def milliseconds(call, on_gpu):
    """The median time of a call, after one that compiles and some that warm up. on_gpu: whether PyTorch's current CUDA
    device runs it, whose time counts then, or the host. Raises what the call raises."""
    call()
    return float(np.median(_on_device(call) if on_gpu else _timed(_repeated(call))))
