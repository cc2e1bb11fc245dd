#!/usr/bin/env python3
"""sattn with PyTorch: a linear layer whose weight is pruned in blocks, on CUDA where there is a GPU.

    ./dev run python -m pip install torch
    ./dev run python examples/python/pytorch.py
"""

import torch

import sattn


class BlockSparseLinear(torch.nn.Module):
    """y = x @ weight^T + bias for inference, with the blocks of the largest norm of a torch.nn.Linear's weight."""

    def __init__(self, linear, block=64, sparsity=0.8):
        super().__init__()
        weight = linear.weight.detach()
        blocks = weight.unflatten(0, (-1, block)).unflatten(2, (-1, block))
        norms = blocks.float().square().sum(dim=(1, 3))
        threshold = norms.flatten().kthvalue(round(sparsity * norms.numel())).values
        pruned = (blocks * (norms > threshold)[:, None, :, None]).reshape(weight.shape)
        self.weight = pruned.to_sparse_bsr((block, block))
        # Checks the indices and plans the product once.
        self.operand = sattn.prepare(self.weight)
        self.bias = linear.bias.detach()[:, None]

    def forward(self, x):
        # weight @ x^T + bias: the sparse operand is the left one. The transposes are views.
        flat = x.reshape(-1, x.shape[-1])
        return sattn.bsr_dense_addmm(self.bias, self.operand, flat.T).T.reshape(*x.shape[:-1], -1)


def main():
    torch.manual_seed(0)
    device, dtype = ("cuda", torch.bfloat16) if torch.cuda.is_available() else ("cpu", torch.float32)
    linear = torch.nn.Linear(1024, 4096, device=device, dtype=dtype)
    layer = BlockSparseLinear(linear)
    x = torch.randn(2, 128, 1024, device=device, dtype=dtype)
    with torch.inference_mode():
        y = layer(x)
        reference = torch.nn.functional.linear(x.double(), layer.weight.to_dense().double(), linear.bias.double())
    error = (y.double() - reference).norm() / reference.norm()
    print(f"{tuple(x.shape)} -> {tuple(y.shape)}, {dtype} on {device}: error {error:.0e}")


if __name__ == "__main__":
    main()
