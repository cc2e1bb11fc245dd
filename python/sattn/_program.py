"""Compiled programs."""

from . import _arrays, _libraries


class Program:
    """A compiled program: call it with the program's arguments, in order.

    Arguments are numbers, and tensors with DLPack in the memory of the program's device (torch.Tensor,
    numpy.ndarray), which it neither copies nor keeps. On a CUDA device a call launches on PyTorch's current
    stream, returns None and does not wait; on the CPU the result is there when it returns.

    Raises TypeError or ValueError for arguments that the program does not take, before anything is launched or
    written, and RuntimeError where the driver fails. On the CPU that includes the contents of index arrays; on CUDA,
    where to read them would synchronize, it does not: see `check` and `prepare`.
    """

    __slots__ = ("manifest", "messages", "_launch", "_launch_checked", "_prepare", "_check")

    def __init__(self, manifest, launch, prepare=None, messages=""):
        #: The JSON that says what the program takes (docs/Manifest.md).
        self.manifest = manifest
        #: What the compiler said, a line each.
        self.messages = messages
        self._launch, self._prepare = launch, prepare
        # On the CPU, a launch that does what `check` does before.
        self._launch_checked = None
        self._check = None

    def __call__(self, *arguments):
        _arrays.require_memory(arguments)
        (self._launch_checked or self._launch)(*arguments)

    def prepare(self, *arguments):
        """Does what depends on the sparse operands' indices alone, once: CUDA only.

        arguments: those of a call; only the index arrays' contents count. Returns a function that is called as
        the program is, with copies of the index arrays that were made now: later changes of them do not show,
        those of the values do. It waits for its work, so the function may be called on any stream, but itself not
        while a CUDA graph is captured: RuntimeError. Raises as a call does.
        """
        if self._prepare is None:
            raise NotImplementedError("expected a program for a CUDA device, but got one for the CPU")
        _arrays.require_memory(arguments)
        return self._prepare(*arguments)

    def check(self, *arguments):
        """Raises ValueError where arguments break the program's contract, contents of index arrays included.

        The index arrays are in host memory; of the others only shapes, strides and addresses count.
        """
        if self._check is None:
            self._check = _libraries.binding().checker(self.manifest)
        _arrays.require_memory(arguments)
        self._check(*arguments)


def load(manifest, image, device=0):
    """Loads a compiled program into a CUDA device.

    manifest: the JSON text of `sparse-translate --to=manifest` (docs/Manifest.md).
    image: the PTX or the cubin, as bytes or text.
    device: the CUDA device's number.

    Returns a Program. Raises RuntimeError where the driver, the device or the image does not do.
    """
    if isinstance(image, str):
        image = image.encode()
    launch, prepare = _libraries.binding().load(manifest, image, device)
    return Program(manifest, launch, prepare)
