"""Nothing that is made for thread blocks knows an op of `sattn`."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["lib/Dialect/WGTile", "include/sattn/Dialect/WGTile", "lib/Conversion/WGTileToNVVM",
           "test/lib/Dialect/WGTile"]
# An op or a class of the dialect, or one of its headers.
KNOWS_SATTN = re.compile(r"sattn\.[a-z]\w*|sattn/Dialect/SAttn|\b(Bsr|BSR)\w*Op\b|SAttnDialect")
OPS = re.compile(r'SAttn_Op<"(\w+)"')


def op_names():
    names = set()
    for file in (ROOT / "include/sattn/Dialect/SAttn/IR").glob("*.td"):
        names |= set(OPS.findall(file.read_text()))
    return names


def lines_that_know(text, names):
    named = re.compile(r"\b(" + "|".join(sorted(names)) + r")\b")
    # The name of a kernel in an example is no op.
    return [line.strip() for line in re.sub(r"@\w+", "", text).splitlines()
            if KNOWS_SATTN.search(line) or any("_" in word for word in named.findall(line))]


def test_finds_an_op_and_a_header():
    assert "bsr_addmm" in op_names()
    assert lines_that_know('#include "sattn/Dialect/SAttn/IR/SAttn.h"', op_names())
    assert lines_that_know("if (isa<sattn::BsrAddmmOp>(op))", op_names())
    assert lines_that_know("// as bsr_addmm does", op_names())
    assert not lines_that_know('#include "sattn/Layout/SharedTile.h"', op_names())


@pytest.mark.parametrize("folder", FOLDERS)
def test_knows_no_op_of_sattn(folder):
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".h", ".cpp", ".td", ".txt")]
    assert files
    found = {file.name: lines for file in files if (lines := lines_that_know(file.read_text(), op_names()))}
    assert not found
