"""The native libraries of the package, found and opened on first use."""

import ctypes
import functools
import os
from pathlib import Path

from . import tvm_ffi
from .c_arguments import integer

#: Threads of a call, at most: a system may refuse to start more, which ends the process.
MOST_THREADS = 1024
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
    loaded = tvm_ffi.load().load_module(str(find("libsattn_binding.so")))
    if _count_of_pytorch:
        loaded.follow_threads(_count_of_pytorch[0])
    return loaded


# The address of PyTorch's function that says how many threads it has, once PyTorch is there.
_count_of_pytorch = []


def follow_pytorch(torch):
    """Has programs for the CPU run on as many threads as PyTorch's operations, unless set_num_threads was called."""
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        function = ctypes.cast(library._ZN2at15get_num_threadsEv, ctypes.c_void_p).value  # at::get_num_threads()
    except (AttributeError, OSError):  # A PyTorch of another kind.
        return
    _count_of_pytorch[:] = [function]
    if binding.cache_info().currsize:
        binding().follow_threads(function)


def set_num_threads(count):
    """Sets how many threads calls on the CPU run on from now on, from any thread of the process.

    count: 1 to 1024; or None, which is so at the start: as many as torch.get_num_threads() says where PyTorch is
    imported, else as LLVM's OpenMP runtime offers (OMP_NUM_THREADS, or the cores that the process may use). Programs
    that sattn.compile made for a number of threads keep theirs. Raises TypeError or ValueError for other counts.
    """
    number = 0 if count is None else integer("count", count)
    if count is not None and not 1 <= number <= MOST_THREADS:
        raise ValueError(f"argument 'count': expected 1 to {MOST_THREADS} threads or None, but got {number}")
    binding().set_threads(number)
