"""Panels of grouped bars side by side, over one scale: times faster than something, which is a line at 1."""

import math

import svg

WIDTH, TOP, BOTTOM, LEFT, RIGHT = 860, 92, 300, 48, 20
GAP = 26


def legend(series, line):
    """A row of the colours' names, and of the line's. series: {name: (title, colour)}."""
    parts, x = [], LEFT
    for title, colour in series.values():
        parts += [svg.rect(x, 54, 11, 11, colour, 2), svg.text(x + 17, 64, title, "muted small")]
        x += 17 + 8 * len(title) + 14
    return [*parts, svg.line(x, 60, x + 16, 60, "text-line", 1.5), svg.text(x + 22, 64, line, "muted small")]


def draw(panels, series, labelled):
    """The elements of {panel's title: {group's title: {name: value}}}. series: as of `legend`; labelled(values): the
    name whose value stands above its bar."""
    every = [values for groups in panels.values() for values in groups.values()]
    most = max(values[name] for values in every for name in series if name in values)
    step = 1 if most <= 5 else 2
    high = step * math.ceil(1.05 * most / step)

    def y(value):
        return BOTTOM - value / high * (BOTTOM - TOP)

    parts = []
    for tick in range(0, high + 1, step):
        parts += [svg.line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "grid-line"),
                  svg.text(LEFT - 8, y(tick) + 4, str(tick), "muted small", "end")]
    panel = (WIDTH - LEFT - RIGHT - GAP * len(panels)) / len(panels)
    for place, (title, groups) in enumerate(panels.items()):
        left = LEFT + GAP / 2 + place * (panel + GAP)
        group = panel / len(groups)
        bar = (group - 12) / len(series)
        for column, (words, values) in enumerate(groups.items()):
            start = left + column * group + 6
            for index, (name, (tip, colour)) in enumerate(series.items()):
                if name not in values:
                    continue
                top = y(values[name])
                parts.append(svg.rect(start + index * bar, top, bar - 1.5, BOTTOM - top, colour, 1,
                                      f"{tip}: {values[name]:.2f}"))
            name = labelled(values)
            label = y(values[name]) - 6
            if label - 12 < y(1) < y(values[name]):  # The line would cross it.
                label = y(1) - 6
            middle = start + (list(series).index(name) + 0.5) * bar
            parts += [svg.text(middle, label, f"{values[name]:.1f}", "text small strong", "middle"),
                      svg.text(start + (group - 12) / 2, BOTTOM + 18, words, "muted small", "middle")]
        parts.append(svg.text(left + panel / 2, BOTTOM + 38, title, "text small", "middle"))
    return [*parts, svg.line(LEFT, y(1), WIDTH - RIGHT, y(1), "text-line", 1.5)]
