#!/usr/bin/env python3
"""A network that is trained dense, pruned in blocks, and trained on: a classifier of the 8 x 8 digits that scikit-learn ships.

    ./dev run python -m pip install torch scikit-learn
    ./dev run python examples/python/train_bsr.py

Without scikit-learn the digits are made here: ten random pictures, with noise. It runs on CUDA where there is a GPU.
"""

import argparse
import time

import torch

import sattn.nn

PICTURES, CLASSES = 64, 10


def made_digits(count=1797):
    """Pictures and their classes, as easy to tell apart as digits."""
    generator = torch.Generator().manual_seed(0)
    digits = torch.rand(CLASSES, PICTURES, generator=generator)
    classes = torch.randint(CLASSES, (count,), generator=generator)
    return digits[classes] + 0.5 * torch.randn(count, PICTURES, generator=generator), classes


def digits():
    """(pictures, classes, where they are from)."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        return *made_digits(), "made here"
    pictures, classes = load_digits(return_X_y=True)
    return torch.from_numpy(pictures).float() / 16, torch.from_numpy(classes), "of scikit-learn"


def accuracy(model, pictures, classes):
    model.eval()
    with torch.inference_mode():
        return float((model(pictures).argmax(-1) == classes).float().mean())


def train(model, pictures, classes, steps, rewire_every=0):
    """Trains for so many steps of 256 pictures, and returns the milliseconds of one. Blocks move every `rewire_every` steps."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    generator = torch.Generator().manual_seed(0)
    start = count = 0
    for step in range(steps):
        if step == min(5, steps - 1):  # The first steps compile kernels.
            start, count = time.perf_counter(), steps - step
        own = torch.randint(len(classes), (256,), generator=generator).to(classes.device)

        def backward(own=own):
            torch.nn.functional.cross_entropy(model(pictures[own]), classes[own]).backward()

        optimizer.zero_grad()
        if rewire_every and step % rewire_every == rewire_every - 1:
            sattn.nn.rewire_(model, backward, 0.1, optimizer=optimizer)
        else:
            backward()
            optimizer.step()
    if pictures.is_cuda:
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / count * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=200, help="of each of the three trainings")
    parser.add_argument("--width", type=int, default=1024, help="of the two hidden layers")
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--sparsity", type=float, default=0.8)
    options = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pictures, classes, source = digits()
    pictures, classes = pictures.to(device), classes.to(device)
    train_part, test_part = slice(0, len(classes) * 4 // 5), slice(len(classes) * 4 // 5, None)
    width = options.width
    model = torch.nn.Sequential(torch.nn.Linear(PICTURES, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU(),
                                torch.nn.Linear(width, CLASSES)).to(device)
    print(f"{len(classes)} digits {source}, on {device}")

    def say(name, milliseconds=None):
        found = accuracy(model, pictures[test_part], classes[test_part])
        time_of_step = "" if milliseconds is None else f", {milliseconds:.1f} ms a step"
        print(f"{name}: accuracy {found:.3f}{time_of_step}")

    say("dense", train(model, pictures[train_part], classes[train_part], options.steps))
    pruned = sattn.nn.prune_(model, block=options.block, sparsity=options.sparsity)
    say(f"pruned layers {', '.join(pruned)}, {options.sparsity:.0%} of their blocks")
    say("tuned again", train(model, pictures[train_part], classes[train_part], options.steps))
    say("rewired while training", train(model, pictures[train_part], classes[train_part], options.steps,
                                        rewire_every=max(options.steps // 10, 1)))


if __name__ == "__main__":
    main()
