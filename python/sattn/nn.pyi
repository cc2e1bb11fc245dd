from typing import Any

import torch

from . import Prepared

class Bsr(torch.nn.Module):
    crow: torch.Tensor
    col: torch.Tensor
    values: torch.Tensor
    operand: Prepared
    def __init__(self, bsr: Any) -> None: ...
    def forward(self, dense: torch.Tensor) -> torch.Tensor: ...
    def extra_repr(self) -> str: ...
