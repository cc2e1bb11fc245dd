"""PyTorch's names, for code that runs where a process has imported it: importing this file does not."""

import sys


def __getattr__(name):
    torch = sys.modules.get("torch")
    # Names of modules themselves, such as __path__, are not PyTorch's.
    if torch is None or name.startswith("__"):
        reason = " without PyTorch" if torch is None else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{reason}")
    found = globals()[name] = getattr(torch, name)
    return found
