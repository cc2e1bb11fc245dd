"""sampled_addmm of CUDA tensors: launches, programs and parameters."""

import cuda_tensors
import pytest


def test_tensors_of_cuda(package, stub_cuda):
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    mat1, mat2 = cuda_tensors.zeros(128, 72), cuda_tensors.zeros(72, 192)
    result = package.sampled_addmm(bsr, mat1, mat2, beta=0)
    assert result.shape == (128, 192) and result.values().shape == (3, 64, 64)
    assert stub_cuda.lines("launch")
    for precision in (None, "tf32"):
        launches = len(stub_cuda.lines("launch"))
        package.sampled_addmm(cuda_tensors.sparse([0, 1], [0], (64, 64), 64, "float32"), cuda_tensors.zeros(64, 8, dtype="float32"),
                              cuda_tensors.zeros(8, 64, dtype="float32"), precision=precision)
        assert len(stub_cuda.lines("launch")) > launches
    assert {source.precision for source, _ in package._call.cache._programs} == {"ieee", "tf32"}


def test_short_sums_have_programs_of_their_own(package, stub_cuda):
    """On CUDA, whose tiles differ: one for each K up to 128, one for all others."""
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    package.cache.clear()
    compiled = []
    for k in (72, 128, 72, 136, 4096):
        before = package.cache.info().compilations
        package.sampled_addmm(bsr, cuda_tensors.zeros(128, k), cuda_tensors.zeros(k, 192))
        compiled.append(package.cache.info().compilations - before)
    assert compiled == [1, 1, 0, 1, 0]


def test_parameters(package, stub_cuda):
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    operands = bsr, cuda_tensors.zeros(128, 72), cuda_tensors.zeros(72, 192)
    explanation = package.explain(package.sampled_addmm, *operands, beta=0, meta={"tile": (64, 64, 32)})
    assert not stub_cuda.lines("launch")
    kernel, = [kernel for kernel in explanation.kernels if kernel.parameters]
    assert kernel.parameters.startswith("tile = [64, 64, 32]") and kernel.origin == "meta"
    assert any(kernel.parameters for kernel in package.explain(package.sampled_addmm, *operands, beta=0).kernels)
    package.sampled_addmm(*operands, beta=0, meta={"tile": (64, 64, 32)})
    assert stub_cuda.lines("launch")
    with pytest.raises(ValueError, match="argument 'meta': "):
        package.sampled_addmm(*operands, beta=0, meta={"tile": (60, 64, 32)})
