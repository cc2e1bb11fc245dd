"""The drawings of README: a block-sparse product, and the levels of a program."""

import plots
from matplotlib.patches import BoxStyle, FancyBboxPatch

# Block columns of the stored blocks of each block row.
STORED = [[0, 3], [1, 2, 5], [], [0, 4, 5, 6], [3], [2, 6]]
COLUMNS, CELL, WIDE, SHOWN = 7, 30, 42, 3
CODE = {"family": "DejaVu Sans Mono", "size": 12}


def rect(axes, x, y, width, height, colour, radius=0, edge=None):
    """A box with rounded corners; radius in pixels."""
    style = BoxStyle.Round(pad=radius, rounding_size=radius) if radius else BoxStyle.Square(pad=0)
    axes.add_patch(FancyBboxPatch((x + radius, y + radius), width - 2 * radius, height - 2 * radius, boxstyle=style,
                                  facecolor=plots.LIGHT[colour], edgecolor=plots.LIGHT[edge] if edge else "none"))


def words(axes, x, y, text, colour="text", **style):
    """Text with the left end of its base line at (x, y)."""
    axes.text(x, y, text, color=plots.LIGHT[colour], **{"size": 13, **style})


def grid(axes, x, y, rows, columns, filled, width=CELL):
    """Cells, in the colours of `filled` {(row, column): name}, the others empty."""
    for r in range(rows):
        for c in range(columns):
            colour = filled.get((r, c))
            rect(axes, x + c * width + 1, y + r * CELL + 1, width - 2, CELL - 2, colour or "empty", 3,
                 None if colour else "grid")


def array(axes, x, y, name, values, marked):
    """A named row of cells with numbers, those of the range `marked` in the colour of the block row that is shown."""
    words(axes, x, y + 16, name, **CODE)
    for place, value in enumerate(values):
        left = x + 52 + place * 34
        rect(axes, left, y, 32, 22, "blue" if place in marked else "pale-blue", 3)
        words(axes, left + 16, y + 15, str(value), "panel" if place in marked else "text", ha="center", **CODE)


def product():
    """The figure of C = A b and of A's three arrays; one block row and its output tile have stronger colours."""
    left, top = 28, 52
    rows = len(STORED)
    stored = {(r, c): "blue" if r == SHOWN else "pale-blue" for r, row in enumerate(STORED) for c in row}
    used = {(k, c): "orange" if c == 1 else "pale-orange" for k in STORED[SHOWN] for c in range(3)}
    tile = {(r, c): "green" if (r, c) == (SHOWN, 1) else "pale-green" for r in range(rows) for c in range(3)}
    b = left + COLUMNS * CELL + 46
    c = b + 3 * WIDE + 46
    middle = top + COLUMNS * CELL / 2
    below = top + COLUMNS * CELL + 26
    made = plots.figure(below + 106)
    axes = plots.pixels(made)
    for x, title in [(left, "A: M x K, blocks of BM x BK"), (b, "b: K x N, dense"), (c, "A b")]:
        words(axes, x, 30, title, weight="bold")
    grid(axes, left, top, rows, COLUMNS, stored)
    grid(axes, b, top, COLUMNS, 3, used, WIDE)
    grid(axes, c, top, rows, 3, tile, WIDE)
    words(axes, b - 23, middle, "x", "muted", ha="center")
    words(axes, c - 23, middle, "=", "muted", ha="center")
    for place, (head, body) in enumerate([
            ("One output tile", ["sums the stored blocks of its", "block row, each times the",
                                 "rows of b that it meets."]),
            ("Blocks that are not stored", ["are neither read nor multiplied:",
                                            f"{sum(map(len, STORED))} of {rows * COLUMNS} blocks do work."])]):
        at = top + 14 + place * 96
        words(axes, c + 3 * WIDE + 34, at, head, weight="bold")
        for row, line in enumerate(body):
            words(axes, c + 3 * WIDE + 34, at + 20 * (1 + row), line, "muted")
    crow = [sum(map(len, STORED[:r])) for r in range(rows + 1)]
    col = [column for row in STORED for column in row]
    marked = range(crow[SHOWN], crow[SHOWN + 1])
    array(axes, left, below, "crow", crow, range(SHOWN, SHOWN + 2))
    array(axes, left, below + 30, "col", col, marked)
    array(axes, left, below + 60, "values", ["■"] * len(col), marked)
    for row, note in enumerate(["where each block row begins", "block column of each stored block",
                                "its BM x BK elements, row by row"]):
        words(axes, left + 52 + len(col) * 34 + 18, below + 15 + 30 * row, note, "muted")
    return made


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


def box(axes, x, y, width, level):
    title, says, code, colour = level
    ink = "panel" if colour in ("green", "orange") else "text"
    rect(axes, x, y, width, BOX, colour, 6)
    words(axes, x + 14, y + 22, title, ink, weight="bold")
    words(axes, x + 14, y + 40, says, ink, size=12)
    words(axes, x + 14, y + 57, code, ink, **CODE)


def arrow(axes, x, y, end):
    axes.annotate("", (x, end), (x, y), arrowprops={"arrowstyle": "-|>", "color": plots.LIGHT["muted"], "shrinkA": 0,
                                                    "shrinkB": 0})


def levels():
    """The figure of the levels of a program from top to bottom, the GPU's and the CPU's beside each other."""
    wide, half, gap, left, top = 804, 390, 26, 28, 28
    step = BOX + gap
    made = plots.figure(top + (len(SHARED) + len(GPU)) * step - gap + top)
    axes = plots.pixels(made)
    for place, level in enumerate(SHARED):
        y = top + place * step
        box(axes, left, y, wide, level)
        if place:
            arrow(axes, left + wide / 2, y - gap + 2, y - 2)
            words(axes, left + wide / 2 + 12, y - gap / 2 + 4, "sattn-tile", "muted", **CODE)
    for x, branch, name in [(left, GPU, "GPU: sattn-to-ptx"), (left + wide - half, CPU, "CPU: sattn-to-cpu")]:
        for place, level in enumerate(branch):
            y = top + (len(SHARED) + place) * step
            box(axes, x, y, half, level)
            arrow(axes, x + half / 2, y - gap + 2, y - 2)
            if not place:
                words(axes, x + half / 2 + 12, y - gap / 2 + 4, name, "muted", **CODE)
    return made


# Each picture's figure, and what it shows in words.
PICTURES = {"product": (product, "A block-sparse product and the three arrays of BSR"),
            "levels": (levels, "The levels of a program, from sattn to PTX and to machine code")}
