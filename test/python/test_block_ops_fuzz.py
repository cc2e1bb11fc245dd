"""Random programs of the block-sparse family on the CPU against the Reference, and what of them a GPU's compiler takes."""

import functools

import pytest

import random_block_ops

SEEDS = {"sampled_addmm": 24, "bsr_softmax": 30, "bsr_softmax_backward": 30, "scatter_mm": 24, "bsr_attention": 12}
# Longer searches have every choice.
MANY_SEEDS = 200
# Compiled for a GPU, each by ptxas too.
GPU_SEEDS = 6


@pytest.mark.parametrize("op", random_block_ops.OPS)
def test_random_programs_agree_with_the_reference(built_tools, op):
    coverage = random_block_ops.run_all(built_tools / "sparse-run", range(SEEDS[op]), functools.partial(random_block_ops.run, op))
    assert coverage["tile", "given"] + coverage["tile", "own"] == SEEDS[op]


@pytest.mark.parametrize("op", random_block_ops.OPS)
def test_every_choice_is_made(op):
    made = {(name, str(value)) for seed in range(MANY_SEEDS) for name, value in random_block_ops.random_case(op, seed)[1].items()}
    wanted = {(name, str(value)) for name, values in random_block_ops.choices_of(op).items() for value in values}
    assert wanted <= made


@pytest.mark.parametrize("op", random_block_ops.OPS)
def test_random_programs_compile_for_a_gpu(built_tools, op):
    coverage = random_block_ops.run_all(built_tools / "sparse-opt", range(GPU_SEEDS),
                                        functools.partial(random_block_ops.compile_for_gpu, op))
    assert coverage["refused", False] >= GPU_SEEDS / 2


@pytest.mark.parametrize("op", random_block_ops.OPS)
def test_what_fails_is_found(tmp_path, op):
    tool = tmp_path / "tool"
    for script in ["echo wrong >&2; exit 1", "echo '{\"ok\": false}'"]:
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        with pytest.raises(random_block_ops.Failure, match=f"{op} seed 7"):
            random_block_ops.run(op, tool, 7)
    tool.write_text("#!/bin/sh\nkill -ABRT $$\n")
    with pytest.raises(random_block_ops.Failure, match=f"{op} seed 7"):
        random_block_ops.compile_for_gpu(op, tool, 7)
