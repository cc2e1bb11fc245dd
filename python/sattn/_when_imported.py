"""Connects the package to PyTorch once a process imports that: it imports neither PyTorch nor its compiler
itself."""

from pathlib import Path

from ._native import imports, libraries
from ._call import dispatch, memory

#: Modules that torch.compile traces. All others it leaves to Python: it cannot trace what they do with memory. (That of
#: the package itself has no functions, and would stand for all.)
TRACED = "_masks.mask_functions", "nn", "torch.dynamo", "torch.modules"


def _torch_library():
    from .torch import library

    return library


def _modules():
    """The names of the package's modules in it."""
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if path.stem != "__init__":
            yield ".".join(path.relative_to(folder).with_suffix("").parts)


def _connect(compiler):
    """Has torch.compile, whose module torch._dynamo is, make a node of a graph of each call that has an operation
    (torch/dynamo.py), and break its graph at other functions of the package."""
    from .torch import dynamo_private

    dynamo_private.connect(compiler, [f"{__package__}.{module}" for module in _modules() if module not in TRACED])
    # Nor what is imported for a new kind of call; one that is remembered calls nothing of others.
    memory.with_memory = compiler.disable(memory.with_memory)
    from .torch import dynamo  # noqa: F401


def connect_torch():
    """Sets the hooks."""
    dispatch.torch_library = _torch_library
    imports.when_imported("torch._dynamo", _connect)
    imports.when_imported("torch", libraries.follow_pytorch)
