"""Calls of the package on the CPU with arguments that were broken at random: nothing but an exception may come of it.

    ./dev run python test/python/bad_arguments.py [--seeds N] [--first SEED] [--torch]

(with --torch of PyTorch's tensors) prints how often which outcome occurred, and ends with
an error at any but a result, TypeError, ValueError and NotImplementedError. A call that ends the process is that of the seed named last in the file --log.
"""

import argparse
import collections
import sys
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

ELEMENTS = [np.float32, np.float16, np.dtype(ml_dtypes.bfloat16)]
EXPECTED = (TypeError, ValueError, NotImplementedError)
BLOCKS = [(8, 8), (24, 16)]

# Functions that break an array, given that, all arguments by name, and a generator.
BREAKS = {
    "a value": lambda a, _, rng: set_one(a, rng.choice([-1, 99, 2**31 - 1, -2**31]), rng),
    "one less": lambda a, _, rng: a.take(range(max(0, a.shape[(axis := rng.integers(a.ndim))] - 1)), axis),
    "twice": lambda a, _, rng: np.concatenate([a, a], rng.integers(a.ndim)),
    "a type": lambda a, _, rng: a.astype(rng.choice([np.float64, np.int8, np.int32, np.uint16, np.complex64, bool])),
    "objects": lambda a, _, rng: a.astype(object),
    "a dimension more": lambda a, _, rng: a[None],
    "a dimension less": lambda a, _, rng: a[0],
    "backwards": lambda a, _, rng: a[..., ::-1],
    "broadcast": lambda a, _, rng: np.broadcast_to(a[..., :1], a.shape),
    "all in one place": lambda a, _, rng: np.lib.stride_tricks.as_strided(a, a.shape, (0,) * a.ndim),
    "transposed": lambda a, _, rng: a.swapaxes(-1, -2),
    "read-only": lambda a, _, rng: np.broadcast_to(a.copy(), a.shape),
    "misaligned": lambda a, _, rng: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "no array": lambda a, _, rng: [None, 3, "x", [1, 2], np.array(5.0, np.float32), a.tolist()][rng.integers(6)],
    "masked": lambda a, _, rng: np.ma.masked_array(a),
    "big-endian": lambda a, _, rng: a.astype(a.dtype.newbyteorder(">")),
    "a field of records": lambda a, _, rng: field_of_records(a),
    "another": lambda a, others, rng: others[rng.choice(sorted(others))],
}


def set_one(array, value, rng):
    array = array.copy()
    array.flat[rng.integers(array.size)] = value
    return array


def field_of_records(array):
    """The same numbers, a byte further apart each."""
    records = np.zeros(array.shape, np.dtype({"names": ["x"], "formats": [array.dtype], "offsets": [0],
                                              "itemsize": array.itemsize + 1}))
    records["x"] = array
    return records["x"]


def arguments(rng):
    """Arrays of a product that fit, by name."""
    height, width = BLOCKS[rng.integers(len(BLOCKS))]
    rows, columns, n = rng.integers(0, 5), rng.integers(0, 5), rng.choice([0, 1, 8, 33])
    element, index = ELEMENTS[rng.integers(len(ELEMENTS))], rng.choice([np.int32, np.int64])
    batch = (rng.integers(0, 4),) if rng.random() < 0.3 else ()
    crow = np.concatenate([[0], np.cumsum(rng.integers(0, columns + 1, rows))]).astype(index)
    stored = int(crow[-1])

    def random(*shape):
        return rng.standard_normal(shape).astype(element)

    arrays = {"crow": crow, "col": rng.integers(0, max(columns, 1), stored).astype(index),
              "values": random(stored, height, width), "dense": random(*batch, columns * width, n),
              "input": random(*batch, rows * height, n)}
    if rng.random() < 0.5:
        arrays["out"] = random(*batch, rows * height, n)
    if rng.random() < 0.3:
        arrays["left_alpha"] = random(rows * height)
    if rng.random() < 0.3:
        arrays["right_alpha"] = random(n)
    return arrays


def options(rng):
    chosen = {}
    for name, values in {"beta": [0, 1, 0.5, np.nan, None, "a", 1j, np.array(2.0), np.ones(2)],
                         "alpha": [0, -2, np.inf, np.float32(2), [], np.ma.masked, np.array(3)],
                         "precision": ["ieee", "tf32", "x", 5], "check": [True, None],
                         "meta": [{}, {"tile": (1, 2, 3)}, {"x": 1}, 5, {"tile": (0, 0, 0)}, {"tile": (1 << 40, 8, 8)},
                                  {"SPLIT_N": 3}, {"group": 2}, {"raster_group": -1}]}.items():
        if rng.random() < 0.2:
            chosen[name] = values[rng.integers(len(values))]
    return chosen


def call(sattn, seed, convert=None):
    """Breaks up to two arguments and makes a call, sometimes of a prepared operand. convert(arrays, rng) gives other
    arrays for those by name."""
    rng = np.random.default_rng(seed)
    arrays = arguments(rng)
    for _ in range(rng.integers(0, 3)):
        name = rng.choice(sorted(arrays))
        try:
            arrays[name] = BREAKS[rng.choice(sorted(BREAKS))](arrays[name], arrays, rng)
        except (AttributeError, IndexError, OverflowError, TypeError, ValueError):
            pass  # An array that cannot be broken so stays as it is.
    if convert:
        arrays = convert(arrays, rng)
    bsr = tuple(arrays.pop(name) for name in ("crow", "col", "values"))
    if "shape" in arrays:
        bsr = arrays.pop("shape")(*bsr)
    if rng.random() < 0.2:
        bsr = sattn.prepare(bsr)
    sattn.bsr_dense_addmm(arrays.pop("input"), bsr, arrays.pop("dense"), **arrays, **options(rng))


def run(sattn, seeds, log=None, convert=None):
    """{outcome: how often}."""
    outcomes = collections.Counter()
    for seed in seeds:
        if log:
            log.write_text(f"{seed}\n")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(sattn, seed, convert)
            outcomes["a result"] += 1
        except EXPECTED as error:
            outcomes[type(error).__name__] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=250, help="how many calls (default 250)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--log", type=Path, help="file for the seed of the call that is made")
    parser.add_argument("--torch", action="store_true", help="calls with PyTorch's tensors")
    options = parser.parse_args()
    import sattn

    convert = None
    if options.torch:
        from bad_tensors import convert
    seeds = range(options.first, options.first + options.seeds)
    for outcome, count in run(sattn, seeds, options.log, convert).most_common():
        print(f"{outcome:20} {count}")


if __name__ == "__main__":
    main()
