"""Compiled kernels of this process, kept by program and chosen parameters, and those on disk.

The compiler keeps its programs in a folder for later processes: $SATTN_CACHE_DIR, else $XDG_CACHE_HOME/sattn, else
~/.cache/sattn; SATTN_CACHE=0 keeps none. $SATTN_CACHE_BYTES limits their size, by default to 512 MB.
"""

import collections
import concurrent.futures
import ctypes

from . import _compiler, _repeats, _tuning

Info = collections.namedtuple("Info", "kernels compilations choices disk")
Disk = collections.namedtuple("Disk", "folder entries bytes hits misses")

# Choices that are remembered, at most.
CHOICES_LIMIT = 65536
# The plan of each kind of call (shapes and types).
calls = {}
# Their programs, for tensors of PyTorch that are not prepared.
repeats = _repeats.Repeats()
# Those of sampled_addmm.
sampled_repeats = _repeats.Repeats()
# Calls of flex_attention with PyTorch's tensors (_flex_repeats.py).
flex_repeats = {}
# Those of scaled_dot_product_attention (_sdpa_repeats.py).
sdpa_repeats = {}
_programs, _choices = {}, {}
# Compilations that were begun, by program and target.
_begun = {}
_compilations = 0
# As they were read for the first choice on a device.
_tables = None


class _DiskNumbers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in Disk._fields[1:]]


def _disk():
    """Disk, as the library describes it (include/sattn-c/Cache.h)."""
    library = _compiler._library()
    describe = library.sattn_cache_describe
    describe.restype, describe.argtypes = ctypes.c_void_p, [ctypes.POINTER(_DiskNumbers)]
    numbers = _DiskNumbers()
    folder = _compiler._taken(describe(numbers))
    return Disk(folder or None, *(getattr(numbers, name) for name in Disk._fields[1:]))


def info():
    """Info(kernels: kept now, compilations: since the process began, choices: of parameters, kept, disk).

    disk: Disk(folder: None where nothing is kept, entries and bytes: in the folder, hits: programs that this process
    found there, misses: those that it compiled). A compilation is counted whether the disk had its program or not.
    """
    return Info(len(_programs), _compilations, len(_choices), _disk())


def clear(disk=False):
    """Forgets kernels, choices, and the tables that choices are made by; compilations count on.

    Prepared operands keep the kernels of products that were made with them, and what was prepared for those, until
    they go themselves. disk: whether to remove the programs on disk too, those of other builds of sattn included.
    """
    global _tables
    calls.clear()
    repeats.clear()
    sampled_repeats.clear()
    flex_repeats.clear()
    sdpa_repeats.clear()
    _tables = None
    _programs.clear()
    _begun.clear()
    _choices.clear()
    if disk:
        _compiler._library().sattn_cache_clear()


def chosen(source, target, sizes, nnz, batches=1, row=(), longest=None):
    """The parameters that the compiler chooses for a program at these sizes (M, N, K), as text.

    nnz: stored blocks of one matrix. batches: products in one call. On a CUDA device parameters are those of a row of
    the meta table for its name, where there is one (docs/MetaTable.md); tables are read once. row: parameters to take
    instead, as in a row: ("SPLIT_N=4", "num_stages=3"). longest: stored blocks of the block row that has most, which
    only prepared operands know, or None. Raises CompileError where it cannot be, or fits no tile.
    """
    global _tables
    key = source, target, sizes, nnz, batches, row, longest
    choice = _choices.get(key)
    if choice is None:
        tables = _tables
        if target != _compiler.CPU and tables is None:
            _tables = tables = _tuning.Tables()
        choice = _tuning.choose(tables, source, target, sizes, nnz, batches, row, longest)
        if len(_choices) >= CHOICES_LIMIT:
            _choices.clear()
        _choices[key] = choice
    return choice


def reason(error):
    """The first message of a refusal by the compiler, without its location."""
    lines = str(error).splitlines() or [""]
    return next((line for line in lines if "error: " in line), lines[0]).split("error: ")[-1]


def _compiled(source, target):
    if target == _compiler.CPU:
        return _compiler.compile(source.text())
    return _compiler.compile(source.text(), "cuda", device=target, options=getattr(source, "options", ""))


def begin(source, target):
    """Compiles a program in a thread of its own, unless it is there; `program` waits for it."""
    global _compilations
    key = source, target
    if key not in _programs and key not in _begun:
        _compilations += 1
        executor = concurrent.futures.ThreadPoolExecutor(1, "sattn-compile")
        _begun[key] = executor.submit(_compiled, source, target)
        executor.shutdown(wait=False)


def program(source, target):
    """The compiled program; target: "cpu" or the number of a CUDA device.

    Raises NotImplementedError for a program that the target has no code for, with the compiler's reason.
    """
    global _compilations
    key = source, target
    compiled = _programs.get(key)
    if compiled is None:
        begun = _begun.pop(key, None)
        if begun is None:
            _compilations += 1
        try:
            _programs[key] = compiled = _compiled(source, target) if begun is None else begun.result()
        except _compiler.CompileError as error:
            raise NotImplementedError(reason(error)) from None
    return compiled
