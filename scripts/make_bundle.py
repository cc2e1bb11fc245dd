"""Makes the relocatable archive from a bundle build, and checks what it promises.

Checked: no symbol of glibc newer than 2.35, nothing but sattn_* (and what tvm-ffi
looks up) exported, no shared library that a bare host lacks, tools that start
from another folder with an empty environment, and the archive's size. Nothing is
written if one fails.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

MAX_GLIBC = (2, 35)
MAX_BYTES = 30_000_000
# Libraries of glibc, and the vDSO.
HOST_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
# Libraries that Python has loaded before the package's.
PYTHON_LIBRARIES = {"libtvm_ffi.so"}
EXPORTS = ("sattn_", "__tvm_ffi_")
# Sources beside the programs: the package, the C library's header, and what the tests and the examples run.
FOLDERS = ["benchmarks", "examples", "include/sattn-c", "python/sattn", "test/gpu"]
FILES = ["LICENSE", "test/tools/check_ptx.py", "test/tools/wgmma_registers.py", *(
    f"test/python/{name}.py" for name in (
        "attention_programs", "attention_reference", "bsr_gradient_cases", "flex_gradient_cases", "flex_programs", "masks",
        "operation_table", "sdpa_gradient_cases", "softmax_gradient_cases"))]


class BundleError(Exception):
    """A promise that the bundle does not keep."""


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def glibc_versions(dynamic_symbols):
    """{(2, 36): {names}} of the symbols that an object needs, from `readelf -W --dyn-syms`."""
    versions = {}
    for name, version in re.findall(r"UND\s+(\S+?)@+GLIBC_([\d.]+)", dynamic_symbols):
        versions.setdefault(tuple(map(int, version.split("."))), set()).add(name)
    return versions


def exported(dynamic_symbols):
    """Names that an object defines for others."""
    return set(re.findall(r"(?:GLOBAL|WEAK)\s+(?:DEFAULT|PROTECTED)\s+\d+\s+([^\s@]+)", dynamic_symbols))


def check_object(path, own):
    """own: names of libraries that the bundle has itself."""
    symbols = output("readelf", "-W", "--dyn-syms", path)
    for version, names in sorted(glibc_versions(symbols).items()):
        if version > MAX_GLIBC:
            raise BundleError(f"{path.name}: expected glibc {MAX_GLIBC[0]}.{MAX_GLIBC[1]} or older, but got "
                              f"{version[0]}.{version[1]} for {', '.join(sorted(names))}")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-W", "-d", path)))
    if foreign := needed - HOST_LIBRARIES - PYTHON_LIBRARIES - own:
        raise BundleError(f"{path.name}: expected only glibc's libraries, but got {', '.join(sorted(foreign))}")
    if ".so" in path.name:
        if foreign := {name for name in exported(symbols) if not name.startswith(EXPORTS)}:
            raise BundleError(f"{path.name}: expected to export only {'*, '.join(EXPORTS)}*, but got {len(foreign)} others, "
                              f"such as {min(foreign)}")


def stage(build, source, folder):
    """Copies programs, libraries and sources into `folder`."""
    for part in ["bin", "lib"]:
        shutil.copytree(build / "bundle" / part, folder / part)
    # Nothing that needs LLVM to be built.
    ignored = shutil.ignore_patterns("__pycache__", "results", "embed")
    for name in FOLDERS:
        if (source / name).is_dir():
            shutil.copytree(source / name, folder / name, ignore=ignored)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, folder / name)


def check_programs(folder):
    """The tools start where nothing of the build is in reach."""
    for program in sorted((folder / "bin").iterdir()):
        done = subprocess.run([program, "--help"], env={}, cwd="/", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BundleError(f"{program.name} --help failed with exit code {done.returncode}: {done.stderr.strip()}")


def pack(folder, archive):
    """An .tar.xz of the folder in which neither owners nor times of this machine show."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
        return entry

    with tarfile.open(archive, "w:xz", preset=9) as stream:
        for path in [folder, *sorted(folder.rglob("*"))]:
            stream.add(path, path.relative_to(folder.parent), recursive=False, filter=plain)


def version(build):
    match = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(\S+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    if not match:
        raise BundleError(f"expected a version in {build / 'CMakeCache.txt'}, but got none")
    return match[1]


def make(build, source, dist):
    name = f"sattn-{version(build)}-linux-x86_64"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / name
        stage(build, source, folder)
        libraries = {path.name for path in (folder / "lib").iterdir()}
        for path in [*(folder / "lib").iterdir(), *(folder / "bin").iterdir()]:
            check_object(path, libraries)
        check_programs(folder)
        archive = Path(scratch) / f"{name}.tar.xz"
        print("compressing (about a minute)", flush=True)
        pack(folder, archive)
        if archive.stat().st_size > MAX_BYTES:
            raise BundleError(f"expected an archive of at most {MAX_BYTES} bytes, but got {archive.stat().st_size}")
        dist.mkdir(parents=True, exist_ok=True)
        shutil.move(archive, dist / archive.name)
    return dist / archive.name


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--dist", type=Path, required=True)
    options = parser.parse_args(arguments)
    try:
        archive = make(options.build, options.source, options.dist)
    except (BundleError, OSError, subprocess.CalledProcessError) as error:
        print(f"make_bundle: error: {error}", file=sys.stderr)
        return 1
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
