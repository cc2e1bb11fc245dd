"""Random products on the CPU against the Reference: every edge of the op in random combination."""

import collections

import pytest

import random_products
import shares

SEEDS = 200
# Compiled for a GPU, each by ptxas too.
GPU_SEEDS = 16
# Each value of each choice occurs in all of them at least as often.
LEAST = 5


def test_random_products_agree_with_the_reference(built_tools, capsys):
    seeds = shares.seeds(SEEDS, 5)
    coverage = random_products.run_all(built_tools / "sparse-run", seeds)
    lines = "\n".join(random_products.table(coverage))
    with capsys.disabled():
        print(f"\n{len(seeds)} random products:\n{lines}")
    if len(seeds) < SEEDS:
        return
    choices = {**random_products.CHOICES, "empty rows": random_products.EMPTY_ROWS}
    rare = {(name, value): coverage[name, value] for name, values in choices.items() for value in values
            if coverage[name, value] < LEAST}
    assert rare == {}


def test_random_products_compile_for_a_gpu(built_tools):
    seeds = shares.seeds(GPU_SEEDS, 2)
    coverage = random_products.run_all(built_tools / "sparse-opt", seeds, random_products.compile_for_gpu)
    assert coverage["refused", False] >= len(seeds) / 2


def test_a_refused_program_is_found(tmp_path):
    """A compiler that crashes, and one that refuses; not one that has no room for the tile."""
    tool = tmp_path / "tool"
    for script, is_found in [("kill -ABRT $$", True), ("echo no >&2; exit 1", True),
                             ("echo 'error: choose smaller tiles' >&2; exit 1", False)]:
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        if not is_found:
            assert random_products.compile_for_gpu(tool, 7)["refused"]
            continue
        with pytest.raises(random_products.Failure, match="seed-7"):
            random_products.compile_for_gpu(tool, 7)


def test_a_wrong_result_is_found(built_tools, tmp_path):
    """A tool that says that it failed, and one that says that the result is wrong."""
    for script in ["echo wrong >&2; exit 1", "echo '{\"ok\": false}'"]:
        tool = tmp_path / "tool"
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        with pytest.raises(random_products.Failure, match="seed-7"):
            random_products.run(tool, 7)


def test_table():
    coverage = collections.Counter({("dtype", "f16"): 3, ("empty rows", "all"): 1})
    lines = list(random_products.table(coverage))
    assert "dtype: 'f32' 0, 'f16' 3, 'bf16' 0" in lines
    assert lines[-1] == "empty rows: 'none' 0, 'some' 0, 'all' 1"
