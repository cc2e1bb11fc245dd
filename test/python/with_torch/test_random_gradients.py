"""Gradients of sparse products and of attention at stored blocks, of random shapes, layouts and options, on the CPU."""

import dataclasses
import random

import pytest
import torch

import bsr_gradient_cases
import sdpa_gradient_cases

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
TOLERANCE = {torch.float64: 1e-11, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def random_product(choose):
    """A Case of bsr_gradient_cases, the names of the operands that need gradients, and an element type."""
    batch = choose.choice([(), (), (2,), (3, 2)])

    def broadcast(*sizes):
        """Batch dimensions and sizes, some of them 1 or absent."""
        own = tuple(choose.choice([size, 1]) for size in batch)
        return (*own[choose.randrange(len(own) + 1):], *sizes)

    def maybe(*sizes):
        return broadcast(*sizes) if choose.random() < 0.5 else None

    case = bsr_gradient_cases.Case(
        values=broadcast(), dense=batch, input=maybe(choose.choice(["M", 1]), "N"), left=maybe("M"), right=maybe("N"),
        alpha=choose.choice([1.0, -0.3, 0.0]), beta=choose.choice([1.0, 0.7, 0.0]),
        block=(8 * choose.randint(1, 5), 8 * choose.randint(1, 5)), columns=choose.choice([1, 5, 8, 33, 70]),
        kind=choose.choice(["tuple", "prepared"]), shift=choose.choice([0, 2]), lies=choose.choice(["rows", "columns"]),
        index_type=choose.choice([torch.int32, torch.int64]))
    if case.shift:
        case = dataclasses.replace(case, kind="tuple")
    names = bsr_gradient_cases.names_of(case)
    return case, choose.sample(names, choose.randint(1, len(names))), choose.choice(list(TOLERANCE))


def random_attention(choose):
    """A Case of sdpa_gradient_cases and an element type."""
    batch = choose.choice([(), (2,), (2, 3), (2, 1, 2)])

    def broadcast():
        own = tuple(choose.choice([size, 1]) for size in batch)
        return own[choose.randrange(len(own) + 1):]

    case = sdpa_gradient_cases.Case(
        block=(16 * choose.randint(1, 4), 16 * choose.randint(1, 4)), down=choose.randint(1, 4), across=choose.randint(2, 5),
        batch=batch, key=broadcast(), value=broadcast(), mask=broadcast(),
        columns=(choose.choice([1, 8, 24, 40, 65]), choose.choice([1, 8, 16, 50, 128])),
        dropout=choose.choice([0.0, 0.0, 0.25]), scale=choose.choice([None, -0.5, 0.0]),
        index=choose.choice([torch.int32, torch.int64]), twice=choose.random() < 0.2)
    return case, choose.choice(list(TOLERANCE))


@pytest.mark.share(10)
@pytest.mark.parametrize("seed", range(100))
def test_products(seed):
    case, needs, dtype = random_product(random.Random(seed))
    found = bsr_gradient_cases.gradients(case, "cpu", dtype, needs, seed)
    assert max(bsr_gradient_cases.errors(found, bsr_gradient_cases.expected(case, "cpu", dtype, needs, seed))) < TOLERANCE[dtype]


@pytest.mark.share(10)
@pytest.mark.parametrize("seed", range(100))
def test_attention(seed):
    case, dtype = random_attention(random.Random(seed))
    results = sdpa_gradient_cases.found(case, "cpu", dtype), sdpa_gradient_cases.expected(case, "cpu", dtype)
    assert [tuple(one.shape) for one in results[0]] == [tuple(other.shape) for other in results[1]]
    assert max(sdpa_gradient_cases.errors(*results)) < TOLERANCE[dtype]
