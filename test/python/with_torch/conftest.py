"""Tests over PyTorch's tensors on the CPU."""

import atexit
import os
import shutil
import tempfile

import pytest

# Inductor's cache has backwards of sattn's operations, which it does not know to be others when they change.
if not os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="inductor-cache-")
    atexit.register(shutil.rmtree, os.environ["TORCHINDUCTOR_CACHE_DIR"], ignore_errors=True)

import torch as pytorch  # noqa: E402


@pytest.fixture
def torch():
    return pytorch
