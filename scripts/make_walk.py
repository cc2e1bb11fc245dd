"""docs/Walk.md: excerpts of one program at every level, taken from what the tools print.

scripts/walk.md.in is the page with directives in the place of excerpts:

    ```mlir gpu sattn-tile
    scf.for
      linalg.matmul
    }
    ```

names the run, the pass after which the IR is shown (or `source`, `remarks`, `ptx`), and a fragment of each line
to show, in their order. `}` is the end of the last shown line that opens a region, and `} else {` its middle. `...`
stands for lines left out. A fragment that the output does not have is an error.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "scripts" / "walk.md.in"
PROGRAM = "examples/walk.mlir"
TABLE = "device='NVIDIA H200' meta-table=examples/walk_table.json sizes=8192,8192,8192 sparsity=0.9"
PRINT = ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change", "-o", "/dev/null"]
RUNS = {"gpu": ["sparse-opt", f"--sattn-to-ptx={TABLE}", "--remarks-filter=sattn-.*", *PRINT, PROGRAM],
        "cpu": ["sparse-opt", "--sattn-to-cpu=threads=openmp", *PRINT, PROGRAM]}
WIDTH, TEXT_WIDTH = 140, 400
# Parts that are the same everywhere and say little.
SHORTER = [(r"indexing_maps = \[.*\], iterator", "indexing_maps = [...], iterator"),
           (r", strided<\[[?, \d]*\], offset: \?>", ""), (r"attributes \{sattn\.contracts = .*\}", "attributes {...}"),
           (r"!wgtile\.ring<\d+, \[.*?\](?:, instances = \[.*?\])?>", "!wgtile.ring<...>"),
           (r"\{([%$]\w+), (?:[%$]\w+, ){9,}([%$]\w+)\}", r"{\1, ..., \2}")]
DIRECTIVE = re.compile(r"^```(\w+) (gpu|cpu) (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class WalkError(Exception):
    """An excerpt that cannot be taken."""


def dumps(text):
    """{pass: the IR after its first change}, and the remarks, of --mlir-print-ir-after-all."""
    parts = re.split(r"^// -----// IR Dump After \w+ \(([\w-]+)\) //----- //\n", text, flags=re.MULTILINE)
    found = {"remarks": "\n".join(line for line in text.splitlines() if ": remark: " in line)}
    for name, body in zip(parts[1::2], parts[2::2]):
        found.setdefault(name, body)
    return found


def indentation(line):
    return len(line) - len(line.lstrip())


def end_of_region(lines, start):
    """The line that ends the region that the line `start` opens, or its first part."""
    return next(i for i in range(start + 1, len(lines))
                if lines[i].lstrip().startswith("}") and indentation(lines[i]) == indentation(lines[start]))


def shortened(line, margin, width):
    for pattern, replacement in SHORTER:
        line = re.sub(pattern, replacement, line)
    line = line[margin:].rstrip()
    if len(line) > width:
        cut = line.rindex(" ", 0, width)
        line = line[:cut if cut > width // 2 else width] + (" ... {" if line.endswith(" {") else " ...")
    return line


def excerpt(text, fragments, where, width=WIDTH):
    """The lines of `text` that have the fragments, in their order, cut at `width` columns."""
    lines = [line for line in text.splitlines() if not line.startswith("#map")]
    place, regions, picked = -1, [], []
    for fragment in fragments:
        if fragment.startswith("}"):
            # Regions that ended among the lines left out are no longer open.
            regions = [start for start in regions if end_of_region(lines, start) > place]
            found = end_of_region(lines, regions[-1]) if regions else None
            while found and fragment == "}" and lines[found].endswith("{"):
                found = end_of_region(lines, found)
            if found and fragment not in lines[found]:
                found = None
        else:
            found = next((i for i in range(place + 1, len(lines)) if fragment in lines[i]), None)
        if found is None:
            raise WalkError(f"{where}: expected a line with '{fragment}' after those before it, but got none")
        if fragment.startswith("}"):
            regions.pop()
        if lines[found].endswith("{"):
            regions.append(found)
        picked.append((found, place, lines[found]))
        place = found
    margin = min(indentation(line) for _, _, line in picked)
    result = []
    for found, before, line in picked:
        if result and found > before + 1:
            result.append(" " * (max(indentation(line), indentation(lines[found - 1])) - margin) + "...")
        result.append(shortened(line, margin, width))
    return "\n".join(result)


def run(tools, command):
    done = subprocess.run([tools / command[0], *command[1:]], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise WalkError(done.stderr.strip()[-2000:])
    return done.stdout + done.stderr


def page(tools):
    """The text of docs/Walk.md. `tools` is the folder of the built tools."""
    outputs = {name: dumps(run(tools, command)) for name, command in RUNS.items()}
    outputs["gpu"]["source"] = outputs["cpu"]["source"] = (ROOT / PROGRAM).read_text()
    # The text as LLVM made it, out of the attribute that holds it.
    binary = outputs["gpu"]["sattn-serialize-kernels"]
    assembly = re.search(r'assembly = "(.*?)"', binary, re.DOTALL)
    if not assembly:
        raise WalkError("expected PTX after sattn-serialize-kernels, but got none")
    outputs["gpu"]["ptx"] = re.sub(r"^\s*(?=[a-z@])", "    ", re.sub(r"\\0[9A]", lambda code: "\n" if code[0] == "\\0A" else " ",
                                                                   assembly[1]), flags=re.MULTILINE)

    def fill(match):
        language, name, step, body = match.groups()
        if step not in outputs[name]:
            raise WalkError(f"{name} {step}: expected a pass that changes the program, but got none")
        lines = excerpt(outputs[name][step], [line.strip() for line in body.splitlines()], f"{name} {step}",
                        TEXT_WIDTH if language == "text" else WIDTH)
        return f"```{language}\n{lines}\n```"

    command = " ".join(f'"{word}"' if "'" in word else word for word in RUNS["gpu"])
    text, count = DIRECTIVE.subn(fill, TEMPLATE.read_text().replace("@gpu@", f"./dev run {command}"))
    if not count:
        raise WalkError(f"expected directives in {TEMPLATE}, but got none")
    return "<!-- Made by ./dev docs from scripts/walk.md.in and what the tools print; edit that instead. -->\n" + text
