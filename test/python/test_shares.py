"""The share of cases that a run of the whole suite takes (shares.py)."""

import dataclasses
import os
import subprocess
import sys
import types

import pytest

import shares


@dataclasses.dataclass
class Case:
    name: str
    layout: str = "rows"
    size: int = 0


@dataclasses.dataclass(eq=False)
class Item:
    nodeid: str
    callspec: types.SimpleNamespace


def items_of(**parameters):
    """Cases of one test, a parameter's values by its name."""
    length = len(next(iter(parameters.values())))
    return [Item(f"test_x.py::test[{number}]", types.SimpleNamespace(
        params={name: values[number] for name, values in parameters.items()},
        indices={name: values.index(values[number]) for name, values in parameters.items()})) for number in range(length)]


def chosen(items, share, seed):
    return [item.nodeid for item in shares.taken(items, share, seed)]


def test_every_run_takes_another_share_and_all_take_all():
    items = items_of(seed=list(range(100)))
    runs = [chosen(items, 5, seed) for seed in range(60)]
    assert all(len(run) == len(set(run)) == 20 for run in runs)
    assert runs[0] == chosen(items, 5, 0) and sorted(runs[0]) != sorted(runs[1])
    assert {name for run in runs for name in run} == {item.nodeid for item in items}


def test_each_value_that_several_cases_have_is_taken():
    masks = ["causal", "window", "document", "none"] * 16
    layouts = [Case(str(number), "columns" if number % 32 == 7 else "rows", number) for number in range(64)]
    items = items_of(mask=masks, case=layouts)
    for seed in range(20):
        numbers = [int(name.split("[")[1][:-1]) for name in chosen(items, 8, seed)]
        assert len(numbers) == 8
        assert {masks[number] for number in numbers} == set(masks)
        assert {layouts[number].layout for number in numbers} == {"rows", "columns"}


def test_parts_of_seeds(monkeypatch):
    monkeypatch.setattr(shares, "SEED", None)
    assert list(shares.seeds(10, 3)) == list(range(10))
    parts = []
    for seed in range(3, 6):
        monkeypatch.setattr(shares, "SEED", str(seed))
        parts += shares.seeds(10, 3)
    assert parts == list(range(10))


@pytest.mark.parametrize("seed, passed", [(None, 12), ("1", 4)])
def test_of_pytest(tmp_path, root, seed, passed):
    """With a seed in the environment a marked test has its share, another all."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["shares"]\n')
    (tmp_path / "test_some.py").write_text("""import pytest

@pytest.mark.share(5)
@pytest.mark.parametrize("number", range(10))
def test_shared(number): pass

@pytest.mark.parametrize("number", range(2))
def test_other(number): pass
""")
    environment = {**os.environ, "PYTHONPATH": str(root / "test" / "python")}
    environment.pop("SATTN_TEST_SEED", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path], capture_output=True,
                          text=True, check=False, env=environment | ({"SATTN_TEST_SEED": seed} if seed else {}))
    assert f"{passed} passed" in done.stdout, done.stdout
