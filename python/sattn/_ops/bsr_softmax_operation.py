"""bsr_softmax as an operation of PyTorch, with its gradient."""

from .bsr_softmax import bsr_softmax, explained
from .bsr_softmax_gradient import gradient
from .spec import RESULT, OpSpec, operand_batch, register


def _fake(crow, col, input):
    return input.new_empty((*operand_batch(crow, input, col.shape[:-1]), *input.shape[-3:]))


register(OpSpec(
    bsr_softmax, "bsr_softmax", {"input": "pattern"}, fake=_fake, explained=explained,
    types={"input": "_Matrix", "max_row_nnz": "int | None"}, returns="_Matrix",
    gradient=gradient, gradients={"input": ("crow", "col", RESULT)}))
