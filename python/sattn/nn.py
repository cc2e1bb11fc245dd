"""Block-sparse layers of PyTorch, which this file imports: modules, and functions that make a model sparse."""

from .torch.modules import ARRAYS, Bsr, BsrLinear  # noqa: F401
from .torch.sparsification import prune_, rewire_

__all__ = ["Bsr", "BsrLinear", "prune_", "rewire_"]
