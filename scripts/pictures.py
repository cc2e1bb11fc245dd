"""Draws the pictures of README: a block-sparse product, and the levels of a program.

    python3 scripts/pictures.py product|levels [light|dark] > picture.svg
"""

import sys

import svg

# Block columns of the stored blocks of each block row.
STORED = [[0, 3], [1, 2, 5], [], [0, 4, 5, 6], [3], [2, 6]]
COLUMNS, CELL, WIDE, SHOWN = 7, 30, 42, 3


def grid(x, y, rows, columns, filled, width=CELL):
    """Cells, in the colours of `filled` {(row, column): name}, the others empty."""
    return [svg.rect(x + c * width + 1, y + r * CELL + 1, width - 2, CELL - 2, filled.get((r, c), "empty grid-line"), 3)
            for r in range(rows) for c in range(columns)]


def array(x, y, name, values, marked):
    """A named row of cells with numbers, those of the range `marked` in the colour of the block row that is shown."""
    parts = [svg.text(x, y + 16, name, "text mono")]
    for place, value in enumerate(values):
        left = x + 52 + place * 34
        parts += [svg.rect(left, y, 32, 22, "blue" if place in marked else "pale-blue", 3),
                  svg.text(left + 16, y + 15, str(value), "panel mono" if place in marked else "text mono", "middle")]
    return parts


def product(dark=None):
    """C = A b, with one block row, and the output tile that it gives, in stronger colours; and A's three arrays."""
    left, top = 28, 52
    rows = len(STORED)
    stored = {(r, c): "blue" if r == SHOWN else "pale-blue" for r, row in enumerate(STORED) for c in row}
    used = {(k, c): "orange" if c == 1 else "pale-orange" for k in STORED[SHOWN] for c in range(3)}
    tile = {(r, c): "green" if (r, c) == (SHOWN, 1) else "pale-green" for r in range(rows) for c in range(3)}
    b = left + COLUMNS * CELL + 46
    c = b + 3 * WIDE + 46
    middle = top + COLUMNS * CELL / 2
    parts = [svg.text(left, 30, "A: M x K, blocks of BM x BK", "text strong"),
             svg.text(b, 30, "b: K x N, dense", "text strong"), svg.text(c, 30, "A b", "text strong"),
             *grid(left, top, rows, COLUMNS, stored), *grid(b, top, COLUMNS, 3, used, WIDE),
             *grid(c, top, rows, 3, tile, WIDE),
             svg.text(b - 23, middle, "x", "muted", "middle"), svg.text(c - 23, middle, "=", "muted", "middle")]
    words = c + 3 * WIDE + 34
    for place, (head, body) in enumerate([
            ("One output tile", ["sums the stored blocks of its", "block row, each times the",
                                 "rows of b that it meets."]),
            ("What is not stored", ["is neither read nor multiplied:",
                                      f"{sum(map(len, STORED))} of {rows * COLUMNS} blocks do work."])]):
        at = top + 14 + place * 96
        parts.append(svg.text(words, at, head, "text strong"))
        parts += [svg.text(words, at + 20 * (1 + row), line, "muted") for row, line in enumerate(body)]
    crow = [sum(map(len, STORED[:r])) for r in range(rows + 1)]
    col = [column for row in STORED for column in row]
    marked = range(crow[SHOWN], crow[SHOWN + 1])
    below = top + COLUMNS * CELL + 26
    parts += array(left, below, "crow", crow, range(SHOWN, SHOWN + 2))
    parts += array(left, below + 30, "col", col, marked)
    parts += array(left, below + 60, "values", ["■"] * len(col), marked)
    notes = left + 52 + len(col) * 34 + 18
    for row, note in enumerate(["where each block row begins", "block column of each stored block",
                                "its BM x BK elements, row by row"]):
        parts.append(svg.text(notes, below + 15 + 30 * row, note, "muted"))
    return svg.document(860, below + 106, "A block-sparse product and the three arrays of BSR", parts, dark)


# Title, what the level says, a line of its IR, colour.
SHARED = [
    ("sattn", "what to compute, on tensors", "sattn.bsr_addmm ins(%crow, %col, %values, %b)", "pale-blue"),
    ("scf + linalg", "one output tile, a loop over its stored blocks", "scf.forall { scf.for { linalg.matmul } }",
     "pale-blue"),
]
GPU = [
    ("wgtile", "the sequential program of one CTA", "wgtile.load, wgtile.mma, wgtile.store", "pale-green"),
    ("wgtile, scheduled", "producer and consumers around a ring of stages", "TMA, wgmma, barriers: placed and verified",
     "pale-green"),
    ("nvvm, llvm", "one thread", "nvvm.wgmma.mma_async", "pale-green"),
    ("PTX, cubin", "and a manifest for the host", "run by SAttnRuntime", "green"),
]
CPU = [
    ("linalg, tiled again", "packed panels, register tiles", "sattn-cpu-pack-panels", "pale-orange"),
    ("vector", "vector registers of this machine", "vector.contract", "pale-orange"),
    ("omp, llvm", "tiles over the cores", "omp.parallel", "pale-orange"),
    ("machine code", "by LLVM's JIT, in the process", "called with the arrays", "orange"),
]


BOX = 68


def box(x, y, width, level):
    title, says, code, colour = level
    strong = colour in ("green", "orange")
    return [svg.rect(x, y, width, BOX, colour, 6),
            svg.text(x + 14, y + 22, title, ("panel" if strong else "text") + " strong"),
            svg.text(x + 14, y + 40, says, ("panel" if strong else "text") + " small"),
            svg.text(x + 14, y + 57, code, ("panel" if strong else "text") + " mono")]


def levels(dark=None):
    """The levels of a program from top to bottom, the GPU's and the CPU's beside each other."""
    wide, half, gap, left, top = 804, 390, 26, 28, 28
    step = BOX + gap
    parts = []
    for place, level in enumerate(SHARED):
        parts += box(left, top + place * step, wide, level)
        if place:
            middle, y = left + wide / 2, top + place * step
            parts.append(svg.arrow([(middle, y - gap + 2), (middle, y - 2)], "muted"))
    names = [("sattn-tile", left + wide / 2 + 12, top + step - gap / 2 + 4)]
    for x, branch, word in [(left, GPU, "GPU: sattn-to-ptx"), (left + wide - half, CPU, "CPU: sattn-to-cpu")]:
        for place, level in enumerate(branch):
            y = top + (len(SHARED) + place) * step
            parts += box(x, y, half, level)
            parts.append(svg.arrow([(x + half / 2, y - gap + 2), (x + half / 2, y - 2)], "muted"))
            if not place:
                names.append((word, x + half / 2 + 12, y - gap / 2 + 4))
    parts += [svg.text(x, y, word, "muted mono") for word, x, y in names]
    height = top + (len(SHARED) + len(GPU)) * step - gap + top
    return svg.document(860, height, "The levels of a program, from sattn to PTX and to machine code", parts, dark)


PICTURES = {"product": product, "levels": levels}


def main(arguments):
    modes = {(): None, ("light",): False, ("dark",): True}
    if not arguments or arguments[0] not in PICTURES or tuple(arguments[1:]) not in modes:
        print(__doc__, file=sys.stderr)
        return 2
    print(PICTURES[arguments[0]](modes[tuple(arguments[1:])]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
