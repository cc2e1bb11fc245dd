"""Block-sparse products of PyTorch itself by this package: enable and disable. This package imports PyTorch."""

from .triton_ops import Info, disable, enable, info, is_enabled

__all__ = ["Info", "disable", "enable", "info", "is_enabled"]
