"""PyTorch's names, for code that runs where a process has imported it: importing this file does not."""

import sys


def __getattr__(name):
    found = globals()[name] = getattr(sys.modules.get("torch"), name)
    return found
