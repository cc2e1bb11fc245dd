"""Which versions of apache-tvm-ffi one build of the package works with; scripts/test_tvm_ffi.sh runs it with them."""

import os
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("tvm_ffi")
# The symbols that the binding needs, among those that the oldest version exports.
FUNCTIONS = {"TVMFFIBacktrace", "TVMFFIEnvGetStream", "TVMFFIEnvSetStream", "TVMFFIErrorMoveFromRaised",
             "TVMFFIErrorSetRaised", "TVMFFIGetTypeInfo", "TVMFFIObjectCreateOpaque", "TVMFFITypeGetOrAllocIndex"}


def test_the_oldest_version_has_what_the_binding_needs(built_tools):
    """Newer headers may call functions that it has not: then the binding has to be built with older ones."""
    nm = Path(os.environ.get("SATTN_LLVM", "/usr/lib/llvm-22")) / "bin" / "llvm-nm"
    library = built_tools.parent / "lib" / "libsattn_binding.so"
    listed = subprocess.run([nm, "--dynamic", "--undefined-only", "--format=just-symbols", library],
                            capture_output=True, text=True, check=True).stdout.split()
    needed = {name.split("@")[0] for name in listed if name.startswith("TVMFFI")}
    assert needed and needed <= FUNCTIONS

