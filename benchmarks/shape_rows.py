"""The command line of benchmarks that have one row for each shape, on one GPU."""

import argparse
import json
from pathlib import Path

import result_files


def run(benchmark, description, arguments, shapes, small, of_small, row_of, of_sweep=None):
    """Prints the row of each shape, and writes them to --out.

    benchmark: its name in the file. small: the shapes of --small, `of_small` in words. row_of(*shape, rounds) gives a
    row, a dict; with --sweep, an option if `of_sweep` says in words what it adds, row_of(*shape, rounds, sweep=True).
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a JSON file of the results; written after each row")
    parser.add_argument("--small", action="store_true", help=of_small)
    parser.add_argument("--rounds", type=int, default=3)
    if of_sweep:
        parser.add_argument("--sweep", action="store_true", help=of_sweep)
    options = parser.parse_args(arguments)
    asked = {"sweep": True} if of_sweep and options.sweep else {}
    rows = []
    for shape in small if options.small else shapes:
        rows.append(row_of(*shape, options.rounds, **asked))
        print(json.dumps(rows[-1]), flush=True)
        result_files.write(options.out, benchmark, rows, **result_files.gpu())
