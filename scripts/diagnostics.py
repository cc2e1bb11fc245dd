"""docs/Diagnostics.md: the messages of the compiler, the runtime, the tools and the package on bad input.

The sources give the literal parts of every message; `...` stands for the parts that a run fills in.
"""

import ast
import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Heading, folders, and a note on all their messages.
SECTIONS = [
    ("Ops of `sattn`", ["lib/Dialect/SAttn/IR"], "Errors of verifiers, on input and after every pass. The "
     "numbers of the constraints are in [the op's page](reference/SAttn.md)."),
    ("Ops of `wgtile`", ["lib/Dialect/WGTile/IR"], "As above; constraints are in [the ops' page](reference/WGTile.md)."),
    ("Passes on `sattn`", ["lib/Dialect/SAttn/Transforms", "lib/Differentiation"], ""),
    ("Passes on tiles of `linalg`", ["lib/Codegen"], ""),
    ("Passes on `wgtile`", ["lib/Dialect/WGTile/Transforms", "lib/Dialect/WGTile/Analysis", "lib/Dialect/WGTile/Utils"], ""),
    ("Conversions", ["lib/Conversion"], ""),
    ("Pipelines and targets", ["lib/Pipelines", "lib/Target"], ""),
    ("Meta tables", ["lib/MetaTable", "lib/Tuning"], "Warnings, after which the table or the row is left out "
     "([MetaTable.md](MetaTable.md)). Those of a file begin with `meta table 'NAME': `, those of a row name it."),
    ("Runtime", ["lib/Runtime"], "Errors of the C++ library and of `sparse-run`, exceptions in Python. Nothing is "
     "launched or written before them; a driver's own errors may come late."),
    ("C API", ["lib/CAPI"], ""),
    ("Disk cache", ["lib/DiskCache"], "Remarks of the C library, of `Program.messages` and of `sparse-run --remarks`, after "
     "which the program is compiled; the errors are reasons in them. Others are the system's."),
    ("Reference", ["lib/Reference"], ""),
    ("Tools", ["tools"], ""),
    ("Python package", ["python/sattn", "python/binding"], "Exceptions, before anything is launched or written."),
    ("Demo", ["examples"], ""),
]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)+\'|(?P<word>\w+)'
                   r"|(?P<other>\S)", re.DOTALL)
# Functions that make a message, and its kind; `text` of the meta table is the reason why a row is left out.
MAKERS = {"emitError": "error", "emitErrorAt": "error", "emitOpError": "error", "emitSourceError": "error",
          "createStringError": "error", "Error": "error", "makeError": "error", "error": "error", "expected": "error",
          "malformed": "error", "report": "error", "fail": "error", "badValue": "error", "giveError": "error",
          "TVM_FFI_THROW": "error",
          "emitWarning": "warning", "emitRemark": "remark", "say": "remark", "remark": "remark", "text": "warning"}
# Makers that put something around one of their arguments: (its number, before, behind).
AROUND = {"expected": (0, "expected ", ", but got ..."), "malformed": (0, "the header is malformed: expected ", ""),
          "badValue": (1, "option '...': expected ", ", but got '...'")}
# Makers whose arguments are parts of the message from the first on.
PARTS = {"Error", "makeError", "error", "fail", "createStringError"}
NO_VALUES = {"std", "string", "llvm", "Twine", "StringRef", "concat", "runtime", "formatv", "str"}
GAP = "..."


@dataclasses.dataclass(frozen=True, order=True)
class Message:
    text: str
    kind: str
    file: str


def unescaped(text):
    return text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


def statements(source):
    """Lists of (kind of token, text): statements of C++, split at `;`, `{` and `}`."""
    current = []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind is None:
            continue
        if match[0] in (";", "{", "}"):
            yield current
            current = []
        else:
            current.append(("text" if kind == "raw" else kind, unescaped(match[kind])))
    yield current


def argument(tokens, number):
    """The tokens of one argument of the call whose parenthesis is tokens[0]."""
    depth, place, found = 0, 0, []
    for token in tokens:
        if token[0] == "other" and token[1] in ")]":
            depth -= 1
        if depth < 1 and found:
            break
        if token == ("other", ",") and depth == 1:
            place += 1
        elif depth and place == number:
            found.append(token)
        if token[0] == "other" and token[1] in "([":
            depth += 1
    return found


def joined(tokens, gap_first):
    """The literal parts, with gaps for values between them; both sides of a choice of two."""
    pieces, gap, mark = [], [], 0
    for i, (kind, text) in enumerate(tokens):
        # A text that a value is compared with is no part of the message.
        compared = kind == "text" and i > 1 and tokens[i - 1][1] == tokens[i - 2][1] == "="
        if text in ("(", ","):
            mark = len(gap)
        elif text == "?":
            # A condition is no part of it either.
            gap = gap[:mark]
        elif kind != "text" or compared:
            gap += [text] if text == ":" or kind == "word" and text not in NO_VALUES else []
        else:
            if pieces or gap_first:
                pieces.append(" or " if gap == [":"] else GAP if gap else "")
            pieces.append(text)
            gap, mark = [], 0
    return "".join(pieces) + (GAP if gap and pieces else "")


def cpp_messages(source, makers):
    """(text, kind) of the messages of a C++ file."""
    for tokens in statements(re.sub(r"^#.*$", "", source, flags=re.MULTILINE)):
        for i, (kind, maker) in enumerate(tokens[:-1]):
            if kind == "word" and maker in makers and tokens[i + 1][1] in "(<":
                break
        else:
            continue
        rest = tokens[i + 1:]
        if maker in AROUND:
            number, before, behind = AROUND[maker]
            text = before + joined(argument(rest, number), True) + behind
        else:
            text = joined(rest, maker in PARTS)
        yield re.sub(r"\{\d(:\w+)?\}", GAP, text), makers[maker]


def literal(node):
    """The text of a Python expression, or a gap."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return literal(node.left) + literal(node.right)
    return GAP


def python_messages(source):
    """(text, kind) of what a Python file raises."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield literal(node.exc.args[0]), getattr(node.exc.func, "id", "error")


def tidy(text):
    """One line, without gaps at its ends or in a row; empty for what is no message."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"(\.\.\.){2,}", GAP, text)
    text = GAP + text if text.startswith(": ") else text
    words = set(re.findall(r"[A-Za-z]{2,}", text.replace(GAP, " "))) - {"expected", "but", "got"}
    # No assembly either.
    return text if len(words) >= (1 if "expected" in text else 2) and "$" not in text and not text.endswith(" expected") else ""


def messages(folder):
    found = set()
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".cpp", ".h"):
            makers = MAKERS if folder in ("lib/MetaTable", "lib/Tuning") else {name: MAKERS[name] for name in MAKERS if name != "text"}
            pairs = cpp_messages(path.read_text(), makers)
        elif path.suffix == ".py":
            pairs = python_messages(path.read_text())
        else:
            continue
        found |= {Message(tidy(text), kind, str(path.relative_to(ROOT))) for text, kind in pairs if tidy(text)}
    return found


def row(message):
    text = message.text.replace("|", "\\|").replace("`", "'")
    name = Path(message.file).name
    return f"| `{text}` | {message.kind} | [{name}](../{message.file}) |"


def page():
    """The text of docs/Diagnostics.md."""
    parts = ["<!-- Made by ./dev docs from the sources (scripts/diagnostics.py); edit those instead. -->\n"
             "# Index of diagnostics\n\n"
             "Every diagnostic, by component: what was expected and what was found. `...` stands for a name or a number "
             "of the input. To find a message, search for a few of its words that are neither; the source beside it "
             "has the condition.\n"]
    for heading, folders, note in SECTIONS:
        found = sorted(set().union(*map(messages, folders)))
        if found:
            table = "\n".join(["| message | kind | source |", "|---|---|---|", *map(row, found)])
            parts.append(f"## {heading}\n" + (f"{note}\n\n" if note else "\n") + table + "\n")
    return "\n".join(parts)
