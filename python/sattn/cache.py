"""Compiled kernels of this process, kept by program and chosen parameters."""

import collections
import re

from . import _compiler, _repeats

Info = collections.namedtuple("Info", "kernels compilations choices")

# Choices that are remembered, at most.
CHOICES_LIMIT = 65536
# What each kind of call (shapes and types) was found to need.
calls = {}
# Their programs, for tensors of PyTorch that are not prepared.
repeats = _repeats.Repeats()
_programs, _choices = {}, {}
_compilations = 0
_META = re.compile(r"meta = #sattn\.meta<([^<>]*)>")


def info():
    """Info(kernels: kept now, compilations: since the process began, choices: of parameters, kept)."""
    return Info(len(_programs), _compilations, len(_choices))


def clear():
    """Forgets kernels and choices; compilations count on.

    Prepared operands keep the kernels of products that were made with them, and what was prepared for those, until
    they go themselves.
    """
    calls.clear()
    repeats.clear()
    _programs.clear()
    _choices.clear()


def chosen(source, target, sizes, sparsity, row=()):
    """The parameters that the compiler chooses for a program at these sizes (M, N, K), as text.

    On a CUDA device they are those of a row of the meta table for its name, where there is one (docs/MetaTable.md).
    row: parameters to take instead, as in a row: ("SPLIT_N=4", "num_stages=3"). Raises CompileError where it cannot
    be, or fits no tile.
    """
    key = source, target, sizes, sparsity, row
    choice = _choices.get(key)
    if choice is None:
        options = f"sizes={','.join(map(str, sizes))} sparsity={sparsity}"
        if row:
            options += f" row={','.join(row)}"
        if isinstance(target, str):
            options += f" target={target}"
        else:
            options += (f" target={_compiler.chip_of(target)} {_compiler.table_options(target)}"
                        f" max-shared-bytes={_compiler.shared_bytes(target)}")
        text, messages = _compiler.run_passes(source.text(), f"sattn-inject-meta{{{options}}}")
        _compiler.warn(messages)
        if len(_choices) >= CHOICES_LIMIT:
            _choices.clear()
        _choices[key] = choice = _META.search(text)[1]
    return choice


def reason(error):
    """What a refusal of the compiler says first, without the place."""
    lines = str(error).splitlines() or [""]
    return next((line for line in lines if "error: " in line), lines[0]).split("error: ")[-1]


def program(source, target):
    """The compiled program; target: "cpu" or the number of a CUDA device.

    Raises NotImplementedError for a program that the target has no code for, with the compiler's reason.
    """
    global _compilations
    key = source, target
    compiled = _programs.get(key)
    if compiled is None:
        _compilations += 1
        try:
            if target == _compiler.CPU:
                _programs[key] = compiled = _compiler.compile(source.text())
            else:
                _programs[key] = compiled = _compiler.compile(source.text(), "cuda", device=target)
        except _compiler.CompileError as error:
            raise NotImplementedError(reason(error)) from None
    return compiled
