"""python/sattn/__init__.pyi: its declarations of operations, which are those of their specs
(python/sattn/_ops/spec.py)."""

import importlib
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "sattn"
STUB = PACKAGE / "__init__.pyi"
BEGIN, END = "# Operations, of their specs (scripts/stubs.py).\n", "# End of operations.\n"
WIDTH = 120


def wrapped(declaration):
    """A declaration in lines of at most WIDTH columns where it has places to break, which are between parameters."""
    start = declaration.index("(") + 1
    pieces, depth, last = [], 0, 0
    for place, letter in enumerate(declaration):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 1:
            pieces.append(declaration[last:place + 1])
            last = place + 2
    lines = [""]
    for piece in [*pieces, declaration[last:]]:
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(" " * start + piece)
        else:
            lines[-1] += f" {piece}" if lines[-1] else piece
    return "\n".join(lines)


def text(package=PACKAGE):
    """The stub's text for a package at this place, which is imported."""
    sys.path.insert(0, str(package.parent))
    try:
        specs = importlib.import_module("sattn._ops.spec").SPECS
    finally:
        sys.path.remove(str(package.parent))
    head, _, rest = (package / "__init__.pyi").read_text().partition(BEGIN)
    declarations = "".join(f"{wrapped(specs[name].stub())}\n" for name in sorted(specs))
    return head + BEGIN + declarations + END + rest.partition(END)[2]
