"""The table and the plot of the newest results of benchmarks/flex_attention.py, for docs/Performance.md.

    python3 scripts/flex_attention_results.py [RESULTS.json] [table|plot]
"""

import json
import math
import sys
from pathlib import Path

import results_table
import svg
from results_table import RESULTS, ResultsError

# Peers by name: the column's title, and the colour of the plot's mark.
PEERS = {"sdpa": ("cuDNN SDPA", "grey"), "fa4": ("FA4", "orange"), "flex_flash": ("torch flex, FLASH", "pale-orange"),
         "flex": ("torch flex, Triton", "purple"), "cudnn_flex": ("cudnn.flex", "green"),
         "cudnn_bsa": ("cudnn.BSA", "pale-green")}
WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 860, 300, 40, 84, 22, 12


def newest():
    """The last file of results, or None."""
    return max(RESULTS.glob("*-flex_attention.json"), default=None)


def load(path):
    """The results of a file: those with rows that have a time of ours."""
    try:
        results = json.loads(path.read_text())
        rows = [row for row in results["rows"] if "tflops" in row["candidates"].get("sattn", {})]
        return {**results, "rows": rows}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path.name}: expected what benchmarks/flex_attention.py writes, but got {error!r}") from None


def peers_of(row):
    """{peer: facts} of those that compute the row."""
    return {name: row["candidates"][name] for name in PEERS
            if "ms" in row["candidates"].get(name, {}) and (name != "sdpa" or row["sdpa_does"])}


def best(row):
    """(name, facts) of the fastest peer, or None."""
    return min(peers_of(row).items(), key=lambda item: item[1]["ms"], default=None)


def _pair(ours, other, value):
    if other is None or not all("mhz" in one for one in (ours, other[1])):
        return ""
    return f"{value(ours)} / {value(other[1])}"


def cells(row, peers):
    ours, other = row["candidates"]["sattn"], best(row)
    yield from (row["title"], f"{ours['tflops']:.0f}")
    for name in peers:
        facts = peers_of(row).get(name)
        yield f"{facts['tflops']:.0f}" if facts else ""
    yield f"**{other[1]['ms'] / ours['ms']:.2f}**" if other else ""
    yield f"{row['least']:.2f}" if row["least"] else ""
    yield _pair(ours, other, lambda one: f"{one['tflops'] / one['mhz'] * 1e3:.0f}")
    yield _pair(ours, other, lambda one: f"{one['watts'] / one['tflops']:.2f}")


def table(path):
    """A Markdown table of one file of results, for a page in docs/."""
    results = load(path)
    peers = [name for name in PEERS if any(name in peers_of(row) for row in results["rows"])]
    titles = ["mask, head, batch x heads x length", "sattn", *(PEERS[name][0] for name in peers), "over the best peer",
              "at least", "TFLOP/s per GHz", "W per TFLOP/s"]
    lines = [f"{results['device']}, bf16, {results['date']}, PyTorch {results['torch']}, cuDNN {results['cudnn']}"
             f" ([{path.name}](../benchmarks/results/{path.name})), TFLOP/s:", "",
             f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    lines += [f"| {' | '.join(cells(row, peers))} |" for row in results["rows"]]
    absent = [package for package, version in results["peers"].items() if version == "not installed"]
    if absent:
        lines += ["", f"Not there in that run: {', '.join(absent)}."]
    return "\n".join(lines) + "\n"


def plot(path, dark=None):
    """The text of an SVG: a bar of ours for each row, and a mark for each peer."""
    results = load(path)
    rows = results["rows"]
    if not rows:
        raise ResultsError(f"{path.name}: expected rows with times, but got none")
    every = [facts["tflops"] for row in rows for facts in [row["candidates"]["sattn"], *peers_of(row).values()]]
    high = 100 * math.ceil(1.02 * max(every) / 100)
    bottom = TOP + STEP * len(rows)

    def x(value):
        return LEFT + value / high * (WIDTH - LEFT - RIGHT)

    parts = [svg.text(20, 30, "sattn.flex_attention, TFLOP/s of visible work", "text strong"),
             svg.text(WIDTH - 20, 30, f"bf16, {results['device']}, {results['date']}", "muted small", "end"),
             svg.rect(20, 50, 22, 11, "blue", 2), svg.text(48, 60, "sattn", "muted small")]
    place = 100
    for name in PEERS:
        if any(name in peers_of(row) for row in rows):
            title, colour = PEERS[name]
            parts += [svg.rect(place, 48, 4, 15, colour, 1), svg.text(place + 10, 60, title, "muted small")]
            place += 10 + 7 * len(title) + 14
    for tick in range(0, high + 1, 100):
        parts += [svg.line(x(tick), TOP - 4, x(tick), bottom, "grid-line"),
                  svg.text(x(tick), bottom + 16, str(tick), "muted small", "middle")]
    for number, row in enumerate(rows):
        top = TOP + STEP * number + (STEP - BAR) / 2
        ours = row["candidates"]["sattn"]["tflops"]
        parts += [svg.text(LEFT - 8, top + BAR - 2, row["title"], "text small", "end"),
                  svg.rect(LEFT, top, x(ours) - LEFT, BAR, "blue", 2, f"sattn: {ours:.0f}")]
        for name, facts in peers_of(row).items():
            title, colour = PEERS[name]
            parts.append(svg.rect(x(facts["tflops"]) - 2, top - 2, 4, BAR + 4, colour, 1,
                                  f"{title}: {facts['tflops']:.0f}"))
    return svg.document(WIDTH, bottom + 30, "sattn.flex_attention, TFLOP/s of visible work", parts, dark)


def main(arguments):
    draw = plot if arguments and arguments[-1] == "plot" else table
    files = [argument for argument in arguments if argument not in ("table", "plot")]
    try:
        path = Path(files[0]) if files else newest()
        if path is None:
            raise ResultsError(f"no results of flex_attention in {RESULTS}")
        print(draw(path), end="")
    except (ResultsError, OSError) as error:
        print(f"flex_attention_results: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
