"""The shape of a BSR matrix in a repetition of a call."""

import cuda_tensors
import pytest


@pytest.mark.parametrize("shape", [(192, 64), (64, 64), (64,), (1, 128, 64), (128, 32)])
def test_the_shape_of_a_tensor_counts_in_a_repetition(package, stub_cuda, shape):
    bsr = cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    dense, out = cuda_tensors.zeros(64, 64), cuda_tensors.zeros(128, 64)
    bad = cuda_tensors.sparse_tensor(bsr.crow_indices(), bsr.col_indices(), bsr.values(), shape)
    for _ in range(2):
        launches = len(stub_cuda.lines("launch"))
        for options in ({"out": out}, {}):
            with pytest.raises(ValueError, match="argument 'bsr': expected"):
                package.bsr_dense_addmm(None, bad, dense, beta=0, **options)
        assert len(stub_cuda.lines("launch")) == launches
        package.bsr_dense_addmm(None, bsr, dense, beta=0, out=out)
        package.bsr_dense_addmm(None, bsr, dense, beta=0)
