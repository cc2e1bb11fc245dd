"""README and docs/: what is generated is fresh, links lead somewhere, and what they say of the tools is so."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import diagnostics  # noqa: E402
import make_docs  # noqa: E402
import make_walk  # noqa: E402
import pictures  # noqa: E402
import flex_attention_results  # noqa: E402
import family_results  # noqa: E402
import linear_results  # noqa: E402
import results_plot  # noqa: E402
import results_table  # noqa: E402
import svg  # noqa: E402

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
# A command of ours before the IR that it prints.
SNIPPET = re.compile(r"```sh\n\./dev run (cat|sparse-opt) ([^\n]*)\n```\n```mlir\n(.*?)```", re.DOTALL)
OUR_PASS = re.compile(r"--((?:sattn|wgtile|convert-[a-z-]*(?:sattn|wgtile|kernel))[a-z0-9-]*) ")


def name(path):
    return str(path.relative_to(ROOT))


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """The fragments that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page, text):
    """Links to other files of the tree that lead nowhere."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, fragment = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if not target.is_relative_to(ROOT) or not target.exists() or fragment and fragment not in anchors(target):
            broken.append(link)
    return broken


def plain(line):
    """A line of IR without what changes with any pass: names of values and of maps, indentation, our comments."""
    line = re.sub(r"\s+// .*", "", line.strip())
    return re.sub(r"#map\d*", "#map", re.sub(r"%[\w#:]+", "%", line))


def missing_lines(snippet, output):
    """The first line of a snippet that the output does not have, after those before it; `...` stands for anything."""
    lines = iter([plain(line) for line in output.splitlines()])
    for shown in map(plain, snippet.splitlines()):
        if shown in ("", "..."):
            continue
        pattern = re.compile(".*".join(map(re.escape, shown.split("..."))))
        if not any(pattern.fullmatch(line) for line in lines):
            return shown
    return None


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def pipeline(text):
    """Names of passes of `--dump-pass-pipeline`, in order."""
    text = re.sub(r"\{(?:[^{}]|\{[^}]*\})*\}", "", text[text.index("builtin.module("):])
    return [word for word in re.findall(r"[a-z0-9-]+(?![\w.(-])", text.replace("builtin.module(", "("))
            if word not in ("func", "gpu", "llvm")]


def described(section):
    """Names of passes in the first column of the tables of a section of Overview.md, in order."""
    text = (ROOT / "docs" / "Overview.md").read_text()
    body = re.search(rf"^## {section}.*?\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]
    cells = re.findall(r"^\| (.*?) \|", body, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`([a-z0-9-]+)`", cell)]


def test_generated_pages_are_fresh():
    assert make_docs.stale() == [], "run ./dev docs"


def test_walk_is_fresh(built_tools):
    assert (ROOT / "docs" / "Walk.md").read_text() == make_walk.page(built_tools), "run ./dev docs"


NESTED = """a {
  b {
    c
  } else {
    d
  }
  e
}
f
"""


@pytest.mark.parametrize("fragments, shown", [
    (["a", "c", "}"], ["a {", "    ...", "    c", "  ...", "}"]),
    (["b", "c", "} else {", "}"], ["b {", "  c", "} else {", "  ...", "}"]),
    (["a", "b", "}", "f"], ["a {", "  b {", "    ...", "  }", "...", "f"]),
    (["d", "f"], ["    d", "...", "f"]),
])
def test_excerpts(fragments, shown):
    assert make_walk.excerpt(NESTED, fragments, "x").splitlines() == shown


@pytest.mark.parametrize("fragments", [["c", "b"], ["none"], ["f", "}"]])
def test_excerpts_of_what_is_not_there(fragments):
    with pytest.raises(make_walk.WalkError, match=f"x: expected a line with '{fragments[-1]}'"):
        make_walk.excerpt(NESTED, fragments, "x")


def test_long_lines_are_cut():
    assert make_walk.excerpt("a " * 40 + "{\n}\n", ["a", "}"], "x", 20).splitlines() == ["a a a a a a a a a a ... {", "}"]


CPP = r'''
#include "not a message"
// emitError() << "a comment is no message";
return emitOpError() << "expected '" << name << "' of rank " "at least 1, but got " << type;
return makeError(who, ": expected rank ", rank, ", but got ", tensor.rank());
return expected(name + " of rank " + str(rank) + " or more", str(view.rank()));
return badValue(option, option == "--entry" ? "a good name" : "a path", value);
auto text = "not said by anything at all";
op->emitWarning("left \"out\" here");
return malformed("a key");
'''
PYTHON = """
def f():
    "not a message of any kind"
    raise ValueError(f"argument '{name}': expected {1 + 1} rows, "
                     f"but got {rows}" + other) from None
"""


def test_messages_of_sources():
    found = [(diagnostics.tidy(text), kind) for text, kind in diagnostics.cpp_messages(CPP, diagnostics.MAKERS)]
    assert found == [
        ("expected '...' of rank at least 1, but got ...", "error"), ("...: expected rank ..., but got ...", "error"),
        ("expected ... of rank ... or more, but got ...", "error"),
        ("option '...': expected a good name or a path, but got '...'", "error"),
        ('left "out" here', "warning"), ("the header is malformed: expected a key", "error")]
    assert list(diagnostics.python_messages(PYTHON)) == [
        ("argument '...': expected ... rows, but got ......", "ValueError")]


def test_diagnostics_are_indexed():
    """One of each boundary; that the page is fresh is tested above."""
    text = (ROOT / "docs" / "Diagnostics.md").read_text()
    for message in ["expected element type i32 or i64 of 'crow', but got ...", "ptxas refused the kernel: ...",
                    "expected tile_n to be a multiple of 8, but got ...", "kernel '...': cuLaunchKernel failed: ...",
                    "argument 'dense': expected shape (*, K, N), but got ...", "unknown option '...' (see --help)",
                    "expected a kernel, but found none named ..."]:
        assert f"| `{message}` |" in text
    # Sources that say something have a row.
    for folder in ["lib", "tools"]:
        for path in (ROOT / folder).rglob("*.cpp"):
            if re.search(r'emit(Op)?Error\(\)?[\s<]*"', path.read_text()):
                assert f"({'../' + name(path)})" in text, path


def test_every_generated_page_is_known():
    assert {path.name for path in make_docs.REFERENCE.iterdir()} == set(make_docs.PAGES)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links(page):
    assert broken_links(page, page.read_text()) == []


def test_broken_links_are_found():
    page = ROOT / "README.md"
    text = "[a](docs/None.md) [b](LICENSE) [c](#no-such) [d](docs/Overview.md#attention) [e](../x) [f](https://x.y)"
    assert broken_links(page, text) == ["docs/None.md", "#no-such", "../x"]


def test_every_pass_has_its_reference(built_tools):
    help_lines = run(built_tools / "sparse-opt", "--help").splitlines()
    passes = set(OUR_PASS.findall("\n".join(line for line in help_lines if "Old name of a pass" not in line)))
    pipelines = {word for word in passes if re.fullmatch(r"sattn-to-\w+", word)}
    assert "sattn-tile" in passes and "convert-kernel-to-llvm" in passes and "sattn-to-ptx" in pipelines
    reference = "".join(path.read_text() for path in make_docs.REFERENCE.iterdir())
    headings = set(re.findall(r"^### `-([a-z0-9-]+)`$", reference, re.MULTILINE))
    assert passes - pipelines - headings == set()
    overview = (ROOT / "docs" / "Overview.md").read_text()
    assert [word for word in pipelines if f"`{word}`" not in overview] == []


@pytest.mark.parametrize("option, section", [("sattn-to-ptx", "GPU"), ("sattn-to-cpu=threads=openmp", "CPU")])
def test_overview_lists_the_passes(built_tools, option, section):
    dump = run(built_tools / "sparse-opt", f"--{option}", "--dump-pass-pipeline", "examples/bsr_addmm.mlir",
               "-o", "/dev/null")
    assert described(section) == pipeline(dump)


def test_readme_shows_what_the_tools_print(built_tools):
    snippets = SNIPPET.findall((ROOT / "README.md").read_text())
    assert len(snippets) == 3
    for tool, arguments, shown in snippets:
        command = ["cat"] if tool == "cat" else [built_tools / tool]
        assert missing_lines(shown, run(*command, *arguments.split())) is None


# An excerpt of a file, which its fence names.
QUOTE = re.compile(r"^```\w+ (\S+/\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def unquoted(text):
    """(file, line) of the lines of excerpts that their files do not have, in this order; `...` is what is left out."""
    wrong = []
    for file, body in QUOTE.findall(text):
        for part in body.split("...\n"):
            if part not in (ROOT / file).read_text():
                wrong.append((file, part.splitlines()[0]))
    return wrong


def test_adding_an_op_quotes_the_test_op():
    text = (ROOT / "docs" / "AddingAnOp.md").read_text()
    assert len(QUOTE.findall(text)) >= 10
    assert unquoted(text) == []
    assert unquoted("```sh dev\nx\n```\n```sh .ci/run\nset -euo pipefail\n...\nexport CI=false\n```\n") == [
        (".ci/run", "export CI=false")]


def test_missing_lines_are_found():
    output = "  %3 = scf.for %i = %a to %b step %c1 {\n    %x:2 = foo.bar %i : f32\n  }\n"
    assert missing_lines("%0 = scf.for %p = %0 to %1 step %c {\n...\n}\n", output) is None
    assert missing_lines("%0 = scf.for ... {  // loop\n%2 = foo.bar %p : f32", output) is None
    assert missing_lines("%2 = foo.bar %p : f64", output) == "% = foo.bar % : f64"
    assert missing_lines("}\n%0 = scf.for ... {", output) == "% = scf.for ... {"


RESULTS = {"device": "card", "date": "2020-01-01", "torch": "2", "rows": [
    {"case": "square", "m": 512, "k": 512, "n": 512, "block": 64, "sparsity": 0.5, "meta": "tile = [64, 128, 64]",
     "ms": 0.5, "tflops": 10.4, "cublas_ms": 1.0, "cublas_tflops": 20, "x_cublas": 2.0, "unprepared_ms": 0.8,
     "peers": {"triton": {"ms": 2.0, "tflops": 2.6}}},
    {"case": "skinny", "m": 4096, "k": 4096, "n": 256, "block": 64, "sparsity": 0.9, "meta": "", "ms": 0.01,
     "tflops": 85.4, "cublas_ms": 0.02, "cublas_tflops": 430, "x_cublas": 2.0, "peers": {}}]}


def test_table_of_results(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RESULTS))
    assert results_table.table(path).splitlines()[2:] == [
        "| M x K x N | block | sparsity | tile | time | TFLOP/s | dense cuBLAS | x dense | unprepared | torch Triton |",
        "|---|---|---|---|---|---|---|---|---|---|",
        "| 512³ | 64 | 50% | 64 x 128 x 64 | 0.500 ms | 10 | 20 | **2.00** | 1.25 | 3 |",
        "| 4096 x 4096 x 256, in a CUDA graph | 64 | 90% | chosen | 10.0 us | 85 | 430 | **2.00** | same |  |"]
    begin, end = results_table.MARKERS["results"]
    text = f"a\n{begin}\nold\n{end}\nb\n"
    assert results_table.replace(text, "results", "new\n") == text.replace("old", "new")
    path.write_text('{"device": "card"}')
    with pytest.raises(results_table.ResultsError, match="x.json: expected what benchmarks/bsr_addmm.py writes"):
        results_table.table(path)
    with pytest.raises(results_table.ResultsError, match="both markers"):
        results_table.replace("no markers", "results", "new")


ATTENTION = {"device": "card", "date": "2020-01-01", "torch": "2", "cudnn": 9, "rows": [
    {"row": "d64_dense", "columns": 8, "ours": {"ms": 1.0, "tflops": 440.4, "mhz": 1600, "watts": 660},
     "cudnn": {"ms": 1.1, "tflops": 400, "mhz": 1500, "watts": 690}, "x": 1.104},
    {"row": "new", "columns": 1, "ours": {"ms": 1.0, "tflops": 300}, "cudnn": {"ms": 1.0, "tflops": 300}, "x": 1.0}]}


def test_table_of_attention(tmp_path, monkeypatch):
    monkeypatch.setattr(results_table, "RESULTS", tmp_path)
    assert results_table.newest_attention() is None
    (tmp_path / "2019-01-01-card-attention.json").write_text("{}")
    path = tmp_path / "2020-01-01-card-attention.json"
    path.write_text(json.dumps(ATTENTION))
    assert results_table.newest_attention() == path
    assert results_table.attention_table(path).splitlines()[2:] == [
        "| mask, head, batch x heads x length | TFLOP/s | cuDNN | x cuDNN | TFLOP/s per GHz | W per TFLOP/s |",
        "|---|---|---|---|---|---|", "| dense, D64, 4 x 32 x 4096 | 440 | 400 | **1.10** | 275 / 267 | 1.50 / 1.73 |",
        "| new | 300 | 300 | **1.00** |  |  |"]
    rows = re.findall(r'^    "(\w+)": \(', (ROOT / "benchmarks" / "attention.py").read_text(), re.MULTILINE)
    assert set(results_table.ATTENTION) == set(rows)
    performance = (make_docs.PERFORMANCE / "Attention.md").read_text()
    assert "| new |" in results_table.replace(performance, "attention", results_table.attention_table(path))
    path.write_text('{"device": "card"}')
    with pytest.raises(results_table.ResultsError, match="expected what benchmarks/attention.py writes"):
        results_table.attention_table(path)


def flex_row(name, ms, **facts):
    candidates = {peer: {"ms": value, "tflops": 100 / value, "mhz": 1000, "watts": 500} for peer, value in ms.items()}
    return {"title": name, "sdpa_does": True, "least": 1.05, "candidates": candidates, **facts}


def test_table_and_plot_of_flex_attention(tmp_path, monkeypatch):
    monkeypatch.setattr(results_table, "RESULTS", tmp_path)
    monkeypatch.setattr(flex_attention_results, "RESULTS", tmp_path)
    assert flex_attention_results.newest() is None
    path = tmp_path / "2020-01-01-card-flex_attention.json"
    path.write_text(json.dumps({
        "device": "card", "date": "2020-01-01", "torch": "2", "cudnn": 9, "peers": {"flash-attn-4": "not installed"},
        "rows": [flex_row("causal", {"sattn": 0.25, "sdpa": 0.5, "flex": 1.0}),
                 # SDPA is only the yardstick here.
                 flex_row("window", {"sattn": 0.25, "sdpa": 0.1}, sdpa_does=False, least=None),
                 flex_row("failed", {"sdpa": 0.5})]}))
    assert flex_attention_results.newest() == path and results_table.newest_attention() is None
    text = flex_attention_results.table(path)
    assert text.splitlines()[2:] == [
        "| mask, head, batch x heads x length | sattn | cuDNN SDPA | torch flex, Triton | over the best peer | at least "
        "| TFLOP/s per GHz | W per TFLOP/s |", "|---|---|---|---|---|---|---|---|",
        "| causal | 400 | 200 | 100 | **2.00** | 1.05 | 400 / 200 | 1.25 / 2.50 |",
        "| window | 400 |  |  |  |  |  |  |", "", "Not there in that run: flash-attn-4."]
    assert list(bars(flex_attention_results.plot(path))) == ["sattn: 400", "cuDNN SDPA: 200", "torch flex, Triton: 100"]
    performance = (make_docs.PERFORMANCE / "Attention.md").read_text()
    assert text in results_table.replace(performance, "flex_attention", text)
    path.write_text('{"device": "card"}')
    with pytest.raises(results_table.ResultsError, match="expected what benchmarks/flex_attention.py writes"):
        flex_attention_results.table(path)


def test_plot_of_decoding(tmp_path):
    """A panel for each shape of few columns, a group for each sparsity, a bar for each size of blocks."""
    path = tmp_path / "x.json"

    def row(n, block, sparsity, dense, ours):
        return {"m": 4096, "k": 4096, "n": n, "block": block, "sparsity": sparsity,
                "us": {"dense_linear": dense, "ours_linear": ours}}

    rows = [row(16, 64, 0.5, 14, 7), row(16, 64, 0.9, 14, 4), row(16, 16, 0.5, 14, 28), row(8192, 64, 0.5, 90, 1)]
    path.write_text(json.dumps({"device": "card", "rows": rows}))
    text = linear_results.plot(path)
    heights = bars(text)
    assert list(heights) == ["blocks of 64: 2.00", "blocks of 16: 0.50", "blocks of 64: 3.50"]
    assert heights["blocks of 64: 2.00"] == pytest.approx(4 * heights["blocks of 16: 0.50"], abs=0.2)
    assert "4096 x 4096, N = 16" in text and "8192" not in text and "card" in text
    path.write_text(json.dumps({"device": "card", "rows": rows[-1:]}))
    with pytest.raises(results_table.ResultsError, match="rows of few columns"):
        linear_results.plot(path)


def test_tables_of_the_family(tmp_path, monkeypatch):
    """A table of each benchmark that has results, with the candidates that it has."""
    monkeypatch.setattr(family_results, "RESULTS", tmp_path)
    assert family_results.tables() == ""
    row = {"m": 64, "k": 128, "n": 256, "block": 16, "sparsity": 0.5, "us": {"ours": 12.34, "dense": 123.4}}
    path = tmp_path / "2026-01-01-nvidia-card-sampled_addmm.json"
    path.write_text(json.dumps({"rows": [row]}))
    eight = {"dtype": "int8", "size": 64, "block": 16, "sparsity": 0.5, "linear": {"tops": 12.3}, "bf16": {"tops": 4.56}}
    (tmp_path / "2026-01-01-nvidia-card-eight_bits.json").write_text(json.dumps({"rows": [eight]}))
    text = family_results.tables()
    assert "| M | K | N | blocks | not stored | ours | dense cuBLAS |" in text
    assert "| 64 | 128 | 256 | 16 | 0.5 | 12.3 | 123 |" in text
    assert "| int8 | 64 | 16 | 0.5 | 12 |  | 5 |  |  |" in text
    path.write_text('{"rows": [{}]}')
    with pytest.raises(results_table.ResultsError, match="expected what benchmarks/sampled_addmm.py writes"):
        family_results.tables()


def with_tuned():
    """The results with a second Triton, and with a library that is far slower."""
    rows = json.loads(json.dumps(RESULTS["rows"]))
    rows[0]["peers"] |= {"triton_tuned": {"ms": 0.8, "tflops": 6.5}, "csr": {"ms": 50.0, "tflops": 0.1}}
    return {**RESULTS, "rows": rows}


def test_table_with_a_tuned_peer(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(with_tuned()))
    head, _, row, other = results_table.table(path).splitlines()[2:]
    assert head.endswith("| unprepared | torch Triton | torch Triton, tuned | cuSPARSE CSR |")
    assert row.endswith("| 1.25 | 3 | 6 | 0 |") and other.endswith("| same |  |  |  |")


def test_sentence_of_results(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RESULTS))
    start = ("**On one card, products in bf16 with blocks of 64 x 64 and 128 x 128 run "
             "2.0 times as fast as dense cuBLAS**")
    assert results_table.sentence(path).startswith(f"{start}, at 50% to 50% sparsity and with tiles picked by hand, and ")
    assert "4.0 times as fast as PyTorch's Triton kernel, which was not tuned" in results_table.sentence(path)
    path.write_text(json.dumps(with_tuned()))
    assert "1.6 times as fast as PyTorch's Triton kernel, tuned by its own" in results_table.sentence(path)
    path.write_text(json.dumps({**RESULTS, "rows": RESULTS["rows"][1:]}))
    with pytest.raises(results_table.ResultsError, match="rows of the case 'square' with blocks of 64 or more"):
        results_table.sentence(path)


SVG = "{http://www.w3.org/2000/svg}"


def bars(text):
    """{tip: height} of the bars of a plot."""
    return {bar.find(f"{SVG}title").text: float(bar.get("height"))
            for bar in xml.etree.ElementTree.fromstring(text).iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None}


def test_plot_of_results(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RESULTS))
    heights = bars(results_plot.plot(path))
    assert list(heights) == ["sattn: 2.00", "torch Triton: 0.50"]
    assert heights["sattn: 2.00"] == pytest.approx(4 * heights["torch Triton: 0.50"], abs=0.2)
    path.write_text(json.dumps(with_tuned()))
    assert list(bars(results_plot.plot(path))) == ["sattn: 2.00", "torch Triton, tuned: 1.25", "torch Triton: 0.50"]
    assert "Not drawn: cuSPARSE CSR (at most 0.02)." in results_plot.plot(path)
    path.write_text(json.dumps({**RESULTS, "rows": RESULTS["rows"][1:]}))
    with pytest.raises(results_table.ResultsError, match="rows of the case 'square'"):
        results_plot.plot(path)


@pytest.mark.parametrize("draw", [*pictures.PICTURES.values(),
                                  lambda dark: results_plot.plot(results_table.newest(), dark),
                                  lambda dark: linear_results.plot(linear_results.newest(), dark),
                                  lambda dark: flex_attention_results.plot(flex_attention_results.newest(), dark)])
def test_pictures_have_both_modes(draw):
    """Every colour is one that has a light and a dark form, and nothing leaves the picture."""
    both, light, dark = (draw(mode) for mode in (None, False, True))
    assert "prefers-color-scheme: dark" in both and "prefers-color-scheme" not in light + dark
    assert light != dark
    root = xml.etree.ElementTree.fromstring(both)
    known = {*svg.COLOURS, *(f"{name}-line" for name in svg.COLOURS), "mono", "small", "strong"}
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        assert set((element.get("class") or "").split()) <= known
        assert not {"fill", "stroke"} & set(element.attrib) or element.get("fill") == "none"
        if element.tag == f"{SVG}rect":
            assert float(element.get("x")) + float(element.get("width")) <= width
            assert float(element.get("y")) + float(element.get("height")) <= height
