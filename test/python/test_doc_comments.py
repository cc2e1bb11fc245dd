"""Comments, docstrings and texts of TableGen begin with the thing that they are about."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["benchmarks", "examples", "include", "lib", "python", "scripts", "test", "tools"]
# Words that refer to a thing which the declaration beside them must tell.
FIRST_WORDS = re.compile(r"(Of|That|Those|There|What|Whose)\b")
# A comment: on lines of its own, or after code on its line.
OWN_LINES = re.compile(r"^[^\S\n]*///?<?[^\S\n]*(.*(?:\n[^\S\n]*//.*)*)", re.MULTILINE)
AFTER_CODE = re.compile(r"^(?![^\S\n]*//).*?[^\S\n]///?<?[^\S\n]*(.*)", re.MULTILINE)
TABLEGEN_TEXT = re.compile(r'\b(?:summary|description)\s*=\s*(?:"|\[\{)\s*(\w+)')
# An option of a pass: its names, type and default, then its description.
TABLEGEN_OPTION = re.compile(r'\bOption<"\w+",\s*"[\w-]+",\s*"[^"]*",\s*/\*default=\*/"[^"]*",\s*"(\w+)')


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def cpp_faults(text):
    """Lines of the comments of C++ or TableGen that begin with such a word."""
    return [line_of(text, found.start(1)) for pattern in (OWN_LINES, AFTER_CODE) for found in pattern.finditer(text)
            if FIRST_WORDS.match(found[1])]


def tablegen_faults(text):
    """The same, and lines of summaries, descriptions and options."""
    return cpp_faults(text) + [line_of(text, found.start(1)) for pattern in (TABLEGEN_TEXT, TABLEGEN_OPTION)
                               for found in pattern.finditer(text) if FIRST_WORDS.match(found[1])]


def python_faults(text):
    """Lines of docstrings and comments that begin with such a word."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if FIRST_WORDS.match(ast.get_docstring(node) or ""):
                found.append(node.body[0].lineno)
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            is_alone = token.line.lstrip().startswith("#")
            if not (is_alone and token.start[0] == last + 1) and FIRST_WORDS.match(token.string.lstrip("#: ")):
                found.append(token.start[0])
            last = token.start[0] if is_alone else 0
    return found


FAULTS = {".h": cpp_faults, ".cpp": cpp_faults, ".c": cpp_faults, ".inc": cpp_faults, ".td": tablegen_faults,
          ".py": python_faults, ".pyi": python_faults}


@pytest.mark.parametrize("folder", FOLDERS)
def test_begin_with_the_thing(folder):
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in FAULTS]
    assert files
    found = [f"{file.relative_to(ROOT)}:{line}" for file in sorted(files)
             for line in FAULTS[file.suffix](file.read_text())]
    assert not found, "expected comments that begin with the thing documented"


@pytest.mark.parametrize("word", ["Of", "That", "Those", "There", "What", "Whose"])
def test_finds_each_word(word):
    assert cpp_faults(f"int a;\n/// {word} a block,\n/// in bytes.\nint b;\n") == [2]
    assert cpp_faults(f"  int a; ///< No.\n\n  /// {word} a block.\n") == [3]
    assert cpp_faults(f"  f();\n  // {word} a block.\n  g(); // A block.\n") == [2]
    assert cpp_faults(f"  f();\n  g(); // {word} a block.\n") == [2]
    assert tablegen_faults(f'def A {{\n  let summary = "{word} lanes";\n}}\n') == [2]
    assert tablegen_faults(f"  let description = [{{\n    {word} lanes.\n  }}];\n") == [2]
    option = f'Option<"late", "late", "bool", /*default=*/"false",\n    "{word} late">'
    assert tablegen_faults(f"  let options = [{option}];\n") == [2]
    assert python_faults(f'def f():\n    """{word} lists."""\n') == [2]
    assert python_faults(f'"""Lists."""\nclass A:\n    #: {word} lists.\n    b = 1\n') == [3]
    assert python_faults(f'a = 1\n# {word} lists.\nb = 2  # Lists.\n') == [2]
    assert python_faults(f'a = 1  # A number.\nb = 2  # {word} lists.\n') == [2]


def test_leaves_others():
    assert not cpp_faults("/// Bytes\n/// Of a block.\nint b;\n// Bytes\n// What a block has.\n/// Whatever.\n")
    assert not cpp_faults('int a = f("https://What"); // Bytes\n')
    assert not tablegen_faults('  let summary = "Lanes: What they hold";\n')
    assert not python_faults('"""Lists.\n\nOf blocks."""\n#: Sizes\n#: Of lists.\na = 1  # Sizes.\n')
