"""A step of training in one of several processes, for with_torch/test_flex_training.py."""

import torch
import torch.distributed as distributed
from torch.distributed.fsdp import fully_shard

import sattn

#: (batches, positions, columns) of the input.
SHAPE = 4, 24, 32


class Attention(torch.nn.Module):
    """Causal attention of two heads, with a learned slope for each."""

    def __init__(self):
        super().__init__()
        columns = SHAPE[2]
        self.inputs, self.outputs = torch.nn.Linear(columns, 3 * columns), torch.nn.Linear(columns, columns)
        self.slopes = torch.nn.Parameter(torch.tensor([0.1, 0.2]))

    def forward(self, x):
        slopes = self.slopes
        query, key, value = self.inputs(x).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        out = sattn.flex_attention(query, key, value, lambda score, b, h, q, kv: score - slopes[h] * (q - kv), causal=True)
        return self.outputs(out.transpose(1, 2).flatten(2))


def model():
    torch.manual_seed(0)
    return Attention()


def gradients(own, wrapped, x):
    """Gradients of the mean square of the output, by names of parameters."""
    wrapped(x).square().mean().backward()
    return {name: parameter.grad for name, parameter in own.named_parameters()}


def batch():
    return torch.randn(SHAPE, generator=torch.Generator().manual_seed(1))


def step(rank, count, folder, kind):
    """Writes the gradients of a step of all processes, of which each has its part of the batch. kind: "ddp" or "fsdp"."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=count)
    try:
        own = wrapped = model()
        if kind == "ddp":
            wrapped = torch.nn.parallel.DistributedDataParallel(own)
        else:
            mesh = distributed.device_mesh.init_device_mesh("cpu", (count,))
            fully_shard(own, mesh=mesh)
        found = gradients(own, wrapped, batch()[rank::count])
        found = {name: gradient.full_tensor() if kind == "fsdp" else gradient for name, gradient in found.items()}
        torch.save(found, f"{folder}/{rank}.pt")
    finally:
        distributed.destroy_process_group()
