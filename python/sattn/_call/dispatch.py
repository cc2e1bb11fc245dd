"""Calls whose tensors stand for others, which are PyTorch's to dispatch."""

#: Imports the package's operations of PyTorch and returns the module (torch/library.py). The package sets it.
torch_library = None
