"""Tuning: rows of tables, search, timing, and PyTorch's functions for its block-sparse kernels."""
