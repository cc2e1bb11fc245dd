"""Compiled kernels of this process, kept by program and chosen parameters, and those on disk.

The compiler keeps its programs in a folder for later processes: $SATTN_CACHE_DIR, else $XDG_CACHE_HOME/sattn, else
~/.cache/sattn; SATTN_CACHE=0 keeps none. $SATTN_CACHE_BYTES limits their size, by default to 512 MB.
"""

from ._call.cache import Info, begin, calls, chosen, clear, info, program, reason
from ._compiler.disk_cache import Disk

__all__ = ["Disk", "Info", "begin", "calls", "chosen", "clear", "info", "program", "reason"]
