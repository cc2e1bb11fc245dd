"""Functions of the user as expressions. Nothing here imports PyTorch."""
