"""Runs PyTorch's tests of flex attention, on the CPU, against sattn.flex_attention.

    scripts/torch_flex_tests.py TEST_FILE [--match TEXT] [--seconds N] [--list]

TEST_FILE is test/inductor/test_flex_attention.py of a PyTorch source of the version that is installed, or a file of
that kind. It compares what torch.compile makes of flex_attention with flex_attention itself. Here a shim stands in the
place of torch.compile: a function that the file compiles runs as it is, and the calls of flex_attention in it are
sattn's. What PyTorch compiles for itself stays.

Needs PyTorch, expecttest, which PyTorch's own test classes import, and what sattn needs; SATTN_LIBRARIES names the
folder of the libraries. Only tests for the CPU run.

    --match TEXT   only tests whose name contains the text
    --seconds N    a test is given up after so long (default: 120)
    --list         every test with its result

Prints a table: how many tests passed, and of the others how many, for what reason, with one of them. Exits with 0 if
any test ran, whatever came of it: reasons are for people to judge.
"""

import argparse
import collections
import contextlib
import contextvars
import functools
import importlib.util
import os
import re
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

# Parts of messages, with the reason that they stand for.
REASONS = [
    ("requires no gradient", "needs gradients, which sattn has not"),
    ("without a tangent", "needs forward-mode derivatives, which sattn has not"),
    ("expected a tensor with memory of its own", "traces or transforms the call (export, vmap, fake tensors)"),
    ("expected elements of f16 or bf16 or f32", "has elements of another type than f16, bf16 and f32"),
    ("Tensor-likes are not close", "results differ"),
    ("Compiled error", "results differ"),
    ("not raised", "expects an error that sattn does not raise"),
    ("does not match", "expects another message of an error"),
]
_compiled = contextvars.ContextVar("compiled", default=False)


class GivenUp(Exception):
    """A test took too long."""


def _as_if_compiled(function):
    """The function, whose calls of flex_attention are sattn's."""
    @functools.wraps(function, updated=())
    def call(*arguments, **options):
        token = _compiled.set(True)
        try:
            return function(*arguments, **options)
        finally:
            _compiled.reset(token)

    return call


@contextlib.contextmanager
def shim():
    """torch.compile and flex_attention, for what is imported meanwhile and runs meanwhile."""
    import sattn
    import torch
    from torch.nn.attention import flex_attention as flex

    compile_, attention = torch.compile, flex.flex_attention

    def compiled(model=None, **options):
        # PyTorch's own uses, as by flex_attention without compilation, stay.
        if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] == "torch":
            return compile_(model, **options)
        return _as_if_compiled if model is None else _as_if_compiled(model)

    @functools.wraps(attention)
    def flex_attention(*arguments, **options):
        return (sattn.flex_attention if _compiled.get() else attention)(*arguments, **options)

    torch.compile, flex.flex_attention = compiled, flex_attention
    try:
        yield
    finally:
        torch.compile, flex.flex_attention = compile_, attention


def load(path):
    """The test file as a module, in which PyTorch makes tests for the CPU alone."""
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cpu"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def reason_of(error):
    """Why a test failed, in words that are the same for the same reason."""
    text = str(error)
    for part, reason in REASONS:
        if part in text:
            return reason
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    line = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e-?\d+)?", "N", lines[0])
    return f"{type(error).__name__}: {line[:120]}"


class Results(unittest.TestResult):
    """(name, outcome, reason) of each test. Gives up a test that takes too long."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.rows = seconds, []

    def _give_up(self, *_):
        raise GivenUp(f"longer than {self.seconds} s")

    def startTest(self, test):
        super().startTest(test)
        signal.signal(signal.SIGALRM, self._give_up)
        signal.alarm(self.seconds)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def _add(self, test, outcome, reason=""):
        name = getattr(test, "_testMethodName", None) or str(test)
        self.rows.append((name, outcome, reason))

    def addSuccess(self, test):
        self._add(test, "passed")

    def addFailure(self, test, failure):
        self._add(test, "failed", reason_of(failure[1]))

    addError = addFailure

    def addSkip(self, test, reason):
        self._add(test, "skipped", reason.splitlines()[0] if reason else "")

    def addExpectedFailure(self, test, failure):
        self._add(test, "passed", "fails, as expected")

    def addUnexpectedSuccess(self, test):
        self._add(test, "passed", "does not fail, as it would in PyTorch")

    def addSubTest(self, test, part, failure):
        if failure is not None:
            self._add(test, "failed", reason_of(failure[1]))


def table(rows):
    """Lines of Markdown."""
    groups = collections.defaultdict(list)
    for name, outcome, reason in rows:
        groups[outcome, reason].append(name)
    order = {"passed": 0, "failed": 1, "skipped": 2}
    lines = ["| result | tests | why | one of them |", "|---|---:|---|---|"]
    for (outcome, reason), names in sorted(groups.items(), key=lambda item: (order[item[0][0]], -len(item[1]), item[0][1])):
        lines.append(f"| {outcome} | {len(names)} | {reason.replace('|', '/')} | {names[0]} |")
    return lines


def tests_of(suite, match):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test, match)
        elif match in test.id():
            yield test


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if not options.file.is_file():
        parser.error(f"expected a test file of PyTorch, but found none at {options.file}")
    results = Results(options.seconds)
    with shim():
        module = load(options.file)
        unittest.TestSuite(tests_of(unittest.defaultTestLoader.loadTestsFromModule(module), options.match)).run(results)
    if options.list:
        for name, outcome, reason in results.rows:
            print(f"{outcome:8} {name}" + (f": {reason}" if reason else ""))
    print("\n".join(table(results.rows)))
    sys.exit(0 if results.rows else f"{options.file}: expected tests, but found none that match")


if __name__ == "__main__":
    main()
