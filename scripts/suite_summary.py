"""Counts what the test runners reported in their JUnit files.

Each argument is SUITE:EXIT_CODE:SECONDS:JUNIT_FILE, or SUITE:skipped:WHY for a
suite that was left out. Prints a line a suite and closes with `N passed, N failed`.
Fails if a runner or a test failed, and if a suite ran no test. A suite without a
JUnit file counts as one test.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """(passed, failed, skipped) of one JUnit file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            failed += 1
        elif "skipped" in outcomes:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def judge(suite, code, path):
    """(passed, failed, skipped, remark) of one suite."""
    if not os.path.exists(path):
        if suite == "format":
            return (0, 1, 0, "not formatted") if code else (1, 0, 0, "")
        return 0, 1, 0, f"exit code {code}, no report"
    try:
        passed, failed, skipped = count(path)
    except ElementTree.ParseError as error:
        return 0, 1, 0, f"unreadable report: {error}"
    if passed + failed == 0:
        return 0, 1, skipped, "ran no test"
    if code != 0 and failed == 0:
        return passed, 1, skipped, f"exit code {code}"
    return passed, failed, skipped, ""


def main(arguments):
    totals = [0, 0, 0]
    print()
    for argument in arguments:
        suite, code, rest = argument.split(":", 2)
        if code == "skipped":
            print(f"{suite:10} left out: {rest}")
            continue
        seconds, path = rest.split(":", 1)
        *counts, remark = judge(suite, int(code), path)
        totals = [total + part for total, part in zip(totals, counts)]
        passed, failed, skipped = counts
        print(f"{suite:10} {passed:5} passed {failed:5} failed {skipped:5} skipped {seconds:>6} s  {remark}".rstrip())
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
