"""The native libraries of the package, found and opened on first use."""

import functools
import os
from pathlib import Path

from . import tvm_ffi

#: The folder of the package.
HERE = Path(__file__).resolve().parents[1]
# In a wheel, in an unpacked bundle, and in a checkout.
FOLDERS = [HERE / "lib", HERE.parents[1] / "lib", HERE.parents[1] / "build" / "lib"]


def find(name):
    """The path of a library. $SATTN_LIBRARIES, if set, names the only folder to look in.

    Raises RuntimeError, which says where it looked.
    """
    chosen = os.environ.get("SATTN_LIBRARIES")
    folders = [Path(chosen)] if chosen else FOLDERS
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    raise RuntimeError(f"expected {name} in {', '.join(map(str, folders))}, but found none")


@functools.cache
def binding():
    """The module of the functions that python/binding/Binding.cpp exports."""
    # The library that the binding is linked with comes first.
    return tvm_ffi.load().load_module(str(find("libsattn_binding.so")))
