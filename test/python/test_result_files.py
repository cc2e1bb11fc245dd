"""benchmarks/result_files.py writes results with their facts, and nothing where no file is named."""

import datetime
import json

import pytest


@pytest.fixture
def result_files(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import result_files

    return result_files


def test_write(result_files, tmp_path):
    path = tmp_path / "new" / "results.json"
    result_files.write(path, "cpu", [{"ms": 1.5}], threads=2)
    assert path.read_text().endswith("}\n")
    assert list(json.loads(path.read_text()).items()) == [
        ("benchmark", "cpu"), ("date", datetime.date.today().isoformat()), ("threads", 2), ("rows", [{"ms": 1.5}])]


def test_no_file(result_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result_files.write(None, "cpu", [])
    assert not list(tmp_path.iterdir())


def test_facts(result_files):
    assert result_files.cpu_name().strip()
    assert set(result_files.load()) == {"processors", "load"}
