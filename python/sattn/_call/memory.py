"""Calls that make room on the device where it has no memory, and how a program is launched."""

from .._arrays import adapters


def is_out_of_memory(error):
    """Whether the runtime says that it got no memory of the device. It has launched nothing then."""
    return "out of device memory" in str(error)


def with_memory(arrays, function, *arguments):
    """Calls the function and returns its result. Where the device has no memory for it, PyTorch gives back what it
    keeps first."""
    try:
        return function(*arguments)
    except RuntimeError as error:
        if not is_out_of_memory(error) or not arrays.release_kept_memory():
            raise
    return function(*arguments)


def launcher(program, operand, arguments, scalars, checks):
    """The function that runs a program whose arguments are so many scalars, crow, col and others; with `checks`, the
    contents of crow and col are checked, by that function on the CPU, here on CUDA, which synchronizes."""
    arrays = operand.arrays
    if not checks:
        return program._launch
    if not arrays.on_gpu:
        return program._launch_checked
    host = [arrays.passed(arrays.host(array)) for array in (operand.crow, operand.col)]
    program.check(*arguments[:scalars], *host, *arguments[scalars + 2:])
    return program._launch


def launched(program, operand, named, scalars=(), checks=False, launch=None):
    """Runs a program on scalars and arrays by name, and returns the function that did: `launch`, or as of `launcher`.
    Raises ValueError for an array that DLPack does not take."""
    arguments = [*scalars, *named.values()]
    try:
        launch = launch or launcher(program, operand, arguments, len(scalars), checks)
        with_memory(operand.arrays, launch, *arguments)
    except BufferError as error:
        adapters.raise_refusal(named, error)
    return launch
