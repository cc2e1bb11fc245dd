"""Problems of calls, and the tool sparse-tune, which tunes them."""

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from .._call import cache
from .._native import libraries

_MISSES = "SATTN_MISSES"
EFFORTS = "quick", "normal", "full"


@dataclasses.dataclass(frozen=True)
class Problem:
    """A problem that parameters are tuned for. op: as tables name it. facts: ((name, number or text), ...), sorted, by
    the names that docs/MetaTable.md lists."""

    op: str
    facts: tuple

    def line(self):
        """The problem as a line of a file that sparse-tune reads."""
        return json.dumps({"op": self.op, "facts": dict(self.facts)}) + "\n"


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The result of tuning a problem. problem: its description. device: whose row it is. parameters: {name: number};
    those of the computed default where is_default, and no row then. milliseconds, default_milliseconds: of one run, in
    the last comparison. tried, failed: candidates, and those of them that did not run."""

    problem: str
    device: str
    parameters: dict
    is_default: bool
    milliseconds: float
    default_milliseconds: float
    tried: int
    failed: int


def _read(path):
    """The problems of a file, each once."""
    found = []
    if path.exists():
        for line in path.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # Another thread writes it.
            entry = json.loads(line)
            found.append(Problem(entry["op"], tuple(sorted(entry["facts"].items()))))
    return list(dict.fromkeys(found))


@contextlib.contextmanager
def record():
    """Records the problems of calls for which no table has the exact row: with record() as problems: model(x).

    The list is filled when the block ends. Choices and kernels that are kept are forgotten before, so that calls choose
    again, those of all threads: what other threads call meanwhile is recorded too.
    """
    problems = []
    before = os.environ.get(_MISSES)
    with tempfile.TemporaryDirectory(prefix="sattn-") as folder:
        path = Path(folder) / "misses.jsonl"
        os.environ[_MISSES] = str(path)
        cache.clear()
        try:
            yield problems
        finally:
            if before is None:
                del os.environ[_MISSES]
            else:
                os.environ[_MISSES] = before
            problems.extend(_read(path))


def _tool():
    """The path of sparse-tune: beside the libraries, or on PATH."""
    beside = libraries.find("libsattn.so").parents[1] / "bin" / "sparse-tune"
    found = str(beside) if beside.exists() else shutil.which("sparse-tune")
    if not found:
        raise RuntimeError(f"expected the tool sparse-tune as {beside} or on PATH, but found none; ./dev build and "
                           "cmake --install make it")
    return found


def tune(call, *arguments, target=None, device=0, effort="normal", budget=None, table=None, progress=False,
         **named):
    """Finds faster parameters for what a call needs, and has later calls of all processes use them.

    call: a function that is called with the arguments, or the problems of `record`. target: "cpu" or "cuda", where the
    tool tunes; None is "cuda" if there is a CUDA device. device: its number. effort: "quick", "normal" or "full": how
    much is tried. budget: seconds for all problems together; None is 10, 60 or 300 a problem, by the effort. table: the
    file that gets the results; None is the user's, which calls search. progress: whether the tool says on standard
    error how far it is. A run that was interrupted goes on where it stopped.

    Returns a list of Tuned. A problem that the tool cannot tune is a RuntimeWarning. Raises ValueError for arguments
    that cannot be, RuntimeError where the tool is missing or tunes none.
    """
    if effort not in EFFORTS:
        raise ValueError(f"argument 'effort': expected one of {', '.join(EFFORTS)}, but got {effort!r}")
    if target not in (None, "cpu", "cuda"):
        raise ValueError(f"argument 'target': expected 'cpu', 'cuda' or None, but got {target!r}")
    if budget is not None and not budget > 0:
        raise ValueError(f"argument 'budget': expected more than 0 seconds, but got {budget!r}")
    if table is not None and not os.fspath(table):
        raise ValueError("argument 'table': expected a path, but got an empty one")
    tool = _tool()
    problems = call
    if callable(call):
        with record() as problems:
            call(*arguments, **named)
    elif arguments or named:
        raise ValueError("expected no arguments beside problems")
    if not problems:
        return []
    if target is None:
        target = "cuda" if _has_device() else "cpu"
    with tempfile.NamedTemporaryFile("w", prefix="sattn-", suffix=".jsonl") as file:
        file.writelines(problem.line() for problem in problems)
        file.flush()
        command = [tool, "tune", f"--problems={file.name}", f"--target={target}", f"--effort={effort}", "--json"]
        command += [f"--device={device}"] if target == "cuda" else []
        command += [f"--budget={budget}"] if budget is not None else []
        command += [f"--table={os.fspath(table)}"] if table is not None else []
        status, out, errors = _run(command, progress)
    cache.clear()  # Tables are read again.
    names = [field.name for field in dataclasses.fields(Tuned)]
    results = [Tuned(**{name: found[name] for name in names}) for found in map(json.loads, out.splitlines())]
    if status and not results:
        raise RuntimeError("\n".join(errors) or f"sparse-tune: exit status {status}")
    for error in errors:
        warnings.warn(error, RuntimeWarning, stacklevel=2)
    return results


def _run(command, progress):
    """(exit status, output, errors) of the tool. Other messages go to standard error where progress is asked for."""
    errors = []
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True) as process:
            try:
                for line in process.stderr:
                    if line.startswith("sparse-tune: error: "):
                        errors.append(line.rstrip())
                    elif progress:
                        sys.stderr.write(line)
            except BaseException:
                process.kill()
                raise
        out.seek(0)
        return process.returncode, out.read(), errors


def _has_device():
    try:
        return bool(libraries.binding().device_name(0))
    except RuntimeError:  # No driver, or no device.
        return False
