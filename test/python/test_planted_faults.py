"""test/faults/faults.toml, and scripts/planted_faults.py that plants its faults."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import planted_faults  # noqa: E402

FAULTS = planted_faults.read_faults()
LEAST = 40
#: Parts of the project that the faults must reach.
PARTS = ["lib/Conversion", "lib/Dialect/SAttn/Analysis", "lib/Dialect/SAttn/IR", "lib/Dialect/WGTile/Analysis",
         "lib/Dialect/WGTile/Transforms", "lib/Codegen/CPU", "lib/Differentiation", "lib/Reference",
         "lib/Runtime/Checks", "lib/Runtime/Launch", "lib/DiskCache", "lib/MetaTable", "lib/Tuning", "lib/CAPI", "tools", "python/binding",
         *(f"python/sattn/{layer}" for layer in ("_arrays", "_call", "_masks", "_ops", "_trace", "torch"))]


def unit_tests():
    """The names of the tests of ctest."""
    names = set()
    for path in (ROOT / "test").rglob("CMakeLists.txt"):
        names |= set(re.findall(r"add_test\(NAME (\w+)", path.read_text()))
    return names


def exists(test):
    """Whether there is what `./dev test` is asked to run."""
    suite, *arguments = shlex.split(test)
    if suite == "unit":
        return arguments[0] == "-R" and arguments[1] in unit_tests() and len(arguments) == 2
    path, _, function = arguments[0].partition("::")
    file = ROOT / (path.replace("build/test", "test", 1) if suite == "lit" else path)
    if suite == "lit":
        return path.startswith("build/test/") and file.exists()
    folder = {"torch": "with_torch", "torch-cuda": "with_cuda_stub"}.get(suite, "python")
    return file.is_file() and file.parent.name == folder and f"def {function.partition('[')[0]}" in file.read_text()


def test_there_are_enough():
    assert len(FAULTS) >= LEAST
    files = [fault.file for fault in FAULTS]
    assert [part for part in PARTS if not any(file.startswith(part + "/") for file in files)] == []
    suites = {test.split()[0] for fault in FAULTS for test in fault.tests}
    assert suites == set(planted_faults.SUITES)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_can_be_planted(fault):
    source = (ROOT / fault.file).read_text()
    assert fault.planted(source) != source
    assert [test for test in fault.tests if not exists(test)] == []


ENTRY = '[one]\nfile = "a.py"\ntext = "1"\nfault = "2"\ntests = ["python a.py"]\n'


@pytest.mark.parametrize("text, message", [
    (ENTRY.replace('"2"', '"1"'), "fault 'one': expected .* a fault that is not the text"),
    (ENTRY.replace('file = "a.py"\n', ""), "fault 'one': expected fault, file, tests, text"),
    (ENTRY.replace('["python a.py"]', "[]"), "fault 'one': expected fault, file, tests, text"),
    (ENTRY.replace("python a.py", "pytest a.py"), "expected tests of lit, unit, .*, but got 'pytest a.py'"),
    (ENTRY + ENTRY, "Cannot declare"),
])
def test_what_is_no_list_is_refused(tmp_path, text, message):
    (tmp_path / "faults.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        planted_faults.read_faults(tmp_path / "faults.toml")


@pytest.mark.parametrize("source, count", [("", 0), ("1 + 1", 2)])
def test_text_that_does_not_stand_there_once_is_refused(source, count):
    fault = planted_faults.Fault("one", "a.py", "1", "2", ("python a.py",))
    with pytest.raises(ValueError, match=f"fault 'one': expected its text once in a.py, but found it {count} times"):
        fault.planted(source)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="expected names of faults .*, but got none"):
        planted_faults.chosen(FAULTS, [FAULTS[0].name, "none"])
    assert planted_faults.chosen(FAULTS, [FAULTS[1].name]) == [FAULTS[1]]


#: In the place of ./dev, whose runners take longer: a test is a script, and its report says whether that failed.
DEV = """#!/bin/sh
for argument; do
  case $argument in --junitxml=*) report=${argument#*=} ;; esac
done
[ "$1" = run ] || exit 0
result='<failure/>'
if sh "$argument"; then result=; fi
echo "<testsuites><testcase>$result</testcase></testsuites>" > "$report"
[ -z "$result" ]
"""


@pytest.fixture
def copy(tmp_path):
    """A checkout of one source and three tests: one finds its fault, one checks nothing, and one fails anyway."""
    (tmp_path / "build").mkdir()
    (tmp_path / "one.py").write_text("def more(x):\n    return x + 1\n")
    for name, script in (("sharp", "grep -q 'x + 1' one.py"), ("blunt", "grep -q x one.py"), ("broken", "false")):
        (tmp_path / f"test_{name}.py").write_text(script)
    (tmp_path / "dev").write_text(DEV)
    (tmp_path / "dev").chmod(0o755)
    return planted_faults.Copy(tmp_path, jobs=1)


def test_a_fault_that_nothing_catches_is_found(copy):
    """In one run, beside one that is caught, and one whose test fails anyway."""
    faults = [planted_faults.Fault(name, "one.py", "x + 1", "x + 2", (f"python test_{name}.py",))
              for name in ("sharp", "blunt", "broken")]
    source, out = (copy.folder / "one.py").read_text(), io.StringIO()
    assert planted_faults.check_all(copy, faults, out) == ["blunt", "broken"]
    lines = out.getvalue()
    assert re.search(r"\[1/3\] sharp: .* caught in \d+ s", lines)
    assert "NOT CAUGHT" not in lines.partition("[2/3] blunt")[0]
    assert re.search(r"\[2/3\] blunt: .* NOT CAUGHT in \d+ s\n'python test_blunt.py' did not fail:", lines)
    assert re.search(r"\[3/3\] broken: .* NOT CAUGHT in \d+ s\na test fails without it", lines)
    assert (copy.folder / "one.py").read_text() == source


def test_a_fault_is_taken_out_when_it_is_interrupted(copy, monkeypatch):
    def interrupted(*_, **__):
        assert "x + 2" in (copy.folder / "one.py").read_text()
        raise KeyboardInterrupt

    fault = planted_faults.Fault("sharp", "one.py", "x + 1", "x + 2", ("python test_sharp.py",))
    monkeypatch.setattr(planted_faults.Copy, "test", interrupted)
    with pytest.raises(KeyboardInterrupt):
        planted_faults.check(copy, fault)
    assert "x + 1" in (copy.folder / "one.py").read_text()
