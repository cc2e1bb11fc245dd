"""Matrix Market files, strictly: whatever the format does not allow is refused, with its line.

SciPy's reader takes `1D5` for 1 and `2,75` for 2, what follows a number for nothing, and both triangles of a symmetric
matrix for elements that add up.
"""

import re
import warnings

import numpy as np
import scipy.sparse as sparse

# Types of the numbers by the field of a Matrix Market file; entries of a pattern are ones.
FIELDS = {"real": np.float64, "double": np.float64, "integer": np.int64, "unsigned-integer": np.uint64, "pattern": None}
SYMMETRIES = ["general", "symmetric", "skew-symmetric"]
# Bytes of a line, at most: the format allows 1024.
MAX_LINE = 4096


class Lines:
    """The lines of a Matrix Market file that are neither empty nor comments, and the number of the last."""

    def __init__(self, stream, max_bytes):
        self.stream, self.max_bytes, self.number, self.size = stream, max_bytes, 0, 0

    def __iter__(self):
        while line := self.stream.readline(MAX_LINE):
            self.number += 1
            self.size += len(line)
            if len(line) == MAX_LINE:
                raise ValueError(f"expected at most {MAX_LINE} bytes, but got more")
            if self.size > self.max_bytes:
                raise ValueError(f"expected at most {self.max_bytes >> 30} GiB, but got more")
            text = line.decode("ascii").strip()
            if text and not (text.startswith("%") and self.number > 1):
                yield text


def read_banner(text):
    """The type of the numbers, and the symmetry."""
    words = text.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("expected %%MatrixMarket matrix coordinate FIELD SYMMETRY")
    _, _, form, field, symmetry = words
    if form == "array":
        raise ValueError("expected a sparse matrix (coordinate), but got a dense one (array)")
    if field == "complex":
        raise ValueError("expected real numbers, but got complex ones")
    for word, known in [(form, ["coordinate"]), (field, FIELDS), (symmetry, SYMMETRIES)]:
        if word not in known:
            raise ValueError(f"expected {' or '.join(known)}, but got '{word}'")
    return FIELDS[field], symmetry


def read_sizes(text):
    """Rows, columns and entries."""
    words = text.split()
    if len(words) != 3 or not all(word.isdigit() for word in words):
        raise ValueError("expected rows, columns and entries")
    sizes = [int(word) for word in words]
    if max(sizes) >= 1 << 63:
        raise ValueError("expected sizes of less than 2^63")
    return sizes


def check_entries(table, sizes, symmetry):
    """Why an entry cannot be, and its number, or None."""
    rows, columns, _ = sizes
    for name, size in [("row", rows), ("column", columns)]:
        if ((table[name] < 1) | (table[name] > size)).any():
            place = int(((table[name] < 1) | (table[name] > size)).argmax())
            return place, f"expected a {name} from 1 to {size}, but got {table[name][place]}"
    outside = {"general": np.zeros(len(table), bool), "symmetric": table["row"] < table["column"],
               "skew-symmetric": table["row"] <= table["column"]}[symmetry]
    if outside.any():
        place = int(outside.argmax())
        return place, (f"expected entries below the diagonal{' or on it' if symmetry == 'symmetric' else ''} of a "
                       f"{symmetry} matrix, but got row {table['row'][place]}, column {table['column'][place]}")
    return None


def parse(lines):
    kept = iter(lines)
    dtype, symmetry = read_banner(next(kept, ""))
    sizes = read_sizes(next(kept, ""))
    if symmetry != "general" and sizes[0] != sizes[1]:
        raise ValueError(f"expected as many rows as columns of a {symmetry} matrix, but got {sizes[0]} and {sizes[1]}")
    numbers = []  # Line numbers of the entries.

    def entries():
        for text in kept:
            numbers.append(lines.number)
            yield text

    fields = [("row", np.int64), ("column", np.int64), *([("value", dtype)] if dtype else [])]
    with warnings.catch_warnings(action="ignore"):  # One says that there are no entries.
        table = np.loadtxt(entries(), dtype=fields, comments=None, ndmin=1)
    if len(table) != sizes[2]:
        raise ValueError(f"expected {sizes[2]} entries, as the line of sizes says, but got {len(table)}")
    if problem := check_entries(table, sizes, symmetry):
        lines.number = numbers[problem[0]]
        raise ValueError(problem[1])
    values = table["value"] if dtype else np.ones(len(table))
    places = table["row"] - 1, table["column"] - 1
    if symmetry != "general":
        mirrored = places[0] != places[1]
        sign = -1 if symmetry == "skew-symmetric" else 1
        values = np.concatenate([values, sign * values[mirrored]])
        places = [np.concatenate([a, b[mirrored]]) for a, b in (places, places[::-1])]
    return sparse.coo_array((values, tuple(places)), shape=tuple(sizes[:2]))


def read(stream, max_bytes):
    """The coo_array of a binary stream: symmetric forms come whole, and patterns as ones.

    Raises a ValueError that names the line, also where the file is dense, complex or of more than max_bytes.
    """
    lines = Lines(stream, max_bytes)
    try:
        return parse(lines)
    except ValueError as error:
        # NumPy's own words count from the first entry.
        reason = re.sub(r" at row \d+|; use `usecols`.*|\.$", "", str(error))
        raise ValueError(f"line {lines.number}: {reason}") from None
