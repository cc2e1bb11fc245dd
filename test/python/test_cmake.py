"""Building against another LLVM and MLIR 22, which CMAKE_PREFIX_PATH names, and what is refused of one.

The other installation is this machine's under another prefix: its CMake files copied, everything else by links.
"""

import json
import os
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


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def configure(root, prefix, build):
    return subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-22",
                           "-DCMAKE_C_COMPILER=clang-22", f"-DCMAKE_PREFIX_PATH={prefix}", "-DSATTN_BUILD_TESTS=OFF"],
                          capture_output=True, text=True, check=False)


def test_another_prefix(root, prefix, tmp_path):
    build = tmp_path / "build"
    done = configure(root, prefix, build)
    assert done.returncode == 0, done.stderr
    assert f"in {prefix}/lib/cmake/mlir" in done.stdout
    commands = " ".join(entry["command"] for entry in json.loads((build / "compile_commands.json").read_text()))
    assert f"-isystem {prefix}/include" in commands
    assert f"{LLVM}/include" not in commands and "-fno-rtti" not in commands
    # Its TableGen, its headers.
    targets = ["SAttnTransformsIncGen", "lib/MetaTable/CMakeFiles/SAttnMetaTable.dir/Target.cpp.o"]
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


@pytest.mark.parametrize("file, old, new, message", [
    ("llvm/LLVMConfig.cmake", "set(LLVM_VERSION_MAJOR 22)", "set(LLVM_VERSION_MAJOR 21)", "sattn needs MLIR 22, found"),
    ("mlir/MLIRTargets.cmake", "add_library(MLIR SHARED IMPORTED)\n",
     "add_library(MLIRNone SHARED IMPORTED)\nreturn()\n", "sattn needs the shared library MLIR, which"),
    ("llvm/LLVMConfig.cmake", "NVPTX", "None", "sattn needs LLVM's target NVPTX, but"),
])
def test_what_does_not_do(root, prefix, tmp_path, file, old, new, message):
    edit(prefix / "lib/cmake" / file, old, new)
    done = configure(root, prefix, tmp_path / "build")
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
