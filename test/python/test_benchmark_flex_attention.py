"""benchmarks/flex_attention.py without a GPU: its rows and programs, and what becomes of processes that fail."""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")


@pytest.fixture
def rows(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import attention_rows

    return attention_rows


@pytest.fixture
def benchmark(rows):
    import flex_attention

    return flex_attention


def small(rows, name):
    """The row at a length that its mask cuts; documents are 8192 elements together."""
    row = rows.ROWS[name]
    if row.mask == "blocks":
        return dataclasses.replace(row, batch=1, heads=2, length=4 * row.block, count=2)
    length = {"window": 1300, "prefix": 1300, "document": 2800, "document_causal": 2800}.get(row.mask, 300)
    if row.by_function:
        length = 1300
    return dataclasses.replace(row, batch=1, heads=2 * row.group, kv_heads=2 if row.kv_heads else None, length=length)


def seen_by(rows, row):
    """Which keys each query of each head sees, by the definition."""
    i, j = np.arange(row.length)[:, None], np.arange(row.length)[None, :]
    seen = np.broadcast_to(rows.visible_function(row, rows.vectors(row))(i, j),
                           (row.heads, row.length, row.length))
    if row.mask == "blocks":
        indices = rows.lists(row).full_indices[0]
        listed = (indices[..., None] == np.arange(row.length // row.block)).any(2)
        seen = listed.repeat(row.block, 1).repeat(row.block, 2)
    return seen


MASKS = ["dense_4096", "causal_4096", "window_4096", "prefix_8192", "document_8192", "document_causal_8192",
         "blocks_128", "blocks_64"]
LONG = ["long_packed", "long_local", "long_sinks", "long_tree_depth", "long_tree_breadth", "long_longformer", "long_hstu"]


@pytest.mark.parametrize("name", [*MASKS, *LONG])
def test_visible_pairs_are_counted_by_element(rows, name):
    row = small(rows, name)
    seen = seen_by(rows, row)
    assert rows.count_pairs(row) * row.heads == seen.sum()
    assert rows.count_operations(row) == 2 * (128 + 128) * seen.sum()


@pytest.mark.parametrize("name", ["causal_4096", "window_4096", "prefix_8192", "document_8192", "document_causal_8192", *LONG])
def test_lists_are_exact(rows, name):
    row = small(rows, name)
    lists, seen = rows.lists(row), seen_by(rows, row)[0]
    blocks = -(-row.length // row.block)
    for place in range(blocks):
        part = np.zeros((row.block, blocks * row.block), bool)
        of_rows = seen[place * row.block:(place + 1) * row.block]
        part[:len(of_rows), :row.length] = of_rows
        # Rows beyond the end do not count; keys beyond it are not visible.
        columns = part[:len(of_rows)].reshape(len(of_rows), blocks, row.block)
        some, every = columns.any((0, 2)), columns.all((0, 2))
        for kind, expected in (("partial", some & ~every), ("full", every)):
            count = getattr(lists, f"{kind}_counts")[0, 0, place]
            assert getattr(lists, f"{kind}_indices")[0, 0, place, :count].tolist() == np.flatnonzero(expected).tolist()


def test_rows_of_the_issue(rows):
    assert len(rows.ROWS) == 32
    assert rows.ROWS["gqa_8192"].group == 4
    assert rows.ROWS["video"].title() == "64 of 1713 blocks of 64, D128, 1 x 7 x 109632"
    assert rows.ROWS["softcap_8192"].title() == "softcap 20, causal, D128, 2 x 16 x 8192"
    assert sum(rows.DOCUMENTS) == 8192 and rows.documents(8192)[-1] == 15


@pytest.mark.parametrize("name", [*MASKS, "alibi_8192", "softcap_8192", "d64_causal", "d72_dense", "gqa_8192"])
def test_programs_compute_what_is_counted(sattn, rows, name):
    """The program and its operands, on the CPU; in f16, which DLPack takes from NumPy."""
    row = small(rows, name)
    rng = np.random.default_rng(0)
    kv_heads = row.kv_heads or row.heads
    q, k, v = (rng.standard_normal((1, heads, row.length, columns), np.float32).astype(np.float16)
               for heads, columns in ((row.heads, row.head_dim), (kv_heads, row.head_dim), (kv_heads, row.values)))
    out = np.full((1, row.heads, row.length, row.values), np.nan, np.float16)
    scale = row.head_dim ** -0.5
    lists = rows.lists(row).operands(row).values() if row.has_lists else []
    compiled = sattn.compile(rows.program(row).replace("bf16", "f16"))
    compiled(q, k, v, *lists, *(value for _, _, value in rows.captures(row)), out)

    q, k, v = (array[0].astype(np.float64) for array in (q, k, v))
    k, v = (array.repeat(row.group, 0) for array in (k, v))
    scores = q @ k.swapaxes(1, 2) * scale
    if row.score == "softcap":
        scores = 20 * np.tanh(scores / 20)
    elif row.score == "alibi":
        distance = np.arange(row.length)[None, :] - np.arange(row.length)[:, None]
        scores += rows.slopes(row.heads)[:, None, None] * distance
    scores = np.where(seen_by(rows, row), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights @ v / weights.sum(-1, keepdims=True)
    error = np.linalg.norm(out[0].astype(np.float64) - expected) / np.linalg.norm(expected)
    assert error < 1e-3


@pytest.mark.parametrize("length", [600, 1300])
@pytest.mark.parametrize("name", LONG)
def test_intervals_are_what_functions_see(rows, name, length):
    """By element, disjoint and rising."""
    row = dataclasses.replace(rows.ROWS[name], length=length)
    seen, last = np.zeros((length, length), int), np.zeros(length, int)
    for begin, end in rows.intervals(row):
        assert (last <= begin).all() and (begin <= end).all() and (end <= length).all()
        seen += (np.arange(length) >= begin[:, None]) & (np.arange(length) < end[:, None])
        last = end
    assert (seen == seen_by(rows, row)[0]).all()
    # Each mask has what it is named after.
    assert seen.diagonal().all() and 0 < seen.mean() < 1
    if name == "long_longformer":
        assert seen.all(1).sum() == seen.all(0).sum() == 8
    else:
        assert not np.triu(seen, 1).any()


def test_trees_are_the_same_in_both_orders(rows):
    """Each query of a leaf sees 6 whole nodes, of which the root is the first."""
    of = {name: rows.intervals(dataclasses.replace(rows.ROWS[name], length=12700)) for name in ("long_tree_depth", "long_tree_breadth")}
    for intervals in of.values():
        parts = np.array([end - begin for begin, end in intervals])
        assert len(intervals) == 7 and ((parts > 0).sum(0) == 7).mean() == pytest.approx(64 / 127, abs=0.05)
        assert (intervals[0][0] == 0).all() and len(np.unique(intervals[0][1][1000:])) == 1


@pytest.mark.parametrize("name", LONG)
def test_masks_of_functions_in_attention(sattn, rows, name):
    """sattn.flex_attention, on the CPU."""
    row = small(rows, name)
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 2, row.length, 16), np.float32) for _ in range(3))
    visible = rows.visible_function(row, rows.vectors(row))
    mask = sattn.create_block_mask(lambda b, h, i, j: visible(i, j), None, None, row.length, row.length)
    out = sattn.flex_attention(q, k, v, block_mask=mask)
    scores = np.where(seen_by(rows, row)[:2], q[0].astype(float) @ k[0].astype(float).swapaxes(1, 2) / 4, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(out[0], weights @ v[0] / weights.sum(-1, keepdims=True), rtol=0, atol=1e-5)
    assert mask.visible() == rows.count_pairs(row) / row.length ** 2
    with pytest.raises(ValueError, match="expected a row whose mask is no function"):
        rows.program(row)


@pytest.mark.parametrize("name", ["d64_dense", "causal_4096", "d256_causal", "blocks_64", "document_8192"])
def test_the_sweep_has_tiles_that_a_row_takes(sattn, rows, name):
    row = small(rows, name)
    texts = rows.sweep(row)
    assert len(texts) == len(set(texts)) >= 3
    sattn.compile(rows.program(row, texts[0]), "cpu")


def test_rank_3_needs_no_heads(rows):
    assert "tensor<?x?x128xbf16>" in rows.program(rows.ROWS["causal_4096"], rank=3)
    with pytest.raises(ValueError, match="expected rank 4"):
        rows.program(rows.ROWS["alibi_8192"], rank=3)


def test_lists_its_rows(root):
    done = subprocess.run([sys.executable, root / "benchmarks" / "flex_attention.py", "--list"], capture_output=True,
                          text=True, check=True)
    assert len(done.stdout.splitlines()) == 32 and "0.55 TFLOP" in done.stdout.splitlines()[0]


# A stand-in for the process that measures: it follows PLAN for each candidate of each row.
WORKER = """
import json, os, signal, sys, time
options = json.loads(sys.argv[1])
plan = json.loads(os.environ["PLAN"])
events = os.fdopen(options["pipe"], "w")
def tell(**event):
    events.write(json.dumps(event) + "\\n")
    events.flush()
tell(about={"device": "card", "date": "2020-01-01", "torch": "2", "cudnn": 9, "peers": {}})
if options["warm"]:
    tell(step=["", "first program"])
    if plan.get("first"):
        sys.exit(plan["first"])
for row in options["rows"]:
    if time.time() > options["until"]:
        break
    tell(step=[row, ""])
    lost = options["lost"].get(row, {})
    for candidate in ("sattn", "sdpa"):
        if candidate in lost:
            continue
        tell(step=[row, candidate])
        what = plan.get(f"{row} {candidate}")
        if what == "hangs":
            time.sleep(60)
        elif what == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what:
            tell(dead=what)
            sys.exit(3)
    if plan.get(row) == "times":
        tell(step=[row, "timing"])
        sys.exit(1)
    if plan.get(row):
        tell(failed={"row": row, "why": plan[row]})
        continue
    facts = {name: {"ms": ms, "tflops": 1 / ms, "spread": 0.0, "first_call_s": 0.1}
             for name, ms in (("sattn", 1.0), ("sdpa", 2.0)) if name not in lost}
    tell(row={"row": row, "title": row, "seconds": 1, "least": 1.0, "aim": 1.1, "sdpa_does": True,
              "candidates": facts, "failed": lost})
"""


@pytest.fixture
def run(benchmark, monkeypatch, tmp_path):
    def start(self, left, pipe):
        options = {"rows": left, "lost": self.lost, "until": self.until, "warm": self.warm, "pipe": pipe}
        return subprocess.Popen([sys.executable, "-c", WORKER, json.dumps(options)], pass_fds=[pipe], env=os.environ)

    def run(rows, plan, *options):
        monkeypatch.setattr(benchmark.Run, "start", start)
        monkeypatch.setenv("PLAN", json.dumps(plan))
        code = benchmark.main(["--rows", *rows, "--out", str(tmp_path / "results.json"), *options])
        return code, json.loads((tmp_path / "results.json").read_text())

    return run


ROWS = ["dense_4096", "causal_4096", "window_4096"]


def test_all_rows(run, capsys):
    code, results = run(ROWS, {})
    assert code == 0 and [row["row"] for row in results["rows"]] == ROWS
    assert results["device"] == "card" and results["failed"] == {}
    assert "sattn over the best peer, sdpa: 2.000 (at least 1.00, aim 1.10)" in capsys.readouterr().out


def test_goes_on_after_what_dies_and_hangs(run):
    code, results = run(ROWS, {"dense_4096 sattn": "dies", "causal_4096 sdpa": "hangs",
                               "window_4096 sattn": "CUDA error: an illegal memory access"}, "--hang", "1")
    assert code == 0
    assert [row["failed"] for row in results["rows"]] == [
        {"sattn": "ended by signal 9"}, {"sdpa": "no end after 1 s"}, {"sattn": "CUDA error: an illegal memory access"}]


def test_names_rows_that_fail(run, capsys):
    code, results = run(ROWS, {"dense_4096": "OutOfMemoryError", "causal_4096": "times", "first": 4})
    assert code == 1 and [row["row"] for row in results["rows"]] == ["window_4096"]
    assert results["failed"] == {"dense_4096": "OutOfMemoryError", "causal_4096": "timing: exit code 1"}
    assert "left out: dense_4096: OutOfMemoryError" in capsys.readouterr().out


def test_no_row_begins_after_the_budget(run):
    code, results = run(ROWS, {}, "--budget", "0")
    assert code == 1 and results["failed"] == dict.fromkeys(ROWS, "no time left")


def result(row, sdpa, **candidates):
    facts = {name: {"ms": ms, "tflops": 12 / ms, "spread": 0.0, "first_call_s": 1.0}
             for name, ms in {"sdpa": sdpa, **candidates}.items()}
    return {"device": "card", "peers": {"flash-attn-4": "4" if "fa4" in candidates else "not installed"},
            "rows": [{"row": row, "title": row, "seconds": 1, "least": None, "aim": None, "sdpa_does": True,
                      "candidates": facts, "failed": {} if "fa4" in candidates else {"fa4": "no module"}}]}


def test_merges_by_the_yardstick(benchmark, tmp_path, capsys):
    files = []
    for number, part in enumerate([result("a", 2.0, sattn=1.0), result("a", 4.0, fa4=3.0), result("b", 1.0, fa4=1.0)]):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(part))
    assert benchmark.main(["--merge", *map(str, files), "--out", str(tmp_path / "all.json")]) == 0
    merged = json.loads((tmp_path / "all.json").read_text())
    assert merged["merged"] == 3 and merged["peers"] == {"flash-attn-4": "4"}
    first, second = merged["rows"]
    # SDPA was half as fast in the second run, and so was what ran beside it.
    assert first["candidates"]["fa4"]["ms"] == 1.5 and first["candidates"]["fa4"]["tflops"] == 8
    assert first["candidates"]["sdpa"]["ms"] == 2.0 and first["failed"] == {} and second["row"] == "b"
    assert "sattn over the best peer, fa4: 1.500" in capsys.readouterr().out
