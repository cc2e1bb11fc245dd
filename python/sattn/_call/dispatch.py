"""Calls whose tensors stand for others, which are PyTorch's to dispatch."""

#: Imports the package's operations of PyTorch and returns the module (torch/library.py). The package sets it.
torch_library = None


def call(function, **arguments):
    """The result of the operation that a public function, by its name, has in PyTorch. arguments: those that it was
    given. Raises NotImplementedError for options that the operation does not have."""
    return torch_library().call(function, arguments)
