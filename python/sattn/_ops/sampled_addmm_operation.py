"""sampled_addmm as an operation of PyTorch, with its gradient."""

from .bsr_addmm_gradient import number_of, of_input, operand_of, product, sampled, transposed_product, zeros_of
from .sampled_addmm import explained, sampled_addmm
from .spec import OpSpec, operand_batch, register, wide_of

_INDICES = "crow", "col"


def _fake(crow, col, input, mat1, mat2, beta, alpha, precision, beta_tensor=None, alpha_tensor=None):
    batch = operand_batch(crow, input, col.shape[:-1], mat1.shape[:-2], mat2.shape[:-2])
    return mat1.new_empty((*batch, *input.shape[-3:]))


def _gradient(grad, needs, given):
    alpha = number_of(given.alpha, given.alpha_tensor)
    crow, col, mat1, mat2, precision = given.crow, given.col, given.mat1, given.mat2, given.precision or None
    found = of_input(grad, needs, given)
    if "alpha_tensor" in needs:
        unscaled = sampled(crow, col, grad, mat1, mat2, 1, precision)
        found["alpha_tensor"] = (unscaled.to(wide_of(grad)) * grad).sum().to(given.alpha_tensor)
    if alpha == 0:
        found |= zeros_of(needs & {"mat1", "mat2"}, given)
    needs = needs - found.keys()
    if needs:
        columns = mat2.shape[-1]
        operand = operand_of(crow, col, grad.contiguous(), columns)
    if "mat1" in needs:
        found["mat1"] = product(operand, mat2.mT, mat1.shape, alpha, precision)
    if "mat2" in needs:
        found["mat2"] = transposed_product(operand, columns, mat1, mat2.mT.shape, alpha, precision).mT
    return found


register(OpSpec(
    sampled_addmm, "sampled_addmm",
    {"input": "pattern", "mat1": "tensor", "mat2": "tensor", "beta": "number", "alpha": "number",
     "precision": "precision"},
    fake=_fake, explained=explained, types={"out": "Any"}, returns="Any", autocast=("input", "mat1", "mat2"),
    gradient=_gradient, gradients={"input": ("beta_tensor",), "mat1": (*_INDICES, "mat2", "alpha_tensor"),
               "mat2": (*_INDICES, "mat1", "alpha_tensor"),
               "beta_tensor": ("input",), "alpha_tensor": (*_INDICES, "mat1", "mat2")}))
