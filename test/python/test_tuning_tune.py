"""sattn.tuning.record and tune: problems of calls, tuned by the real tool, and rows that calls on the CPU use."""

import json
import os

import numpy as np
import pytest


@pytest.fixture
def sattn_alone(package, monkeypatch, tmp_path):
    """The package, whose user has no table."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("SATTN_META_TABLE", "SATTN_MISSES"):
        monkeypatch.delenv(name, raising=False)
    package.cache.clear()
    return package


def bsr(rows=4, block=16):
    """Block rows of two blocks each, of as many columns."""
    col = np.array([sorted({row, (row + 1) % rows}) for row in range(rows)], np.int32).ravel()
    values = np.ones((len(col), block, block), np.float32)
    return np.arange(rows + 1, dtype=np.int32) * 2, col, values


def product(package, n=40):
    return package.bsr_dense_mm(bsr(), np.ones((64, n), np.float32))


def attend(package):
    query = np.ones((2, 64, 32), np.float32)
    return package.scaled_dot_product_attention(query, query, query, bsr())


def row_of(package, op, key, parameters):
    """The text of a table with one row of f32 for this machine's CPU."""
    from sattn._compiler import tuning

    section = {"op": op, "device": tuning.host_device(), "version": 0, "dtype": "f32", "sparsity": 0.5,
               "parameters": list(parameters), "rows": [[key, list(parameters.values())]]}
    return json.dumps({"format": "sattn-meta-table", "version": 1, "sections": [section]})


def metas(package, op):
    return [source.meta for source, _ in package._call.cache._programs if type(source).__name__ == op]


def test_record_has_each_problem_once(sattn_alone):
    with sattn_alone.tuning.record() as problems:
        for n in (40, 40, 48):
            product(sattn_alone, n)
        attend(sattn_alone)
        assert problems == []
    assert [problem.op for problem in problems] == ["bsr_addmm", "bsr_addmm", "bsr_attention"]
    facts = dict(problems[0].facts)
    assert (facts["m"], facts["n"], facts["k"], facts["nnz"], facts["dtype"]) == (64, 40, 64, 8, "f32")
    assert dict(problems[2].facts)["rows"] == 64
    assert "SATTN_MISSES" not in os.environ


def test_nothing_is_recorded_after_the_block(sattn_alone, tmp_path, monkeypatch):
    """A file that was named before gets problems again, and has none of the block's."""
    log = tmp_path / "misses.jsonl"
    monkeypatch.setenv("SATTN_MISSES", str(log))
    with sattn_alone.tuning.record() as problems:
        product(sattn_alone)
    assert len(problems) == 1 and not log.exists()
    product(sattn_alone, 48)
    assert dict(json.loads(log.read_text())["facts"])["n"] == 48


def test_a_log_that_cannot_be_written_is_a_warning(sattn_alone, monkeypatch):
    monkeypatch.setenv("SATTN_MISSES", "/no/such/folder/misses.jsonl")
    with pytest.warns(RuntimeWarning, match="SATTN_MISSES: expected a file to write to, but got '/no/such/folder"):
        assert (product(sattn_alone) == 32).all()


def test_rows_of_this_cpu_are_used(sattn_alone, monkeypatch, tmp_path):
    table = tmp_path / "table.json"
    monkeypatch.setenv("SATTN_META_TABLE", str(table))
    table.write_text(row_of(sattn_alone, "bsr_addmm", [64, 64, 40, 16, 16, True, False, True],
                            {"tile_m": 16, "tile_n": 24, "tile_k": 16}))
    with sattn_alone.tuning.record() as problems:
        assert (product(sattn_alone) == 32).all()
    assert metas(sattn_alone, "BsrAddmm") == ["tile = [16, 24, 16]"] and not problems


def test_rows_of_attention_are_used(sattn_alone, monkeypatch, tmp_path):
    expected = attend(sattn_alone)
    assert metas(sattn_alone, "BsrAttention") == [""]
    table = tmp_path / "table.json"
    monkeypatch.setenv("SATTN_META_TABLE", str(table))
    table.write_text(row_of(sattn_alone, "bsr_attention", [32, 32, 16, 16, True, False, 2, 48],
                            {"tile_m": 16, "tile_n": 32, "tile_k": 16}))
    sattn_alone.cache.clear()
    np.testing.assert_allclose(attend(sattn_alone), expected, rtol=1e-5)
    assert metas(sattn_alone, "BsrAttention") == ["tile = [16, 32, 16]"]


@pytest.mark.parametrize("options, causal", [({}, False), ({"causal": True}, True), ({"window": (16, 0)}, False)])
def test_rows_of_flex_attention_are_used(sattn_alone, monkeypatch, tmp_path, options, causal):
    """By the facts that the compiler reads off the types of the same program."""
    query = np.random.default_rng(0).standard_normal((1, 2, 96, 32), np.float32)
    with sattn_alone.tuning.record() as problems:
        expected = sattn_alone.flex_attention(query, query, query, **options)
    assert metas(sattn_alone, "FlexAttention") == [""]
    assert [(each.op, dict(each.facts)["rows"], dict(each.facts)["batches"], bool(dict(each.facts)["is_causal"]))
            for each in problems] == [("flex_attention", 96, 2, causal)]
    table = tmp_path / "table.json"
    monkeypatch.setenv("SATTN_META_TABLE", str(table))
    table.write_text(row_of(sattn_alone, "flex_attention", [32, 32, 0, 0, False, causal, False, 2, 64],
                            {"tile_m": 32, "tile_n": 32, "tile_k": 16}))
    sattn_alone.cache.clear()
    np.testing.assert_allclose(sattn_alone.flex_attention(query, query, query, **options), expected, rtol=1e-4, atol=1e-5)
    assert metas(sattn_alone, "FlexAttention") == ["tile = [32, 32, 16]"]


def test_a_call_is_tuned(sattn_alone, tmp_path):
    table = tmp_path / "table.json"
    found = sattn_alone.tuning.tune(product, sattn_alone, n=24, target="cpu", budget=0.5, table=table)
    assert len(found) == 1 and found[0].problem.startswith("bsr_addmm ") and found[0].device.startswith("CPU ")
    assert found[0].milliseconds > 0 and found[0].parameters["tile_m"] == 16
    assert found[0].is_default or found[0].milliseconds < found[0].default_milliseconds
    assert table.exists() == (not found[0].is_default)


def test_recorded_problems_are_tuned(sattn_alone, tmp_path, monkeypatch, capfd):
    with sattn_alone.tuning.record() as problems:
        attend(sattn_alone)
    found = sattn_alone.tuning.tune(problems, target="cpu", budget=0.5, effort="quick", table=tmp_path / "table.json",
                                    progress=True)
    assert [each.problem.split()[0] for each in found] == ["bsr_attention"]
    assert "tried" in capfd.readouterr().err
    assert sattn_alone.tuning.tune([], target="cpu") == []


@pytest.mark.parametrize("options, message", [
    ({"effort": "much"}, "argument 'effort': expected one of quick, normal, full, but got 'much'"),
    ({"target": "gpu"}, "argument 'target': expected 'cpu', 'cuda' or None, but got 'gpu'"),
    ({"budget": 0}, "argument 'budget': expected more than 0 seconds, but got 0"),
])
def test_bad_arguments(sattn_alone, options, message):
    with pytest.raises(ValueError, match=message):
        sattn_alone.tuning.tune([], **options)
    with pytest.raises(ValueError, match="expected no arguments beside problems"):
        sattn_alone.tuning.tune([], 1)


def test_problems_that_cannot_be_tuned(sattn_alone, tmp_path):
    problem = sattn_alone.tuning.Problem("bsr_addmm", (("m", 1),))
    with pytest.raises(RuntimeError, match="sparse-tune: error: bsr_addmm m=1: expected the fact"):
        sattn_alone.tuning.tune([problem], target="cpu", table=tmp_path / "table.json")
    with pytest.raises(RuntimeError, match="meta table '/dev/null/t.json'"):
        sattn_alone.tuning.tune([problem], target="cpu", table="/dev/null/t.json")


def test_a_tool_that_is_missing(sattn_alone, monkeypatch, tmp_path):
    from sattn._tuning import tuner

    library = tmp_path / "lib" / "libsattn.so"
    monkeypatch.setattr(tuner.libraries, "find", lambda name: library)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=f"expected the tool sparse-tune as {tmp_path}/bin/sparse-tune or on PATH"):
        sattn_alone.tuning.tune([])
