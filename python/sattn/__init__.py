"""Block-sparse linear algebra by the compiler sattn."""

import sys

if sys.version_info < (3, 11):
    raise ImportError(f"sattn needs Python 3.11 or newer, but got {sys.version.split()[0]} ({sys.executable})")

from . import _imports, _traced, cache
from ._bsr import bsr_dense_addmm
from ._compiler import CompileError, compile
from ._explain import Explanation, explain
from ._linear import linear
from ._operand import Prepared, prepare
from ._program import Program, load

__all__ = ["CompileError", "Explanation", "Prepared", "Program", "bsr_dense_addmm", "cache", "compile", "explain", "linear",
           "load", "prepare"]
__version__ = "0.1.0"

_imports.when_imported("torch._dynamo", _traced.leave_to_python)
