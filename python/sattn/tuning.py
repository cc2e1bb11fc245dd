"""Tuned tile parameters: tune and record find those of calls, by the tool sparse-tune (docs/Tuning.md).

The others have the names and rules of PyTorch's torch/sparse/_triton_ops_meta.py.
get_meta finds parameters in the tables of docs/MetaTable.md, update adds some to those of this process, dump writes
them to the user's file, minimize searches, and tune_bsr_dense_addmm, optimize_bsr_dense_addmm and optimize_scatter_mm
search for a product. Only speed depends on parameters.
"""

from ._tuning.blocked_tensors import create_blocked_tensor
from ._tuning.minimize import minimize
from ._tuning.products import optimize_bsr_dense_addmm, optimize_scatter_mm, tune_bsr_dense_addmm
from ._tuning.rows import dump, get_meta, update
from ._tuning.tuner import Problem, Tuned, record, tune

__all__ = ["Problem", "Tuned", "create_blocked_tensor", "dump", "get_meta", "minimize", "optimize_bsr_dense_addmm",
           "optimize_scatter_mm", "record", "tune", "tune_bsr_dense_addmm", "update"]
