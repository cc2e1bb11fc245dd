"""Values of all operations on the CPU, by the functions of NumPy and of PyTorch: of expressions and of kernels."""

import numpy as np
import pytest
from operation_table import KERNELS, check_kernel
from test_operation_table import nodes, nothing_kept, test_expressions  # noqa: F401


@pytest.mark.share(3)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: "-".join(kernel[0]))
def test_kernels(sattn, kernel):
    def attend(score_mod, shape):
        batch, heads, queries, keys = shape
        query, key = np.zeros((batch, heads, queries, 8), np.float32), np.zeros((batch, 1, keys, 8), np.float32)
        return sattn.flex_attention(query, key, key, score_mod, enable_gqa=True, return_lse=True)[1]

    differing = check_kernel(attend, kernel)
    assert not differing, "\n".join(differing)
