"""Runs PyTorch's tests of flex attention, on the CPU, against sattn.flex_attention.

    scripts/torch_flex_tests.py TEST_FILE [--match TEXT] [--again FILE] [--part I/N] [--length N] [--seconds N] [--list] [--out FILE]

TEST_FILE is test/inductor/test_flex_attention.py of a PyTorch source of the version that is installed, or of one whose
imports the installed version has, or a file of that kind. It compares what torch.compile makes of flex_attention with
flex_attention itself. Here a shim stands in the place of torch.compile: a function that the file compiles runs as it
is, and the calls of flex_attention in it are sattn's. What PyTorch compiles for itself stays. Tests of BlockMask alone,
which are those of the class TestBlockMask, get sattn's BlockMask, create_block_mask and flex_attention. Where the file
names the first CUDA device, or takes it by default, the CPU is used. There PyTorch's function refuses gradients of its
own; those that are expected are of its uncompiled formula, which has them on any device, so that the refusal is left
out. So are assertions of PyTorch's counters of compilations, since it compiles nothing in the place of sattn; the table
tells tests that pass so apart.

Needs PyTorch, expecttest, which PyTorch's own test classes import, and what sattn needs; SATTN_LIBRARIES names the
folder of the libraries. Only tests for the CPU run.

    --match TEXT   only tests whose name contains the text
    --again FILE   only tests that failed in these results, which --out wrote
    --part I/N     the tests I, I + N, ... of all, from 0 on: for several processes at once
    --length N     queries and keys of the tests that name no number, the file's S (default: the file's own, 2048, where
                   PyTorch's function takes minutes and gigabytes on a CPU)
    --seconds N    a test is given up after so long (default: 120)
    --list         every test with its result, as it ends
    --out FILE     results as JSON: {"torch", "source": the SHA-256 of the test file, "length", "counts", "tests":
                   [{"name", "outcome", "reason", "message": first line of the error, "seconds"}]}

A test that passes without a call of sattn's runs once more with sattn's function for each call, compiled or not, and
that counts. A test that fails runs once more with PyTorch's own function; where it fails then, too, the reason says so.

Prints a table: how many tests passed, with how many that called nothing of sattn's, and of the others how many, for
what reason, with one of them. Exits with 0 if any test ran, whatever came of it: reasons are for people to judge.
"""

import argparse
import ast
import collections
import contextlib
import contextvars
import functools
import hashlib
import importlib.util
import json
import linecache
import os
import re
import signal
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

# Parts of messages, with the reason that they stand for.
REASONS = [
    ("without a tangent", "needs forward-mode derivatives, which sattn has not"),
    ("expected a tensor with memory of its own", "traces or transforms the call (export, vmap, fake tensors)"),
    ("expected elements of f16 or bf16 or f32", "has elements of another type than f16, bf16, f32 and f64"),
    ("Tensor-likes are not close", "results differ"),
    ("Compiled error", "results differ"),
    ("No CUDA GPUs", "needs a GPU, or two"), ("no NVIDIA driver", "needs a GPU, or two"),
    ("not raised", "expects an error that sattn does not raise"),
    ("does not match", "expects another message of an error"),
]
# Parts of the line of the file that failed, with the reason that they stand for.
LINES = [
    ("FileCheck(", "asks what PyTorch compiled"), (".run(code", "asks what PyTorch compiled"),
    ("run_and_get_code(", "asks what PyTorch compiled"), ("metrics.", "asks what PyTorch compiled"),
    (".frame_count", "asks what PyTorch compiled"), (".graphs", "asks what PyTorch compiled"),
    (".is_cuda", "needs a GPU, or two"), ("cuda:1", "needs a GPU, or two"),
]
#: The class that tests nothing but BlockMask.
MASKS = "TestBlockMask"
_compiled = contextvars.ContextVar("compiled", default=False)
# How many calls sattn got, whether it gets none, or those too that are not compiled, and how many assertions were left out.
_calls, _alone, _everywhere, _left_out = [0], [False], [False], [0]


def _ask():
    """Stands for an assertion of counters."""
    _left_out[0] += 1


def _counted(function):
    @functools.wraps(function)
    def call(*arguments, **options):
        _calls[0] += 1
        return function(*arguments, **options)

    return call


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
    from torch.nn.attention.experimental._paged_attention import PagedAttention

    compile_, attention, create, assign = torch.compile, flex.flex_attention, flex.create_block_mask, PagedAttention.assign
    validate = flex._validate_device

    def compiled(model=None, **options):
        # PyTorch's own uses, as by flex_attention without compilation, stay.
        if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] == "torch":
            return compile_(model, **options)
        return _as_if_compiled if model is None else _as_if_compiled(model)

    @functools.wraps(attention)
    def flex_attention(*arguments, **options):
        is_ours = (_compiled.get() or _everywhere[0]) and not _alone[0]
        return (_counted(sattn.flex_attention) if is_ours else attention)(*arguments, **options)

    @functools.wraps(create)
    def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device="cpu", *arguments, **options):
        return create(mask_mod, B, H, Q_LEN, KV_LEN, device, *arguments, **options)

    def assigned(self, batches, positions, *arguments):
        # Files of PyTorch 2.6 have one row of positions for all batches, where later versions take a row for each.
        return assign(self, batches, positions.expand(len(batches), -1), *arguments)

    def validated(query, key, value):
        validate(query.detach(), key.detach(), value.detach())

    torch.compile, flex.flex_attention, PagedAttention.assign = compiled, flex_attention, assigned
    flex._validate_device = validated
    flex.create_block_mask = create_block_mask
    try:
        yield
    finally:
        torch.compile, flex.flex_attention, PagedAttention.assign = compile_, attention, assign
        flex.create_block_mask, flex._validate_device = create, validate


class OnTheCPU(ast.NodeTransformer):
    """The test file on the CPU: in the place of the first CUDA device, with another length, and without assertions on
    how often PyTorch compiled."""

    def __init__(self, length):
        self.length = length

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant("cpu"), node) if node.value in ("cuda", "cuda:0") else node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr == "cuda" and not (isinstance(node.value, ast.Name) and node.value.id == "torch"):
            node.attr = "cpu"
        return node

    def visit_Expr(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and ".assert" in ast.unparse(node.value.func) \
                and "counters[" in ast.unparse(node):
            node.value = ast.copy_location(ast.Call(ast.Name(_ask.__name__, ast.Load()), [], []), node.value)
        return node

    def visit_Module(self, node):
        for statement in node.body:
            if self.length and isinstance(statement, ast.Assign) and ast.unparse(statement).startswith("S = "):
                statement.value = ast.copy_location(ast.Constant(self.length), statement.value)
        return self.generic_visit(node)


def load(path, length=None):
    """The test file as a module, in which PyTorch makes tests for the CPU alone."""
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cpu"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    vars(module)[_ask.__name__] = _ask
    tree = ast.fix_missing_locations(OnTheCPU(length).visit(ast.parse(path.read_bytes())))
    exec(compile(tree, str(path), "exec"), vars(module))
    return module


@contextlib.contextmanager
def our_masks(module):
    """sattn's BlockMask and what makes and takes one, in the test file."""
    import sattn

    ours = {"BlockMask": sattn.BlockMask,
            "create_block_mask": _counted(functools.partial(sattn.create_block_mask, device="cpu")),
            "flex_attention": _counted(sattn.flex_attention)}
    made = staticmethod(_counted(sattn.BlockMask.from_kv_blocks))
    with unittest.mock.patch.multiple(module, **{name: value for name, value in ours.items() if hasattr(module, name)}), \
            unittest.mock.patch.object(sattn.BlockMask, "from_kv_blocks", made):
        yield


def _line_of(error, file):
    """The statement in the file that raised the error, or what it called that did."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = linecache.getline(file, trace.tb_lineno)
        trace = trace.tb_next
    return found


def reason_of(error, file=""):
    """Why a test of the file failed, in words that are the same for the same reason."""
    text, line = str(error), _line_of(error, file)
    for part, reason in REASONS:
        if part in text:
            return reason
    for part, reason in LINES:
        if part in line:
            return reason
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    line = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e-?\d+)?", "N", lines[0])
    return f"{type(error).__name__}: {line[:120]}"


def message_of(error):
    """The first line of what a test failed with, with the error's name."""
    return f"{type(error).__name__}: {next((line for line in str(error).splitlines() if line.strip()), '')[:400]}"


class Results(unittest.TestResult):
    """(name, outcome, reason) of each test, and as JSON. Gives up a test that takes too long."""

    def __init__(self, file, seconds, listed=False):
        super().__init__()
        self.file, self.seconds, self.listed, self.tests, self.began = file, seconds, listed, [], 0.0
        #: Tests that failed, and tests that passed without a call of sattn's, as unittest's tests.
        self.failed, self.silent = [], []

    def _give_up(self, *_):
        raise GivenUp(f"longer than {self.seconds} s")

    def startTest(self, test):
        super().startTest(test)
        self.began, _calls[0], _left_out[0] = time.monotonic(), 0, 0
        signal.signal(signal.SIGALRM, self._give_up)
        signal.alarm(self.seconds)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def _add(self, test, outcome, reason="", message=""):
        name = getattr(test, "_testMethodName", None) or str(test)
        if outcome == "failed":
            self.failed.append(test)
        self.tests.append({"name": name, "outcome": outcome, "reason": reason, "message": message,
                           "seconds": round(time.monotonic() - self.began, 1)})
        if self.listed:
            print(f"{outcome:8} {name}" + (f": {reason}" if reason else ""), flush=True)

    def addSuccess(self, test):
        if not _calls[0] and not type(test).__name__.startswith(MASKS):
            self.silent.append(test)
        self._add(test, "passed", "calls nothing of sattn's" if not _calls[0] else
                  "but for what it asks of PyTorch's compiler" if _left_out[0] else "")

    def addFailure(self, test, failure):
        self._add(test, "failed", reason_of(failure[1], self.file), message_of(failure[1]))

    addError = addFailure

    def addSkip(self, test, reason):
        self._add(test, "skipped", reason.splitlines()[0] if reason else "")

    def addExpectedFailure(self, test, failure):
        self._add(test, "passed", "fails, as expected")

    def addUnexpectedSuccess(self, test):
        self._add(test, "passed", "does not fail, as it would in PyTorch")

    def replace(self, others):
        """Takes the results of others in the place of those of the same tests."""
        found = {test["name"]: test for test in others.tests}
        self.tests = [found.get(test["name"], test) for test in self.tests]
        self.failed += others.failed

    def mark(self, alone):
        """Says of tests that failed that they do so with PyTorch alone, too, by the results of that."""
        names = {test["name"] for test in alone.tests if test["outcome"] == "failed"}
        for test in self.tests:
            if test["outcome"] == "failed" and test["name"] in names:
                test["reason"] += "; so does PyTorch's own function in this place"

    @property
    def rows(self):
        return [(test["name"], test["outcome"], test["reason"]) for test in self.tests]

    def addSubTest(self, test, part, failure):
        if failure is not None:
            self._add(test, "failed", reason_of(failure[1], self.file), message_of(failure[1]))


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
    parser.add_argument("--again", type=Path)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--length", type=int)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.file.is_file():
        parser.error(f"expected a test file of PyTorch, but found none at {options.file}")
    part, _, parts = options.part.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and int(part) < int(parts)):
        parser.error(f"argument --part: expected I/N with I below N, but got '{options.part}'")
    results = Results(str(options.file), options.seconds, options.list)
    with shim():
        module = load(options.file, options.length)
        tests = list(tests_of(unittest.defaultTestLoader.loadTestsFromModule(module), options.match))
        if options.again:
            failed = {test["name"] for test in json.loads(options.again.read_text())["tests"] if test["outcome"] == "failed"}
            tests = [test for test in tests if test._testMethodName in failed]
        tests = tests[int(part)::int(parts)]
        with our_masks(module):
            unittest.TestSuite(test for test in tests if type(test).__name__.startswith(MASKS)).run(results)
        unittest.TestSuite(test for test in tests if not type(test).__name__.startswith(MASKS)).run(results)
        everywhere, _everywhere[0] = Results(str(options.file), options.seconds, options.list), True
        unittest.TestSuite(results.silent).run(everywhere)
        _everywhere[0] = False
        results.replace(everywhere)
        alone, _alone[0] = Results(str(options.file), options.seconds), True
        unittest.TestSuite(results.failed).run(alone)
        results.mark(alone)
    print("\n".join(table(results.rows)))
    if options.out:
        import torch

        options.out.write_text(json.dumps({
            "torch": torch.__version__, "source": hashlib.sha256(options.file.read_bytes()).hexdigest(),
            "length": options.length, "counts": collections.Counter(outcome for _, outcome, _ in results.rows),
            "tests": results.tests}, indent=1) + "\n")
    sys.exit(0 if results.rows else f"{options.file}: expected tests, but found none that match")


if __name__ == "__main__":
    main()
