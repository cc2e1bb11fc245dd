"""Scalar arguments that are tensors on a device."""

import cuda_tensors
import pytest


def test_tensors_on_a_gpu_are_refused(package):
    bsr = cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'alpha': expected a number or a tensor on the CPU, but got .*"
                                             "cuda:0"):
            package.bsr_dense_addmm(None, bsr, cuda_tensors.zeros(64, 64), beta=0, alpha=cuda_tensors.zeros())
        package.bsr_dense_addmm(None, bsr, cuda_tensors.zeros(64, 64), beta=0)
