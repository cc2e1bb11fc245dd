"""README: its Python runs, its demo prints what it shows, and its status is so."""

import re
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse as sparse

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import readme_demo  # noqa: E402

README = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def status(row):
    """The cells of a row of the table of the status: what works, what does not yet."""
    return re.search(rf"^\| {row} \| (.*?) \| (.*?) ?\|$", README, re.MULTILINE).groups()


def test_first_screen():
    """A description, two plots, numbers, installation, an example of ten lines and the limits come before the rest."""
    order = ["docs/attention.svg", "docs/bsr_addmm.svg", "numbers: begin", "pip install .", "```python",
             "### When not to use this", "### Set-up", "\n## "]
    assert sorted(order, key=README.index) == order
    assert README[:README.index("### Set-up")].count("\n") <= 52
    assert len(SNIPPETS[0].strip().replace("\n\n", "\n").splitlines()) == 10


def attention(names, scores):
    """Attention of the page's arrays, each query of which sees the last 128 keys, by NumPy."""
    distance = np.arange(512)[:, None] - np.arange(512)
    weights = np.exp(np.where((distance >= 0) & (distance < 128), scores, -np.inf))
    return weights / weights.sum(-1, keepdims=True) @ names["value"]


def test_python(sattn, capsys, monkeypatch):
    """The snippets run in order, as one program."""
    monkeypatch.chdir(ROOT)
    names = {}
    exec(SNIPPETS[0], names)
    assert capsys.readouterr().out == "(1, 4, 512, 64) (256, 2048)\n"
    weight = sattn.bsr_to_dense(names["weight"], 1024)
    assert np.count_nonzero(weight) == pytest.approx(0.2 * weight.size, rel=0.01)
    assert np.abs(names["y"] - names["x"] @ weight.T).max() < 1e-3
    for snippet in SNIPPETS[1:]:
        exec(snippet, names)
    scores = names["query"] @ names["key"].swapaxes(-1, -2) / 8
    assert np.abs(names["attended"] - attention(names, scores)).max() < 1e-4
    assert np.abs(names["softened"] - attention(names, 20 * np.tanh(scores / 20))).max() < 1e-4
    assert np.abs(names["out"] - names["matrix"] @ names["b"]).max() < 1e-3
    assert callable(names["program"])


def test_output_of_the_demo(built_tools):
    text = readme_demo.output(built_tools)
    assert readme_demo.masked(readme_demo.shown(README)) == readme_demo.masked(text), "run ./dev docs"


TEXT = """  82.5 KiB for sm_90a in 164 ms
  sattn, bf16, CPU, 2 threads           1.7e-03     11.94 ms    0.86 GFLOP    192.1 GFLOP/s
Every stored block is full; blocks are 12 times as fast as CSR here.
"""


@pytest.mark.parametrize("old, new, changed", [
    ("82.5 KiB", "132.4 KiB", True), ("0.86 GFLOP ", "0.87 GFLOP ", True),
    ("sm_90a in 164 ms", "sm_90a in 99 ms", False), ("  192.1", "   92.1", False), (" 11.94", "111.94", False),
    ("1.7e-03", "9.9e-04", False), ("2 threads ", "16 threads", False), ("12 times", "9.5 times", False)])
def test_what_varies_in_the_demo(old, new, changed):
    page = f"a\n{readme_demo.BEGIN}{TEXT}{readme_demo.END}\nb\n"
    assert old in TEXT
    text = TEXT.replace(old, new)
    assert readme_demo.stale(page, text) == changed
    assert readme_demo.replace(page, text) == (page.replace(TEXT, text) if changed else page)
    with pytest.raises(readme_demo.DemoFailed, match="both markers"):
        readme_demo.stale("no markers", text)


def test_status_names_every_op():
    sources = (ROOT / "include/sattn/Dialect/SAttn/IR").rglob("*.td")
    # Ops that only passes make, and terminators, have no reference implementation.
    ops = {name for path in sources for name in re.findall(r'SAttn_Op<"(\w+)"', path.read_text())}
    ops -= {"combine_parts", "merge", "plan", "yield"}
    assert set(re.findall(r"`sattn\.(\w+)`", status("ops")[0])) == ops


def program(block, dtype):
    return (ROOT / "examples/bsr_addmm.mlir").read_text().replace("64x64", f"{block[0]}x{block[1]}").replace(
        "bf16", dtype).replace("{meta = #sattn.meta<tile = [64, 128, 64]>}",
                               '{precision = "tf32"}' if dtype == "f32" else "")


CHIPS = re.findall(r"sm_\d+a?", status("GPU")[0])


def test_status_names_the_chips():
    known = re.findall(r'^ *\{"(sm_\w+)", ', (ROOT / "include/sattn/Support/Chip.h").read_text(), re.MULTILINE)
    assert set(CHIPS) == set(known)


@pytest.mark.parametrize("chip", CHIPS)
def test_status_of_the_gpu(sattn, chip):
    assert "f16, bf16, and f32, slow unless as tf32 on request; products of int8 and of 8-bit floats; blocks of any multiples of 8, up to 256 rows" in status("GPU")[0]
    assert status("GPU")[1].startswith("f64, ")
    with pytest.raises(sattn.CompileError, match="but got f64, which the CPU alone has"):
        sattn.compile(program((64, 64), "f64").replace("f32", "f64"), chip)
    for block, dtype in [((8, 8), "f16"), ((24, 40), "bf16"), ((256, 256), "bf16"), ((16, 512), "f16"),
                         ((64, 64), "f32")]:
        assert ".target" in sattn.compile(program(block, dtype), chip).ptx
    for block in [(264, 64), (512, 512)]:
        with pytest.raises(sattn.CompileError, match="expected .*, but got "):
            sattn.compile(program(block, "bf16"), chip)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("block", [(8, 8), (24, 40), (256, 136), (512, 512)])
def test_status_of_the_cpu(sattn, block, dtype):
    assert status("CPU") == ("f16, bf16, f32, f64; products of int8 and of 8-bit floats; blocks of any multiples of 8; any N, "
                             "strides and batches", "")
    rng = np.random.default_rng(0)
    matrix = sparse.bsr_array((rng.standard_normal((2, *block)), [1, 0], [0, 1, 2]),
                              shape=(2 * block[0], 2 * block[1]))
    dense = rng.standard_normal((2 * block[1], 7))
    values, b = matrix.data.astype(dtype), dense.astype(dtype)
    result = sattn.bsr_dense_addmm(None, (matrix.indptr, matrix.indices, values), b, beta=0)
    matrix.data = values.astype(np.float64)
    reference = matrix @ b.astype(np.float64)
    assert np.linalg.norm(result.astype(np.float64) - reference) < 5e-3 * np.linalg.norm(reference)


def test_products_of_8_bits(sattn):
    rng = np.random.default_rng(0)
    values, dense = (rng.integers(-9, 9, shape, np.int8) for shape in ((2, 16, 24), (48, 7)))
    crow, col = np.array([0, 1, 2]), np.array([1, 0])
    result = sattn.bsr_dense_addmm(None, (crow, col, values), dense, beta=0)
    expected = np.concatenate([values[0].astype(np.int32) @ dense[24:], values[1].astype(np.int32) @ dense[:24]])
    assert result.dtype == np.int32 and (result == expected).all()
    narrow = [array.astype(ml_dtypes.float8_e4m3fn) for array in (values, dense)]
    result = sattn.bsr_dense_addmm(None, (crow, col, narrow[0]), narrow[1], beta=0)
    assert result.dtype == np.float32 and (result == expected).all()


def test_blocks_of_other_sizes_are_refused(sattn):
    arrays = np.array([0, 1]), np.array([0]), np.zeros((1, 12, 8), np.float32)
    with pytest.raises(NotImplementedError, match="'bsr': expected blocks of positive multiples of 8, but got 12 x 8"):
        sattn.bsr_dense_addmm(None, arrays, np.zeros((8, 4), np.float32), beta=0)
