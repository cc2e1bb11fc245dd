"""The files that `cmake --install` installs, and sattn as a subdirectory of another project's build."""

import json
import os
import re
import subprocess

import pytest

LLVM = os.environ.get("SATTN_LLVM", "/usr/lib/llvm-22")
OPTIONS = ["-G", "Ninja", "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
           "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"]
INCLUDE = re.compile(r'^ *(?:#include|include) "(sattn(?:-c)?/[^"]+)"', re.MULTILINE)


def run(*command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(built_tools, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("install") / "prefix"
    run("cmake", "--install", built_tools.parent, "--prefix", prefix)
    return prefix


def test_headers_are_complete(installed):
    headers = [path for path in (installed / "include").rglob("*") if path.is_file()]
    assert {path.suffix for path in headers} == {".h", ".td", ".inc"}
    included = {name for path in headers for name in INCLUDE.findall(path.read_text())}
    assert "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h.inc" in included
    missing = {name for name in included if not (installed / "include" / name).is_file()}
    assert not missing


def test_no_path_of_the_checkout(installed, root):
    package = list((installed / "lib/cmake/SAttn").iterdir())
    assert {path.name for path in package} >= {"SAttnConfig.cmake", "SAttnConfigVersion.cmake", "SAttnTargets.cmake"}
    assert not [path for path in package if str(root) in path.read_text()]


def test_tools(installed, root):
    tools = {path.name for path in (installed / "bin").iterdir()}
    assert tools == {"sparse-lsp-server", "sparse-opt", "sparse-reduce", "sparse-run", "sparse-translate", "sparse-tune"}
    for tool in ["sparse-opt", "sparse-run", "sparse-translate"]:
        assert "(sattn)" in run(installed / "bin" / tool, "--version")
    assert "wgmma" in run(installed / "bin/sparse-translate", "--to=ptx", root / "examples/bsr_addmm.mlir")


def test_what_is_missing_is_said_before_anything_is_written(built_tools, tmp_path):
    """In a script of the build whose libraries are elsewhere."""
    script = (built_tools.parent / "cmake_install.cmake").read_text()
    library = str(built_tools.parent / "lib" / "libSAttnTuning.a")
    assert library in script
    changed = tmp_path / "cmake_install.cmake"
    changed.write_text(script.replace(f"{library};", f"{tmp_path}/absent.a;"))
    prefix = tmp_path / "prefix"
    done = subprocess.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", changed], capture_output=True, text=True,
                          check=False)
    assert done.returncode != 0
    assert f"expected everything to be built, but these are missing: {tmp_path}/absent.a; run ./dev build" \
        in " ".join(done.stderr.split())
    assert not prefix.exists()


@pytest.fixture(scope="module")
def embed(installed, root, tmp_path_factory):
    """The example project, built from the installed files alone."""
    build = tmp_path_factory.mktemp("embed")
    run("cmake", "-S", root / "examples/embed", "-B", build, *OPTIONS, f"-DCMAKE_PREFIX_PATH={installed}")
    commands = json.dumps(run("ninja", "-C", build, "-t", "commands"))
    assert str(installed) in commands and str(root / "include") not in commands
    run("ninja", "-C", build, CCACHE_BASEDIR=str(build.parent), CCACHE_NOHASHDIR="1")
    return build / "embed"


def test_embedded_compiler(embed):
    ptx = run(embed, "sm_90a")
    assert ".target sm_90a" in ptx and ".entry product" in ptx and "mma.sync" in ptx
    assert run(embed, "cpu").split() == [str(row) for row in [*range(16, 32), *range(0, 32, 2)]]
    refused = subprocess.run([embed, "sm_1"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "sm_1" in refused.stderr


def test_c_library(installed, tmp_path):
    (tmp_path / "main.c").write_text("""
        #include "sattn-c/Compiler.h"
        #include <stdio.h>
        int main(void) { return puts(sattn_version()) < 0; }
    """)
    (tmp_path / "CMakeLists.txt").write_text("""
        cmake_minimum_required(VERSION 3.25)
        project(c LANGUAGES C CXX)
        find_package(SAttn REQUIRED)
        add_executable(c main.c)
        target_link_libraries(c PRIVATE SAttn::sattn)
    """)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", *OPTIONS, f"-DCMAKE_PREFIX_PATH={installed}")
    run("ninja", "-C", tmp_path / "build")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run(tmp_path / "build/c"))


def test_another_version_of_mlir_is_refused(installed, root, tmp_path):
    config = installed / "lib/cmake/SAttn/SAttnConfig.cmake"
    copy = tmp_path / "SAttn"
    run("cp", "-r", config.parent, copy)
    version = re.search(r'VERSION_EQUAL "([\d.]+)"', config.read_text())[1]
    (copy / "SAttnConfig.cmake").write_text(config.read_text().replace(version, "22.0.0"))
    done = subprocess.run(["cmake", "-S", root / "examples/embed", "-B", tmp_path / "build", *OPTIONS,
                           f"-DSAttn_DIR={copy}"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "expected MLIR 22.0.0, which SAttn was built with, but got" in " ".join(done.stderr.split())


PARENT = """
    cmake_minimum_required(VERSION 3.25)
    project(parent VERSION 1.0.0.0 LANGUAGES C CXX)
    include(GNUInstallDirs)
    {add}
    add_executable(runs main.cpp)
    add_executable(compiles EXCLUDE_FROM_ALL main.cpp)
    {link}
"""


def parent_project(folder, add="", link=""):
    """Configures a project without Python. Returns its build folder and its cache."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(PARENT.format(add=add, link=link))
    (folder / "main.cpp").write_text("int main() {}\n")
    build = folder / "build"
    run("cmake", "-S", folder, "-B", build, *OPTIONS, f"-DCMAKE_PREFIX_PATH={LLVM}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON")
    entries = re.findall(r"^([^#/\n][^:\n]*):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return build, {name: value.replace(str(folder), "") for name, value in entries}


@pytest.fixture(scope="module")
def parent(root, tmp_path_factory):
    return parent_project(tmp_path_factory.mktemp("parent") / "with", f'add_subdirectory("{root}" sattn)', """
        target_link_libraries(runs PRIVATE SAttn::SAttnRuntime)
        target_link_libraries(compiles PRIVATE SAttn::SAttnToGPU)
    """)


def test_subdirectory_leaves_the_cache(parent, tmp_path):
    _, cache = parent
    _, alone = parent_project(tmp_path / "alone")
    for entries in [cache, alone]:
        entries.pop("CMAKE_NUMBER_OF_MAKEFILES")
    assert {name: cache.get(name) for name in alone} == alone
    # New variables belong to sattn and to the packages that it finds.
    added = {name for name in cache if name not in alone}
    assert not {name for name in added if name.startswith(("CMAKE_", "BUILD_", "Python")) or name == "LLVM_EXTERNAL_LIT"}


def test_subdirectory_leaves_the_flags(parent, root):
    build, _ = parent
    runs, compiles = [entry["command"].split(" -o ")[0]
                      for entry in json.loads((build / "compile_commands.json").read_text())
                      if entry["file"] == str(build.parent / "main.cpp")]
    assert f"-I{root}/include" in runs and f"-isystem {LLVM}/include" not in runs
    assert f"-isystem {LLVM}/include" in compiles
    flags = {flag for command in [runs, compiles] for flag in re.findall(r" (-(?!I|isystem)\S+)", command)}
    assert flags <= {"-std=c++17", "-std=gnu++17"}


def test_subdirectory_builds_what_is_linked(parent):
    build, _ = parent
    everything = run("ninja", "-C", build, "-t", "commands")
    assert "lib/Runtime" in everything
    assert not re.findall(r"tblgen|lib/(?:Dialect|Pipelines)|sparse-opt|test/|PCH", everything)
    compiler = run("ninja", "-C", build, "-t", "commands", "compiles")
    assert "lib/Pipelines" in compiler
    assert not re.findall(r"lib/Runtime|sparse-opt|test/|PCH", compiler)
