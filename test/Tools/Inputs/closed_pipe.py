"""Runs a command whose standard output is a pipe that nobody reads, and prints its exit code."""

import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
# SIGPIPE stays ignored, as Python has it.
done = subprocess.run(sys.argv[1:], stdout=writer, restore_signals=False, check=False)
print("exit code", done.returncode, file=sys.stderr)
