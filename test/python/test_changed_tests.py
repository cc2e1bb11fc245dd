"""scripts/changed_tests.py: the tests of each folder exist, and each folder of the repository has some."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def module(root):
    sys.path.insert(0, str(root / "scripts"))
    try:
        import changed_tests
    finally:
        sys.path.remove(str(root / "scripts"))
    return changed_tests


def files(root):
    return subprocess.check_output(["git", "ls-files", "-z"], cwd=root, text=True).split("\0")[:-1]


def parts_of(rule):
    for part in rule.split(";"):
        suite, _, names = part.strip().partition(":")
        yield suite, names.split()


def test_the_tests_exist(module, root):
    programs = (root / "test" / "unit" / "CMakeLists.txt").read_text() + (root / "test" / "fuzz" / "CMakeLists.txt").read_text()
    programs += "".join(file.read_text() for file in (root / "test" / "unit").glob("*/CMakeLists.txt"))
    for prefix, rule in module.RULES.items():
        for suite, names in parts_of(rule):
            for name in names:
                if suite == "lit":
                    assert (root / "test" / name).is_dir(), f"{prefix}: {name}"
                elif suite == "unit":
                    assert name in programs, f"{prefix}: {name}"
                else:
                    assert (root / module.FOLDERS[suite] / f"test_{name}.py").exists(), f"{prefix}: {suite} {name}"


def test_each_prefix_is_of_a_file_and_each_library_has_a_rule(module, root):
    paths = files(root)
    for prefix in module.RULES:
        assert prefix == "." or any(path.startswith(prefix) for path in paths), prefix
    for path in paths:
        if path.startswith(("lib/", "tools/", "python/", "include/")) and Path(path).suffix in (".cpp", ".h", ".td", ".py"):
            assert module.rule_of(path) != module.RULES["."], path


@pytest.mark.parametrize("path, suite, argument", [
    ("lib/Layout/Swizzle.cpp", "unit", "-R Layout"), ("include/sattn/Layout/Swizzle.h", "lit", "build/test/Dialect/WGTile"),
    ("python/sattn/_masks/bounds.py", "python", "test/python/test_package_mask_laws.py"),
    ("python/sattn/torch/dynamo.py", "torch", "test/python/with_torch/test_compiled.py"),
    ("test/python/with_cuda_stub/test_hints.py", "torch-cuda", "test/python/with_cuda_stub/test_hints.py"),
    ("test/Target/ptx.mlir", "lit", "build/test/Target/ptx.mlir"), ("test/Dialect/SAttn/Inputs/x.mlir", "lit", "test/Dialect/SAttn"),
    ("README.md", "python", "test_readme.py"), (".clang-format", "python", "test_operation_table.py")])
def test_of_a_change(root, path, suite, argument):
    done = subprocess.run([sys.executable, root / "scripts" / "changed_tests.py", "build"], input=f"{path}\0", text=True,
                          capture_output=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{suite} ")]
    assert argument in line, done.stdout


def test_nothing_changed(root):
    done = subprocess.run([sys.executable, root / "scripts" / "changed_tests.py", "build"], input="", text=True,
                          capture_output=True, check=True)
    assert done.stdout == ""
