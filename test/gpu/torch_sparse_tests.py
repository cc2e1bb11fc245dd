#!/usr/bin/env python3
"""PyTorch's tests of its block-sparse Triton kernels, with sattn's products in the place of PyTorch's.

    torch_sparse_tests.py [--source PATH] [--out FILE] [--class NAME] [--match TEXT] [--seconds S] [--limit S]

Takes test/test_sparse_csr.py of a PyTorch source, which wheels do not have: --source is the source's folder or the file;
by default that of an editable installation. Its class TestSparseCompressedTritonKernels runs under
sattn.torch.enable(strict=True): PyTorch's own checks, and sattn's products where there are any. A test that does not
pass runs once more with PyTorch alone, which tells whose failure it is. Tests run in a process of their own, which is
started anew after a crash or after --seconds in one test; --limit ends the whole run.

The result is JSON: {"device", "torch", "source": the SHA-256 of the test file, "counts", "tests": [{"name", "outcome", "reason", "products": that sattn
ran, "left": {reason: calls left to PyTorch}, "seconds", "alone": {"outcome", "reason"}}]}. Outcomes are passed, failed,
skipped, crashed, hung and not run; counts are of outcomes, of passed tests with products, and of tests that fail only
with sattn. The exit status is 0 unless there is such a test.
"""

import argparse
import collections
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
FILE = "test_sparse_csr.py"
CLASS = "TestSparseCompressedTritonKernels"


def source_file(source):
    """The test file. Raises SystemExit with what was expected where there is none."""
    if source is None:
        found = importlib.util.find_spec("torch")
        source = Path(found.origin).parents[1] if found and found.origin else Path()
    source = Path(source)
    for path in (source, source / "test" / FILE, source / FILE):
        if path.is_file():
            return path.resolve()
    raise SystemExit(f"torch_sparse_tests: error: expected {FILE}, or a PyTorch source with test/{FILE}, at '{source}'; "
                     "--source names one")


def _constant(name):
    """A constant of a module that is absent: whether a feature is supported."""
    if not name.isupper():
        raise AttributeError(name)
    return False


def stand_ins(path):
    """Modules that the test file imports for other classes than the one that runs, where they are not there."""
    if importlib.util.find_spec("expecttest") is None:
        module = types.ModuleType("expecttest")
        module.TestCase = type("TestCase", (unittest.TestCase,), {"longMessage": True})
        sys.modules["expecttest"] = module
    if not (path.parent / "test_sparse.py").is_file():
        module = types.ModuleType("test_sparse")
        module.__getattr__ = _constant
        sys.modules["test_sparse"] = module


def tests_of(path, class_name):
    """Tests by name, of the classes that the file's class was instantiated to for devices."""
    stand_ins(path)
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]  # PyTorch's test utilities read the arguments.
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    loader = unittest.TestLoader()
    return {f"{name}.{test._testMethodName}": test for name, kind in sorted(vars(module).items())
            if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and name.startswith(class_name)
            for test in loader.loadTestsFromTestCase(kind)}


def last_line(traceback):
    """The exception that was raised, in a line."""
    lines = [line for line in traceback.strip().splitlines() if line and not line[0].isspace()]
    raised = next((place for place, line in enumerate(lines) if "Error" in line or "Exception" in line), len(lines) - 1)
    return " ".join(lines[max(raised, 0):])[:600]


def outcome_of(test):
    """{"outcome", "reason"} of one run."""
    result = unittest.TestResult()
    test.run(result)
    for _, traceback in result.errors + result.failures:
        return {"outcome": "failed", "reason": last_line(traceback)}
    if result.unexpectedSuccesses:
        return {"outcome": "failed", "reason": "expected to fail, but passed"}
    for _, reason in result.skipped:
        return {"outcome": "skipped", "reason": reason}
    return {"outcome": "passed", "reason": "fails as expected" if result.expectedFailures else ""}


def with_sattn(test):
    import sattn.torch

    started = time.monotonic()
    with sattn.torch.enable(strict=True):
        found = outcome_of(test)
        products, left = sattn.torch.info()
    return {**found, "products": products, "left": {f"{name}: {reason}": calls for (name, reason), calls in left.items()},
            "seconds": round(time.monotonic() - started, 3)}


def worker(path, class_name, names):
    """Runs tests, and writes a line of JSON at the begin and at the end of each; without names, lists them."""
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # Output of tests is no result.
    tests = tests_of(path, class_name)
    if names is None:
        import torch

        device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        print(json.dumps({"names": list(tests), "device": device, "torch": torch.__version__}), file=channel)
        return
    for name in names:
        print(json.dumps({"begin": name}), file=channel)
        found = with_sattn(tests[name])
        if found["outcome"] == "failed":
            print(json.dumps({"name": name, **found, "alone": {"outcome": "crashed", "reason": ""}}), file=channel)
            found["alone"] = outcome_of(tests[name])
        print(json.dumps({"name": name, **found}), file=channel)


class Process:
    """A worker: its lines, with a time limit for each."""

    def __init__(self, path, class_name, names):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(names, file)
        self.names = file.name
        self.process = subprocess.Popen([sys.executable, __file__, "--worker", self.names, "--source", str(path), "--class",
                                         class_name], stdout=subprocess.PIPE, text=True)
        self.hung = False

    def line(self, seconds):
        """The next line's value, or None where the process ended or took too long; it is gone then."""
        def stop():
            self.hung = True
            self.process.kill()
        timer = threading.Timer(seconds, stop)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        self.process.wait()
        return None

    def close(self):
        self.process.kill()
        self.process.wait()
        os.unlink(self.names)


def run(path, class_name, names, seconds, limit):
    """Results by name, of all tests named."""
    results, deadline = {}, time.monotonic() + limit
    while (rest := [name for name in names if name not in results]) and time.monotonic() < deadline:
        process, current = Process(path, class_name, rest), None
        while time.monotonic() < deadline:
            # PyTorch and the test file are imported first.
            value = process.line(min(seconds + (120 if current is None else 0), max(deadline - time.monotonic(), 0.01)))
            if value is None:
                break
            current = value.get("begin", current)
            if "name" in value:
                results[value["name"]] = value
        process.close()
        if current is None and time.monotonic() < deadline:
            raise SystemExit("torch_sparse_tests: error: expected tests to begin, but their process ended with status "
                             f"{process.process.returncode}")
        if current is not None and current not in results and time.monotonic() < deadline:
            hung = process.hung
            results[current] = {"name": current, "outcome": "hung" if hung else "crashed", "reason":
                                f"no end after {seconds} s" if hung else f"status {process.process.returncode}"}
    return [results.get(name, {"name": name, "outcome": "not run", "reason": f"--limit {limit}"}) for name in names]


def counts_of(results):
    counts = dict(collections.Counter(result["outcome"] for result in results))
    counts["passed with products"] = sum(result["outcome"] == "passed" and result.get("products", 0) > 0
                                         for result in results)
    # A test that crashed or hung did not run with PyTorch alone.
    counts["fail only with sattn"] = sum(result["outcome"] in ("crashed", "hung") or
                                         result.get("alone", {}).get("outcome") == "passed" for result in results)
    return counts


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", help="a PyTorch source, or its test file")
    parser.add_argument("--out", default="torch_sparse_tests.json", help="the results")
    parser.add_argument("--class", dest="class_name", default=CLASS, help="the tests' class, without the device")
    parser.add_argument("--match", default="", help="only tests whose name has this text")
    parser.add_argument("--seconds", type=float, default=120, help="for one test")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for all")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    path = source_file(options.source)
    if options.worker:
        worker(path, options.class_name, json.loads(Path(options.worker).read_text()))
        return 0
    process = Process(path, options.class_name, None)
    found = process.line(600)
    process.close()
    if found is None:
        raise SystemExit(f"torch_sparse_tests: error: expected tests in '{path}', but it could not be imported")
    names = [name for name in found["names"] if options.match in name]
    if not names:
        raise SystemExit(f"torch_sparse_tests: error: expected tests of {options.class_name} in '{path}', but found none")
    results = run(path, options.class_name, names, options.seconds, options.limit)
    counts = counts_of(results)
    Path(options.out).write_text(json.dumps({"device": found["device"], "torch": found["torch"], "source": hashlib.sha256(path.read_bytes()).hexdigest(),
                                             "counts": counts, "tests": results}, indent=1) + "\n")
    print(f"{options.out}: " + ", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    return 1 if counts["fail only with sattn"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
