"""bsr_softmax of CUDA tensors: launches, checks and parameters."""

import cuda_tensors
import pytest


def test_a_launch_on_cuda(package, torch, stub_cuda):
    matrix = cuda_tensors.sparse([0, 1, 2], [0, 1], (15, 3), 6)
    result = package.bsr_softmax(matrix, max_row_nnz=3)
    assert result.layout is torch.sparse_bsr and result.shape == matrix.shape
    assert result.values().device == matrix.values().device and result.values().data_ptr() != matrix.values().data_ptr()
    assert any("bsr_softmax" in line for line in stub_cuda.lines("launch"))
    launched = len(stub_cuda.lines("launch"))
    with pytest.raises(ValueError, match="argument 'crow': expected offsets that do not decrease"):
        package.bsr_softmax(cuda_tensors.sparse([1, 0, 2], [0, 1], (15, 3), 6), check=True)
    assert len(stub_cuda.lines("launch")) == launched


def test_parameters(package, torch, stub_cuda):
    matrix = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    explanation = package.explain(package.bsr_softmax, matrix, meta={"tile": (1, 64, 1024)})
    assert not stub_cuda.lines("launch")
    kernels = [kernel for kernel in explanation.kernels if kernel.parameters]
    assert kernels and all(kernel.parameters.startswith("tile = [") and kernel.origin == "meta" for kernel in kernels)
    assert any(kernel.parameters.startswith("tile = [1, 64, 1024]") for kernel in kernels)
    package.bsr_softmax(matrix, meta={"tile": (1, 64, 1024)})
    assert stub_cuda.lines("launch")
    with pytest.raises(ValueError, match="argument 'meta': expected 'tile' among its keys, but got warps"):
        package.bsr_softmax(matrix, meta={"warps": 4})
