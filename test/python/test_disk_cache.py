"""Compiled programs on disk: what is kept, for whom, and what happens to files that are not as they should be.

SATTN_KILLS: how many writers are killed (100 by hand).
"""

import ctypes
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# A program that compiles in a fraction of a second.
PROGRAM = """func.func @{name}(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {{
  %0 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant {constant} : f32
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  }} -> tensor<?xf32>
  return %0 : tensor<?xf32>
}}
"""
PRODUCT = """func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
             %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
"""


class Cache:
    """A folder, and processes that compile with it."""

    def __init__(self, folder, libraries, scratch):
        self.folder, self.libraries, self.scratch = folder, libraries, scratch
        self.environment = {**os.environ, "SATTN_CACHE_DIR": str(folder)}
        for name in ("SATTN_CACHE", "SATTN_CACHE_BYTES", "SATTN_META_TABLE"):
            self.environment.pop(name, None)

    def file(self, text):
        path = self.scratch / f"{hashlib.sha256(text.encode()).hexdigest()}.mlir"
        path.write_text(text)
        return path

    def command(self, *texts, target="cpu", pipeline="", threads=1, entry=None):
        return [sys.executable, "-S", str(HERE / "cached_compile.py"), str(self.libraries), target, pipeline, str(threads),
                *map(str, map(self.file, texts)), *(["--entry", entry] if entry else [])]

    def start(self, *texts, options=None, **how):
        return subprocess.Popen(self.command(*texts, **how), env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **(options or {}))

    def compile(self, *texts, **how):
        process = self.start(*texts, **how)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return json.loads(out)

    def entries(self):
        return sorted(self.folder.glob("llvmcache-*"))

    def only_entry(self):
        entry, = self.entries()
        return entry


def program(constant=1.0, name="f"):
    return PROGRAM.format(constant=float(constant), name=name)


def counts(report):
    return report["hits"], report["misses"]


def messages(report):
    return "".join(result["messages"] for result in report["results"])


def compiled(report):
    return all(result["done"] for result in report["results"])


@pytest.fixture
def cache(built_tools, tmp_path):
    return Cache(tmp_path / "cache", built_tools.parent / "lib", tmp_path)


@pytest.mark.parametrize("target, text", [("cpu", program()), ("sm_90a", PRODUCT)])
def test_a_second_process_reads(cache, target, text):
    first = cache.compile(text, target=target)
    second = cache.compile(text, target=target)
    assert counts(first) == (0, 1) and counts(second) == (1, 0)
    assert first["results"] == second["results"] and compiled(first)
    assert bool(first["results"][0]["image"]) == (target != "cpu")
    assert first["entries"] == second["entries"] == 1
    assert second["bytes"] == cache.only_entry().stat().st_size
    assert cache.only_entry().stat().st_mode & 0o777 == 0o600 and cache.folder.stat().st_mode & 0o777 == 0o700


def test_what_an_entry_depends_on(cache, tmp_path, monkeypatch):
    table = tmp_path / "table.json"
    table.write_text("{}")
    both = program(1, "f") + program(2, "g")
    cases = [dict(texts=[program(1)]), dict(texts=[program(1)], threads=2), dict(texts=[program(2)]),
             dict(texts=[both], entry="f"), dict(texts=[both], entry="g"),
             dict(texts=[PRODUCT], target="sm_90a"), dict(texts=[PRODUCT], target="sm_80"),
             dict(texts=[PRODUCT], target="sm_90a", pipeline="schedule=plain"),
             dict(texts=[PRODUCT], target="sm_90a", pipeline=f"meta-table={table}")]

    def run(case):
        return counts(cache.compile(*case["texts"], **{key: value for key, value in case.items() if key != "texts"}))

    assert [run(case) for case in cases] == [(0, 1)] * len(cases)
    assert [run(case) for case in cases] == [(1, 0)] * len(cases)
    # The table's contents count.
    table.write_text("{ }")
    assert run(cases[-1]) == (0, 1) and run(cases[0]) == (1, 0)


def test_refused_programs_are_not_kept(cache):
    for _ in range(2):
        report = cache.compile("func.func @f(", target="sm_90a")
        assert not compiled(report) and "error: " in messages(report) and counts(report) == (0, 1)
    assert not cache.entries()


def test_messages_are_kept(cache):
    first, second = (cache.compile(PRODUCT, target="sm_90a", pipeline="device='NVIDIA H200'") for _ in range(2))
    assert "remark: " in messages(first) and messages(first) == messages(second) and counts(second) == (1, 0)


def test_where(cache, tmp_path):
    environment = cache.environment
    del environment["SATTN_CACHE_DIR"]
    environment.update(XDG_CACHE_HOME=str(tmp_path / "xdg"), HOME=str(tmp_path / "home"))
    assert cache.compile(program())["folder"] == str(tmp_path / "xdg" / "sattn")
    for value in ("", "relative"):
        environment["XDG_CACHE_HOME"] = value
        assert cache.compile(program())["folder"] == str(tmp_path / "home" / ".cache" / "sattn")
    environment["HOME"] = ""
    assert cache.compile(program())["folder"] is None
    environment.update(SATTN_CACHE_DIR=str(tmp_path / "off"), SATTN_CACHE="0")
    report = cache.compile(program())
    assert report["folder"] is None and compiled(report) and counts(report) == (0, 0)
    assert not (tmp_path / "off").exists()


def test_one_of_many_compiles(cache):
    processes = [cache.start(PRODUCT, target="sm_90a") for _ in range(8)]
    reports = [json.loads(process.communicate()[0]) for process in processes]
    assert sorted(map(counts, reports)) == [(0, 1)] + [(1, 0)] * 7
    assert len({report["results"][0]["image"] for report in reports}) == 1


def test_killed_at_any_time(cache):
    kills = int(os.environ.get("SATTN_KILLS", 8))
    moments = random.Random(1)
    texts = [program(number) for number in range(kills)]
    start = time.monotonic()
    cache.compile(program(-1))
    whole = time.monotonic() - start
    for text in texts:
        process = cache.start(text)
        time.sleep(moments.uniform(0, whole))
        process.kill()
        process.communicate()
    report = cache.compile(*texts)
    assert compiled(report) and not messages(report) and sum(counts(report)) == kills
    assert counts(cache.compile(*texts)) == (kills, 0)


@pytest.mark.parametrize("damage", ["empty", "short", "last byte missing", "longer", "byte changed", "another's"])
def test_damaged_entries(cache, damage):
    where = random.Random(2)
    cache.compile(program(1))
    entry = cache.only_entry()
    good = bytearray(entry.read_bytes())
    if damage == "another's":
        cache.compile(program(2))
        other, = set(cache.entries()) - {entry}
        os.replace(other, entry)
    elif damage == "byte changed":
        good[where.randrange(len(good))] ^= 1 << where.randrange(8)
        entry.write_bytes(good)
    else:
        entry.write_bytes({"empty": b"", "short": good[:where.randrange(1, len(good))], "last byte missing": good[:-1],
                           "longer": good + b"\0"}[damage])
    report = cache.compile(program(1))
    assert compiled(report) and counts(report) == (0, 1)
    assert messages(report).startswith("remark: disk cache: ") and "it is made anew" in messages(report)
    report = cache.compile(program(1))
    assert counts(report) == (1, 0) and not messages(report)


def without_override():
    """Takes from root the right to write what permissions forbid; the exec that follows makes it hold."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def test_read_only_folder(cache):
    cache.compile(program(1))
    cache.folder.chmod(0o500)
    try:
        report = cache.compile(program(1), options={"preexec_fn": without_override})
        assert counts(report) == (1, 0) and not messages(report)
        report = cache.compile(program(2), options={"preexec_fn": without_override})
    finally:
        cache.folder.chmod(0o700)
    assert compiled(report) and counts(report) == (0, 1) and len(cache.entries()) == 1
    assert "an entry is not kept: Permission denied" in messages(report)


@pytest.mark.parametrize("folder", ["missing/a/b", "file", "file/below", "/proc/none"])
def test_folder_that_is_not_there(cache, tmp_path, folder):
    (tmp_path / "file").write_text("")
    cache.environment["SATTN_CACHE_DIR"] = str(tmp_path / folder)
    report = cache.compile(program())
    assert compiled(report) and counts(report) == (0, 1)
    if folder.startswith("missing"):
        assert not messages(report) and counts(cache.compile(program())) == (1, 0)
    else:
        assert f"remark: disk cache: folder '{tmp_path / folder}': " in messages(report)


def test_limit_of_file_size(cache):
    report = cache.compile(program(), options={
        "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))})
    assert compiled(report) and "an entry is not kept: File too large" in messages(report)
    assert not cache.entries()


def test_full_disk(cache):
    cache.folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", cache.folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount")
    try:
        assert counts(cache.compile(program(1))) == (0, 1) and len(cache.entries()) == 1
        with open(cache.folder / "rest", "wb", buffering=0) as rest, pytest.raises(OSError):
            while True:
                rest.write(bytes(4096))
        report = cache.compile(program(1), program(2))
        assert compiled(report) and counts(report) == (1, 1) and "No space left" in messages(report)
        assert len(cache.entries()) == 1
    finally:
        subprocess.run(["umount", cache.folder], check=True)


@pytest.mark.parametrize("what", ["entry", "folder"])
@pytest.mark.parametrize("change", ["group", "others", "owner"])
def test_what_others_could_have_written(cache, what, change):
    cache.compile(program())
    path = cache.only_entry() if what == "entry" else cache.folder
    if change == "owner":
        if os.geteuid():
            pytest.skip("needs root, to give files away")
        os.chown(path, 65534, 65534)
    else:
        path.chmod(path.stat().st_mode | (0o020 if change == "group" else 0o002))
    for repetition in range(2):
        report = cache.compile(program())
        assert compiled(report)
        if repetition and what == "entry":
            assert counts(report) == (1, 0) and not messages(report)
        else:
            assert counts(report) == (0, 1) and "remark: disk cache: " in messages(report)


def test_size(cache):
    cache.compile(program(0))
    cache.environment["SATTN_CACHE_BYTES"] = str(cache.only_entry().stat().st_size * 7 // 2)
    for number in (1, 2):
        cache.compile(program(number))
    assert counts(cache.compile(program(0))) == (1, 0)
    # The least recently used is 1.
    cache.compile(program(3))
    report = cache.compile(program(0), program(2), program(3))
    assert counts(report) == (3, 0) and report["bytes"] <= int(cache.environment["SATTN_CACHE_BYTES"])
    assert counts(cache.compile(program(1))) == (0, 1)
    cache.environment["SATTN_CACHE_BYTES"] = "many"
    assert "SATTN_CACHE_BYTES: expected a positive number of bytes, but got 'many'" in messages(cache.compile(program(1)))


def build_id(library):
    notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(notes.split("Build ID: ")[1].split()[0])


def test_two_builds(cache, tmp_path):
    cache.compile(program())
    other = tmp_path / "lib"
    other.mkdir()
    library = other / "libsattn.so"
    shutil.copy(cache.libraries / "libsattn.so", library)
    unchanged = Cache(cache.folder, other, tmp_path)
    assert counts(unchanged.compile(program())) == (1, 0)
    # As the linker does where any byte of the library differs.
    identity, contents = build_id(library), library.read_bytes()
    assert contents.count(identity) == 1
    library.unlink()
    library.write_bytes(contents.replace(identity, identity[::-1]))
    assert counts(unchanged.compile(program())) == (0, 1) and len(cache.entries()) == 2
    assert counts(unchanged.compile(program())) == (1, 0) and counts(cache.compile(program())) == (1, 0)


def test_sparse_run(cache, built_tools, tmp_path):
    command = [built_tools / "sparse-run", cache.file(program()), "random:1:shape=16", "zeros:shape=16", "--threads=1",
               "--remarks", f"--out={tmp_path / 'out.npy'}"]
    outputs = []
    for _ in range(2):
        done = subprocess.run(command, env=cache.environment, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        outputs.append((tmp_path / "out.npy").read_bytes())
    entry = cache.only_entry()
    entry.write_bytes(entry.read_bytes()[:-1])
    done = subprocess.run(command, env=cache.environment, capture_output=True, text=True)
    assert done.returncode == 0 and "remark: disk cache: " in done.stderr
    outputs.append((tmp_path / "out.npy").read_bytes())
    assert len(set(outputs)) == 1
    done = subprocess.run(command, env=cache.environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr


PACKAGE = """
import numpy as np, sattn, json
rng = np.random.default_rng(0)
crow, col = np.array([0, 1, 3], np.int32), np.array([1, 0, 1], np.int32)
values, dense = rng.standard_normal((3, 16, 16)).astype("f"), rng.standard_normal((32, 8)).astype("f")
out = sattn.bsr_dense_addmm(None, (crow, col, values), dense, beta=0)
info = sattn.cache.info()
sattn.cache.clear(disk=CLEAR)
print(json.dumps([out.tolist(), info.compilations, info.disk, sattn.cache.info().disk.entries]))
"""


def test_package(cache, root):
    environment = {**cache.environment, "PYTHONPATH": str(root / "python"), "SATTN_LIBRARIES": str(cache.libraries)}

    def run(clear):
        done = subprocess.run([sys.executable, "-c", PACKAGE.replace("CLEAR", str(clear))], env=environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    first, *numbers = run(False)
    size = cache.only_entry().stat().st_size
    assert numbers == [1, [str(cache.folder), 1, size, 0, 1], 1]
    second, *numbers = run(True)
    assert second == first and numbers == [1, [str(cache.folder), 1, size, 1, 0], 0]
    assert not cache.entries()


ASSEMBLED = """
import numpy as np, sattn, sys
from fake_cuda import CudaTensor, aligned
program = sattn.compile(sys.stdin.read(), "cuda")
arguments = [np.array([0, 1], np.int32), np.zeros(1, np.int32),
             *(aligned(shape, np.uint16) for shape in ((1, 64, 64), (64, 64), (64, 64)))]
program(1.0, 0.0, *map(CudaTensor, arguments))
print(program.messages, end="")
"""
# Makes what the stub driver takes for code, or fails, and counts its calls.
ASSEMBLER = """#!/bin/sh
echo >> "$0.calls"
{fails}
for last; do before=$input; input=$output; output=$last; done
printf '\\177ELF' > "$last"
cat "$before" >> "$last"
"""


class Assembler:
    """A ptxas, and programs on the stub device in new processes that find it."""

    def __init__(self, cache, root, path):
        self.path, self.root, self.cache = path, root, cache
        self.write()

    def write(self, fails=""):
        self.path.write_text(ASSEMBLER.format(fails=fails))
        self.path.chmod(0o755)

    def calls(self):
        calls = self.path.with_name(self.path.name + ".calls")
        return len(calls.read_text()) if calls.exists() else 0

    def run(self, **variables):
        """(times that the assembler was called, messages of the program)."""
        before = self.calls()
        environment = {**self.cache.environment, "SATTN_LIBRARIES": str(self.cache.libraries),
                       "PYTHONPATH": os.pathsep.join([str(self.root / "python"), str(HERE)]),
                       "SATTN_LIBCUDA": os.environ["SATTN_LIBCUDA"], "SATTN_PTXAS": str(self.path), **variables}
        source = (self.root / "examples" / "bsr_addmm.mlir").read_text()
        done = subprocess.run([sys.executable, "-c", ASSEMBLED], input=source, env=environment, capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stderr
        return self.calls() - before, done.stdout

    def only_cubin(self):
        cubin, = (entry for entry in self.cache.entries() if b"\x7fELF" in entry.read_bytes())
        return cubin


@pytest.fixture
def assembler(cache, root, stub_cuda, tmp_path):
    return Assembler(cache, root, tmp_path / "ptxas")


def test_cubins(assembler, cache):
    assert [assembler.run() for _ in range(3)] == [(1, ""), (0, ""), (0, "")]
    assert len(cache.entries()) == 2
    # Another ptxas, and another device, have code of their own.
    assembler.write(fails="# not now")
    assert [assembler.run() for _ in range(2)] == [(1, ""), (0, "")]
    assert assembler.run(SATTN_PTXAS="") == (0, "")


def test_cubins_that_are_altered(assembler):
    assembler.run()
    cubin = assembler.only_cubin()
    whole = cubin.read_bytes()
    for contents in (whole[:-1], whole.replace(b"\x7fELF", b"\x7fELG"), b""):
        cubin.write_bytes(contents)
        calls, messages = assembler.run()
        assert calls == 1 and messages.count("remark: disk cache: ") == 1 and str(cubin) in messages
        assert cubin.read_bytes() == whole
        assert assembler.run() == (0, "")


def test_ptx_that_ptxas_refuses_is_loaded_by_the_driver(assembler):
    # It may have been killed, so the refusal is not kept.
    assembler.write(fails="exit 1")
    assert [assembler.run() for _ in range(2)] == [(1, ""), (1, "")]
    assembler.write()
    assert [assembler.run() for _ in range(2)] == [(1, ""), (0, "")]


def test_cubins_are_not_kept_without_a_cache(assembler, cache, tmp_path):
    assert [assembler.run(SATTN_CACHE="0") for _ in range(2)] == [(0, "")] * 2
    assert not cache.folder.exists()
    # The folder is refused once, not for the program and again for its code.
    (tmp_path / "file").touch()
    calls, messages = assembler.run(SATTN_CACHE_DIR=str(tmp_path / "file"))
    assert calls == 0 and messages.count("remark: disk cache: ") == 1
