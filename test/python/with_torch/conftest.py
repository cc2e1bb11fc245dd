"""Tests over PyTorch's tensors on the CPU."""

import pytest
import torch as pytorch


@pytest.fixture
def torch():
    return pytorch
