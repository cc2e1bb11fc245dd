"""Writes docs/reference/ from the TableGen files, docs/Diagnostics.md from the sources, docs/Walk.md and README's
output of the demo by the built tools, the pictures, the tables and plots of results, and the operations in the
package's stub.

    ./dev docs [--check]

--check writes nothing and fails where a page differs from what would be written.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import comparison_results
import diagnostics
import family_results
import flex_attention_results
import linear_results
import make_walk
import pictures
import plots
import product_plot
import readme_demo
import results_table
import stubs
import tuning_plot

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
DIAGNOSTICS = ROOT / "docs" / "Diagnostics.md"
WALK = ROOT / "docs" / "Walk.md"
DIALECTS, PASSES = "include/sattn/Dialect", "Passes.td"

# Page: title (None: TableGen writes one), then (TableGen file, generator options) of each part.
PAGES = {
    "SAttn.md": (None, [
        (f"{DIALECTS}/SAttn/IR/SAttnOps.td", ["-gen-dialect-doc", "-dialect=sattn"]),
        (f"{DIALECTS}/SAttn/IR/SAttnInterfaces.td", ["-gen-op-interface-docs"]),
        *((f"{DIALECTS}/SAttn/IR/{part}OpInterface.td", ["-gen-op-interface-docs"])
          for part in ("Contract", "Raise", "Storage", "Tuning")),
    ]),
    "WGTile.md": (None, [(f"{DIALECTS}/WGTile/IR/WGTileOps.td", ["-gen-dialect-doc", "-dialect=wgtile"])]),
    "CodegenPasses.md": ("Passes on tiles of 'linalg'", [(f"include/sattn/Codegen/{PASSES}", ["-gen-pass-doc"])]),
    "SAttnPasses.md": ("Passes on 'sattn'",
                       [(f"{DIALECTS}/SAttn/Transforms/{PASSES}", ["-gen-pass-doc"])]),
    "WGTilePasses.md": ("Passes on 'wgtile'", [(f"{DIALECTS}/WGTile/Transforms/{phase}/{PASSES}", ["-gen-pass-doc"])
                                             for phase in ("Kernels", "Schedule", "Epilogue")]),
    "ConversionPasses.md": ("Conversions between dialects", [(f"include/sattn/Conversion/{PASSES}", ["-gen-pass-doc"])]),
    "TargetPasses.md": ("Passes that write programs", [(f"include/sattn/Target/{PASSES}", ["-gen-pass-doc"])]),
}


class DocsError(Exception):
    """A page that cannot be made."""


def tablegen():
    """mlir-tblgen 22: under a versioned name or where Debian puts it, before another one on PATH."""
    path = shutil.which("mlir-tblgen-22") or shutil.which("mlir-tblgen", path="/usr/lib/llvm-22/bin") or \
        shutil.which("mlir-tblgen")
    if path is None:
        raise DocsError("no mlir-tblgen; ./dev setup installs it (Debian's mlir-22-tools)")
    return Path(path).resolve()


def output(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DocsError(done.stderr.strip() or f"{command[0]} failed with exit code {done.returncode}")
    return done.stdout


def render(file, options):
    """Markdown of one TableGen file, without the generator's comment and its table of contents,
    which only some renderers know."""
    tool = tablegen()
    text = output(tool, *options, "-I", ROOT / "include", "-I", tool.parents[1] / "include", ROOT / file)
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [line for line in lines if not line.startswith("<!--") and line != "[TOC]"]
    compact = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(compact).strip() + "\n"


def page(name):
    """The text of a page of docs/reference/."""
    title, parts = PAGES[name]
    head = f"<!-- Made by ./dev docs from {', '.join(file for file, _ in parts)}; edit those instead. -->\n"
    if title:
        head += f"\n# {title}\n"
    texts = [render(*part) for part in parts]
    if not title:
        # A page has one title: those of further parts are sections of it.
        texts[1:] = [re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE) for text in texts[1:]]
    return "\n".join([head, *texts])


def tools():
    """The folder of the built tools, by PATH."""
    tool = shutil.which("sparse-opt")
    if tool is None:
        raise DocsError("no sparse-opt on PATH; ./dev docs builds it")
    return Path(tool).resolve().parent


def walk():
    """The text of docs/Walk.md."""
    return make_walk.page(tools())


def parts():
    """{name: text} of the parts of pages that are made from results, links as from the root."""
    newest, linear = results_table.newest(), linear_results.newest()
    attention, flex = results_table.newest_attention(), flex_attention_results.newest()
    beside_torch = flex_attention_results.newest_beside_torch()
    return {"results": results_table.table(newest),
            "numbers": f"{flex_attention_results.sentence(beside_torch)}\n{results_table.sentence(newest)}",
            "decoding": linear_results.decoding(linear), "linear": linear_results.table(linear),
            "family": family_results.tables(), "attention": results_table.attention_table(attention),
            "flex_attention": flex_attention_results.table(flex), **comparison_results.tables()}


def pages_with_parts():
    """{page: text} of the pages that have such parts, each of which is on one page."""
    made, found = parts(), {}
    for file in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = file.read_text()
        root = os.path.relpath(ROOT, file.parent) + "/"
        for name in [name for name in made if results_table.MARKERS[name][0] in text]:
            part = re.sub(r"\]\((?:\.\./)*benchmarks/", f"]({root.removeprefix('./')}benchmarks/", made.pop(name))
            text = found[file] = results_table.replace(text, name, part)
    if made:
        raise DocsError(f"expected a page with the markers of {', '.join(made)}, but found none")
    return found


def drawings():
    """{name: (figure, what it shows in words)} of docs/*.svg."""
    return {"bsr_addmm": (product_plot.plot(results_table.newest()), product_plot.LABEL),
            "decoding": (linear_results.plot(linear_results.newest()), linear_results.LABEL),
            "tuning": (tuning_plot.plot(tuning_plot.newest()), tuning_plot.LABEL),
            "attention": (flex_attention_results.overview(flex_attention_results.newest_beside_torch()),
                          flex_attention_results.LABEL),
            "flex_attention": (flex_attention_results.plot(flex_attention_results.newest()),
                               flex_attention_results.LABEL),
            **{name: (draw(), label) for name, (draw, label) in pictures.PICTURES.items()}}


def wanted():
    """{path: text} of everything that is generated from the sources alone, without the tools."""
    files = {REFERENCE / name: page(name) for name in PAGES}
    files[DIAGNOSTICS] = diagnostics.page()
    files[stubs.STUB] = stubs.text()
    files |= {ROOT / "docs" / f"{name}.svg": plots.svg(*drawing) for name, drawing in drawings().items()}
    return files | pages_with_parts()


def stale():
    """The generated files that are not as they should be, relative to the root."""
    return [path.relative_to(ROOT) for path, text in wanted().items()
            if not path.exists() or path.read_text() != text]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is stale")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            names = stale() + ([] if WALK.read_text() == walk() else [WALK.relative_to(ROOT)])
            if readme_demo.stale((ROOT / "README.md").read_text(), readme_demo.output(tools())):
                names.append("README.md's output of the demo")
            if names:
                raise DocsError(f"stale: {', '.join(map(str, names))}; run ./dev docs")
            return 0
        files = {**wanted(), WALK: walk()}
        files[ROOT / "README.md"] = readme_demo.replace(files[ROOT / "README.md"], readme_demo.output(tools()))
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
                print(f"wrote {path.relative_to(ROOT)}")
    except (DocsError, make_walk.WalkError, readme_demo.DemoFailed, results_table.ResultsError,
            OSError) as error:
        print(f"make_docs: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
