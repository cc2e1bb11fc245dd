"""tvm-ffi, which does not bring PyTorch into a process that has not imported it.

tvm-ffi's modules import PyTorch wherever it is installed, which takes seconds. Here they are told that there is none,
unless the process has it. When it is imported after all, tvm-ffi gets what it would have had: a tensor is then passed
with its device's current stream, as usual. Only tvm-ffi's conversion of torch.dtype, which nothing here uses, stays
without.
"""

import importlib
import importlib.abc
import os
import sys
import threading

from . import imports


class _WithoutTorch(importlib.abc.MetaPathFinder):
    """Says that there is no PyTorch, to the thread that made it."""

    def __init__(self):
        self.thread = threading.get_ident()

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torch" and threading.get_ident() == self.thread:
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return None


def _connect(torch):
    """The part of tvm-ffi's import that uses PyTorch."""
    from tvm_ffi import _convert, _optional_torch_c_dlpack, core, stream
    import tvm_ffi

    core.torch = _convert.torch = torch
    tvm_ffi.use_torch_stream = importlib.reload(stream).use_torch_stream
    if os.environ.get("TVM_FFI_DISABLE_TORCH_C_DLPACK", "0") == "0":
        # The library is kept, as tvm-ffi does.
        _optional_torch_c_dlpack._LIB = _optional_torch_c_dlpack.load_torch_c_dlpack_extension()
        _optional_torch_c_dlpack.patch_torch_cuda_stream_protocol()


def load():
    """The module tvm_ffi."""
    if "tvm_ffi" in sys.modules or "torch" in sys.modules:
        import tvm_ffi

        return tvm_ffi
    finder = _WithoutTorch()
    sys.meta_path.insert(0, finder)
    try:
        import tvm_ffi
    finally:
        sys.meta_path.remove(finder)
    imports.when_imported("torch", _connect)
    return tvm_ffi
