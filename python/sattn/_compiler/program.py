"""Compiled programs."""

import functools
import json
import logging

from .._native import libraries
from .._native.c_arguments import integer, text_bytes
from .._arrays import adapters, autograd, plain
from . import c_api, explanation

CUBIN = b"\x7fELF"


@functools.lru_cache(256)
def _arguments_of(manifest):
    """(name, whether it may be written) of each argument."""
    return [(argument.get("name", str(number)), argument.get("access", "read") != "read")
            for number, argument in enumerate(json.loads(manifest)["arguments"])]


def _named(manifest, arguments):
    """The arguments by name."""
    return dict(zip((name for name, _ in _arguments_of(manifest)), arguments))


def _passed(manifest, function, arguments):
    """The results of a function on arrays in place. Raises for those that cannot be used so."""
    try:
        if plain.are_plain(arguments):
            return function(*arguments)
        named = _named(manifest, arguments)
        adapters.require_memory(named)
        return function(*map(adapters.without_gradient, arguments))
    except BufferError as error:
        adapters.raise_refusal(_named(manifest, arguments), error)


def _launched(manifest, function, arguments):
    """Runs the program, and tells PyTorch which arrays it may have written."""
    _passed(manifest, function, arguments)
    for (_, is_written), argument in zip(_arguments_of(manifest), arguments):
        if is_written and adapters.is_torch(argument):
            autograd.count_write(argument)


class Program:
    """A compiled program: call it with the program's arguments, in order.

    Arguments are numbers, and tensors with DLPack in the memory of the program's device (torch.Tensor,
    numpy.ndarray), which it neither copies nor keeps. On a CUDA device a call launches on PyTorch's current
    stream, returns None and does not wait; on the CPU the result is there when it returns.

    Raises TypeError or ValueError for arguments that the program does not take, NotImplementedError for tensors of
    which PyTorch wants a gradient, before anything is launched or written, and RuntimeError where the driver fails. On
    the CPU that includes the contents of index arrays; on CUDA, where to read them would synchronize, it does not: see
    `check` and `prepare`.

    One that was compiled for a chip by name ("sm_90a") is loaded into its CUDA device by the first call; where there is
    none, that is a RuntimeError. Its texts (`manifest`, `ptx`, `cubin`) need no device, and hold every specialization
    of its kernels. Those of a program compiled for "cuda" hold the specializations for TMA; the others are compiled,
    once, by the first call that needs them. A call of texts that lack the specialization it needs is a ValueError.
    """

    __slots__ = ("manifest", "messages", "_launch", "_launch_checked", "_prepare", "_keep", "_check", "_image",
                 "_device", "_is_logged", "_parameters")

    def __init__(self, manifest, launch, prepare=None, messages=""):
        #: The JSON that describes the program's arguments (docs/Manifest.md).
        self.manifest = manifest
        #: The compiler's messages, a line each.
        self.messages = messages
        self._launch, self._prepare = launch, prepare
        # A maker of functions that share hints, if the program has hints (python/binding/Binding.cpp).
        self._keep = None
        # On the CPU, a launch that does what `check` does before.
        self._launch_checked = None
        self._check = None
        # PTX or cubin of the kernels, and the number of the device for it; None for the CPU.
        self._image = self._device = None
        # Whether it was said which kernels are generic (_compiler/explanation.py).
        self._is_logged = False
        # The tile parameters that an operation gave the program, as text; "" where the compiler chose them.
        self._parameters = ""

    def __repr__(self):
        described = json.loads(self.manifest)
        arguments = ", ".join(argument["name"] for argument in described["arguments"])
        return f"<sattn.Program {described['name']}({arguments}) for {described['target']}>"

    def __call__(self, *arguments):
        if not self._is_logged and self._device is not None and explanation.LOGGER.isEnabledFor(logging.INFO):
            explanation.log_generic(self, arguments)
        _launched(self.manifest, self._launch_checked or self._launch or self._load(), arguments)

    def prepare(self, *arguments):
        """Does what depends on the sparse operands' indices alone, once: CUDA only.

        arguments: those of a call; only the index arrays' contents count. Returns a function that is called as
        the program is, with copies of the index arrays that were made now: later changes of them do not show,
        those of the values do. It waits for its work, so the function may be called on any stream, but itself not
        while a CUDA graph is captured: RuntimeError. Raises as a call does.
        """
        if self._launch is None:
            self._load()
        if self._prepare is None:
            raise NotImplementedError("expected a program for a CUDA device, but got one for the CPU")
        launch = _passed(self.manifest, self._prepare, arguments)
        return lambda *arguments: _launched(self.manifest, launch, arguments)

    def check(self, *arguments):
        """Raises ValueError where arguments break the program's contract, contents of index arrays included.

        The index arrays are in host memory; of the others only shapes, strides and addresses count.
        """
        if self._check is None:
            self._check = libraries.binding().checker(self.manifest)
        _passed(self.manifest, self._check, arguments)

    @property
    def target(self):
        """Its target: "cpu" or a chip, such as "sm_90a"."""
        return json.loads(self.manifest)["target"]

    @property
    def ptx(self):
        """The text of its kernels in PTX; None for the CPU, and where it was loaded from a cubin."""
        if self._image is None or self._image.startswith(CUBIN):
            return None
        return self._image.decode()

    def cubin(self):
        """The bytes of its kernels as ptxas assembles them for its chip, without a device.

        ptxas is $SATTN_PTXAS, or found on PATH. Raises RuntimeError where there is none, or it refuses the kernels, and
        NotImplementedError for the CPU.
        """
        if self._image is None:
            raise NotImplementedError("expected a program for a CUDA device, but got one for the CPU")
        if self._image.startswith(CUBIN):
            return self._image
        return c_api.assemble(self._image, self.target)

    def _load_with(self, compiler):
        remarks, self._launch, self._prepare, *keep = libraries.binding().load(self.manifest, self._image, self._device,
                                                                               compiler)
        self._keep = keep[0] if keep else None
        # Two threads may load it at once.
        if remarks not in self.messages:
            self.messages += remarks

    def _load(self):
        """Loads the kernels into their device, and returns what launches them."""
        try:
            self._load_with(c_api.addresses())
        except RuntimeError as error:
            raise RuntimeError(f"expected CUDA device {self._device} to run a program for {self.target}: "
                               f"{error}") from None
        return self._launch


def for_device(manifest, image, device, messages=""):
    """A Program that its first call loads."""
    program = Program(manifest, None, messages=messages)
    program._image, program._device = image, device
    return program


def load(manifest, image, device=0):
    """Loads a compiled program into a CUDA device.

    manifest: the JSON text of `sparse-translate --to=manifest` (docs/Manifest.md).
    image: the PTX or the cubin, as bytes or text.
    device: the CUDA device's number.

    Returns a Program. Raises TypeError for arguments of other types, RuntimeError where the driver, the device, the
    manifest or the image does not do.
    """
    text_bytes("manifest", manifest)
    if not isinstance(image, bytes):
        image = text_bytes("image", image)
    return load_with(manifest, image, integer("device", device), ())


def load_with(manifest, image, device, compiler, messages=""):
    """load, with c_api.addresses of the compiler that made the image, or none."""
    program = for_device(manifest, image, device, messages)
    program._load_with(compiler)
    return program
