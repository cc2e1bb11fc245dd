"""examples/block_costs.py: the table, the choice and the verdict."""

import numpy as np
import pytest
import scipy.sparse as sparse

import block_costs
import demo_options


def test_table():
    lines = list(block_costs.table(sparse.eye_array(17, 20), [8, 16, 32], 16))
    assert [line.split() for line in lines[1:]] == [
        "8 x 8 7 + 4 24 x 24 3 8.9 % 11.3".split(), "-> 16 x 16 15 + 12 32 x 32 2 3.3 % 30.1".split(),
        "32 x 32 15 + 12 32 x 32 1 1.7 % 60.2".split()]
    twice = sparse.coo_array((np.ones(2), ([0, 0], [0, 0])), shape=(8, 8))
    assert list(block_costs.table(twice, [8], 8))[1].split()[-3:] == ["1.6", "%", "64.0"]


def blocks_of(size):
    return sparse.coo_array(np.kron([[1, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]], np.ones((size, size))))


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_costs_are_of_the_sizes_that_the_demo_offers(target):
    costs = block_costs.ELEMENT_COSTS[target]
    assert list(costs) == demo_options.BLOCKS
    assert sorted(costs.values(), reverse=True) == list(costs.values()) and costs[128] == 1


@pytest.mark.parametrize("size, cpu, cuda", [(64, 64, 64), (16, 16, 64), (128, 128, 128), (8, 8, 32)])
def test_cheapest(size, cpu, cuda):
    """Five blocks of 16 store a third of one of 64, but an element in them costs a GPU over three times as much."""
    assert block_costs.cheapest(blocks_of(size), "cpu") == cpu
    assert block_costs.cheapest(blocks_of(size), "cuda") == cuda


def test_cheapest_of_what_fits(monkeypatch):
    matrix = blocks_of(64)
    monkeypatch.setattr(block_costs, "MAX_BYTES", 5 * 64 * 64 * 8 - 1)
    assert block_costs.cheapest(matrix, "cuda") == 8


@pytest.mark.parametrize("fill, times, sentence", [
    (0.00191, (12, 0.5, 9), "A fill of 0.19 %: blocks do 524 times the work of the elements; use CSR, which is "
                            "24 times as fast here."),
    (0.4, (5, 10, 7), "A fill of 40 %: blocks do 2.5 times the work of the elements; blocks are 2.0 times as fast as "
                      "CSR and 1.4 times as fast as the dense product here."),
    (1, (5, 10, None), "Every stored block is full; blocks are 2.0 times as fast as CSR here."),
    (1, (5, 10, 2), "Every stored block is full; use a dense product, which is 2.5 times as fast here."),
    (0.1, (5, 2, 1), "A fill of 10 %: blocks do 10 times the work of the elements; use a dense product, which is "
                     "5.0 times as fast here."),
])
def test_verdict(fill, times, sentence):
    assert block_costs.verdict(fill, *times) == sentence
