"""benchmarks/compile_time.py measures every program that it lists, and stops where one is refused."""

import json
import subprocess
import sys


def run(root, *arguments):
    command = [sys.executable, root / "benchmarks" / "compile_time.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_rows(root, built_tools, tmp_path, monkeypatch):
    monkeypatch.setenv("SATTN_PTXAS", "")
    monkeypatch.setenv("PATH", str(built_tools))
    out = tmp_path / "results.json"
    done = run(root, "--tools", built_tools, "--runs", 1, "--blocks", 16, "--chips", "sm_80", "--out", out)
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert results["benchmark"] == "compile_time"
    named = [(row["version"], row["what"], row.get("chip"), row.get("beta")) for row in results["rows"]]
    assert named == [("this", "start", None, None),
                     ("this", "ptx", "sm_80", "0"), ("first", "ptx", "sm_80", "0"), ("this", "llvmir", "cpu", "0"),
                     ("this", "ptx", "sm_80", "argument"), ("first", "ptx", "sm_80", "argument"),
                     ("this", "llvmir", "cpu", "argument")]
    start, *compiled = results["rows"]
    assert all(row["wall_ms_least"] > start["wall_ms_least"] / 2 for row in compiled)
    assert all(0 < row["cpu_ms_least"] <= row["cpu_ms"] for row in results["rows"])


def test_refused(root, built_tools):
    done = run(root, "--tools", built_tools, "--runs", 1, "--blocks", 16, "--chips", "sm_42")
    assert done.returncode == 1
    assert "compile_time: error: " in done.stderr and "but got 'sm_42'" in done.stderr
