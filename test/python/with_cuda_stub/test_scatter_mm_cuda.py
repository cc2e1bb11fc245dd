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


def test_repeated_sums_launch_the_same(package, stub_cuda, monkeypatch):
    from sattn._ops import scatter_mm

    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    other, sums = cuda_tensors.zeros(192, 256), cuda_tensors.zeros(128, 256)
    data = {format: package.bsr_scatter_mm_indices_data(bsr, other, format) for format in FORMATS}
    multiply, counts = scatter_mm.multiply, {}

    def refused(*_):
        raise AssertionError("the long way was taken")

    def launches(format, **options):
        before = len(stub_cuda.lines("launch"))
        assert package.scatter_mm(bsr.values(), other, data[format], accumulators=sums, **options) is sums
        return len(stub_cuda.lines("launch")) - before

    for format in FORMATS:
        monkeypatch.setattr(scatter_mm, "multiply", multiply)
        # Its lists are checked on the host, each time.
        assert launches(format, check=True) == launches(format, check=True)
        counts[format] = launches(format)
        monkeypatch.setattr(scatter_mm, "multiply", refused)
        version = sums._version
        assert launches(format) == counts[format] > 0 and sums._version == version + 1
