"""scripts/suite_summary.py: the last line of ./dev test, and its exit code."""

import subprocess
import sys

PASSED = '<testcase name="a"/>'
FAILED = '<testcase name="b"><failure message="x"/></testcase>'
ERROR = '<testcase name="c"><error/></testcase>'
SKIPPED = '<testcase name="d"><skipped/></testcase>'


def summary(root, tmp_path, *suites):
    arguments = []
    for name, code, cases in suites:
        path = tmp_path / f"{name}.xml"
        if cases is not None:
            path.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        arguments.append(f"{name}:{code}:3:{path}")
    done = subprocess.run([sys.executable, root / "scripts" / "suite_summary.py", *arguments],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()[-1], done.stdout


def test_all_passed(root, tmp_path):
    code, last, _ = summary(root, tmp_path, ("format", 0, None), ("lit", 0, PASSED * 3), ("unit", 0, PASSED))
    assert (code, last) == (0, "5 passed, 0 failed")


def test_failures_and_skips_are_counted(root, tmp_path):
    code, last, _ = summary(root, tmp_path, ("lit", 1, PASSED + FAILED + ERROR), ("python", 0, PASSED + SKIPPED))
    assert (code, last) == (1, "2 passed, 2 failed, 1 skipped")


def test_a_suite_without_tests_fails(root, tmp_path):
    code, last, text = summary(root, tmp_path, ("lit", 0, PASSED), ("python", 0, SKIPPED))
    assert (code, last) == (1, "1 passed, 1 failed, 1 skipped")
    assert "ran no test" in text


def test_a_runner_that_broke_fails(root, tmp_path):
    code, last, text = summary(root, tmp_path, ("lit", 2, None), ("unit", 139, PASSED))
    assert (code, last) == (1, "1 passed, 2 failed")
    assert "exit code 2, no report" in text
    assert "exit code 139" in text


def test_wrong_format_fails(root, tmp_path):
    assert summary(root, tmp_path, ("format", 1, None))[:2] == (1, "0 passed, 1 failed")


def test_a_cut_report_fails(root, tmp_path):
    (tmp_path / "lit.xml").write_text("<testsuites><testsuite>")
    assert summary(root, tmp_path, ("lit", 0, None))[:2] == (1, "0 passed, 1 failed")


def test_a_suite_that_was_left_out_is_named(root):
    done = subprocess.run([sys.executable, root / "scripts" / "suite_summary.py", "torch:skipped:SATTN_TORCH=skip: nothing was tested",
                           "format:0:3:none.xml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == ["torch      left out: SATTN_TORCH=skip: nothing was tested",
                                            "format         1 passed     0 failed     0 skipped      3 s",
                                            "1 passed, 0 failed"]
