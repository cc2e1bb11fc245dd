"""f64 on CUDA is refused."""

import cuda_tensors
import pytest


def test_cuda_has_no_f64(package, torch, stub_cuda):
    """Refused before anything is compiled, with what there is."""
    message = "expected elements of f16, bf16, f32 or of 8 bits on CUDA, since f64 has kernels for the CPU alone, but got f64"
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192, dtype="float64")
    zeros = lambda *shape: cuda_tensors.zeros(*shape, dtype="float64")  # noqa: E731
    calls = {"dense": lambda: package.bsr_dense_mm(bsr, zeros(192, 8)),
             "input": lambda: package.bsr_softmax(bsr),
             "mat1": lambda: package.sampled_addmm(bsr, zeros(128, 64), zeros(64, 192), beta=0),
             "query": lambda: package.scaled_dot_product_attention(zeros(128, 64), zeros(192, 64), zeros(192, 64), bsr)}
    for name, call in calls.items():
        with pytest.raises(NotImplementedError, match=f"argument '{name}': {message}"):
            call()
    assert not stub_cuda.lines("launch")
