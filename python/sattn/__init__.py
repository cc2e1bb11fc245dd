"""Block-sparse linear algebra by the compiler sattn."""

import sys

if sys.version_info < (3, 11):
    raise ImportError(f"sattn needs Python 3.11 or newer, but got {sys.version.split()[0]} ({sys.executable})")

from . import _when_imported, cache
from ._arrays.conversions import bsr_to_dense, bsr_transpose, to_bsr
from ._arrays.fill import BlockFill, block_fill
from ._arrays.pruning import prune_to_bsr
from ._arrays.sparse_operand import Prepared, prepare
from ._compiler.compiler import CompileError, compile
from ._compiler.program import Program, load
from ._call.explain import Explanation, explain
from ._masks.block_masks import BlockMask, create_block_mask
from ._masks.mask_functions import and_masks, noop_mask, or_masks
from ._ops.bsr_addmm import bsr_dense_addmm
from ._ops.bsr_attention import scaled_dot_product_attention
from ._ops.bsr_mm import bsr_dense_mm
from ._ops.bsr_scatter_mm import bsr_scatter_mm, bsr_scatter_mm_indices_data
from ._ops.bsr_softmax import bsr_softmax
from ._ops.flex_attention import AuxOutput, AuxRequest, flex_attention
from ._ops.linear import linear
from ._ops.sampled_addmm import sampled_addmm
from ._ops.scatter_mm import scatter_mm

__all__ = ["AuxOutput", "AuxRequest", "BlockFill", "BlockMask", "CompileError", "Explanation", "Prepared", "Program",
           "and_masks", "block_fill", "bsr_dense_addmm", "bsr_dense_mm", "bsr_scatter_mm", "bsr_scatter_mm_indices_data",
           "bsr_softmax", "bsr_to_dense", "bsr_transpose", "cache", "compile", "create_block_mask", "explain",
           "flex_attention", "linear", "load", "noop_mask", "or_masks", "prepare", "prune_to_bsr", "sampled_addmm",
           "scaled_dot_product_attention", "scatter_mm", "to_bsr"]
__version__ = "0.1.0"

_when_imported.register()
