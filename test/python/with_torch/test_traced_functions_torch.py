"""PyTorch's functions of elements in a score_mod give PyTorch's values."""

import numpy as np
import pytest
import torch
from masks import grid
from test_traced_functions import NAMES, SCORES, SHAPE, torch_functions, value_of


@pytest.mark.parametrize("name", NAMES)
def test_functions(name):
    functions = torch_functions(torch)
    assert list(functions) == NAMES
    arguments = [torch.from_numpy(SCORES), *(torch.from_numpy(np.ascontiguousarray(index).astype(np.int32)) for index in grid(SHAPE))]
    expected = functions[name](*arguments).float().numpy()
    np.testing.assert_allclose(value_of(functions[name]), np.broadcast_to(expected, SHAPE), rtol=3e-6, atol=3e-6)
