"""Block-sparse linear algebra by the compiler sattn."""

import importlib as _importlib
import sys as _sys

if _sys.version_info < (3, 11):
    raise ImportError(f"sattn needs Python 3.11 or newer, but got {_sys.version.split()[0]} ({_sys.executable})")

from . import _when_imported, cache
from ._arrays.conversions import bsr_to_dense, bsr_transpose, to_bsr
from ._arrays.fill import BlockFill, block_fill
from ._arrays.pruning import prune_to_bsr
from ._arrays.sparse_operand import Prepared, prepare
from ._compiler.compiler import CompileError, compile
from ._compiler.program import Program, load
from ._call.explain import Explanation, explain
from ._call.warmup import warmup
from ._masks.block_masks import BlockMask, create_block_mask
from ._masks.mask_functions import and_masks, noop_mask, or_masks
from ._native.libraries import set_num_threads
from ._ops.flex_attention import AuxOutput, AuxRequest
from ._ops.spec import SPECS as _SPECS

globals().update({name: spec.function for name, spec in _SPECS.items()})
__all__ = ["AuxOutput", "AuxRequest", "BlockFill", "BlockMask", "CompileError", "Explanation", "Prepared", "Program",
           "and_masks", "block_fill", "bsr_to_dense", "bsr_transpose", "cache", "compile", "create_block_mask",
           "explain", "load", "noop_mask", "or_masks", "prepare", "prune_to_bsr", "set_num_threads", "to_bsr", "tuning",
           "warmup", *_SPECS]
__version__ = "0.1.0"



def __getattr__(name):
    """Imports `tuning`, which few processes need, at its first use."""
    if name == "tuning":
        return _importlib.import_module(f"{__name__}.tuning")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_when_imported.connect_torch()
