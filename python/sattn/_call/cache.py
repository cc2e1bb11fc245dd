"""Compiled kernels of this process, kept by program and chosen parameters."""

import collections
import concurrent.futures

from .._compiler import compiler, disk_cache, program_log, tuning

Info = collections.namedtuple("Info", "kernels compilations choices disk")

# Kinds of calls, and choices of parameters, that are remembered, at most.
CALLS_LIMIT, CHOICES_LIMIT = 4096, 65536


class Kept(dict):
    """A dictionary that forgets all it has where a new entry would be one too many."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def __setitem__(self, key, value):
        if len(self) >= self.limit and key not in self:
            self.clear()
        super().__setitem__(key, value)


#: The plan, program or launch of each kind of call (shapes and types).
calls = Kept(CALLS_LIMIT)
#: Guarded calls with PyTorch's tensors (guard.py), but for products of prepared operands, which have their own.
guarded_calls = {}
_programs, _choices = {}, Kept(CHOICES_LIMIT)
# Compilations that were begun, by program and target; those of a log, by text, options and target.
_pending, _pending_texts = {}, {}
_compilations = 0
# As they were read for the first choice on a device; and the text of the process's own, which comes before them.
_tables = None
_own_table = ""


def info():
    """Info(kernels: kept now, compilations: since the process began, choices: of parameters, kept, disk).

    disk: Disk(folder: None where nothing is kept, entries and bytes: in the folder, hits: programs that this process
    found there, misses: those that it compiled). A compilation is counted whether the disk had its program or not.
    """
    return Info(len(_programs), _compilations, len(_choices), disk_cache.info())


def clear(disk=False):
    """Forgets kernels, choices, and the tables that choices are made by; compilations count on.

    Prepared operands keep the kernels of products that were made with them, and what was prepared for those, until
    they go themselves. disk: whether to remove the programs on disk too, those of other builds of sattn included.
    """
    global _tables
    for kept in (calls, guarded_calls, _programs, _pending, _pending_texts, _choices):
        kept.clear()
    _tables = None
    if disk:
        disk_cache.clear()


def tables():
    """The tables that choices are made by, which are read if they are not yet."""
    global _tables
    found = _tables
    if found is None:
        _tables = found = tuning.Tables(_own_table)
    return found


def search_first(table):
    """Has choices search a table's text before the files; "" for none. Forgets choices, what calls keep of them, and
    tables, which are read again; prepared operands keep theirs."""
    global _tables, _own_table
    _own_table, _tables = table, None
    for kept in (calls, guarded_calls, _choices):
        kept.clear()


def chosen(source, target, sizes, nnz, batches=1, row=(), longest=None):
    """The parameters that the compiler chooses for a program at these sizes (M, N, K), as text.

    nnz: stored blocks of one matrix. batches: products in one call. Parameters are those of a row of the meta table
    for the device's name, where there is one (docs/MetaTable.md); tables are read once. row: parameters to take
    instead, as in a row: ("SPLIT_N=4", "num_stages=3"). longest: stored blocks of the block row that has most, which
    only prepared operands know, or None. Raises CompileError where it cannot be, or fits no tile.
    """
    key = source, target, sizes, nnz, batches, row, longest
    choice = _choices.get(key)
    if choice is None:
        choice = tuning.choose(tables(), source, target, sizes, nnz, batches, row, longest)
        _choices[key] = choice
    return choice


def reason(error):
    """The first message of a refusal by the compiler, without its location."""
    lines = str(error).splitlines() or [""]
    return next((line for line in lines if "error: " in line), lines[0]).split("error: ")[-1]


def _compile(text, options, target):
    if target == compiler.CPU:
        return compiler.compile(text)
    return compiler.compile(text, "cuda", device=target, options=options)


def _text_of(source, target):
    """The input that a program is compiled from: text, options of the pipeline, target."""
    return source.text(), getattr(source, "options", ""), target


def begin(source, target):
    """Compiles a program in a thread of its own, unless it is there; `program` waits for it."""
    global _compilations
    key = source, target
    if key not in _programs and key not in _pending:
        _compilations += 1
        executor = concurrent.futures.ThreadPoolExecutor(1, "sattn-compile")
        _pending[key] = executor.submit(_compile, *_text_of(source, target))
        executor.shutdown(wait=False)


def begin_texts(texts, executor):
    """Compiles programs, each (text, options, target), by an executor; `program` takes them. Returns their futures."""
    global _compilations
    futures = []
    for key in texts:
        if key not in _pending_texts:
            _compilations += 1
            _pending_texts[key] = executor.submit(_compile, *key)
        futures.append(_pending_texts[key])
    return futures


def program(source, target):
    """The compiled program; target: "cpu" or the number of a CUDA device.

    Raises NotImplementedError for a program that the target has no code for, with the compiler's reason.
    """
    global _compilations
    key = source, target
    compiled = _programs.get(key)
    if compiled is None:
        text = _text_of(source, target)
        begun = _pending.pop(key, None) or _pending_texts.pop(text, None)
        if begun is None:
            _compilations += 1
        try:
            _programs[key] = compiled = _compile(*text) if begun is None else begun.result()
        except compiler.CompileError as error:
            raise NotImplementedError(reason(error)) from None
        compiled._parameters = getattr(source, "meta", "")
        program_log.append(*text)
    return compiled
