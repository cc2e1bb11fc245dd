"""Tables of tuned parameters as text and files, in the format of docs/MetaTable.md."""

import contextlib
import fcntl
import json
import os
import typing
import warnings
from pathlib import Path

from .._compiler import tuning

# All that no two sections of a table have in common.
_NAMES = "op", "device", "version", "dtype", "out_dtype", "sparsity"


class Section(typing.NamedTuple):
    """The key of a section's rows: the op, the device, the version of its kernels, our names of the element types of
    operands and result, and the sparsity in hundredths."""

    op: str
    device: str
    version: int
    dtype: str
    out_dtype: str
    sparsity: int


class Rows(typing.NamedTuple):
    """The rows of a section: names of parameters, and {key: values}."""

    parameters: tuple
    values: dict


def user_path():
    """The user's own table. Raises RuntimeError where neither XDG_CONFIG_HOME nor HOME is set."""
    config = os.environ.get("XDG_CONFIG_HOME")
    if not config:
        home = os.environ.get("HOME")
        if not home:
            raise RuntimeError("expected XDG_CONFIG_HOME or HOME to be set, which tell where tables are, or a path")
        config = Path(home) / ".config"
    return Path(config) / "sattn" / "meta-table.json"


def text_of(sections):
    """The text of a table of {Section: Rows}, a row a line, in order."""
    parts = []
    for section, rows in sorted(sections.items()):
        head = {**section._asdict(), "sparsity": section.sparsity / 100, "parameters": rows.parameters}
        if section.out_dtype == section.dtype:
            del head["out_dtype"]
        lines = ",\n    ".join(json.dumps(row) for row in sorted(rows.values.items()))
        parts.append(f'{json.dumps(head)[:-1]}, "rows": [\n    {lines}\n  ]}}')
    return '{"format": "sattn-meta-table", "version": 1, "sections": [\n  ' + ",\n  ".join(parts) + "\n]}\n"


def sections_of(text, name):
    """{Section: Rows} of a table's text. Raises ValueError where it is none; warns of rows that cannot be used, which
    are kept as they are."""
    is_table, messages = tuning.problems_of(text, name)
    if not is_table:
        raise ValueError(messages.removeprefix("error: "))
    for message in messages.splitlines():
        warnings.warn(message.removeprefix("warning: "), RuntimeWarning, stacklevel=4)
    sections = {}
    for given in json.loads(text)["sections"]:
        found = {"out_dtype": given["dtype"], **given, "sparsity": int(given["sparsity"] * 100 + 0.5)}
        sections[Section(*(found[name] for name in _NAMES))] = Rows(
            tuple(given["parameters"]), {tuple(key): tuple(values) for key, values in given["rows"]})
    return sections


def add(sections, section, rows):
    """Adds rows to those of a section, in the place of others with the same keys. Returns whether that changes
    anything. Raises ValueError where the section has rows of other parameters."""
    known = sections.setdefault(section, Rows(rows.parameters, {}))
    if sorted(known.parameters) != sorted(rows.parameters):
        raise ValueError(f"expected rows of {', '.join(known.parameters)}, which rows of {section.op} for "
                         f"{section.device}, {section.dtype}, sparsity {section.sparsity / 100} have, but got rows of "
                         f"{', '.join(rows.parameters)}")
    places = [rows.parameters.index(name) for name in known.parameters]
    new = {key: tuple(values[place] for place in places) for key, values in rows.values.items()}
    is_changed = any(known.values.get(key) != values for key, values in new.items())
    known.values.update(new)
    return is_changed


@contextlib.contextmanager
def _locked(path):
    """Holds the lock of a file, which no other process or thread has then: that of FILE.lock, which stays."""
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _replace(path, text):
    """Writes a file at once: whoever reads it finds the old text or the new one. The caller has its lock."""
    new = Path(f"{path}.new")
    try:
        with open(new, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def merge_into(path, sections):
    """Adds rows to the table in a file, which is made where there is none and left alone where it has them all. Raises
    ValueError, and OSError, before the file is changed."""
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        known = sections_of(path.read_text(), path) if path.exists() else {}
        if any([add(known, section, rows) for section, rows in sections.items()]):
            _replace(path, text_of(known))
