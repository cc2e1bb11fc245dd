"""scatter_mm of CUDA tensors: launches and programs."""

import cuda_tensors

FORMATS = "bsr_strided_mm", "bsr_strided_mm_compressed"


def test_tensors_of_cuda(package, stub_cuda):
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    other = cuda_tensors.zeros(192, 256)
    for format in FORMATS:
        data = package.bsr_scatter_mm_indices_data(bsr, other, format)
        launches = len(stub_cuda.lines("launch"))
        assert package.bsr_scatter_mm(bsr, other, data).shape == (128, 256)
        assert package.scatter_mm(bsr.values(), other, data, check=True).shape == (128, 256)
        assert len(stub_cuda.lines("launch")) >= launches + 2
    for precision in (None, "tf32"):
        launches = len(stub_cuda.lines("launch"))
        package.scatter_mm(cuda_tensors.zeros(3, 64, 64, dtype="float32"), cuda_tensors.zeros(192, 256, dtype="float32"), data,
                           precision=precision)
        assert len(stub_cuda.lines("launch")) > launches
    assert {source.precision for source, _ in package._call.cache._programs} == {"ieee", "tf32"}
