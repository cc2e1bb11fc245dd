"""Who may know whom: an op stands in its own files alone, and arrows between folders run down only."""

import ast
import graphlib
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
# An op that finishes the result of another, or is a part of its gradient, and stands in its files.
PART_OF = {"bsr_softmax_backward": "bsr_softmax", "combine_parts": "bsr_attention", "flex_attention_dcapture": "flex_attention", "flex_attention_dkdv": "flex_attention",
           "flex_attention_dq": "flex_attention"}
# Which op there is: the lists that an op is added to.
LISTS = {"include/sattn/Dialect/SAttn/IR/SAttnOps.td": r'include ".*"', "include/sattn/Dialect/SAttn/IR/SAttn.h": r'#include ".*"',
         "lib/Dialect/SAttn/IR/CMakeLists.txt": r"set\(ops .*\)",
         "lib/Tuning/CMakeLists.txt": r"set\(ops .*\)", "lib/Reference/CMakeLists.txt": r"set\(ops .*\)",
         "tools/sparse-tune/CMakeLists.txt": r"set\(ops .*\)",
         "lib/CAPI/CMakeLists.txt": r"\w+\.cpp"}
DATA = {"lib/MetaTable/ShippedTable.json", "tools/sparse-tune/TorchTable.h", "tools/sparse-tune/TorchTable.cpp"}
# Where an op says which others it is made of.
DECOMPOSITION = re.compile(r"lib/Dialect/SAttn/IR/\w+/Decompose\.cpp")
# The folders that a folder of lib, and the one of include beside it, may include beside itself.
MAY_INCLUDE = {
    "DiskCache": ["Support"],
    "Layout": [],
    "MetaTable": ["Support"],
    "Resources": ["Layout", "Support"],
    "Tuning": ["MetaTable", "Resources", "Layout", "Support"],
    "Manifest": ["Runtime"],
    "Runtime": [],
    "Reference": ["Runtime"],
    "Codegen": ["Resources", "Support"],
    "Differentiation": [],
    "Dialect/SAttn/Analysis": [],
    "Dialect/SAttn/IR": ["Dialect/SAttn/Analysis", "Differentiation", "Runtime", "Tuning", "Resources", "MetaTable", "Support"],
    "Dialect/WGTile": ["Layout", "Resources", "Support"],
    "Dialect/WGTile/Utils": ["Dialect/WGTile/IR", "Layout", "Resources", "Support"],
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


PACKAGE = ROOT / "python" / "sattn"
# The package's layers, from the lowest up: a module imports its own layer and those before it.
LAYERS = ["_native", "_arrays", "_compiler", "_call", "_trace", "_masks", "_ops", "_tuning", "torch"]
# Modules outside the layers, which may import all of them. The last one imports when PyTorch is there, and not before.
ROOT_MODULES = {"__init__", "cache", "nn", "tuning", "_when_imported"}


def module_of(path):
    """The dotted name of a file of the package, from the package's folder."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imports_of(module, text):
    """(the dotted name of a module of the package or of another library, whether a function imports it), of each import."""
    parents = module.split(".")[:-1]
    tree = ast.parse(text)
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, id(node) not in top) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module, id(node) not in top
        elif isinstance(node, ast.ImportFrom):
            base = [*parents[:len(parents) + 1 - node.level], *(node.module.split(".") if node.module else ())]
            for name in node.names:
                whole = ".".join([*base, name.name])
                is_module = (PACKAGE / f"{whole.replace('.', '/')}.py").exists() or (PACKAGE / whole.replace(".", "/")).is_dir()
                yield f"sattn.{whole if is_module else '.'.join(base)}", id(node) not in top


def wrong_imports(module, text):
    """Imports that a module of a layer may not have."""
    layer = module.partition(".")[0]
    for name, in_function in imports_of(module, text):
        if layer == "_trace" and name.partition(".")[0] == "torch":
            yield f"imports {name}"
        if not name.startswith("sattn."):
            continue
        if in_function:
            yield f"imports {name} in a function"
        other = name.split(".")[1]
        if other not in LAYERS or LAYERS.index(other) > LAYERS.index(layer):
            yield f"imports {name}"


def package_modules():
    return {module_of(path): path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}


def test_finds_wrong_imports_of_the_package():
    assert list(wrong_imports("_arrays.storage", "from .._call import cache")) == ["imports sattn._call.cache"]
    assert list(wrong_imports("_arrays.storage", "def f():\n    from . import matrices")) == [
        "imports sattn._arrays.matrices in a function"]
    assert list(wrong_imports("_trace.tracing", "import torch\nimport numpy")) == ["imports torch"]
    assert list(wrong_imports("_ops.linear", "from .. import nn")) == ["imports sattn.nn"]
    assert not list(wrong_imports("_ops.linear", "import json\nfrom . import bsr_addmm\nfrom .._arrays.storage import with_rank"))


def test_every_module_of_the_package_has_a_layer():
    assert {module for module in package_modules() if module.partition(".")[0] not in LAYERS} == ROOT_MODULES


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_no_higher_one(layer):
    found = {module: wrong for module, text in package_modules().items() if module.partition(".")[0] == layer
             if (wrong := list(wrong_imports(module, text)))}
    assert not found


def test_the_package_has_no_circle():
    modules = package_modules()
    graph = {module: {name.removeprefix("sattn.") for name, _ in imports_of(module, text) if name.startswith("sattn.")}
             for module, text in modules.items() if module != "__init__"}
    graph = {module: {f"{name}.__init__" if f"{name}.__init__" in modules else name for name in names}
             for module, names in graph.items()}
    graphlib.TopologicalSorter(graph).prepare()  # Raises CycleError.


# Modules of the package that have longer lines.
LONG = {"_arrays.autograd", "_ops.bsr_addmm", "_ops.captured_gradients", "_ops.flex_attention_backward", "_ops.sampled_addmm",
        "_ops.scatter_mm", "_ops.scatter_mm_operation", "torch.abstract_values", "torch.differentiation",
        "torch.library", "torch.modules", "torch.sparsification", "torch.triton_ops"}


def test_lines_of_the_package_are_short():
    found = {module: numbers for module, text in package_modules().items() if module not in LONG
             if (numbers := [number for number, line in enumerate(text.splitlines(), 1) if len(line) > 120])}
    assert not found
