"""benchmarks/first_call.py measures the functions that it lists, and the disk cache is what its rows say."""

import json
import subprocess
import sys


def test_rows(root, sattn, tmp_path):
    out = tmp_path / "results.json"
    done = subprocess.run([sys.executable, root / "benchmarks" / "first_call.py", "--processes", "1", "--functions", "bsr_softmax",
                           "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert results["benchmark"] == "first_call" and results["device"] == "cpu"
    cold, disk = results["rows"]
    assert (cold["cache"], cold["hits"], cold["misses"]) == ("cold", 0, 1)
    assert (disk["cache"], disk["hits"], disk["misses"]) == ("disk", 1, 0)
    # A first call with the cache on disk takes about as long as a warm one: either may be longer under load.
    assert cold["first_ms"] > cold["warm_ms"] > 0 and disk["first_ms"] > 0 < disk["warm_ms"]


def test_a_failure_is_told(root, sattn, monkeypatch, tmp_path):
    monkeypatch.setenv("SATTN_LIBRARIES", str(tmp_path))
    done = subprocess.run([sys.executable, root / "benchmarks" / "first_call.py", "--processes", "1", "--functions", "linear"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "first_call: error: linear: " in done.stderr
