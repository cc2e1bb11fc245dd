"""Pictures of masks: text and SVG."""

import itertools

import numpy as np

# Pixels of a cell, between pictures, and above one.
CELL, GAP, TITLE = 8, 16, 18
COLORS = {"seen": "#1f5fa8", "part": "#9dc3e6", "none": "#f2f2f2"}


def _limits(grid_size, shape):
    pair = grid_size if isinstance(grid_size, (tuple, list)) else (grid_size, grid_size)
    return [size if most == -1 else max(1, int(most)) for most, size in zip(pair, shape)]


def _cells(seen, full, most):
    """"seen", "part" or "none" for each cell of a grid of at most these sizes."""
    rows, columns = seen.shape
    high, wide = (max(1, -(-size // limit)) for size, limit in zip((rows, columns), most))
    cells = []
    for row in range(0, rows, high):
        line = []
        for column in range(0, columns, wide):
            place = slice(row, row + high), slice(column, column + wide)
            line.append("seen" if full[place].all() else "part" if seen[place].any() else "none")
        cells.append(line)
    return cells


def _parts(seen, full, grid_size, limit):
    """(index, cells) of up to `limit` batches and heads."""
    most = _limits(grid_size, seen.shape[-2:])
    for index in itertools.islice(itertools.product(*map(range, seen.shape[:-2])), limit):
        yield index, _cells(seen[index], full[index], most)


def text(seen, full, grid_size, limit):
    """seen, full: whether blocks (*, rows, columns) are seen, and wholly."""
    characters = {"seen": "██", "part": "░░", "none": "  "}
    pictures = [f"{index}\n" + "\n".join("".join(characters[cell] for cell in line) for line in cells) + "\n"
                for index, cells in _parts(seen, full, grid_size, limit)]
    if np.prod(seen.shape[:-2]) > limit:
        pictures.append("...\nTo print more, use BlockMask.to_string(limit=N), or index the mask by batch and head.")
    return "\n".join(pictures)


def svg(seen, full, title, limit=4):
    """The same as a picture, for a notebook."""
    parts = list(_parts(seen, full, (64, 64), limit))
    height = max((len(cells) for _, cells in parts), default=0) * CELL
    lines, left = [], 0
    for index, cells in parts:
        lines.append(f'<text x="{left}" y="{2 * TITLE - 6}" font-size="11">{", ".join(map(str, index))}</text>')
        for row, line in enumerate(cells):
            for column, cell in enumerate(line):
                lines.append(f'<rect x="{left + column * CELL}" y="{2 * TITLE + row * CELL}" width="{CELL}" '
                             f'height="{CELL}" fill="{COLORS[cell]}"/>')
        left += max(map(len, cells), default=0) * CELL + GAP
    width = max(left, 8 * len(title))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{2 * TITLE + height}" '
            'font-family="sans-serif">'
            f'<text x="0" y="{TITLE - 6}" font-size="12">{title}</text>{"".join(lines)}</svg>')
