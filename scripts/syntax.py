"""Has a compiler read sources as the build compiles them, but for the precompiled header: syntax.py BUILD COMPILER
FILE...

FILE is relative to the folder that this runs in. Prints the compiler's errors; exit code 1 where there are any.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

# Options that are followed by what they are for, and that are only for Clang or for objects.
PAIRS = "-o", "-MT", "-MF", "-include-pch", "-Xclang"
ALONE = "-MD", "-c", "-Wno-c++20-extensions"
# Options of programs for Clang's fuzzer, whose sources have one more command.
SANITIZERS = "-fsanitize", "-fno-sanitize"


def reading(command):
    """The options and the source of a command that compiles, without the compiler, what it writes and the precompiled
    header."""
    words, kept = shlex.split(command), []
    while words:
        word = words.pop(0)
        if word in PAIRS:
            words.pop(0)
        elif word not in ALONE and not word.startswith(SANITIZERS):
            kept.append(word)
    # A compiler, perhaps after ccache.
    return kept[next(place for place, word in enumerate(kept) if word.startswith("-")):]


def main(build, compiler, *files):
    commands = {entry["file"]: entry for entry in json.loads((Path(build) / "compile_commands.json").read_text())}
    failed = False
    for file in files:
        entry = commands.get(str(Path(file).resolve()))
        if entry is None:  # Examples have a build of their own.
            continue
        done = subprocess.run([compiler, "-fsyntax-only", "-w", *reading(entry["command"])],
                              cwd=entry["directory"], check=False)
        failed |= done.returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
