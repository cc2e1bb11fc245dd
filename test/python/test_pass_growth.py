"""benchmarks/pass_growth.py times each pass of each program that it lists, and stops where one is refused."""

import json
import subprocess
import sys


def run(root, *arguments):
    return subprocess.run([sys.executable, root / "benchmarks" / "pass_growth.py", *map(str, arguments)],
                          capture_output=True, text=True)


def test_times_each_pass(root, built_tools, tmp_path):
    out = tmp_path / "results.json"
    done = run(root, "--tools", built_tools, "--ops", 50, 100, "--targets", "cpu", "sm_90a", "--runs", 1, "--out", out)
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert results["ops"] == [50, 100]
    kinds = {(row["program"], row["target"]) for row in results["rows"]}
    # A tile of several loops is a kernel's.
    assert kinds == {("chain", "cpu"), ("chain", "sm_90a"), ("kernels", "cpu"), ("kernels", "sm_90a"), ("loops", "sm_90a")}
    passes = {row["pass"] for row in results["rows"] if row["program"] == "loops"}
    assert {"WGTilePlaceFences", "WGTileVerifySync", "Total"} <= passes
    assert all(len(row["ms"]) == 2 for row in results["rows"])


def test_an_exponent_is_that_of_the_last_step(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import pass_growth
    assert pass_growth.exponent([100, 200, 400], [9, 10, 40]) == 2


def test_says_what_the_compiler_refuses(root, built_tools):
    done = run(root, "--tools", built_tools, "--ops", 50, 100, "--targets", "sm_42", "--programs", "kernels")
    assert done.returncode == 1
    assert "pass_growth: error: " in done.stderr and "but got 'sm_42'" in done.stderr
