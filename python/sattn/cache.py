"""Compiled kernels of this process, kept by program and chosen parameters."""

import collections
import re

from . import _compiler, _repeats

Info = collections.namedtuple("Info", "kernels compilations choices")

# What each kind of call (shapes and types) was found to need.
calls = {}
# Their programs, for tensors of PyTorch that are not prepared.
repeats = _repeats.Repeats()
_programs, _choices = {}, {}
_compilations = 0
_META = re.compile(r"meta = #sattn\.meta<(.*?)>\}")


def info():
    """Info(kernels: kept now, compilations: since the process began, choices: of parameters, kept)."""
    return Info(len(_programs), _compilations, len(_choices))


def clear():
    """Forgets kernels and choices; compilations count on."""
    calls.clear()
    repeats.clear()
    _programs.clear()
    _choices.clear()


def chosen(source, target, sizes, sparsity):
    """The parameters that the compiler chooses for a program at these sizes (M, N, K), as text."""
    key = source, target, sizes, sparsity
    if key not in _choices:
        chip = target if isinstance(target, str) else _compiler.chip_of(target)
        text, _ = _compiler.run_passes(
            source.text(), f"sattn-inject-meta{{target={chip} sizes={','.join(map(str, sizes))} sparsity={sparsity}}}")
        _choices[key] = _META.search(text)[1]
    return _choices[key]


def program(source, target):
    """The compiled program; target: "cpu" or the number of a CUDA device.

    Raises NotImplementedError for a program that the target has no code for, with the compiler's reason.
    """
    global _compilations
    key = source, target
    if key not in _programs:
        _compilations += 1
        try:
            if target == _compiler.CPU:
                _programs[key] = _compiler.compile(source.text())
            else:
                _programs[key] = _compiler.compile(source.text(), "cuda", device=target)
        except _compiler.CompileError as error:
            reasons = [line for line in str(error).splitlines() if "error: " in line]
            raise NotImplementedError((reasons or [str(error)])[0].split("error: ")[-1]) from None
    return _programs[key]
