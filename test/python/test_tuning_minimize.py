"""sattn.tuning.minimize and searches of products, by functions and clocks that tests make."""

import itertools

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")


def by_one(name, value, direction, parameters):
    """Values from 0 to 9."""
    return min(max(value + direction, 0), 9)


class Bowl:
    """1 + the squared distance to a point, where it does not fail; which points were computed."""

    def __init__(self, least, fails=()):
        self.least, self.fails, self.points = least, fails, []

    def __call__(self, parameters):
        point = tuple(parameters[name] for name in sorted(parameters))
        self.points.append(point)
        if point in self.fails:
            raise RuntimeError(f"{point} fails")
        return 1.0 + sum((value - wanted)**2 for value, wanted in zip(point, self.least))


def test_finds_the_least(sattn):
    bowl = Bowl((4, 7))
    parameters, speedup, value, message = sattn.tuning.minimize(bowl, {"a": 0, "b": 2}, {"a": 9, "b": 9}, by_one)
    assert (parameters, value) == ({"a": 4, "b": 7}, 1.0)
    assert speedup == pytest.approx((1 - 1 / 30) * 100)
    assert message.startswith("timing0=42.000, ")
    # The reference and the initial point first; each point once.
    assert bowl.points[:2] == [(9, 9), (0, 2)] and len(set(bowl.points)) == len(bowl.points)
    # Nearest neighbours first, the directions in order.
    assert bowl.points[2] == (0, 1)


def test_steps_of_two_parameters_together(sattn):
    walls = [(1, 0), (0, 1), (2, 0), (0, 2)]
    assert sattn.tuning.minimize(Bowl((1, 1), walls), {"a": 0, "b": 0}, {"a": 0, "b": 0}, by_one)[0] == {"a": 1, "b": 1}
    assert sattn.tuning.minimize(Bowl((1, 1), walls), {"a": 0, "b": 0}, {"a": 0, "b": 0}, by_one, max_step=1)[0] == {
        "a": 0, "b": 0}
    # So does one of two steps.
    assert sattn.tuning.minimize(Bowl((2,), [(1,)]), {"a": 0}, {"a": 0}, by_one)[0] == {"a": 2}


def test_a_step_that_is_not_possible_moves_nothing(sattn):
    bowl = Bowl((0, 9))
    sattn.tuning.minimize(bowl, {"a": 0, "b": 8}, {"a": 0, "b": 8}, lambda name, value, *_: value if name == "a" else
                          by_one(name, value, *_))
    assert {point[0] for point in bowl.points} == {0}


def test_the_reference_fails(sattn, capsys):
    bowl = Bowl((3,), [(9,)])
    parameters, speedup, value, _ = sattn.tuning.minimize(bowl, {"a": 0}, {"a": 9}, by_one, verbose=True)
    assert (parameters, value) == ({"a": 3}, 1.0) and speedup == pytest.approx(90.0)  # Over the initial 10.
    said = capsys.readouterr().out
    assert "reference_parameters={'a': 9} lead to failure: (9,) fails." in said
    assert "Using initial parameters instead of reference parameters." in said


def test_the_initial_parameters_fail(sattn, capsys):
    bowl = Bowl((3,), [(0,)])
    parameters, speedup, value, message = sattn.tuning.minimize(bowl, {"a": 0}, {"a": 5}, by_one, verbose=True)
    assert (parameters, value) == ({"a": 3}, 1.0) and speedup == pytest.approx(80.0)
    assert message.startswith("timing0=5.000")
    assert "Using reference parameters instead of initial parameters." in capsys.readouterr().out


def test_both_fail(sattn, capsys):
    assert sattn.tuning.minimize(Bowl((3,), [(0,), (5,)]), {"a": 0}, {"a": 5}, by_one, verbose=True) == (
        {}, -1, -1, "(0,) fails")
    assert "Optimization failed!" in capsys.readouterr().out


def test_candidates_that_fail_are_left_out(sattn, capsys):
    values = {}
    parameters, *_ = sattn.tuning.minimize(Bowl((3,), [(1,)]), {"a": 0}, {"a": 0}, by_one, verbose=True, all_values=values)
    assert parameters == {"a": 3} and values[1,] == "(1,) fails" and values[3,] == 1.0
    assert "next_parameters={'a': 1} lead to failure: (1,) fails. Skipping." in capsys.readouterr().out
    sattn.tuning.minimize(Bowl((3,), [(1,)]), {"a": 0}, {"a": 0}, by_one)
    assert not capsys.readouterr().out


def test_no_words_for_lack_of_resources(sattn, capsys):
    def limited(parameters):
        if parameters["a"] == 1:
            raise RuntimeError("out of resource: shared memory")
        return float(parameters["a"])

    sattn.tuning.minimize(limited, {"a": 0}, {"a": 0}, by_one, verbose=True)
    assert not capsys.readouterr().out


def test_values_that_are_known(sattn):
    bowl = Bowl((3,))
    values = {(3,): 1.0, (1,): "fails", (2,): 2.0}
    # Its neighbours are known, none as a better one: nothing is searched.
    assert sattn.tuning.minimize(bowl, {"a": 4}, {"a": 4}, by_one, max_step=1, all_values=values)[2] <= 2.0
    assert (1,) not in bowl.points and (2,) not in bowl.points


def test_equal_values_are_the_initial_parameters(sattn):
    def flat(parameters):
        return 1.0 - parameters["a"] * 1e-5

    assert sattn.tuning.minimize(flat, {"a": 4}, {"a": 0}, by_one)[0] == {"a": 4}
    # Without them the first in order.
    steps = {0: 2.0, 1: 2.0, 2: 1.0004, 3: 1.0, 4: 1.0002}
    assert sattn.tuning.minimize(lambda parameters: steps.get(parameters["a"], 3.0), {"a": 0}, {"a": 0}, by_one)[0] == {"a": 2}


def test_slower_than_the_reference_is_searched_again_from_there(sattn, capsys):
    valleys = {0: 5.0, 1: 4.0, 2: 6.0, 3: 9.0, 6: 9.0, 7: 3.0, 8: 2.0, 9: 2.5}
    parameters, speedup, value, _ = sattn.tuning.minimize(lambda parameters: valleys.get(parameters["a"], 10.0), {"a": 0},
                                                          {"a": 9}, by_one, verbose=True)
    assert (parameters, value) == ({"a": 8}, 2.0) and speedup == pytest.approx(20.0)
    assert "is negative. Rerunning minimize with reference parameters as initial parameters." in capsys.readouterr().out


def test_the_sensitivity(sattn):
    def steep(parameters):
        return 1.0 + 0.5 * abs(parameters["a"] - 5) + 0.25 * abs(parameters["b"] - 9)

    message = sattn.tuning.minimize(steep, {"a": 5, "b": 9}, {"a": 5, "b": 9}, by_one)[3]
    # The most sensitive first; 0 where a step is not possible.
    assert message == "timing0=1.000, a=5 (100.0|50.0...50.0|100.0 %), b=9 (50.0|25.0...0.0|0.0 %)"
    bowl = Bowl((5,), [(4,)])
    assert sattn.tuning.minimize(bowl, {"a": 5}, {"a": 5}, by_one, max_step=1)[3] == "timing0=1.000, a=5 (0.0...100.0 %)"


class Clock:
    """Milliseconds of a product, by the columns of its tiles; which parameters were timed."""

    def __init__(self, monkeypatch, times):
        from sattn._tuning import products

        self.times, self.timed, self.metas = times, [], []
        own = products.bsr_dense_addmm

        def product(*arguments, meta, **options):
            self.metas.append(dict(meta))
            return own(*arguments, meta=meta, **options)

        def milliseconds(call, on_gpu):
            assert not on_gpu
            call()
            self.timed.append(self.metas[-1]["SPLIT_N"])
            if self.timed[-1] not in self.times:
                raise RuntimeError("hangs")
            return self.times[self.timed[-1]]

        monkeypatch.setattr(products, "bsr_dense_addmm", product)
        monkeypatch.setattr(products.timing, "milliseconds", milliseconds)


VERSION = 0, "f32", 0.5
KEY = 64, 64, 128, 16, 16, False, True, True


def operands():
    rng = np.random.default_rng(0)
    crow, col = np.arange(5, dtype=np.int32) * 2, np.tile(np.array([0, 2], np.int32), 4)
    bsr = crow, col, rng.standard_normal((8, 16, 16), np.float32)
    return rng.standard_normal((64, 128), np.float32), bsr, rng.standard_normal((64, 128), np.float32)


def test_tunes_a_product(tuning, monkeypatch, capsys):
    clock = Clock(monkeypatch, {1: 4.0, 2: 3.0, 4: 2.0, 8: 5.0})
    assert tuning.tune_bsr_dense_addmm(*operands(), verbose=True) == {"SPLIT_N": 4}
    assert set(clock.timed) == {1, 2, 4, 8}
    assert "-> timing0=5.000, SPLIT_N=4 (100.0|50.0...150.0|150.0 %), speedup=60.0 %, timing=2.000 ms" in capsys.readouterr().out
    assert tuning.get_meta("bsr_dense_addmm", KEY, "cpu", VERSION) is None


def test_a_failing_candidate_costs_itself(tuning, monkeypatch):
    Clock(monkeypatch, {1: 4.0, 4: 2.0, 8: 5.0})
    assert tuning.tune_bsr_dense_addmm(*operands()) == {"SPLIT_N": 4}
    Clock(monkeypatch, {})
    with pytest.warns(RuntimeWarning, match="but got none; the row is left out"):
        assert tuning.tune_bsr_dense_addmm(*operands(), store=True) == {}


def test_stores_and_begins_at_what_tables_have(tuning, monkeypatch):
    clock = Clock(monkeypatch, {1: 4.0, 2: 3.0, 4: 2.0, 8: 5.0})
    tuning.tune_bsr_dense_addmm(*operands(), store=True)
    assert tuning.get_meta("bsr_dense_addmm", KEY, "cpu", VERSION, exact=True) == {"SPLIT_N": 4}
    count = len(clock.timed)
    assert tuning.tune_bsr_dense_addmm(*operands()) == {"SPLIT_N": 4} and len(clock.timed) == count
    clock.times[2] = 1.0
    assert tuning.tune_bsr_dense_addmm(*operands(), force=True) == {"SPLIT_N": 2}
    # The reference, and then the row.
    assert clock.timed[count:count + 2] == [8, 4]


def test_begins_at_the_row_of_sparsity_a_half(tuning, monkeypatch):
    clock = Clock(monkeypatch, dict.fromkeys((1, 2, 4, 8), 1.0))
    tuning.update("bsr_dense_addmm", "cpu", VERSION, KEY, {"SPLIT_N": 2})
    x, (crow, col, values), dense = operands()
    sparse = np.array([0, 1, 1, 1, 1], np.int32), col[:1], values[:1]
    tuning.tune_bsr_dense_addmm(x, sparse, dense)
    assert clock.timed[:2] == [8, 2]


def test_keys_of_other_calls(tuning, monkeypatch):
    Clock(monkeypatch, dict.fromkeys((1, 2, 4, 8), 1.0))
    x, bsr, dense = operands()
    # Scalars, an out of another type, left and right factors; results are written.
    out = np.zeros((64, 128), np.float16)
    tuning.tune_bsr_dense_addmm(x, bsr, dense, beta=0, alpha=2, out=out, store=True,
                                left_alpha=np.ones(64, np.float32), right_alpha=np.ones(128, np.float32))
    assert tuning.get_meta("bsr_dense_addmm", (*KEY[:5], True, False, False), "cpu", (0, ("f32", "f16"), 0.5))
    assert out.any()


def test_widths_that_do_not_divide(tuning, monkeypatch):
    clock = Clock(monkeypatch, dict.fromkeys(range(1, 100), 1.0))
    x, bsr, dense = operands()
    # 100 columns have no 6 parts, but 5.
    assert tuning.tune_bsr_dense_addmm(x[:, :100], bsr, dense[:, :100]) == {"SPLIT_N": 5}
    assert all(100 % split == 0 for split in clock.timed)


def test_optimizes_random_products(tuning, monkeypatch, capsys):
    Clock(monkeypatch, {1: 4.0, 2: 3.0, 4: 2.0, 8: 5.0})
    tuning.optimize_bsr_dense_addmm(64, 64, 128, 16, 16, dtype="f32", device="cpu", verbose=True)
    assert tuning.get_meta("bsr_dense_addmm", KEY, "cpu", VERSION) == {"SPLIT_N": 4}
    assert "speedup=60.0 %" in capsys.readouterr().out


def test_optimizes_products_by_lists(tuning, monkeypatch, capsys):
    from sattn._tuning import products

    key, times, metas = (64, 64, 128, 16, 16), {(1, 8): 5.0, (2, 4): 1.0}, []
    lists = products.bsr_scatter_mm_indices_data

    def indices_data(*arguments, **meta):
        metas.append(meta)
        return lists(*arguments, **meta)

    def milliseconds(call, on_gpu):
        call()
        return times.get((metas[-1]["GROUP_SIZE"], metas[-1]["SPLIT_N"]), 6.0)

    monkeypatch.setattr(products, "bsr_scatter_mm_indices_data", indices_data)
    monkeypatch.setattr(products.timing, "milliseconds", milliseconds)
    tuning.optimize_scatter_mm(*key, dtype="f32", device="cpu")
    fixed = {"TILE_M": 16, "TILE_N": 16, "num_stages": 1, "num_warps": 1}
    found = {"GROUP_SIZE": 2, "SPLIT_N": 4, **fixed}
    assert tuning.get_meta("scatter_mm", key, "cpu", VERSION) == found
    assert "speedup=80.0 % timing=1.000 ms" in capsys.readouterr().out
    assert all({name: meta[name] for name in fixed} == fixed for meta in metas)
    # Rows of tables are not searched again, nor written if nothing is better.
    count = len(metas)
    tuning.optimize_scatter_mm(*key, dtype="f32", device="cpu")
    assert len(metas) == count
    tuning.optimize_scatter_mm(*key, dtype="f32", device="cpu", force=True)
    assert len(metas) > count and tuning.get_meta("scatter_mm", key, "cpu", VERSION) == found


def test_times_are_medians_after_calls_that_warm_up(sattn, monkeypatch):
    assert sattn.tuning
    from sattn._tuning import timing

    # Milliseconds of the host: the first 25 warm up, the next 100 count.
    lengths = itertools.chain([10.0, 10.0, 10.0], [20.0, 30.0, 40.0, 20.0], itertools.repeat(1000.0))
    now = [0.0]
    calls = []

    def call():
        calls.append(1)
        if len(calls) > 1:
            now[0] += next(lengths) / 1e3

    monkeypatch.setattr(timing, "clock", lambda: now[0])
    assert timing.milliseconds(call, False) == pytest.approx(25.0)
    assert len(calls) == 8


def test_a_long_call_is_timed_three_times(sattn, monkeypatch):
    assert sattn.tuning
    from sattn._tuning import timing

    now = itertools.count()
    monkeypatch.setattr(timing, "clock", lambda: next(now))
    calls = []
    assert timing.milliseconds(lambda: calls.append(1), False) == 1000.0
    assert len(calls) == 4
