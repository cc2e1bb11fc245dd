"""Colours in light and in dark mode, bars, and the text as SVG, for all pictures of the documentation."""

import io
from xml.sax.saxutils import quoteattr

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

# Name: (light, dark). The background is opaque, for a page may be dark where the reader's system is not.
COLOURS = {
    "panel": ("#ffffff", "#0d1117"), "frame": ("#d1d9e0", "#3d444d"), "text": ("#1f2328", "#f0f6fc"),
    "muted": ("#59636e", "#9198a1"), "grid": ("#e6eaef", "#262c36"), "empty": ("#f6f8fa", "#161b22"),
    "blue": ("#0969da", "#4493f8"), "pale-blue": ("#a7cdf7", "#1f4a80"), "orange": ("#e16f24", "#f0883e"),
    "pale-orange": ("#f7c9a3", "#7a4413"), "green": ("#1a7f37", "#3fb950"), "pale-green": ("#b4e3bf", "#1b5a2c"),
    "grey": ("#818b98", "#656c76"), "purple": ("#8250df", "#ab7df8"),
}
LIGHT = {name: light for name, (light, _) in COLOURS.items()}
# Readers see these; sizes are measured with DejaVu Sans, which comes with matplotlib and is wider.
FONTS = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
WIDTH = 860
STYLE = {"font.family": "DejaVu Sans", "font.size": 11, "text.color": LIGHT["text"], "axes.labelcolor": LIGHT["muted"],
         "xtick.color": LIGHT["muted"], "ytick.color": LIGHT["muted"], "axes.edgecolor": LIGHT["frame"],
         "grid.color": LIGHT["grid"], "legend.labelcolor": LIGHT["muted"], "figure.dpi": 72, "axes.facecolor": "none",
         "svg.fonttype": "none", "svg.hashsalt": "sattn"}


def dark_mode(colours):
    """The rules of a picture's style by which it follows the reader's dark mode. colours: as COLOURS."""
    rules = "".join(f'[style*="{part}: {light}"]{{{part}:{dark}!important}}'
                    for light, dark in colours.values() for part in ("fill", "stroke"))
    return f"@media(prefers-color-scheme:dark){{{rules}}}"


def figure(height):
    """An empty figure of WIDTH x height pixels. Text is drawn in 11 pixels unless it says otherwise."""
    with matplotlib.rc_context(STYLE):
        made = Figure((WIDTH / 72, height / 72), facecolor=LIGHT["panel"])
        made.add_artist(Rectangle((0.5 / WIDTH, 0.5 / height), 1 - 1 / WIDTH, 1 - 1 / height, fill=False,
                                  edgecolor=LIGHT["frame"], transform=made.transFigure))
    return made


def pixels(made):
    """Axes over a whole figure whose unit is a pixel, from the upper left corner."""
    with matplotlib.rc_context(STYLE):
        axes = made.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(made.bbox.height, 0))
    axes.set_axis_off()
    return axes


def svg(made, label):
    """The text of a figure as SVG, which follows the reader's mode. label: its content in words, for screen readers."""
    file = io.StringIO()
    with matplotlib.rc_context(STYLE):
        FigureCanvasSVG(made).print_svg(file, metadata={"Date": None, "Creator": None})
    head, _, body = file.getvalue().partition("<svg ")
    body = body.replace('pt"', '"', 2)
    style = (f"<style>text{{font-family:{FONTS}!important}}text[style*=Mono]{{font-family:{MONO}!important}}"
             f"{dark_mode(COLOURS)}</style>")
    end = body.index(">") + 1
    lines = f"{head}<svg role=\"img\" aria-label={quoteattr(label)} {body[:end]}\n{style}{body[end:]}".splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def heading(made, title, note, below):
    """The title of a figure, what it is of beside it, and lines of notes at its foot."""
    x, height = 18 / WIDTH, made.bbox.height
    made.text(x, 1 - 28 / height, title, weight="bold", size=13, color=LIGHT["text"])
    made.text(1 - x, 1 - 28 / height, note, ha="right", color=LIGHT["muted"])
    for line, words in enumerate(reversed(below)):
        made.text(x, (14 + 16 * line) / height, words, color=LIGHT["muted"])


def bars(made, panels, series, *, top, bottom, line=None, labelled=None, digits=1, step=None):
    """Panels of grouped bars side by side, over one scale.

    panels: {panel's title: {group's title: {name: value}}}; series: {name: (title, colour)}, in their order in a group,
    those that no group has left out. line: the title of a line at 1; None: no line. labelled(values): the name whose
    value stands above its bar. top, bottom: pixels that the axes leave free.
    """
    every = [values for groups in panels.values() for values in groups.values()]
    series = {name: look for name, look in series.items() if any(name in values for values in every)}
    high = 1.1 * max(values[name] for values in every for name in series if name in values)
    height = made.bbox.height
    left, right, gap = 52, 18, 20
    count = sum(map(len, panels.values()))
    unit = (WIDTH - left - right - gap * (len(panels) - 1)) / count
    place, drawn = left, []
    with matplotlib.rc_context(STYLE):
        for title, groups in panels.items():
            wide = unit * len(groups)
            axes = made.add_axes((place / WIDTH, bottom / height, wide / WIDTH, 1 - (top + bottom) / height))
            place += wide + gap
            drawn.append(axes)
            axes.set(ylim=(0, high), xlim=(-0.5, len(groups) - 0.5))
            axes.set_xticks(range(len(groups)), list(groups))
            axes.set_xlabel(title, color=LIGHT["text"], size=12, labelpad=4)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(length=0, labelsize=11)
            axes.grid(axis="y")
            axes.set_axisbelow(True)
            if step:
                axes.set_yticks([tick * step for tick in range(int(high / step) + 1)])
            if axes is not drawn[0]:
                axes.set_yticklabels([])
            bar = 0.84 / len(series)
            places, held = {}, {name: [] for name in series}
            for spot, values in enumerate(groups.values()):
                # A group has its bars side by side in its middle.
                present = [name for name in series if name in values]
                for index, name in enumerate(present):
                    places[spot, name] = spot + (index + 0.5 - len(present) / 2) * bar
                    held[name].append((places[spot, name], values[name]))
            for name, (label, colour) in series.items():
                if held[name]:
                    axes.bar(*zip(*held[name], strict=True), 0.92 * bar, label=label, color=LIGHT[colour])
            for spot, values in enumerate(groups.values()):
                name = labelled(values)
                value = values[name]
                # The line would cross the text.
                above = 1 if line and value < 1 < value + 0.06 * high else value
                axes.annotate(f"{value:.{digits}f}", (places[spot, name], above), (0, 3), textcoords="offset points",
                              ha="center", weight="bold", color=LIGHT["text"])
            if line:
                axes.axhline(1, color=LIGHT["text"], linewidth=1.2, label=line)
        handles = {}
        for axes in drawn:
            handles |= {text: handle for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}
        titles = [label for label, _ in series.values()] + [line] * bool(line)
        made.legend([handles[text] for text in titles], titles, loc="upper left", frameon=False, ncols=len(titles),
                    bbox_to_anchor=(10 / WIDTH, 1 - 36 / height), borderaxespad=0, handlelength=1, handleheight=0.8,
                    columnspacing=1.4, handletextpad=0.5, labelcolor=LIGHT["muted"])
    return drawn
