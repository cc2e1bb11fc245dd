"""Arrays of NumPy and PyTorch, their element types, and block-sparse matrices made of them."""
