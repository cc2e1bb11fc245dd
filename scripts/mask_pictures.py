"""The pictures of docs/guides/MaskGallery.md, of the masks in the page's own Python: docs/guides/masks/*.svg.

    python3 scripts/mask_pictures.py [--check]

Needs matplotlib and the package sattn. --check writes nothing and fails if a picture is stale.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

import plots
from plots import LIGHT

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "MaskGallery.md"
FOLDER = PAGE.parent / "masks"
# Colours of visible elements: of full blocks, and of others.
FULL, PARTIAL = LIGHT["blue"], LIGHT["orange"]


def namespace():
    """The names that the page's Python defines."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    names = {}
    exec(compile("\n".join(blocks), str(PAGE), "exec"), names)
    return names


def kinds(mask):
    """1 for each block of a mask's first batch and head with some visible elements, 2 for a full one, else 0."""
    found = np.zeros([-(-length // size) for length, size in zip(mask.seq_lengths, mask.BLOCK_SIZE)], int)
    for kind, counts, lists in ((1, mask.kv_num_blocks, mask.kv_indices),
                                (2, mask.full_kv_num_blocks, mask.full_kv_indices)):
        for row, count in enumerate(counts[0, 0]):
            found[row, lists[0, 0, row, :count]] = kind
    return found


def outline(rectangles):
    """One path of rectangles (x, y, width, height)."""
    points = [(x + right * width, y + down * height) for x, y, width, height in rectangles
              for right, down in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY] * len(rectangles)
    return Outline(points, codes)


def runs(row):
    """(begin, length) of the runs of true elements."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(int)))
    return [(begin, end - begin) for begin, end in zip(edges[::2], edges[1::2])]


def picture(name, visible, mask):
    """The SVG of the visible elements of a mask, (queries, keys), whose full blocks have a colour of their own."""
    found, (rows, columns) = kinds(mask), mask.BLOCK_SIZE
    is_full, is_empty = (np.kron(found == kind, np.ones((rows, columns), bool))[:visible.shape[0], :visible.shape[1]]
                         for kind in (2, 0))
    assert not (visible & is_empty).any()
    with rc_context(plots.STYLE):
        figure = Figure((4.8, 4.8), facecolor=LIGHT["panel"])
        axes = figure.add_axes((0.1, 0.04, 0.86, 0.86))
        axes.set(xlim=(0, visible.shape[1]), ylim=(visible.shape[0], 0), xticks=[], yticks=[], facecolor="none")
        axes.set_xlabel("keys")
        axes.xaxis.set_label_position("top")
        axes.set_ylabel("queries")
        for spine in axes.spines.values():
            spine.set_color(LIGHT["grey"])
        for colour, shown in ((FULL, is_full), (PARTIAL, visible & ~is_full)):
            rectangles = [(begin, y, length, 1) for y, row in enumerate(shown) for begin, length in runs(row)]
            if rectangles:
                axes.add_patch(PathPatch(outline(rectangles), facecolor=colour, linewidth=0))
        lines = [[(0, y), (visible.shape[1], y)] for y in range(rows, visible.shape[0], rows)]
        lines += [[(x, 0), (x, visible.shape[0])] for x in range(columns, visible.shape[1], columns)]
        grid = Outline(np.concatenate(lines), [Outline.MOVETO, Outline.LINETO] * len(lines))
        axes.add_patch(PathPatch(grid, fill=False, edgecolor=LIGHT["grid"], linewidth=0.8))
    return plots.svg(figure, f"{name}: the visible keys of each query; full blocks are blue, elements of others orange")


def pictures():
    """{path: text} of all pictures."""
    names = namespace()
    length = names["S"]
    query, key = np.arange(length)[:, None], np.arange(length)
    return {FOLDER / f"{name.lower().replace(' ', '-')}.svg":
            picture(name, np.broadcast_to(mask_mod(0, 0, query, key), (length, length)), names["masks"][name])
            for name, mask_mod in names["gallery"].items()}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a picture is stale")
    options = parser.parse_args(arguments)
    wanted = pictures()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    stale += [path for path in FOLDER.glob("*.svg") if path not in wanted]
    if options.check:
        for path in stale:
            print(f"mask_pictures: error: {path.name} is stale; run scripts/mask_pictures.py", file=sys.stderr)
        return bool(stale)
    FOLDER.mkdir(exist_ok=True)
    for path in stale:
        path.unlink(missing_ok=True)
        if path in wanted:
            path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
