#!/usr/bin/env python3
"""Plants faults in the sources, one at a time, and requires that the tests named for each fail.

    ./dev run python scripts/planted_faults.py [--list] [--folder FOLDER] [--suite SUITE] [NAME...]

test/faults/faults.toml lists the faults. Each is planted in a copy of the checkout (a git worktree of HEAD with the
changes of tracked files, and a build folder of its own), built where it is in a source that is compiled, tested, and
taken out again. Its tests run without it first, since a test that fails anyway catches nothing. The copy is made in a
temporary folder and removed at the end; --folder keeps it, so that the next run builds little. Prints a line for each
fault; exits with 1 if one was not caught. An interrupt takes out the fault and removes what a run has made.
"""

import argparse
import contextlib
import dataclasses
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import suite_summary  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "test" / "faults" / "faults.toml"
SUITES = "lit", "unit", "python", "torch", "torch-cuda"
# Seconds; a test that a fault holds up fails.
TEST_LIMIT, BUILD_LIMIT = 900, 7200
#: Build targets for tests in Python, and for those of lit whose text names a tool; tests of ctest are targets.
TOOLS = ("sparse-opt", "sparse-translate", "sparse-run", "sparse-tune", "sparse-reduce", "sparse-lsp-server", "SAttnPlugin",
         "sattn-test-opt", "sattn-test-translate")
LIBRARIES = "sattn", "sattn_binding", "SAttnStubCuda", "SAttnStubCudaOld", "SAttnStubCudart"
#: Lines of the output of what failed.
TAIL = 20


@dataclasses.dataclass(frozen=True)
class Fault:
    """text: what stands in the file, once. fault: what is planted in its place. tests: as they follow `./dev test`,
    each of which must fail."""

    name: str
    file: str
    text: str
    fault: str
    tests: tuple

    @property
    def is_compiled(self):
        return not self.file.endswith(".py")

    def planted(self, source):
        """The source with the fault. Raises ValueError where the text does not stand there once."""
        count = source.count(self.text)
        if count != 1:
            raise ValueError(f"fault '{self.name}': expected its text once in {self.file}, but found it {count} times")
        return source.replace(self.text, self.fault)


class Failed(Exception):
    """Something other than a fault is wrong; the message ends with the output of what failed."""


def read_faults(path=FAULTS):
    """The faults of a list, in order. Raises ValueError for an entry that is none."""
    faults = []
    for name, entry in tomllib.loads(path.read_text()).items():
        keys = {"file", "text", "fault", "tests"}
        if set(entry) != keys or not entry["text"] or not entry["tests"] or entry["text"] == entry["fault"]:
            raise ValueError(f"fault '{name}': expected {', '.join(sorted(keys))}, and a fault that is not the text, but got "
                             f"{entry}")
        for test in entry["tests"]:
            if test.split()[0] not in SUITES:
                raise ValueError(f"fault '{name}': expected tests of {', '.join(SUITES)}, but got '{test}'")
        faults.append(Fault(name, entry["file"], entry["text"], entry["fault"], tuple(entry["tests"])))
    return faults


def chosen(faults, names, suite=None):
    """The faults with these names (without names, all), of one suite if it is given. Raises ValueError for an unknown
    name."""
    unknown = set(names) - {fault.name for fault in faults}
    if unknown:
        raise ValueError(f"expected names of faults (--list has them), but got {', '.join(sorted(unknown))}")
    return [fault for fault in faults if (not names or fault.name in names)
            and (suite is None or any(test.split()[0] == suite for test in fault.tests))]


def run(command, folder, environment, limit):
    """(exit code, output, both streams) of a command in a process group of its own, which ends with it. The code of one
    that ran for longer than the limit is that of its signal."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode, output


def _tail(output):
    return "\n".join(output.splitlines()[-TAIL:])


class Copy:
    """A copy of the checkout with a build of its own."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        venv = os.environ.get("SATTN_VENV", str(ROOT / ".venv"))
        hidden = "SATTN_BUILD_DIR", "SATTN_LIBRARIES", "PYTHONPATH"
        # Bytecode is told from newer sources by seconds and sizes, which a fault may leave as they were.
        self.environment = {name: value for name, value in os.environ.items() if name not in hidden} | {
            "SATTN_VENV": venv, "SATTN_REQUIRE_TOOLS": "1", "SATTN_CACHE_DIR": str(folder / "build" / "test-cache"),
            "SATTN_JOBS": str(jobs), "PYTHONDONTWRITEBYTECODE": "1"}

    def make(self):
        """Makes the copy, or brings it to the state of the checkout."""
        def git(*arguments, folder=ROOT):
            command = ["git", "-C", folder, *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

        commit = git("stash", "create") or git("rev-parse", "HEAD")
        if (self.folder / ".git").exists():
            git("checkout", "--quiet", "--force", "--detach", commit, folder=self.folder)
        else:
            git("worktree", "add", "--quiet", "--force", "--detach", str(self.folder), commit)

    def remove(self):
        command = ["git", "-C", ROOT, "worktree", "remove", "--force", self.folder]
        subprocess.run(command, check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def targets(self, test):
        """The build targets that a test needs."""
        suite, *arguments = shlex.split(test)
        if suite == "unit":
            return {arguments[-1]}
        if suite != "lit":
            return {*TOOLS[:3], *LIBRARIES}
        path = self.folder / arguments[0].replace("build/test", "test", 1)
        text = path.read_text() if path.is_file() else " ".join(TOOLS)
        return {"SAttnStubCuda", *(tool for tool in TOOLS if tool in text)}

    def build(self, targets=()):
        """Builds everything, or some targets. Raises Failed where they do not build."""
        code, output = run(["./dev", "build", *sorted(targets)], self.folder, self.environment, BUILD_LIMIT)
        if code:
            raise Failed(f"the build failed:\n{_tail(output)}")

    def _torch(self):
        """The Python with PyTorch. Raises Failed where there is none."""
        version = re.search(r"^torch==(\S+)", (ROOT / "requirements-torch.txt").read_text(), re.MULTILINE)[1]
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        python = os.environ.get("SATTN_TORCH") or str(Path(cache, "sattn-tests", f"torch-{version}", "bin", "python"))
        if not shutil.which(python):
            raise Failed(f"no Python with PyTorch at {python}: run ./dev test torch first, or set SATTN_TORCH")
        return python

    def _command(self, test, report, stops):
        suite, *arguments = shlex.split(test)
        if suite == "lit":
            return ["lit", "-sv", f"-j{self.jobs}", f"--xunit-xml-output={report}", *["--max-failures=1"] * stops,
                    *arguments]
        if suite == "unit":
            return ["ctest", "--test-dir", "build", f"-j{self.jobs}", "--output-on-failure", "--no-tests=error",
                    "--timeout", "600", "--output-junit", report, *["--stop-on-failure"] * stops, *arguments]
        return ["python" if suite == "python" else self._torch(), "-m", "pytest", "-c", "test/python/pytest.ini",
                "--rootdir=test/python", f"--junitxml={report}", *["-x"] * stops, *arguments]

    def test(self, test, stops):
        """(whether tests ran and none failed, whether one failed, output). stops: at the first that fails."""
        report = self.folder / "build" / "planted-faults.xml"
        report.unlink(missing_ok=True)
        # A fault is not to be hidden by a program that was compiled without it.
        shutil.rmtree(self.environment["SATTN_CACHE_DIR"], ignore_errors=True)
        command = ["./dev", "run", *self._command(test, str(report), stops)]
        code, output = run(command, self.folder, self.environment, TEST_LIMIT)
        # Signals end a runner, or the shell reports that they did.
        if not report.exists() and (code < 0 or code > 128):
            return False, True, output
        passed, failed, _, remark = suite_summary.judge(test.split()[0], code, str(report))
        is_whole = passed > 0 and failed == 0 and code == 0
        return is_whole, failed > 0 and not remark, f"{output}\n{remark}"

    @contextlib.contextmanager
    def planted(self, fault):
        path = self.folder / fault.file
        source = path.read_text()
        path.write_text(fault.planted(source))
        try:
            yield
        finally:
            path.write_text(source)


def _print_line(number, count, what, out):
    print(f"[{number}/{count}] {what} ...", end=" ", flush=True, file=out)


def find_broken(copy, tests, out):
    """The tests that fail without a fault; prints a line for each test."""
    broken = set()
    for number, test in enumerate(tests, 1):
        _print_line(number, len(tests), f"without a fault: {test}", out)
        start = time.monotonic()
        passes, _, output = copy.test(test, stops=False)
        print(f"{'passes' if passes else 'FAILS'} in {time.monotonic() - start:.0f} s", flush=True, file=out)
        if not passes:
            print(_tail(output), flush=True, file=out)
            broken.add(test)
    return broken


def check(copy, fault):
    """The output of the tests that let the fault through; empty if all caught it. Raises Failed where it does not
    build."""
    with copy.planted(fault):
        if fault.is_compiled:
            copy.build({target for test in fault.tests for target in copy.targets(test)})
        missed = []
        for test in fault.tests:
            _, fails, output = copy.test(test, stops=True)
            if not fails:
                missed.append(f"'{test}' did not fail:\n{_tail(output)}")
    return "\n".join(missed)


def check_all(copy, faults, out=sys.stdout):
    """The names of faults that were not caught; prints a line for each fault. The copy is built as it is."""
    left = []
    broken = find_broken(copy, list(dict.fromkeys(test for fault in faults for test in fault.tests)), out)
    # The build has the last fault until the next one is built.
    for number, fault in enumerate(sorted(faults, key=lambda fault: fault.is_compiled), 1):
        _print_line(number, len(faults), f"{fault.name}: {', '.join(fault.tests)}", out)
        start = time.monotonic()
        try:
            remark = check(copy, fault)
        except Failed as failure:
            remark = str(failure)
        if not broken.isdisjoint(fault.tests):
            remark = remark or "a test fails without it"
        print(f"{'NOT CAUGHT' if remark else 'caught'} in {time.monotonic() - start:.0f} s", flush=True, file=out)
        if remark:
            left.append(fault.name)
            print(remark, flush=True, file=out)
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the faults and their tests, and do nothing")
    parser.add_argument("--folder", type=Path, help="where the copy is made, and kept")
    parser.add_argument("--suite", choices=SUITES, help="faults with a test of this suite alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (default: %(default)s)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults (default: all)")
    arguments = parser.parse_args()
    try:
        faults = chosen(read_faults(), arguments.names, arguments.suite)
    except ValueError as error:
        parser.error(str(error))
    if arguments.list:
        for fault in faults:
            print(f"{fault.name:32} {fault.file:60} {', '.join(fault.tests)}")
        return 0
    if os.environ.get("SATTN_TORCH") == "skip":
        count = len(faults)
        faults = [fault for fault in faults if not any(test.startswith("torch") for test in fault.tests)]
        print(f"SATTN_TORCH=skip: {count - len(faults)} faults that tests with PyTorch catch are left out", flush=True)
    # As an interrupt, so that what was made is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kept = arguments.folder and arguments.folder.resolve()
    copy = Copy(kept or Path(tempfile.mkdtemp(prefix="sattn-faults-")) / "sattn", arguments.jobs)
    try:
        copy.make()
        print(f"building {copy.folder}", flush=True)
        copy.build()
        left = check_all(copy, faults)
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    finally:
        if not kept:
            copy.remove()
            shutil.rmtree(copy.folder.parent, ignore_errors=True)
    missed = f"; not {', '.join(left)}" if left else ""
    print(f"{len(faults) - len(left)} of {len(faults)} faults were caught{missed}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
