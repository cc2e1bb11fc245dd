"""Ends a command once it has started a child that writes its number to a file: end_early.py FILE COMMAND...

Fails unless the child ends with the command, although neither is asked to end the other.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path


def wait_for(condition, seconds=60):
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def runs(child):
    """Whether the process is there and has not ended; one that ended may wait for who collects it."""
    try:
        return Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


file, command = Path(sys.argv[1]), sys.argv[2:]
process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
started = wait_for(lambda: file.exists() and file.read_text().endswith("\n"))
process.send_signal(signal.SIGTERM)
process.wait()
assert started, "the child did not start"
number = int(file.read_text())
assert wait_for(lambda: not runs(number), 10), f"process {number} lives on"
