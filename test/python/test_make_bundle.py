"""scripts/make_bundle.py: what it reads from readelf, and what it refuses."""

import ast
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import make_bundle  # noqa: E402

SYMBOLS = """
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND malloc@GLIBC_2.2.5 (2)
   153: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND arc4random@GLIBC_2.36 (16)
   154: 0000000000000000     0 FUNC    WEAK   DEFAULT  UND __cxa_finalize@GLIBC_2.2.5 (2)
   206: 00000000005c5410    10 FUNC    GLOBAL DEFAULT   15 sattn_tool_main
   207: 00000000005c5420    10 OBJECT  WEAK   DEFAULT   15 _ZTIN4llvm4PassE@@LLVM_22
   208: 00000000005c5420    10 FUNC    LOCAL  DEFAULT   15 helper
"""


def test_versions():
    assert make_bundle.glibc_versions(SYMBOLS) == {(2, 2, 5): {"malloc", "__cxa_finalize"}, (2, 36): {"arc4random"}}


def test_exports():
    assert make_bundle.exported(SYMBOLS) == {"sattn_tool_main", "_ZTIN4llvm4PassE"}


def compile_library(folder, name, source, *options):
    (folder / "x.c").write_text(source)
    path = folder / name
    subprocess.run(["clang-22", "-shared", "-fPIC", folder / "x.c", "-o", path, *options], check=True)
    return path


def test_a_clean_library_passes(tmp_path):
    library = compile_library(tmp_path, "libsattn.so", "int sattn_tool_main(void) { return 0; }")
    make_bundle.check_object(library, set())


def test_a_foreign_export_is_refused(tmp_path):
    library = compile_library(tmp_path, "libsattn.so", "int llvm_thing(void) { return 0; }")
    with pytest.raises(make_bundle.BundleError, match=r"expected to export only sattn_\*, __tvm_ffi_\*, but got 1 others, such as llvm"):
        make_bundle.check_object(library, set())


def test_a_foreign_library_is_refused(tmp_path):
    compile_library(tmp_path, "libother.so", "int sattn_other(void) { return 0; }", "-Wl,-soname,libother.so")
    library = compile_library(tmp_path, "libsattn.so", "int sattn_other(void); int sattn_f(void) { return sattn_other(); }",
                              f"-L{tmp_path}", "-lother")
    with pytest.raises(make_bundle.BundleError, match="expected only glibc's libraries, but got libother.so"):
        make_bundle.check_object(library, set())
    make_bundle.check_object(library, {"libother.so"})


def test_the_package_s_library_may_need_tvm_ffi(tmp_path):
    compile_library(tmp_path, "libtvm_ffi.so", "int tvm_f(void) { return 0; }", "-Wl,-soname,libtvm_ffi.so")
    library = compile_library(tmp_path, "libsattn_binding.so",
                              "int tvm_f(void); int __tvm_ffi_load(void) { return tvm_f(); }",
                              f"-L{tmp_path}", "-ltvm_ffi")
    make_bundle.check_object(library, set())


def test_a_program_that_fails_is_refused(tmp_path):
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "tool"
    tool.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    tool.chmod(0o755)
    with pytest.raises(make_bundle.BundleError, match="tool --help failed with exit code 3: broken"):
        make_bundle.check_programs(tmp_path)


def test_what_the_examples_need_is_there(tmp_path, root):
    for part in ["bin", "lib"]:
        (tmp_path / "build" / "bundle" / part).mkdir(parents=True)
    make_bundle.stage(tmp_path / "build", root, tmp_path / "bundle")
    for name in ["examples/c_api/CMakeLists.txt", "examples/c_api/multiply.c", "include/sattn-c/Compiler.h",
                 "examples/demo_options.py", "examples/python/pytorch.py", "python/sattn/__init__.py"]:
        assert (tmp_path / "bundle" / name).is_file()
    assert not list((tmp_path / "bundle").rglob("__pycache__"))


def test_the_same_folder_gives_the_same_archive(tmp_path):
    folder = tmp_path / "sattn-1"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "tool").write_text("x")
    archives = [tmp_path / "a.tar.xz", tmp_path / "b.tar.xz"]
    make_bundle.pack(folder, archives[0])
    (folder / "bin" / "tool").touch()
    make_bundle.pack(folder, archives[1])
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as stream:
        assert stream.getnames() == ["sattn-1", "sattn-1/bin", "sattn-1/bin/tool"]
        assert {entry.uname for entry in stream} == {""}


def imported(path):
    """Names of the modules that a Python file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_modules_of_the_gpu_s_tests_are_in_the_bundle(root):
    wanted, seen = [root / "test" / "gpu" / path.name for path in (root / "test" / "gpu").glob("*.py")], set()
    while wanted:
        for name in imported(wanted.pop()):
            path = root / "test" / "python" / f"{name}.py"
            if name not in seen and path.exists() and not (root / "test" / "gpu" / path.name).exists():
                seen.add(name)
                wanted.append(path)
    assert seen
    assert {f"test/python/{name}.py" for name in seen} <= set(make_bundle.FILES)
