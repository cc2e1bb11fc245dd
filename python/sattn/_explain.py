"""The launches of a call of a program: the version of each kernel, and the reasons."""

import dataclasses
import json
import logging

from . import _arrays, _libraries
from ._program import Program

#: Says, at level INFO, where a program's first call runs the generic version of a kernel.
LOGGER = logging.getLogger("sattn")

_VERSIONS = {
    "": "its only version",
    "aligned": "aligned version: tiles move by TMA, or by copies of 16 bytes on a device without it",
    "register_reads": "version with register reads: what the epilogue reads does not come by TMA",
    "generic": "generic version: tiles are copied by elements, at any strides",
    "copy": "copies an argument to memory that TMA can take, or a result from it",
}


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel that a call launches.

    name: its name in the image. version: "aligned", "register_reads", "generic", "copy", or "" where it
    has one alone. parameters, origin: those of its tiles ("tile = [64, 128, 64]") and where they came from; "" where it has none.
    is_plan: whether it depends on the sparse operand's indices alone; is_prepared: whether it was launched before, by
    `prepare`. reasons: why it is not the aligned version, or why a copy is made, a sentence each.
    """

    name: str
    version: str
    parameters: str
    origin: str
    is_plan: bool
    is_prepared: bool
    reasons: tuple

    def __str__(self):
        text = f"{self.name}: {_VERSIONS.get(self.version, self.version)}"
        if self.parameters:
            text += f"; {self.parameters}, from {self.origin}"
        if self.is_plan:
            text += "; plans by the indices, " + ("done before" if self.is_prepared else "in each call")
        return "\n".join([text, *(f"  {reason}" for reason in self.reasons)])


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What a call does; print it. target: "cpu" or a GPU architecture. kernels: those it launches, in order. remarks: of the
    call as a whole, a sentence each."""

    target: str
    kernels: tuple
    remarks: tuple = ()

    def __str__(self):
        if self.target == "cpu":
            lines = ["code for the CPU, which launches no kernels"]
        elif not self.kernels:
            lines = [f"{self.target}: no kernel, there is nothing to compute"]
        else:
            lines = [f"{self.target}:", *(f"  {line}" for kernel in self.kernels for line in str(kernel).splitlines())]
        return "\n".join([*lines, *self.remarks])


def explain_program(program, arguments, prepared=False):
    """The explanation of program(*arguments)."""
    target = json.loads(program.manifest)["target"]
    if target == "cpu":
        program.check(*arguments)
        return Explanation(target, ())
    device = -1 if program._device is None else program._device
    kernels = []
    for name, version, plan, parameters, origin, *reasons in _libraries.binding().explainer(
            program.manifest, device)(*arguments):
        kernels.append(Kernel(name, version, parameters, origin, bool(plan), bool(plan) and prepared, tuple(reasons)))
    return Explanation(target, tuple(kernels))


def explain(*arguments, **keywords):
    """What a call would do, without doing it: which kernels, in which version, with which parameters, and why.

    arguments: a Program and the arguments of a call of it; or those of `bsr_dense_addmm`, keywords too; or
    `sattn.flex_attention`, `sattn.scaled_dot_product_attention`, `sattn.sampled_addmm` or `sattn.bsr_softmax` and its
    arguments. Lists of blocks that a mask needs are made.

    Returns an Explanation, which prints as text: for each kernel its version, its tile parameters and where these came
    from (the program, `meta` or `kernel_options`, a row of a table, the computed default), whether it was done by
    `prepare`, and, where it is not the fastest version, which argument's stride, alignment or size is the reason; of
    attention, whether the mask has lists. Raises as the call does.

    `logging.getLogger("sattn")` at level INFO says the same of kernels that run in their generic version, once for each
    program.
    """
    if arguments and isinstance(arguments[0], Program):
        if keywords:
            raise TypeError(f"expected no keywords after a Program, but got {', '.join(keywords)}")
        _arrays.require_memory(dict(enumerate(arguments[1:])))
        return explain_program(arguments[0], arguments[1:])
    from . import _bsr, _flex_attention, _sampled, _sdpa, _softmax
    call_of = {_sampled.sampled_addmm: _sampled.explained, _softmax.bsr_softmax: _softmax.explained,
               _flex_attention.flex_attention: _flex_attention.explained,
               _sdpa.scaled_dot_product_attention: _sdpa.explained}.get(
        arguments[0] if arguments and callable(arguments[0]) else None)
    if call_of is None:
        calls, remarks = [_bsr.call_of(*arguments, **keywords)], ()
        origin = "the choice by shape, sparsity and device" if keywords.get("meta") is None else "meta"
    else:
        calls, origin, remarks = call_of(*arguments[1:], **keywords)
    found = [explain_program(*call) for call in calls]
    kernels = [kernel for explanation in found for kernel in explanation.kernels]
    # Given or chosen ones stand in the program that is made for the call.
    if origin is not None:
        kernels = [dataclasses.replace(kernel, origin=origin if kernel.parameters else "") for kernel in kernels]
    return Explanation(found[0].target, tuple(kernels), remarks)


def log_generic(program, arguments, prepared=False):
    """Logs which kernels of a call run in their generic version, once for each program, where anybody listens."""
    if program._is_logged or not LOGGER.isEnabledFor(logging.INFO):
        return
    program._is_logged = True
    for kernel in explain_program(program, arguments, prepared).kernels:
        if kernel.version == "generic":
            LOGGER.info("%s", kernel)
