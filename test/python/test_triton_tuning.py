"""benchmarks/triton_tuning.py, over stand-ins for Triton's timer and PyTorch's optimizer."""

import itertools
import json
import sys
import types

import numpy as np
import pytest


class Problem:
    block, shape = 64, (256, 512, 128)
    crow, values, b, c = np.array([0, 3, 3, 5, 6]), np.zeros((6, 64, 64)), "b", "c"


@pytest.fixture
def tuning(root, monkeypatch):
    """The module, an optimizer that tries four choices of which the third is the best, and a clock of its own."""
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import triton_tuning

    calls = []

    def tune(input, bsr, dense, **options):
        times = {}
        for stages in range(1, 5):
            try:
                times[stages] = testing.do_bench(lambda: stages, warmup=500, rep=100)
            except TimeoutError:
                continue
        calls.append((input, bsr, dense, options, times))
        return {"num_stages": min(times, key=times.get)} if times else {}

    def do_bench(call, warmup, rep):
        assert (warmup, rep) == (triton_tuning.WARM_MS, triton_tuning.TIMED_MS)
        return {1: 4.0, 2: 3.0, 3: 1.0, 4: 2.0}[call()]

    testing = types.SimpleNamespace(do_bench=do_bench)
    modules = {"triton": types.ModuleType("triton"), "triton.testing": testing, "torch": types.ModuleType("torch"),
               "torch.sparse": types.ModuleType("torch.sparse")}
    modules["triton"].testing = testing
    modules["torch.sparse"]._triton_ops_meta = types.SimpleNamespace(tune_bsr_dense_addmm=tune)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    clock = itertools.count()
    monkeypatch.setattr(triton_tuning.time, "monotonic", lambda: next(clock))
    return types.SimpleNamespace(Parameters=triton_tuning.Parameters, calls=calls, testing=testing, do_bench=do_bench)


def test_searches_once_and_keeps(tuning, tmp_path):
    path = tmp_path / "tuned.json"
    parameters = tuning.Parameters(path, 100)
    assert parameters.found(Problem) is None
    for _ in range(2):
        assert parameters.of(Problem, "bsr", "out") == {"num_stages": 3}
    assert [call[:4] for call in tuning.calls] == [("c", "bsr", "b", {"beta": 0, "out": "out", "force": True})]
    assert tuning.testing.do_bench is tuning.do_bench
    kept = "256 x 512 x 128, blocks of 64, 6 of 32 stored, at most 3 in a row"
    assert json.loads(path.read_text()) == {kept: {"num_stages": 3}}
    assert tuning.Parameters(path, 0).of(Problem, "bsr", "out") == {"num_stages": 3}
    assert len(tuning.calls) == 1


def test_the_best_until_the_limit(tuning, tmp_path):
    # The clock ticks at each look: the start, then one a choice.
    assert tuning.Parameters(tmp_path / "tuned.json", 2).of(Problem, "bsr", "out") == {"num_stages": 2}


def test_nothing_found(tuning, tmp_path):
    with pytest.raises(RuntimeError, match="PyTorch's optimizer found no parameters"):
        tuning.Parameters(tmp_path / "tuned.json", 0).of(Problem, "bsr", "out")
    assert not (tmp_path / "tuned.json").exists()
