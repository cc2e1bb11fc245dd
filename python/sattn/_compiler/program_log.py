"""The log of programs that processes needed: a line of JSON for each, in the file that $SATTN_PROGRAM_LOG names."""

import json
import os
import warnings

from . import compiler


def append(text, options, target):
    """Writes down a program; nothing where no file is named. A file that cannot be written is a warning."""
    path = os.environ.get("SATTN_PROGRAM_LOG")
    if not path:
        return
    line = json.dumps({"target": target, "options": options, "text": text}) + "\n"
    try:
        # One write at the end of the file, so that lines of several processes stay whole.
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
    except OSError as error:
        warnings.warn(f"SATTN_PROGRAM_LOG: expected a file to write to, but got '{path}': {error.strerror}",
                      RuntimeWarning, stacklevel=2)


def _entry(place, line):
    """(text, options, target) of a line."""
    try:
        entry = json.loads(line)
        text, options, target = entry["text"], entry["options"], entry["target"]
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{place}: expected a line that SATTN_PROGRAM_LOG wrote, but got {line[:60]!r}") from None
    if not isinstance(text, str) or not isinstance(options, str):
        raise ValueError(f"{place}: expected 'text' and 'options' to be texts")
    if target != compiler.CPU and (type(target) is not int or target < 0):
        raise ValueError(f"{place}: expected 'target' to be 'cpu' or the number of a CUDA device, but got {target!r}")
    return text, options, target


def read(path):
    """The programs of a log, each once: (text, options, target). Raises OSError, and ValueError that names the line."""
    with open(path, encoding="utf-8") as file:
        return list(dict.fromkeys(_entry(f"{path}:{number}", line) for number, line in enumerate(file, 1)
                                  if line.strip()))
