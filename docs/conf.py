"""Sphinx's configuration of the site, which `./dev site` builds.

The source folder is the repository's root, so that a link between pages leads to the same file here as in the
repository. A link to a source file becomes a download of it; a link to a folder becomes plain text.
"""

import ast
import inspect
import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
import sattn  # noqa: E402

project = "sattn"
author = "the authors of sattn"
version = release = sattn.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "hawkmoth", "sphinx_copybutton"]
include_patterns = ["*.md", "docs/**"]
exclude_patterns = ["build*", ".venv", "dist", "lib", "include", "test", "tools", "benchmarks", "python", "examples"]
root_doc = "docs/index"
nitpicky = True
# Pygments' lexer of MLIR does not know the abbreviations of our excerpts; pages made by mlir-tblgen leave out levels of
# headings.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

html_theme = "furo"
html_title = f"sattn {version}"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["html_image"]
# Enough for the headings of every page; slugs are GitHub's.
myst_heading_anchors = 6

# sattn.nn and sattn.torch import PyTorch, which is not installed for the site, and register operations with it.
autodoc_mock_imports = ["torch", "sattn.torch.library"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "undoc-members": True}
nitpick_ignore = [("c:identifier", name) for name in ("int64_t", "size_t")]

# Hawkmoth reads doc comments, which begin with two asterisks and have one in each line; it reads copies of our headers.
HEADERS = ROOT / "include" / "sattn-c"
# libclang's package has no headers of the compiler itself; these two declare all that ours take of them.
STANDARD = {"stddef.h": "typedef unsigned long size_t;\n", "stdint.h": "typedef long int64_t;\n"}


def copy_headers(app, config):
    copies = Path(app.doctreedir) / "headers"
    config.hawkmoth_root = str(copies)
    config.hawkmoth_clang = [f"-I{copies}", "-nostdinc"]
    folder = copies / HEADERS.name
    shutil.rmtree(copies, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in STANDARD.items():
        (copies / name).write_text(text)
    for header in HEADERS.glob("*.h"):
        text = re.sub(r"^ */\* .*?\*/", doc_comment, header.read_text(), flags=re.MULTILINE | re.DOTALL)
        (folder / header.name).write_text(text.replace('__attribute__((visibility("default")))', ""))


def doc_comment(match):
    lines = [line.strip() for line in match[0].strip().removeprefix("/*").removesuffix("*/").splitlines()]
    return "/**\n" + "".join(f" * {line}\n" for line in lines if line) + " */"


def escaped(line):
    """A line of a docstring as reStructuredText: code in backticks, pages of docs/ as links, all else as it stands."""
    pieces = re.split(r"(`[^`]+`|docs/\w+\.md)", line)
    for place, piece in enumerate(pieces):
        if piece.startswith("`"):
            pieces[place] = f"`{piece}`"
        elif place % 2:
            pieces[place] = f":doc:`{Path(piece).stem} </{piece.removesuffix('.md')}>`"
        else:
            pieces[place] = re.sub(r"([\\*|_])", r"\\\1", piece)
    return "".join(pieces)


def paragraphs(lines):
    """The paragraphs of a docstring, as lists of lines."""
    found = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def parameters(text, names):
    """[(names, what is said of them)] of a paragraph such as "a, b: two numbers. c: a third."; [] of any other."""
    name = rf"\*{{0,2}}(?:{'|'.join(map(re.escape, names))})"
    head = re.compile(rf"(?:^|(?<=[.;:)] )){name}(?:, {name}| and {name})*(?=: )")
    places = list(head.finditer(text))
    if not places or places[0].start():
        return []
    ends = [place.start() for place in places[1:]] + [len(text)]
    return [(place[0], text[place.end() + 2:end].strip()) for place, end in zip(places, ends, strict=True)]


def format_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text: what is said of parameters becomes a list, indented lines become literal."""
    try:
        names = list(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        names = []
    out = []
    for part in paragraphs(lines):
        if all(line.startswith(" ") for line in part):
            out += ["::", "", *(f"    {line}" for line in part), ""]
            continue
        found = parameters(" ".join(line.strip() for line in part), names) if names else []
        for heads, text in found:
            out += [f"- **{escaped(heads)}**: {escaped(text)}"]
        if not found:
            out += [escaped(line) for line in part]
        out.append("")
    lines[:] = out


def format_comment(app, lines, transform, options):
    lines[:] = [escaped(line) for line in lines]


# Members that the package's stubs declare: a class has others, for the package itself.
DECLARED = {member.name if hasattr(member, "name") else member.target.id
            for stub in (ROOT / "python").rglob("*.pyi") for node in ast.parse(stub.read_text()).body
            if isinstance(node, ast.ClassDef) for member in node.body
            if isinstance(member, ast.FunctionDef | ast.AnnAssign)}


def skip_undeclared(app, what, name, obj, skip, options):
    return True if what == "class" and name not in DECLARED else None


class PlainFolderLinks(SphinxPostTransform):
    """A link to a folder of the repository has no page to lead to: its text alone is left."""

    default_priority = 5

    def run(self, **kwargs):
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") != "myst":
                continue
            page = ROOT / self.env.doc2path(link["refdoc"], base=False)
            if (page.parent / link["reftarget"]).resolve().is_dir():
                link.replace_self(nodes.inline("", "", *link.children))


def write_entry(app, exception):
    """The site's root leads to the first page, which is in a folder as in the repository."""
    if not exception:
        page = f"{root_doc}.html"
        (Path(app.outdir) / "index.html").write_text(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={page}">'
            f'<title>sattn</title><a href="{page}">sattn</a>\n')


def setup(app):
    app.connect("config-inited", copy_headers)
    app.connect("build-finished", write_entry)
    app.add_post_transform(PlainFolderLinks)
    app.connect("autodoc-skip-member", skip_undeclared)
    app.connect("autodoc-process-docstring", format_docstring)
    app.connect("hawkmoth-process-docstring", format_comment)
