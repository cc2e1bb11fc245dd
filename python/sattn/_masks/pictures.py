"""Draws masks as text and as SVG."""

import itertools

import numpy as np

# Pixels of a cell, between pictures, and above one.
CELL, GAP, TITLE = 8, 16, 18
COLORS = {"full": "#1f5fa8", "partial": "#9dc3e6", "empty": "#f2f2f2"}


def _limits(grid_size, shape):
    pair = grid_size if isinstance(grid_size, (tuple, list)) else (grid_size, grid_size)
    return [size if most == -1 else max(1, int(most)) for most, size in zip(pair, shape)]


def _downsampled(visible, full, most):
    """Rows of cells, "full", "partial" or "empty" each, of a grid of blocks that is reduced to at most these sizes."""
    rows, columns = visible.shape
    high, wide = (max(1, -(-size // limit)) for size, limit in zip((rows, columns), most))
    cells = []
    for row in range(0, rows, high):
        line = []
        for column in range(0, columns, wide):
            place = slice(row, row + high), slice(column, column + wide)
            line.append("full" if full[place].all() else "partial" if visible[place].any() else "empty")
        cells.append(line)
    return cells


def _downsampled_heads(visible, full, grid_size, limit):
    """(index, cells) for each of up to `limit` batches and heads."""
    most = _limits(grid_size, visible.shape[-2:])
    for index in itertools.islice(itertools.product(*map(range, visible.shape[:-2])), limit):
        yield index, _downsampled(visible[index], full[index], most)


def text(visible, full, grid_size, limit):
    """The mask as text. visible, full: whether each block (*, rows, columns) has a visible element, and only such."""
    characters = {"full": "██", "partial": "░░", "empty": "  "}
    pictures = [f"{index}\n" + "\n".join("".join(characters[cell] for cell in line) for line in cells) + "\n"
                for index, cells in _downsampled_heads(visible, full, grid_size, limit)]
    if np.prod(visible.shape[:-2]) > limit:
        pictures.append("...\nTo print more, use BlockMask.to_string(limit=N), or index the mask by batch and head.")
    return "\n".join(pictures)


def svg(visible, full, title, limit=4):
    """The mask as SVG, for a notebook; arguments as for `text`."""
    parts = list(_downsampled_heads(visible, full, (64, 64), limit))
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
