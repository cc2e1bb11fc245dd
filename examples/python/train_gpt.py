#!/usr/bin/env python3
"""A small GPT with document masks and block-sparse MLPs, trained on the sources of Python's standard library.

    ./dev run python -m pip install torch
    ./dev run python examples/python/train_gpt.py

It trains twice, from the same weights on the same bytes: with sattn, and with PyTorch's own operations, where attention has
the mask of all pairs and the MLPs have dense weights with zeros in the same places. Losses of both stand beside each other.
It runs on CUDA where there is a GPU.
"""

import argparse
import re
import time
from pathlib import Path

import torch
from torch.nn import functional

import sattn.nn

BYTES = 256


def documents():
    """Bytes, and of each the number of its document: functions and classes of some modules that this Python has."""
    folder, parts = Path(argparse.__file__).parent, []
    for name in ("argparse", "ast", "copy", "dataclasses", "enum", "functools", "inspect", "pathlib", "random", "textwrap"):
        for path in (folder / f"{name}.py", folder / name / "__init__.py"):
            if path.exists():
                parts += re.split(r"\n(?=def |class |@)", path.read_text(encoding="utf-8"))
    pieces = [torch.frombuffer(bytearray(part.encode()), dtype=torch.uint8).long() for part in parts if part]
    return torch.cat(pieces), torch.repeat_interleave(torch.arange(len(pieces)), torch.tensor(list(map(len, pieces))))


class SparseAttention:
    """Causal attention within documents, whose mask is a function of positions."""

    def mask(self, document):
        def same_document(b, h, q_idx, kv_idx):
            return (document[b, q_idx] == document[b, kv_idx]) & (q_idx >= kv_idx)

        batch, length = document.shape
        return sattn.create_block_mask(same_document, batch, None, length, length, device=document.device.type)

    def attend(self, query, key, value, mask):
        return sattn.flex_attention(query, key, value, block_mask=mask)


class DenseAttention:
    """The same, with a mask of all pairs."""

    def mask(self, document):
        length = document.shape[1]
        earlier = torch.ones(length, length, dtype=torch.bool, device=document.device).tril()
        return (earlier & (document[:, :, None] == document[:, None, :]))[:, None]

    def attend(self, query, key, value, mask):
        return functional.scaled_dot_product_attention(query, key, value, mask)


class MaskedLinear(torch.nn.Module):
    """A dense layer with the weights of a BsrLinear, and zeros elsewhere."""

    def __init__(self, layer):
        super().__init__()
        values, columns = layer.values.detach(), layer.in_features
        dense, pattern = (sattn.bsr_to_dense((layer.crow, layer.col, own), columns) for own in (values, torch.ones_like(values)))
        self.weight, self.bias = torch.nn.Parameter(dense), torch.nn.Parameter(layer.bias.detach().clone())
        self.register_buffer("pattern", pattern)

    def forward(self, x):
        return functional.linear(x, self.weight * self.pattern, self.bias)


class Block(torch.nn.Module):
    """Attention and an MLP of four times the width, each behind a norm."""

    def __init__(self, width, heads, block, sparsity):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.project, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up = sattn.nn.BsrLinear(width, 4 * width, block=block, sparsity=sparsity)
        self.down = sattn.nn.BsrLinear(4 * width, width, block=block, sparsity=sparsity)

    def forward(self, x, attention, mask):
        batch, length, width = x.shape
        query, key, value = self.project(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = attention.attend(query, key, value, mask)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


class GPT(torch.nn.Module):
    """Bytes in, the next byte's scores out."""

    def __init__(self, length, width, heads, layers, block, sparsity):
        super().__init__()
        self.bytes, self.places = torch.nn.Embedding(BYTES, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads, block, sparsity) for _ in range(layers))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, BYTES)
        self.attention = SparseAttention()

    def forward(self, text, document):
        mask = self.attention.mask(document)
        x = self.bytes(text) + self.places.weight[:text.shape[1]]
        for block in self.blocks:
            x = block(x, self.attention, mask)
        return self.head(self.norm(x))


def dense_twin(model, *sizes):
    """A model of the same weights, of PyTorch's operations alone."""
    twin = GPT(*sizes).to(model.head.weight.device)
    twin.load_state_dict(model.state_dict())
    twin.attention = DenseAttention()
    for block in twin.blocks:
        block.up, block.down = MaskedLinear(block.up), MaskedLinear(block.down)
    return twin


def train(model, text, document, steps, batch, length):
    """The losses of the steps, and the milliseconds of one after the first ones, which compile kernels."""
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    generator, losses, start = torch.Generator().manual_seed(0), [], time.perf_counter()
    skipped = min(5, steps - 1)
    for step in range(steps):
        if step == skipped:
            start = time.perf_counter()
        first = torch.randint(len(text) - length - 1, (batch, 1), generator=generator)
        places = (first + torch.arange(length + 1)).to(text.device)
        own, ids = text[places], document[places]
        scores = model(own[:, :-1], ids[:, :-1].contiguous())
        # The first byte of a document does not follow from the one before.
        wanted = torch.where(ids[:, 1:] == ids[:, :-1], own[:, 1:], -100)
        loss = functional.cross_entropy(scores.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, (time.perf_counter() - start) / (steps - skipped) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=512, help="bytes of a sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--block", type=int, default=32, help="rows and columns of a block of the MLPs' weights")
    parser.add_argument("--sparsity", type=float, default=0.5)
    options = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    text, document = (numbers.to(device) for numbers in documents())
    print(f"{len(text)} bytes, {int(document[-1]) + 1} documents, on {device}")
    sizes = options.length, options.width, options.heads, options.layers, options.block, options.sparsity
    model = GPT(*sizes).to(device)
    models = {"sattn": model, "PyTorch": dense_twin(model, *sizes)}
    found = {name: train(own, text, document, options.steps, options.batch, options.length) for name, own in models.items()}
    print(f"{'step':>5} {'sattn':>8} {'PyTorch':>8}")
    for step in sorted({*range(0, options.steps, 20), options.steps - 1}):
        print(f"{step:5} {found['sattn'][0][step]:8.4f} {found['PyTorch'][0][step]:8.4f}")
    print(", ".join(f"{name}: {milliseconds:.1f} ms a step" for name, (_, milliseconds) in found.items()))


if __name__ == "__main__":
    main()
