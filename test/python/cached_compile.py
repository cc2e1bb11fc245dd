"""Compiles programs through the C library alone, and prints what came of it and of the disk cache as JSON.

    python cached_compile.py FOLDER_OF_LIBSATTN TARGET PIPELINE THREADS FILE... [--entry NAME]
"""

import ctypes
import hashlib
import json
import sys
from pathlib import Path


class Options(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("entry", ctypes.c_char_p), ("pipeline", ctypes.c_char_p),
                ("threads", ctypes.c_int64)]


class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("entries", "bytes", "hits", "misses")]


def main(folder, target, pipeline, threads, *files):
    entry = None
    if "--entry" in files:
        *files, _, entry = files
    library = ctypes.CDLL(str(Path(folder) / "libsattn.so"))
    library.sattn_compile.restype = library.sattn_cache_describe.restype = ctypes.c_void_p
    library.sattn_program_image.restype = ctypes.c_void_p
    library.sattn_program_manifest.restype = ctypes.c_char_p
    results = []
    for file in files:
        text = Path(file).read_bytes()
        options = Options(target.encode(), entry and entry.encode(), pipeline.encode(), int(threads))
        messages = ctypes.c_char_p()
        program = library.sattn_compile(text, ctypes.c_size_t(len(text)), ctypes.byref(options), ctypes.byref(messages))
        result = {"messages": messages.value.decode(), "done": bool(program)}
        if program:
            pointer, size = ctypes.c_void_p(program), ctypes.c_size_t()
            image = ctypes.string_at(library.sattn_program_image(pointer, ctypes.byref(size)), size.value)
            result["image"] = hashlib.sha256(image).hexdigest() if image else ""
            result["manifest"] = library.sattn_program_manifest(pointer).decode()
        results.append(result)
    info = Info()
    place = library.sattn_cache_describe(ctypes.byref(info))
    print(json.dumps({"results": results, "folder": place and ctypes.string_at(place).decode(),
                      **{name: getattr(info, name) for name, _ in Info._fields_}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
