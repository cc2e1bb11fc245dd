"""Writes docs/reference/ from the TableGen files, docs/Diagnostics.md from the sources, docs/Walk.md and README's
output of the demo by the built tools, the pictures, the tables and the plot of results, and the operations in the
package's stub.

    ./dev docs [--check]

--check writes nothing and fails where a page differs from what would be written.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import diagnostics
import family_results
import flex_attention_results
import linear_results
import make_walk
import pictures
import readme_demo
import results_plot
import results_table
import stubs

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
PERFORMANCE = ROOT / "docs" / "performance"
PLOT = ROOT / "docs" / "bsr_addmm.svg"
DECODING_PLOT = ROOT / "docs" / "decoding.svg"
FLEX_PLOT = ROOT / "docs" / "flex_attention.svg"
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


def wanted():
    """{path: text} of everything that is generated from the sources alone, without the tools."""
    files = {REFERENCE / name: page(name) for name in PAGES}
    readme = ROOT / "README.md"
    files[DIAGNOSTICS] = diagnostics.page()
    files[stubs.STUB] = stubs.text()
    files[PLOT] = results_plot.plot(results_table.newest())
    files |= {ROOT / "docs" / f"{name}.svg": draw() for name, draw in pictures.PICTURES.items()}
    newest = results_table.newest()
    text = results_table.replace(readme.read_text(), "results", results_table.table(newest))
    text = results_table.replace(text, "numbers", results_table.sentence(newest))
    tables = {("Family.md", "family"): family_results.tables()}
    if linear := linear_results.newest():
        text = results_table.replace(text, "decoding", linear_results.decoding(linear))
        tables["Linear.md", "linear"] = linear_results.table(linear)
        files[DECODING_PLOT] = linear_results.plot(linear)
    files[readme] = text
    if attention := results_table.newest_attention():
        tables["Attention.md", "attention"] = results_table.attention_table(attention)
    if flex := flex_attention_results.newest():
        tables["Attention.md", "flex_attention"] = flex_attention_results.table(flex)
        files[FLEX_PLOT] = flex_attention_results.plot(flex)
    for (name, region), table in tables.items():
        path = PERFORMANCE / name
        # The page is a folder deeper than the tables say.
        table = table.replace("](../benchmarks", "](../../benchmarks")
        files[path] = results_table.replace(files.get(path) or path.read_text(), region, table)
    return files


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
