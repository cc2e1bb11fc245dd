"""The compiler, libsattn.so, through its C API (include/sattn-c/Compiler.h)."""

import ctypes
import functools
import re
import warnings

from .._native import libraries
from .._native.c_arguments import c_string, integer, source_bytes
from . import c_api
from .program import Program, for_device, load_with

CPU = "cpu"


class CompileError(RuntimeError):
    """A program that the compiler refuses; the message is the compiler's."""


class _Handle:
    """A compiled function of the library."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.free = c_api.library().sattn_program_free

    def release(self):
        """The pointer, which another frees."""
        pointer, self.pointer = self.pointer, None
        return pointer

    def __del__(self):
        if self.pointer:
            self.free(self.pointer)


def chip_of(device):
    """The chip of a CUDA device, as the compiler names it: "sm_90a"."""
    major, minor = libraries.binding().capability(device)
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


@functools.cache
def table_options(device):
    """The option of passes and pipelines that selects the tuned parameters of a CUDA device."""
    name = re.sub(r"['\"{}]", "", libraries.binding().device_name(device))
    return f"device='{name}'"


@functools.cache
def shared_bytes(device):
    """Shared memory that a CTA may have on a CUDA device."""
    return libraries.binding().shared_bytes(device)


def warn(messages, stacklevel=2):
    """Warns of faults in the user's files, such as a table that cannot be read."""
    for line in messages.splitlines():
        if "warning: " in line:
            warnings.warn(line.split("warning: ", 1)[1], RuntimeWarning, stacklevel + 1)


def compile(source, target=CPU, *, entry=None, options="", threads=0, device=0):
    """Compiles one function of a module of MLIR.

    source: text or bytecode, which is trusted (bytecode that no compiler wrote may end the process). target: "cpu";
    "cuda" for the CUDA device of number `device`; or a chip, such as "sm_90a", for which neither a device nor its
    driver is needed until the program is called. entry: the function's name; None: the only public one. options: of the
    pipeline of a chip, such as "schedule=plain"; for "cuda", tuned parameters are those of the device unless they name
    another, and only the specializations of kernels for TMA are compiled at first (as with "versions=tma"): those that
    take any strides and alignment, and copies of arguments, follow with the first call that needs them. threads: on the
    CPU, 0 for as many as set_num_threads says at each call.

    Returns a Program. Raises CompileError with the compiler's messages, TypeError or ValueError for arguments that are
    not what they should be, and RuntimeError where the CUDA device or its driver does not do.
    """
    text = source_bytes(source)
    for name, value in (("target", target), ("options", options), ("entry", "" if entry is None else entry)):
        c_string(name, value)
    threads, device = integer("threads", threads), integer("device", device)
    on_device = target == "cuda"
    if on_device:
        target = chip_of(device)
        if "device=" not in options:
            options = f"{options} {table_options(device)}".strip()
        if completes := "versions=" not in options:
            options = f"{options} versions=tma".strip()
    wanted = c_api.Options(target.encode(), entry.encode() if entry else None, options.encode(), threads)
    library = c_api.library()
    pointer, messages = c_api.with_messages(library.sattn_compile, text, len(text), ctypes.byref(wanted))
    if not pointer:
        raise CompileError(messages or "the compiler gave no reason")
    warn(messages)
    handle = _Handle(pointer)
    manifest = library.sattn_program_manifest(pointer).decode()
    if target == CPU:
        # The functions keep the code, for they are kept apart from the Program (_call/guard.py).
        free = ctypes.cast(library.sattn_program_free, ctypes.c_void_p).value
        launch, checked = libraries.binding().load_host(manifest, library.sattn_program_entry(pointer),
                                                        handle.release(), free, threads)
        program = Program(manifest, launch, messages=messages)
        program._launch_checked = checked
        return program
    size = ctypes.c_size_t()
    image = library.sattn_program_image(pointer, ctypes.byref(size))
    image = ctypes.string_at(image, size.value)
    if not on_device:
        return for_device(manifest, image, device, messages)
    # The binding then frees the program that it completes.
    lacking = handle.release() if completes and library.sattn_program_lacks_versions(pointer) else 0
    return load_with(manifest, image, device, c_api.addresses(lacking), messages)
