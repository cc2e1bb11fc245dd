#!/usr/bin/env python3
"""Assembles PTX with ptxas and fails on what must never happen in a kernel.

    check_ptx.py [--arch=sm_90a] [--ptxas=PATH] [--entry=KERNEL] [--output=FILE.cubin] [FILE.ptx]

Reads standard input where FILE is `-` or missing. Fails if ptxas fails, if a
kernel spills registers or calls through a stack frame, if ptxas says that
it serialized wgmma (the C75xx warnings), or if a register of a wgmma is used
while it runs. Otherwise prints a line a kernel; of all kernels, or of one:

    f: 168 registers, 49152 bytes of static shared memory, 0 bytes of stack
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import wgmma_registers

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USAGE = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
SERIALIZED = re.compile(r"\(C75\d\d\)|serializ", re.IGNORECASE)


def kernels(log):
    """The report of `ptxas -v` on each kernel, in order, as dictionaries."""
    found = []
    for line in log.splitlines():
        if match := ENTRY.search(line):
            found.append({"name": match[1], "registers": 0, "shared": 0, "stack": 0, "spills": 0})
        if not found:
            continue
        if match := SPILLS.search(line):
            # A device function that a kernel calls adds lines of its own.
            found[-1]["stack"] += int(match[1])
            found[-1]["spills"] += int(match[2]) + int(match[3])
        if match := USAGE.search(line):
            found[-1]["registers"] = int(match[1])
            if match := SHARED.search(line):
                found[-1]["shared"] = int(match[1])
    return found


def problems(log):
    """Lines that say what is wrong with the kernels of a log."""
    wrong = [f"serialized: {line.strip()}" for line in log.splitlines() if SERIALIZED.search(line)]
    found = kernels(log)
    if not found:
        wrong.append("expected at least one kernel, but got none")
    wrong += [f"{k['name']}: expected no spill, but got {k['spills']} bytes" for k in found if k["spills"]]
    return wrong


def assemble(ptxas, arch, source, output, entry=None):
    """Runs ptxas on one kernel, or on all; (exit code, its log)."""
    only = ["--entry", entry] if entry else []
    done = subprocess.run([ptxas, f"-arch={arch}", "-v", *only, source, "-o", output],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", nargs="?", default="-")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--entry", help="only this kernel")
    parser.add_argument("--output", help="keep the cubin here")
    options = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory() as folder:
        source = options.file
        if source == "-":
            source = os.path.join(folder, "stdin.ptx")
            with open(source, "wb") as stream:
                stream.write(sys.stdin.buffer.read())
        with open(source, encoding="utf-8") as stream:
            text = stream.read()
        try:
            code, log = assemble(options.ptxas, options.arch, source,
                                 options.output or os.path.join(folder, "out.cubin"), options.entry)
        except OSError as error:
            print(f"check_ptx: error: cannot run ptxas: {error}", file=sys.stderr)
            return 1
    if code != 0:
        print(log, file=sys.stderr, end="")
        print(f"check_ptx: error: ptxas failed with exit code {code}", file=sys.stderr)
        return 1
    for kernel in kernels(log):
        print(f"{kernel['name']}: {kernel['registers']} registers, "
              f"{kernel['shared']} bytes of static shared memory, {kernel['stack']} bytes of stack")
    wrong = problems(log) + wgmma_registers.problems(text)
    for line in wrong:
        print(f"check_ptx: error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
