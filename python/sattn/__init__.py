"""Block-sparse linear algebra by the compiler sattn."""

from . import cache
from ._bsr import bsr_dense_addmm
from ._compiler import CompileError, compile
from ._operand import Prepared, prepare
from ._program import Program, load

__all__ = ["CompileError", "Prepared", "Program", "bsr_dense_addmm", "cache", "compile", "load", "prepare"]
