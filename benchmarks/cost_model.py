"""How far computed defaults are from the best of the candidates that sparse-tune timed, and how the cost model ranks them.

    python benchmarks/cost_model.py benchmarks/results/DATE-DEVICE-tuning.json

Needs the package's library, no GPU. For each problem of the results (benchmarks/tuning.py): `loss` is the time of the
computed default over that of the fastest candidate, `model` that of the candidate with the least estimated cycles, of
those that differ in their tiles, and `time` the estimated time of the fastest over the measured one, at the clock of the
data sheet. A default that was not among the candidates has no loss. The last lines are medians and the worst, of the
problems that the constants of the model were fitted to, every other one, and of the rest, and for each op the least, the
median and the greatest `time`.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from sattn._compiler import tuning  # noqa: E402

# The chip of the devices that results are from, and its shared memory of a thread block, in bytes.
CHIP, SHARED_BYTES = "sm_90a", 232448
MEGAHERTZ = 1830
TILE = ("tile_m", "tile_n", "tile_k", "split_k")


def read(problem):
    """(op, facts) of a problem as sparse-tune names it."""
    op, *words = problem.split()
    facts = dict(word.split("=") for word in words)
    return op, {name: float(value) if value[0].isdigit() else value for name, value in facts.items()}


def estimate(problem, parameters=()):
    """As tuning.estimate, of parameters by their names, or of the default."""
    return tuning.estimate(*read(problem), CHIP, SHARED_BYTES, tuple(f"{name}={value}" for name, value in parameters))


def compare(row):
    """{"problem", "loss", "model", "time"} of a row of results; what is not known is None."""
    trials = [(trial["parameters"], trial["ratio"]) for trial in row["trials"] if trial["ratio"] > 0]
    best = min(ratio for _, ratio in trials)
    default = {name: value for name, value in estimate(row["problem"]).items() if name not in ("cycles", "dense_ratio")}
    loss = min((ratio / best for parameters, ratio in trials if parameters == default), default=None)
    # Hints have no part in the model: of one tile, the time of the first candidate.
    tiles = {}
    for parameters, ratio in trials:
        tiles.setdefault(tuple((name, parameters[name]) for name in TILE if name in parameters), (parameters, ratio))
    estimated = [(estimate(row["problem"], tuple(parameters.items())).get("cycles"), ratio)
                 for parameters, ratio in tiles.values()]
    model = min(estimated)[1] / min(ratio for _, ratio in estimated) if all(cycles for cycles, _ in estimated) else None
    fastest = min(tiles.values(), key=lambda trial: trial[1])
    cycles = estimate(row["problem"], tuple(fastest[0].items())).get("cycles")
    time = cycles and cycles / (row["default_milliseconds"] * fastest[1] * 1e3 * MEGAHERTZ)
    return {"problem": row["problem"], "loss": loss, "model": model, "time": time, "default": default}


def summary(name, compared):
    """A line of losses, or of the model's."""
    known = [row for row in compared if row is not None]
    return f"{name}: {len(known)} problems, median {statistics.median(known):.3f}, at worst {max(known):.3f}" if known else name


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    options = parser.parse_args(arguments)
    compared = [compare(row) for row in json.loads(options.results.read_text())["rows"]]
    for row in compared:
        loss, model, time = (f"{row[name]:.3f}" if row[name] else "-" for name in ("loss", "model", "time"))
        print(f"{row['problem']}: loss {loss}, model {model}, time {time}, default {row['default']}")
    for name, part in (("fitted", compared[::2]), ("others", compared[1::2])):
        print(summary(f"{name}, loss", [row["loss"] for row in part]))
        print(summary(f"{name}, model", [row["model"] for row in part]))
    for op in sorted({row["problem"].split()[0] for row in compared}):
        times = sorted(row["time"] for row in compared if row["problem"].split()[0] == op and row["time"])
        print(f"{op}, time: {times[0]:.2f} to {times[-1]:.2f}, median {statistics.median(times):.2f}" if times else op)


if __name__ == "__main__":
    main()
