"""SVG for pages that readers see in light and in dark mode: its elements, and the colours of both."""

from xml.sax.saxutils import escape

# Name: (light, dark). The panel is opaque, for a page may be dark where the reader's system is not.
COLOURS = {
    "panel": ("#ffffff", "#0d1117"), "frame": ("#d1d9e0", "#3d444d"), "text": ("#1f2328", "#f0f6fc"),
    "muted": ("#59636e", "#9198a1"), "grid": ("#e6eaef", "#262c36"), "empty": ("#f6f8fa", "#161b22"),
    "blue": ("#0969da", "#4493f8"), "pale-blue": ("#a7cdf7", "#1f4a80"), "orange": ("#e16f24", "#f0883e"),
    "pale-orange": ("#f7c9a3", "#7a4413"), "green": ("#1a7f37", "#3fb950"), "pale-green": ("#b4e3bf", "#1b5a2c"),
    "grey": ("#818b98", "#656c76"), "purple": ("#8250df", "#ab7df8"),
}
SANS = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def _rules(mode):
    return "".join(f".{name}{{fill:{both[mode]}}}.{name}-line{{stroke:{both[mode]}}}"
                   for name, both in COLOURS.items())


def document(width, height, title, elements, dark=None):
    """The text of an SVG. dark: None for the reader's mode, or only one (True, False)."""
    rules = _rules(bool(dark))
    if dark is None:
        rules += f"@media (prefers-color-scheme: dark){{{_rules(1)}}}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<style>text{{font-family:{SANS};font-size:13px}}.mono{{font-family:{MONO};font-size:12px}}"
        f".small{{font-size:12px}}.strong{{font-weight:600}}{rules}</style>",
        rect(0.5, 0.5, width - 1, height - 1, "panel frame-line", radius=8), *elements, "</svg>"]) + "\n"


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def rect(x, y, width, height, names, radius=0, tip=None):
    inside = f"<title>{escape(tip)}</title>" if tip else ""
    return (f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'rx="{radius}" class="{names}">{inside}</rect>')


def text(x, y, words, names="text", anchor="start"):
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" class="{names}">{escape(words)}</text>'


def line(x1, y1, x2, y2, names, width=1):
    return (f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{names}" '
            f'stroke-width="{width}"/>')


def arrow(points, names):
    """A line through points (x, y) with a head at its end. names: a colour's name."""
    (x0, y0), (x, y) = points[-2:]
    length = max(abs(x - x0), abs(y - y0))
    dx, dy = (x - x0) / length, (y - y0) / length
    base = x - 7 * dx, y - 7 * dy
    path = " ".join(f"{number(a)},{number(b)}" for a, b in [*points[:-1], base])
    head = " ".join(f"{number(a)},{number(b)}" for a, b in [(x, y), (base[0] - 4 * dy, base[1] + 4 * dx),
                                                           (base[0] + 4 * dy, base[1] - 4 * dx)])
    return (f'<polyline points="{path}" class="{names}-line" fill="none" stroke-width="1.5"/>'
            f'<polygon points="{head}" class="{names}"/>')
