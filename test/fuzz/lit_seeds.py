#!/usr/bin/env python3
"""Makes seeds of fuzz-passes from lit tests: one file for each part of a test and each of its RUN lines with passes.

    lit_seeds.py OUTPUT FOLDER...

A seed's first line names its passes, as in `// wgtile-subtile-epilogue{bytes=64},wgtile-persist`; `// ` alone where a RUN
line has none. Comments of the test are left out.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

# Passes of this project; the prefixes that the fuzzer takes.
PASS = re.compile(r"--((?:sattn|wgtile|convert)-[\w-]+)(?:=(.*))?$", re.DOTALL)
# Whole lowerings, which consist of upstream's passes too, and what starts ptxas.
LEFT_OUT = re.compile(r"sattn-to-(cpu|nvvm|ptx|cubin)|sattn-serialize-kernels")


def run_lines(text):
    """The commands of a test, without what they are piped to."""
    lines = re.findall(r"^\s*// RUN:(.*)$", text, re.MULTILINE)
    return [line.split("|")[0] for line in "\n".join(lines).replace("\\\n", " ").splitlines()]


def passes(command):
    """The passes of a command as text of a pipeline that is nested by need."""
    try:
        words = shlex.split(command)
    except ValueError:  # A quotation that holds a pipe.
        return ""
    found = []
    for word in words:
        nested = re.match(r"--pass-pipeline=builtin\.module\((.*)\)$", word)
        single = PASS.match(word)
        if nested:
            found.append(nested[1])
        elif single:
            found.append(single[1] + (f"{{{single[2]}}}" if single[2] else ""))
    pipeline = ",".join(found)
    return "" if LEFT_OUT.search(pipeline) else pipeline


def seeds(text):
    """The seeds of one test."""
    pipelines = {passes(command) for command in run_lines(text)}
    for part in re.split(r"^// -----.*$", text, flags=re.MULTILINE):
        code = "".join(line for line in part.splitlines(keepends=True)
                       if line.strip() and not line.lstrip().startswith("//"))
        if code:
            for pipeline in sorted(pipelines):
                yield f"// {pipeline}\n{code}"


def main(output, *folders):
    shutil.rmtree(output, ignore_errors=True)
    Path(output).mkdir(parents=True)
    for folder in map(Path, folders):
        for test in sorted(folder.rglob("*.mlir")):
            for number, seed in enumerate(seeds(test.read_text(encoding="utf-8"))):
                (Path(output) / f"{test.stem}-{number}.mlir").write_text(seed, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
