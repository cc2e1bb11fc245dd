"""An op that the compiler has never heard of, on a GPU, against attention's definition in double precision.

Needs what `attention_op.py` compiled in build/attention_op.
"""

from pathlib import Path

import numpy as np
import pytest

from attention_op import CASES, CHIPS, SCHEDULES, path_of
from attention_reference import Sizes, attention, operands
from test_attention import TOLERANCE, on_device

sattn = pytest.importorskip("sattn")

PROGRAMS = Path(__file__).resolve().parents[2] / "build" / "attention_op"


@pytest.mark.skipif(not PROGRAMS.exists(), reason="needs build/attention_op")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(case, chip, schedule):
    variant = CASES[case]
    path = path_of(PROGRAMS, case, chip, schedule)
    program = sattn.load(path.with_suffix(".json").read_text(), path.with_suffix(".ptx").read_text())
    for seed, sizes in enumerate([Sizes(queries=300, keys=300, heads=3), Sizes(queries=1000, keys=777, heads=2)]):
        arrays = operands(variant, sizes, seed)
        expected, _ = attention(variant, arrays)
        tensors = {name: on_device(value, variant.dtype) for name, value in arrays.items()}
        program(*tensors.values())
        result = tensors["o"].double().cpu().numpy()
        assert np.abs(result - expected).max() <= TOLERANCE[variant.dtype] * np.abs(expected).max(), sizes
