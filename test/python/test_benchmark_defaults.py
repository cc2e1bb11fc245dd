"""benchmarks/defaults.py on the CPU: its shapes and candidates, what it names, what it writes."""

import json
import sys

import pytest

pytest.importorskip("tvm_ffi")


@pytest.fixture
def defaults(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import defaults

    monkeypatch.setattr(defaults, "SHAPES", [(512, 768, 160, 64, 0.5, "bf16", "uniform"),
                                            (512, 512, 99, 32, 0.9, "f16", "zipf")])
    return defaults


def test_shapes_of_whole_blocks(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    monkeypatch.delitem(sys.modules, "defaults", raising=False)
    from defaults import SHAPES, shape_of

    assert len(set(SHAPES)) == 36 and {shape[6] for shape in SHAPES} == {"uniform", "zipf"}
    for target in ("cuda", "cpu"):
        assert not any(m % block or k % block for m, k, _, block, _, _, _ in (shape_of(s, target) for s in SHAPES))
    assert {shape[3] for shape in SHAPES} == {16, 32, 64, 128}
    assert {shape[5] for shape in SHAPES} == {"bf16", "f16"}
    assert any(shape[2] % 8 for shape in SHAPES)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("block", [16, 32, 64, 128])
def test_at_most_twelve_candidates(defaults, target, block):
    metas = [defaults.describe_meta(meta) for meta in defaults.candidates_of(block, target)]
    assert 5 < len(metas) <= 12 and len(set(metas)) == len(metas)


def test_measures_the_default_beside_the_candidates(sattn, defaults, monkeypatch, tmp_path, capsys):
    grid = [{"tile": (64, 64, 64)}, {"tile": (64, 100, 64)}, {"tile": (64, 128, 64)}]
    monkeypatch.setattr(defaults, "candidates_of", lambda block, target: grid if block == 64 else [])
    # The second shape's default takes twice as long as its best, if there were another.
    assert defaults.main(["--target=cpu", "--rounds=2", "--bar=0", f"--out={tmp_path / 'results.json'}"]) == 0
    result = json.loads((tmp_path / "results.json").read_text())
    first, second = result["rows"]
    # The default choice is not measured twice.
    assert set(first["ms"]) == {"default", *({"tile = [64, 64, 64]", "tile = [64, 128, 64]"} - {first["default"]})}
    assert set(second["ms"]) == {"default"} and second["default_over_best"] == 1
    assert (first["m"], first["k"], first["n"], second["dtype"]) == (128, 192, 40, "f32")
    assert list(result["refused"]["bf16, blocks of 64"]) == ["tile = [64, 100, 64]"]
    assert "expected the tile's N to be a multiple of 8, but got 100" in capsys.readouterr().out


def test_names_what_is_below_the_bar(sattn, defaults, monkeypatch, capsys):
    monkeypatch.setattr(defaults, "candidates_of", lambda block, target: [{"tile": (block, 256, block)}])
    monkeypatch.setattr(defaults.Cpu, "measure", lambda self, calls, rounds: {
        name: 2.0 if name == "default" and len(calls) == 2 else 1.5 for name in calls})
    assert defaults.main(["--target=cpu"]) == 1
    out = capsys.readouterr().out
    assert "default / best 0.75" in out and "default / best: least 0.75; below 0.8: 2" in out
    assert defaults.main(["--target=cpu", "--bar=0.7"]) == 0


def test_stops_at_the_end_of_its_budget(sattn, defaults, monkeypatch, capsys):
    assert defaults.main(["--target=cpu", "--budget=0"]) == 1
    out = capsys.readouterr().out
    assert out.count("left out: no time left") == 2 and "0 shapes" in out
