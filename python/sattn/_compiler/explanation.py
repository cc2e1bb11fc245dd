"""The launches of a call of a program: the specialization of each kernel, and the reasons."""

import dataclasses
import json
import logging

from .._native import libraries

#: Says, at level INFO, where a program's first call runs the generic specialization of a kernel.
LOGGER = logging.getLogger("sattn")

_VERSIONS = {
    "": "its only specialization",
    "aligned": "aligned specialization: tiles move by TMA, or by copies of 16 bytes on a device without it",
    "register_reads": "specialization with register reads: what the epilogue reads does not come by TMA",
    "generic": "generic specialization: tiles are copied by elements, at any strides",
    "copy": "copies an argument to memory that TMA can take, or a result from it",
}


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel that a call launches.

    name: its name in the image. version: "aligned", "register_reads", "generic", "copy", or "" where it
    has one alone. parameters, origin: those of its tiles ("tile = [64, 128, 64]") and where they came from; "" where it
    has none.
    is_plan: whether it depends on the sparse operand's indices alone; is_prepared: whether it was launched before, by
    `prepare`. reasons: why it is not the aligned specialization, or why a copy is made, a sentence each.
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
    """An explanation of a call; print it. target: "cpu" or a GPU architecture. kernels: those it launches, in order.
    remarks: of the call as a whole, a sentence each."""

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
    for name, version, plan, parameters, origin, *reasons in libraries.binding().explainer(
            program.manifest, device)(*arguments):
        kernels.append(Kernel(name, version, parameters, origin, bool(plan), bool(plan) and prepared, tuple(reasons)))
    return Explanation(target, tuple(kernels))


def log_generic(program, arguments, prepared=False):
    """Logs kernels of a call that run in their generic specialization, once for each program, if anybody listens."""
    if program._is_logged or not LOGGER.isEnabledFor(logging.INFO):
        return
    program._is_logged = True
    for kernel in explain_program(program, arguments, prepared).kernels:
        if kernel.version == "generic":
            LOGGER.info("%s", kernel)
