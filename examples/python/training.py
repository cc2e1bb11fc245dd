#!/usr/bin/env python3
"""sattn with PyTorch: training of a small layer of attention, with the masks and score_mods of many models, beside the same layer
with attention by PyTorch's other operations, of which all scores are in memory.

    ./dev run python -m pip install torch
    ./dev run python examples/python/training.py [--steps N] [NAME ...]

Prints the loss of both after the last step, for each of the KINDS or of those named.
"""

import argparse
import dataclasses
import math
import typing

import torch

import sattn

BATCH, HEADS, LENGTH, COLUMNS = 2, 2, 96, 16
WINDOW, PREFIX, CAP = 24, 32, 2.0
#: The document of each position, of which one sees its own.
DOCUMENTS = torch.repeat_interleave(torch.arange(3), torch.tensor([20, 46, 30]))


@dataclasses.dataclass(frozen=True)
class Kind:
    """Attention of one kind: which keys a query sees, a mask_mod; named masks that say the same; score_mod(parameters), and
    the shape of these, which are trained."""

    sees: typing.Callable | None = None
    named: dict = dataclasses.field(default_factory=dict)
    score_mod: typing.Callable | None = None
    parameters: tuple = ()


def causal(b, h, q, kv):
    return q >= kv


def alibi(slopes):
    """With slopes that are trained."""
    return lambda score, b, h, q, kv: score - torch.exp2(slopes[h]) * (q - kv)


def softcap(_):
    return lambda score, b, h, q, kv: CAP * torch.tanh(score / CAP)


def relative_bias(table):
    """A bias for each head and distance."""
    return lambda score, b, h, q, kv: score + table[h, q - kv + LENGTH - 1]


def buckets(table):
    """As T5's: distances from 8 on share entries by their logarithm."""
    def score_mod(score, b, h, q, kv):
        distance = torch.clamp(q - kv, min=0)
        far = 8 + (torch.log(torch.clamp(distance, min=8) / 8) / math.log(LENGTH / 8) * 8).to(torch.int32)
        return score + table[h, torch.where(distance < 8, distance, torch.clamp(far, max=15))]

    return score_mod


KINDS = {
    "causal": Kind(causal, {"causal": True}),
    "sliding window": Kind(lambda b, h, q, kv: (q >= kv) & (q - kv <= WINDOW), {"causal": True, "window": (WINDOW, None)}),
    "prefix LM": Kind(lambda b, h, q, kv: (q >= kv) | (kv < PREFIX), {"causal": True, "prefix": PREFIX}),
    "documents": Kind(lambda b, h, q, kv: (q >= kv) & (DOCUMENTS[q] == DOCUMENTS[kv])),
    "ALiBi": Kind(causal, {"causal": True}, alibi, (HEADS,)),
    "softcap": Kind(causal, {"causal": True}, softcap),
    "relative bias": Kind(score_mod=relative_bias, parameters=(HEADS, 2 * LENGTH - 1)),
    "buckets": Kind(causal, {"causal": True}, buckets, (HEADS, 16)),
}


class Layer(torch.nn.Module):
    """x + attention(x), of projections of x."""

    def __init__(self, attend, shape):
        super().__init__()
        width = HEADS * COLUMNS
        self.attend = attend
        self.inputs, self.outputs = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.parameters_of_scores = torch.nn.Parameter(torch.zeros(shape)) if shape else None

    def forward(self, x):
        query, key, value = self.inputs(x).unflatten(-1, (3, HEADS, COLUMNS)).permute(2, 0, 3, 1, 4)
        out = self.attend(query, key, value, self.parameters_of_scores)
        return x + self.outputs(out.transpose(1, 2).flatten(2))


def sparse(kind):
    """Attention by sattn: blocks that no query sees are not computed."""
    mask = None
    if kind.sees is not None and not kind.named:
        mask = sattn.create_block_mask(kind.sees, None, None, LENGTH, LENGTH, device="cpu", BLOCK_SIZE=32)

    def attend(query, key, value, parameters):
        score_mod = kind.score_mod and kind.score_mod(parameters)
        return sattn.flex_attention(query, key, value, score_mod, mask, **kind.named)

    return attend


def dense(kind):
    """The formula, with all scores."""
    def attend(query, key, value, parameters):
        scores = query @ key.transpose(-1, -2) / math.sqrt(COLUMNS)
        b, h, q, kv = torch.meshgrid(*map(torch.arange, scores.shape), indexing="ij")
        if kind.score_mod is not None:
            scores = kind.score_mod(parameters)(scores, b, h, q, kv)
        if kind.sees is not None:
            scores = scores.masked_fill(~kind.sees(b, h, q, kv), -math.inf)
        return torch.softmax(scores, -1) @ value

    return attend


def trained(attend, shape, steps):
    """The losses of a layer's first and last step: it learns to give the mean of all positions up to each."""
    torch.manual_seed(0)
    layer = Layer(attend, shape)
    x = torch.randn(BATCH, LENGTH, HEADS * COLUMNS)
    wanted = x.cumsum(1) / torch.arange(1, LENGTH + 1)[:, None]
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (layer(x) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--steps", type=int, default=50)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in KINDS]
    if unknown or options.steps < 1:
        parser.error(f"expected names out of {', '.join(KINDS)}, and a step, but got {', '.join(unknown) or options.steps}")
    print(f"{'loss':16} {'first':>8} {'last':>8} {'dense':>8}")
    for name in options.names or KINDS:
        kind = KINDS[name]
        first, last = trained(sparse(kind), kind.parameters, options.steps)
        print(f"{name:16} {first:8.5f} {last:8.5f} {trained(dense(kind), kind.parameters, options.steps)[1]:8.5f}", flush=True)


if __name__ == "__main__":
    main()
