"""Who may know whom: an op stands in its own files alone, and arrows between folders run down only."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".h", ".cpp", ".c", ".td", ".txt", ".json", ".inc")
CODEGEN = ["lib/Codegen", "include/sattn/Codegen"]
WGTILE = ["lib/Dialect/WGTile", "include/sattn/Dialect/WGTile", "lib/Conversion/WGTileToNVVM", "test/lib/Dialect/WGTile"]
# An op or a class of the dialect, or one of its headers.
KNOWS_SATTN = re.compile(r"sattn\.[a-z]\w*|sattn/Dialect/SAttn|\b(Bsr|BSR)\w*Op\b|SAttnDialect")
OPS = re.compile(r'SAttn_Op<"(\w+)"')
# An op whose name is also that of a kernel of PyTorch, whose rows the tables of another op may hold.
FOREIGN = {"scatter_mm": "bsr_addmm"}
# An op that finishes the result of another, and stands in its files.
PART_OF = {"combine_parts": "bsr_attention"}
# Which op there is: the lists that an op is added to.
LISTS = {"include/sattn/Dialect/SAttn/IR/SAttnOps.td": r'include ".*"', "lib/Dialect/SAttn/IR/CMakeLists.txt": r"set\(ops .*\)",
         "lib/Tuning/CMakeLists.txt": r"set\(ops .*\)", "lib/Reference/CMakeLists.txt": r"set\(ops .*\)",
         "lib/CAPI/CMakeLists.txt": r"\w+\.cpp"}
DATA = {"lib/MetaTable/ShippedTable.json"}
# Where an op says which others it is made of.
DECOMPOSITION = re.compile(r"lib/Dialect/SAttn/IR/\w+/Decompose\.cpp")
# What a folder of lib, and that of include beside it, may include beside itself.
MAY_INCLUDE = {
    "DiskCache": [],
    "Layout": [],
    "MetaTable": [],
    "Tuning": ["MetaTable", "Layout", "Support"],
    "Manifest": ["Runtime"],
    "Runtime": [],
    "Reference": ["Runtime"],
    "Codegen": ["Support"],
    "Dialect/SAttn/Analysis": [],
    "Dialect/SAttn/IR": ["Dialect/SAttn/Analysis", "Runtime", "Tuning", "MetaTable", "Support"],
    "Dialect/WGTile": ["Layout", "Support"],
    "Dialect/WGTile/Utils": ["Dialect/WGTile/IR", "Layout", "Support"],
    "Dialect/WGTile/Analysis": ["Dialect/WGTile/IR", "Dialect/WGTile/Utils", "Layout", "Support"],
}
INCLUDE = re.compile(r'^#include "sattn/([\w/]+)\.\w+"', re.MULTILINE)


def op_names():
    names = set()
    for file in (ROOT / "include/sattn/Dialect/SAttn/IR").rglob("*.td"):
        names |= set(OPS.findall(file.read_text()))
    return names


def sources(*folders):
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in SUFFIXES]
    assert files
    return files


def lines_that_know(text, names):
    named = re.compile(r"\b(" + "|".join(sorted(names)) + r")\b")
    # The name of a kernel in an example is no op.
    return [line.strip() for line in re.sub(r"@\w+", "", text).splitlines()
            if KNOWS_SATTN.search(line) or any("_" in word for word in named.findall(line))]


def lines_that_name(name, path, text):
    """Lines of a file, at a path from the root, with an op's name in any spelling, where it may not stand."""
    spelled = re.compile(name.replace("_", "_?"), re.IGNORECASE)
    own = re.compile("|".join({name, FOREIGN.get(name, name), PART_OF.get(name, name)}).replace("_", "_?"), re.IGNORECASE)
    if own.search(path) or path in DATA or DECOMPOSITION.fullmatch(path):
        return []
    if path.endswith(".td"):
        text = re.sub(r"```mlir.*?```", "", text, flags=re.DOTALL)  # An example.
    return [line.strip() for line in re.sub(r"@\w+", "", text).splitlines()
            if spelled.search(line) and not re.fullmatch(LISTS.get(path, "(?!)"), line.strip())]


def includes_upwards(folder, text):
    """Headers that a file of this folder of lib may not include."""
    allowed = [folder, *MAY_INCLUDE[folder]]
    return [header for header in INCLUDE.findall(text)
            if not any(header.startswith(f"{place}/") for place in allowed)]


def test_finds_an_op_and_a_header():
    assert "bsr_addmm" in op_names()
    assert lines_that_know('#include "sattn/Dialect/SAttn/IR/SAttn.h"', op_names())
    assert lines_that_know("if (isa<sattn::BsrAddmmOp>(op))", op_names())
    assert lines_that_know("// as bsr_addmm does", op_names())
    assert not lines_that_know('#include "sattn/Layout/SharedTile.h"', op_names())


def test_finds_names_and_arrows():
    for line in ("isa<BsrAddmmOp>(op)", "// as bsr_addmm does", "struct BsrAddmmContract {", "SCATTER_MM"):
        name = "scatter_mm" if line == "SCATTER_MM" else "bsr_addmm"
        assert lines_that_name(name, "lib/Runtime/Contract.cpp", line) == [line]
        assert not lines_that_name(name, "lib/Tuning/BsrAddmm/Default.cpp", line)
    assert not lines_that_name("bsr_addmm", "lib/Tuning/CMakeLists.txt", "set(ops BsrAddmm)")
    assert not lines_that_name("scatter_mm", "lib/Tuning/ScatterMm/Default.cpp", "SCATTER_MM")
    assert lines_that_name("bsr_addmm", "lib/Tuning/CMakeLists.txt", "  BsrAddmmExtra.cpp")
    assert not lines_that_name("bsr_addmm", "lib/Dialect/SAttn/IR/BsrAttention/Decompose.cpp", "BsrAddmmOp::create(")
    assert lines_that_name("bsr_addmm", "lib/Dialect/SAttn/IR/BsrAttention/Tiling.cpp", "BsrAddmmOp::create(")
    assert includes_upwards("Runtime", '#include "sattn/Target/Chip.h"\n') == ["Target/Chip"]
    assert not includes_upwards("Tuning", '#include "sattn/Layout/WarpDivision.h"\n')


@pytest.mark.parametrize("folder", CODEGEN + WGTILE)
def test_knows_no_op_of_sattn(folder):
    found = {file.name: lines for file in sources(folder) if (lines := lines_that_know(file.read_text(), op_names()))}
    assert not found


@pytest.mark.parametrize("name", sorted({name for name in op_names() if "_" in name} | FOREIGN.keys()))
def test_an_ops_name_stands_in_its_own_files(name):
    found = {path: lines for file in sources("include", "lib", "tools")
             if (lines := lines_that_name(name, path := str(file.relative_to(ROOT)), file.read_text()))}
    assert not found


@pytest.mark.parametrize("folder", MAY_INCLUDE)
def test_arrows_run_down(folder):
    found = {file.name: headers for file in sources(f"lib/{folder}", f"include/sattn/{folder}")
             if (headers := includes_upwards(folder, file.read_text()))}
    assert not found
