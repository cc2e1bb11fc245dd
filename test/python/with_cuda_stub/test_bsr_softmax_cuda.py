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


@pytest.mark.parametrize("kind", ["tensor", "prepared", "window"])
def test_a_gradient(package, torch, stub_cuda, kind):
    """One kernel, which the stub does not compute; blocks of no row are cleared before it."""
    values = cuda_tensors.zeros(2, 16, 8).requires_grad_()
    crow, col = (cuda_tensors.sparse([0, 1, 2] if kind != "window" else [1, 1, 2], [0, 0], (16, 8), 8).crow_indices(),
                 cuda_tensors.zeros(2).to(torch.int32))
    matrix = (crow.to(torch.int32), col, values)
    result = package.bsr_softmax(matrix if kind == "tensor" else package.prepare(matrix))
    grad = torch.ones_like(values)
    launched = len(stub_cuda.lines("launch"))
    found = torch.autograd.grad(result[2] if kind == "tensor" else result.values, values, grad)[0]
    launches = stub_cuda.lines("launch")[launched:]
    assert found.device == values.device and found.shape == values.shape
    assert len([line for line in launches if "bsr_softmax_backward" in line]) == 1, launches
    assert kind != "window" or not cuda_tensors.on_cpu(found).any()
