"""Compiled kernels of this process, kept by program and chosen parameters."""

from ._call.cache import Info, begin, calls, chosen, clear, info, program, reason

__all__ = ["Info", "begin", "calls", "chosen", "clear", "info", "program", "reason"]
