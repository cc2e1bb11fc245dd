"""Building against another LLVM and MLIR 22, which CMAKE_PREFIX_PATH names, and what is refused of one.

The other installation is this machine's under another prefix: its CMake files copied, everything else by links.
"""

import json
import mmap
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

LLVM = Path(os.environ.get("SATTN_LLVM", "/usr/lib/llvm-22"))


@pytest.fixture
def prefix(tmp_path):
    """The other installation; edits of its CMake files show in what is configured."""
    if not (LLVM / "lib" / "cmake" / "mlir").is_dir():
        pytest.skip(f"no MLIR in {LLVM}")
    folder = tmp_path / "llvm"
    (folder / "lib").mkdir(parents=True)
    for path in LLVM.iterdir():
        # Debian's folder cmake is a link to the files that are copied.
        if path.name not in ("lib", "cmake"):
            (folder / path.name).symlink_to(path)
    for path in (LLVM / "lib").iterdir():
        if path.name != "cmake":
            (folder / "lib" / path.name).symlink_to(path)
    shutil.copytree(LLVM / "lib" / "cmake", folder / "lib" / "cmake")
    return folder


def test_ccache_serves_other_checkouts(root, built_tools):
    """No object depends on the checkout's path: ccache makes these options relative, and hashes all others."""
    build = built_tools.parent
    if not (build / "SAttnPCH.pch").exists():
        pytest.skip("not compiled by Clang")
    knowing = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        for option, word in zip(words, words[1:]):
            relative = word.startswith("-I") or option in ("-isystem", "-include-pch", "-o", "-c")
            if not relative and (str(root) in word or str(build) in word):
                knowing.add(Path(entry["file"]).name)
    assert knowing <= {"TestPaths.cpp"}
    with open(build / "SAttnPCH.pch", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as header:
        assert header.find(str(root).encode()) == -1 and header.find(str(build).encode()) == -1


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def configure(root, prefix, build, *options):
    return subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-22",
                           "-DCMAKE_C_COMPILER=clang-22", f"-DCMAKE_PREFIX_PATH={prefix}", "-DSATTN_BUILD_TESTS=OFF",
                           *options], capture_output=True, text=True, check=False)


def test_another_prefix(root, prefix, tmp_path):
    build = tmp_path / "build"
    done = configure(root, prefix, build)
    assert done.returncode == 0, done.stderr
    assert f"in {prefix}/lib/cmake/mlir" in done.stdout
    commands = " ".join(entry["command"] for entry in json.loads((build / "compile_commands.json").read_text()))
    assert f"-isystem {prefix}/include" in commands
    assert f"{LLVM}/include" not in commands and "-fno-rtti" not in commands
    # Its TableGen, its headers.
    targets = ["SAttnTransformsIncGen", "lib/Tuning/CMakeFiles/SAttnTuning.dir/Target.cpp.o"]
    done = subprocess.run(["ninja", "-C", build, "-v", *targets],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{prefix}/bin/mlir-tblgen" in done.stdout
    assert list((build / "include").rglob("Passes.h.inc"))


def test_without_rtti(root, prefix, tmp_path):
    edit(prefix / "lib/cmake/llvm/LLVMConfig.cmake", "set(LLVM_ENABLE_RTTI ON)", "set(LLVM_ENABLE_RTTI OFF)")
    done = configure(root, prefix, tmp_path / "build")
    assert done.returncode == 0, done.stderr
    entries = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    assert all("-fno-rtti" in entry["command"] for entry in entries if "lib/Dialect/SAttn" in entry["file"])


def without_shared_libraries(prefix):
    """As an LLVM looks that was built without LLVM_BUILD_LLVM_DYLIB."""
    for file in [*(prefix / "lib/cmake/mlir").glob("MLIRTargets*"), *(prefix / "lib/cmake/llvm").glob("LLVMExports*")]:
        text = re.sub(r"(?<=[\s;:\"(])(MLIR|LLVM)(?=[\s;>\")])", r"\1Dylib", file.read_text())
        # They are nobody's dependency any more.
        dependency = r";?(\\\$<LINK_ONLY:)?(MLIR|LLVM)Dylib>?"
        file.write_text(re.sub(r"INTERFACE_LINK_LIBRARIES \".*\"", lambda line: re.sub(dependency, "", line[0]), text))
    edit(prefix / "lib/cmake/llvm/LLVMConfig.cmake", "set(LLVM_LINK_LLVM_DYLIB ON)", "set(LLVM_LINK_LLVM_DYLIB OFF)")
    edit(prefix / "lib/cmake/mlir/MLIRTargets.cmake", """set_target_properties(MLIRExecutionEngine PROPERTIES
  INTERFACE_LINK_LIBRARIES \"""", """set_target_properties(MLIRExecutionEngine PROPERTIES
  INTERFACE_LINK_LIBRARIES "LLVMPerfJITEvents""")
    # Libraries of other packages that Debian's archives need, and only its shared library brings.
    needed = dict(re.findall(r"(lib\w+)\.so\S* => (\S+)", subprocess.run(
        ["ldd", LLVM / "lib/libLLVM.so"], capture_output=True, text=True, check=True).stdout))
    exports = prefix / "lib/cmake/llvm/LLVMExports.cmake"
    text = exports.read_text().replace("zstd::libzstd_shared", needed["libzstd"])
    exports.write_text(re.sub(r"/[^;\"]*/libz3\.so", needed["libz3"], text))


def link(tool, build, built):
    """Links a tool in one build folder from the objects of another. Returns it."""
    for path in [*(built / "lib").glob("*.a"), *(built / "tools" / tool / "CMakeFiles" / f"{tool}.dir").glob("*.o")]:
        copy = build / path.relative_to(built)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            copy.symlink_to(path)
    (build / "bin").mkdir(exist_ok=True)
    command = subprocess.run(["ninja", "-C", build, "-t", "commands", tool],
                             capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    subprocess.run(command, shell=True, cwd=build, check=True)
    return build / "bin" / tool


def test_static_libraries(root, built_tools, prefix, tmp_path):
    """The tools over MLIR's static libraries: the build's own objects, linked as CMake says there."""
    if not (LLVM / "lib/libMLIRIR.a").exists():
        pytest.skip(f"no static libraries in {LLVM}")
    without_shared_libraries(prefix)
    build = tmp_path / "build"
    done = configure(root, prefix, build, "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
    assert done.returncode == 0, done.stderr
    assert f"in {prefix}/lib/cmake/mlir, static libraries" in done.stdout
    tools = [link(tool, build, built_tools.parent)
             for tool in ["sparse-opt", "sparse-translate", "sparse-run", "sparse-lsp-server", "sparse-reduce", "sparse-tune"]]
    for tool in tools:
        libraries = subprocess.run(["ldd", tool], capture_output=True, text=True, check=True).stdout
        assert "libLLVM" not in libraries and "libMLIR" not in libraries
    done = subprocess.run([tools[0], "--sattn-to-ptx", root / "examples/bsr_addmm.mlir"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "wgmma.mma_async" in done.stdout, done.stderr


@pytest.mark.parametrize("file, old, new, message", [
    ("llvm/LLVMConfig.cmake", "set(LLVM_VERSION_MAJOR 22)", "set(LLVM_VERSION_MAJOR 21)", "sattn needs MLIR 22, found"),
    ("llvm/LLVMConfig.cmake", "NVPTX", "None", "sattn needs LLVM's target NVPTX, but"),
])
def test_what_does_not_do(root, prefix, tmp_path, file, old, new, message):
    edit(prefix / "lib/cmake" / file, old, new)
    done = configure(root, prefix, tmp_path / "build")
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
