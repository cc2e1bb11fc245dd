"""The C API of the compiler, libsattn.so (include/sattn-c/Compiler.h)."""

import ctypes
import functools
import re

from .._native import libraries


class Options(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("entry", ctypes.c_char_p), ("pipeline", ctypes.c_char_p),
                ("threads", ctypes.c_int64)]


@functools.cache
def library():
    path = libraries.find("libsattn.so")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        hint = "; it was built with this LLVM: install it, or take a wheel of ./dev bundle, which has LLVM inside" \
            if re.match(r"lib(LLVM|MLIR)", str(error)) else ""
        raise RuntimeError(f"expected the libraries that {path} was linked with, but got: {error}{hint}") from None
    handle, text = ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p)
    for name, result, arguments in [
            ("sattn_version", ctypes.c_char_p, []),
            ("sattn_compile", handle, [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Options), text]),
            ("sattn_program_free", None, [handle]),
            ("sattn_program_manifest", ctypes.c_char_p, [handle]),
            ("sattn_program_image", ctypes.c_void_p, [handle, ctypes.POINTER(ctypes.c_size_t)]),
            ("sattn_program_entry", ctypes.c_void_p, [handle]),
            ("sattn_program_lacks_versions", ctypes.c_int, [handle]),
            ("sattn_assemble", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                                 ctypes.POINTER(ctypes.c_size_t), text]),
            ("sattn_text_free", None, [ctypes.c_void_p])]:
        declare(library, name, result, *arguments)
    return library


def addresses(program=0):
    """The addresses that the binding needs of the compiler (python/binding/Compiler.h).

    program: the address of a program that lacks specializations of its kernels, or 0.
    """
    names = ("sattn_text_free", "sattn_cache_cubin", "sattn_program_free", "sattn_program_complete",
             "sattn_program_manifest", "sattn_program_image")
    return [*(ctypes.cast(getattr(library(), name), ctypes.c_void_p).value for name in names), program]


def declare(library, name, result, *arguments):
    """The function of the library with these types of its result and its arguments."""
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


def version():
    """The compiler's version."""
    return library().sattn_version().decode()


def taken(pointer):
    """The text that the library made, which is freed."""
    text = ctypes.string_at(pointer).decode(errors="replace") if pointer else ""
    library().sattn_text_free(pointer)
    return text


def with_messages(function, *arguments):
    """(result of a function of the library, messages of the compiler)."""
    messages = ctypes.c_char_p()
    result = function(*arguments, ctypes.byref(messages))
    return result, taken(ctypes.cast(messages, ctypes.c_void_p).value).strip()


def assemble(ptx, chip):
    """The cubin that ptxas makes of PTX (bytes) for a chip. Raises RuntimeError, with its reason, where there is
    none."""
    size = ctypes.c_size_t()
    pointer, messages = with_messages(library().sattn_assemble, ptx, len(ptx), chip.encode(), ctypes.byref(size))
    if not pointer:
        raise RuntimeError(messages.removeprefix("error: "))
    cubin = ctypes.string_at(pointer, size.value)
    library().sattn_text_free(pointer)
    return cubin
