"""Tests over PyTorch's CUDA tensors on a machine without a GPU: the package launches on the stub driver, which writes down
what it is asked for (test/stub-libcuda), and PyTorch allocates on the stub of CUDA's runtime (cuda_tensors.py).

Only what a CUDA device would decide is tested here: specializations of kernels, launches, streams, devices, memory. Results of
kernels are tested on the CPU (test/python/with_torch) and on a GPU (test/gpu).
"""

import cuda_tensors
import pytest


@pytest.fixture(scope="session", autouse=True)
def operators():
    """PyTorch's operators on CUDA tensors."""
    library = cuda_tensors.install()
    yield
    library._destroy()


@pytest.fixture
def torch():
    return cuda_tensors.torch
