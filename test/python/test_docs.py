"""README and docs/: what is generated is fresh, links lead somewhere, and what they say of the tools is so."""

import json
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.text
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import comparison_results  # noqa: E402
import diagnostics  # noqa: E402
import make_docs  # noqa: E402
import make_walk  # noqa: E402
import plots  # noqa: E402
import product_plot  # noqa: E402
import flex_attention_results  # noqa: E402
import family_results  # noqa: E402
import linear_results  # noqa: E402
import results_table  # noqa: E402
import tuning_plot  # noqa: E402

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


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_languages_of_code(page):
    """Python has one name, by which test_pages.py finds what runs."""
    fences = re.findall(r"^ *```([^\s`]+)", page.read_text(), re.MULTILINE)
    assert set(fences) <= {"python", "sh", "mlir", "c++", "cpp", "c", "cmake", "json", "lisp", "lua", "tablegen",
                           "text", "{eval-rst}", "{toctree}"}


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
    figure = flex_attention_results.plot(path)
    assert bars(figure) == {"sattn": [400, 400]}
    assert {line.get_label(): list(line.get_xdata()) for line in figure.axes[0].lines} == {
        "cuDNN SDPA": [200], "torch flex, Triton": [100]}
    assert flex_attention_results.newest_beside_torch() == path
    path.write_text('{"device": "card"}')
    with pytest.raises(results_table.ResultsError, match="expected what benchmarks/flex_attention.py writes"):
        flex_attention_results.table(path)


def test_readme_shows_attention_beside_torch(tmp_path):
    """A group of each row; libraries that stand for each other are one series."""
    path = tmp_path / "x.json"
    rows = [flex_row("a", {"sattn": 0.25, "flex": 0.5, "fa4": 0.2}, row="causal_8192"),
            flex_row("b", {"sattn": 0.25, "flex": 1.0, "flex_flash": 0.4, "sdpa": 0.1}, row="alibi_8192",
                     sdpa_does=False),
            flex_row("c", {"sattn": 0.25, "sdpa": 0.1}, row="d256_dense")]
    results = {"device": "card", "date": "2020-01-01", "rows": rows}
    path.write_text(json.dumps(results))
    figure = flex_attention_results.overview(path)
    assert bars(figure) == {"sattn": [400, 400], "PyTorch flex_attention (Triton)": [200, 100],
                            "FlashAttention-4": [500, 250]}
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["causal", "ALiBi,\ncausal"]
    text = flex_attention_results.sentence(path)
    assert "runs 2.0 to 4.0 times as fast as PyTorch's compiled `flex_attention`" in text
    assert "0.80 to 1.60 times" in text
    path.write_text(json.dumps({**results, "rows": rows[2:]}))
    for make in (flex_attention_results.overview, flex_attention_results.sentence):
        with pytest.raises(results_table.ResultsError, match="rows of README's plot"):
            make(path)


def test_tables_beside_peers(tmp_path):
    """Our rate over the other's; SDPA counts where it computes the row itself."""
    path = tmp_path / "x.json"
    peers = {"flash-attn-4": "4", "nvidia-cudnn-frontend": "1"}
    rows = [flex_row("a", {"sattn": 0.25, "flex": 0.5, "sdpa": 0.1}, row="a"),
            flex_row("b", {"sattn": 0.25, "sdpa": 0.1}, row="b", sdpa_does=False)]
    path.write_text(json.dumps({"device": "card", "date": "2020-01-01", "torch": "2", "peers": peers, "rows": rows}))
    assert comparison_results.forward(path).splitlines()[2:] == [
        "| mask, head, batch x heads x length | sattn, TFLOP/s | cuDNN SDPA | torch flex, Triton |",
        "|---|---|---|---|", "| a | 400 | 0.40 | 2.00 |", "| b | 400 |  |  |"]
    assert comparison_results.backward(path).splitlines()[2:] == [
        "| mask, head, batch x heads x length | sattn, TFLOP/s | PyTorch flex_attention | cuDNN SDPA |",
        "|---|---|---|---|", "| a | 400 | 2.00 | 0.40 |", "| b | 400 |  |  |"]
    path.write_text(json.dumps(with_tuned()))
    assert comparison_results.products(path).splitlines()[2:] == [
        "| blocks | not stored | sattn, TFLOP/s | dense cuBLAS | torch Triton | torch Triton, tuned | cuSPARSE CSR |",
        "|---|---|---|---|---|---|---|", "| 64 | 50% | 10 | 2.00 | 4.0 | 1.6 | 100.0 |"]
    assert "| causal | 64 |" in comparison_results.tables()["peers, cpu"]
    over = {name: 3 for name in comparison_results.ON_A_CPU}
    path.write_text(json.dumps({
        "cpu": "CPU", "vector_extension": "avx2", "load": 1.2, "date": "2020-01-01", "scipy": "1", "torch": "2", "numpy": "3",
        "rows": [{"threads": 2, "block": 64, "sparsity": 0.9, "m": 8, "k": 4, "n": 2, "gflops": 100.4, "over": over}]}))
    text = comparison_results.products_on_a_cpu(path)
    assert "(load 1), 2020-01-01" in text and "M x K x N = 8 x 4 x 2" in text
    assert text.splitlines()[4:] == ["| 2 | 64 | 90% | 100 | 3.0 | 3.0 | 3.0 | 3.0 | 3.0 |"]


def test_tables_follow_a_page_that_moves(tmp_path, monkeypatch):
    """Links are those of the page that has the markers, wherever it is; a part without a page is an error."""
    begin, end = results_table.MARKERS["linear"]
    page = tmp_path / "docs" / "performance" / "gpu.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"a\n{begin}\n{end}\n")
    (tmp_path / "README.md").write_text("b\n")
    monkeypatch.setattr(make_docs, "ROOT", tmp_path)
    monkeypatch.setattr(make_docs, "parts", lambda: {"linear": "[x](../benchmarks/results/x.json)\n"})
    assert make_docs.pages_with_parts() == {page: f"a\n{begin}\n[x](../../benchmarks/results/x.json)\n{end}\n"}
    page.unlink()
    with pytest.raises(make_docs.DocsError, match="the markers of linear"):
        make_docs.pages_with_parts()


def test_plot_of_decoding(tmp_path):
    """A panel for each shape of few columns, a group for each sparsity, a bar for each size of blocks."""
    path = tmp_path / "x.json"

    def row(n, block, sparsity, dense, ours):
        return {"m": 4096, "k": 4096, "n": n, "block": block, "sparsity": sparsity,
                "us": {"dense_linear": dense, "ours_linear": ours}}

    rows = [row(16, 64, 0.5, 14, 7), row(16, 64, 0.9, 14, 4), row(16, 16, 0.5, 14, 28), row(8192, 64, 0.5, 90, 1)]
    path.write_text(json.dumps({"device": "card", "rows": rows}))
    figure = linear_results.plot(path)
    assert bars(figure) == {"sattn, blocks of 64": [2, 3.5], "sattn, blocks of 16": [0.5]}
    text = plots.svg(figure, "x")
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


def bars(figure):
    """{series: heights} of the bars of a figure, those that lie by their lengths."""
    found = {}
    for axes in figure.axes:
        for container in axes.containers:
            horizontal = container.orientation == "horizontal"
            found.setdefault(container.get_label(), []).extend(
                bar.get_width() if horizontal else bar.get_height() for bar in container)
    return found


def test_plot_of_results(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RESULTS))
    assert bars(product_plot.plot(path)) == {"sattn": [2], "torch Triton": [0.5]}
    path.write_text(json.dumps(with_tuned()))
    figure = product_plot.plot(path)
    assert bars(figure) == {"sattn": [2], "torch Triton, tuned": [1.25], "torch Triton": [0.5]}
    text = plots.svg(figure, "x")
    assert "Not drawn: cuSPARSE CSR (at most 0.02)." in text and "tiles picked by hand" in text and "2020-01-01" in text
    path.write_text(json.dumps({**RESULTS, "rows": RESULTS["rows"][1:]}))
    with pytest.raises(results_table.ResultsError, match="rows of the case 'square'"):
        product_plot.plot(path)


def test_plot_of_tuned_products(tmp_path):
    path = tmp_path / "x.json"
    row = {"m": 64, "n": 32, "k": 128, "block": 16, "sparsity": 0.5, "x_default": 1.5, "x_tuned": 2.0, "x_triton": 0.5}
    path.write_text(json.dumps({"date": "2020-01-01", "device": "card", "tune_seconds": 5, "rows": [row, {**row, "n": 64, "x_triton_tuned": 1.0}]}))
    figure = tuning_plot.plot(path)
    assert bars(figure) == {"sattn, tuned": [2, 2], "sattn, default": [1.5, 1.5], "torch Triton, tuned": [1],
                            "torch Triton": [0.5, 0.5]}
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["M 64\nK 128\nN 32\n50%", "M 64\nK 128\nN 64\n50%"]
    path.write_text(json.dumps({"rows": []}))
    with pytest.raises(results_table.ResultsError, match="expected rows, but got none"):
        tuning_plot.plot(path)


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "docs").glob("*.svg")))
def test_pictures_have_both_modes(name):
    """Every colour has a dark form, and nothing leaves the picture; a picture is one that ./dev docs makes."""
    figure, label = make_docs.drawings()[name]
    text = plots.svg(figure, label)
    assert f'aria-label="{label}"' in text and "prefers-color-scheme:dark" in text
    body = text.partition("</style>")[2]
    used = set(re.findall(r"(?:fill|stroke): (#\w+)", body))
    assert used <= {light for light, _ in plots.COLOURS.values()}
    for light, dark in plots.COLOURS.values():
        assert light not in used or f'[style*="fill: {light}"]{{fill:{dark}!important}}' in text
    outside = [words.get_text() for words in figure.findobj(matplotlib.text.Text) if words.get_text().strip()
               and not all(figure.bbox.contains(*corner) for corner in words.get_window_extent().corners())]
    assert outside == []


def test_pictures_say_what_is_measured():
    """The card, the date, and what was picked by hand."""
    for name in ("attention", "bsr_addmm", "decoding", "flex_attention"):
        text = (ROOT / "docs" / f"{name}.svg").read_text()
        assert re.search(r"bf16, NVIDIA \w+, 20\d\d-\d\d-\d\d", text), name
        assert "picked by hand" in text or "default parameters" in text, name
