"""Block-sparse linear algebra by the compiler sattn."""

import sys

if sys.version_info < (3, 11):
    raise ImportError(f"sattn needs Python 3.11 or newer, but got {sys.version.split()[0]} ({sys.executable})")

from . import _compiled_calls, _imports, cache
from ._block_fill import BlockFill, block_fill
from ._block_mask import BlockMask, create_block_mask
from ._bsr import bsr_dense_addmm
from ._compiler import CompileError, compile
from ._conversions import bsr_to_dense, bsr_transpose, to_bsr
from ._dense_mm import bsr_dense_mm
from ._explain import Explanation, explain
from ._flex_attention import AuxOutput, AuxRequest, flex_attention
from ._linear import linear
from ._masks import and_masks, noop_mask, or_masks
from ._operand import Prepared, prepare
from ._program import Program, load
from ._pruning import prune_to_bsr
from ._sampled import sampled_addmm
from ._scatter import scatter_mm
from ._scatter_bsr import bsr_scatter_mm, bsr_scatter_mm_indices_data
from ._sdpa import scaled_dot_product_attention
from ._softmax import bsr_softmax

__all__ = ["AuxOutput", "AuxRequest", "BlockFill", "BlockMask", "CompileError", "Explanation", "Prepared", "Program",
           "and_masks", "block_fill", "bsr_dense_addmm", "bsr_dense_mm", "bsr_scatter_mm", "bsr_scatter_mm_indices_data",
           "bsr_softmax", "bsr_to_dense", "bsr_transpose", "cache", "compile", "create_block_mask", "explain",
           "flex_attention", "linear", "load", "noop_mask", "or_masks", "prepare", "prune_to_bsr", "sampled_addmm",
           "scaled_dot_product_attention", "scatter_mm", "to_bsr"]
__version__ = "0.1.0"

_imports.when_imported("torch._dynamo", _compiled_calls.connect)
