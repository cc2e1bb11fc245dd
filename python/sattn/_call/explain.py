"""Explanations of calls of operations and programs, without the calls."""

import dataclasses

from .._arrays import adapters
from .._compiler.explanation import Explanation, explain_program
from .._compiler.program import Program

#: The explaining function of each function of the package: it gives ([(program, arguments, whether they are prepared)],
#: where the tile is from or None, remarks). That of None is for arguments without a function. Filled by the operations.
explained = {}


def explain(*arguments, **keywords):
    """An explanation of a call, without the call: which kernels, in which specialization, with which parameters, and
    why.

    arguments: a Program and the arguments of a call of it; or those of `bsr_dense_addmm`, keywords too; or one of
    `sattn.linear`, `sattn.bsr_dense_mm`, `sattn.bsr_dense_addmm`, `sattn.flex_attention`,
    `sattn.scaled_dot_product_attention`, `sattn.sampled_addmm` and `sattn.bsr_softmax`, and its arguments. Lists of
    blocks that a mask needs are made.

    Returns an Explanation, which prints as text: for each kernel its specialization, its tile parameters and where
    these came from (the program, `meta` or `kernel_options`, a row of a table, the computed default), whether it was
    done by `prepare`, and, where it is not the fastest specialization, which argument's stride, alignment or size is
    the reason; of attention, whether the mask has lists. Raises as the call does.

    `logging.getLogger("sattn")` at level INFO says the same of kernels that run in their generic specialization, once
    for each program.
    """
    if arguments and isinstance(arguments[0], Program):
        if keywords:
            raise TypeError(f"expected no keywords after a Program, but got {', '.join(keywords)}")
        adapters.require_memory(dict(enumerate(arguments[1:])))
        return explain_program(arguments[0], arguments[1:])
    call_of = explained.get(arguments[0]) if arguments and callable(arguments[0]) else None
    if call_of is None:
        calls, origin, remarks = explained[None](*arguments, **keywords)
    else:
        calls, origin, remarks = call_of(*arguments[1:], **keywords)
    found = [explain_program(*call) for call in calls]
    kernels = [kernel for explanation in found for kernel in explanation.kernels]
    # The CPU's code has no manifest of its tiles.
    if found[0].target == "cpu":
        tiles = dict.fromkeys(program._parameters for program, *_ in calls if program._parameters)
        remarks = (*(f"{tile}; from {origin or 'the computed default'}" for tile in tiles), *remarks)
    # Given or chosen ones stand in the program that is made for the call.
    if origin is not None:
        kernels = [dataclasses.replace(kernel, origin=origin if kernel.parameters else "") for kernel in kernels]
    return Explanation(found[0].target, tuple(kernels), remarks)
