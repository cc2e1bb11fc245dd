"""bsr_dense_addmm as an operation of PyTorch, with its gradient."""

from .bsr_addmm import bsr_dense_addmm, explained
from .bsr_addmm_gradient import READS, gradient
from .spec import OpSpec, operand_batch, register, rows_of


def _fake(input, crow, col, bsr, columns, dense, beta, alpha, left_alpha, right_alpha, precision, beta_tensor=None,
          alpha_tensor=None):
    return dense.new_empty((*operand_batch(crow, bsr, dense.shape[:-2]), rows_of(crow, bsr), dense.shape[-1]))


register(OpSpec(
    bsr_dense_addmm, "bsr_addmm",
    {"input": "tensor?", "bsr": "matrix", "dense": "tensor", "beta": "number", "alpha": "number",
     "left_alpha": "tensor?",
     "right_alpha": "tensor?", "precision": "precision"}, fake=_fake, explained=explained, is_default=True,
    gradients=READS, gradient=gradient, autocast=("input", "bsr", "dense")))
