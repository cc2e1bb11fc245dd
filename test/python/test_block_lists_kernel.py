"""The kernels of block_lists, lowered for a GPU, on the CPU's threads."""

import numpy as np
import pytest
from block_lists import COUNTS, expected, program
from emulation import kernel_of_program


@pytest.mark.share(4)
@pytest.mark.parametrize("version", ["lists", "lists_generic"], ids=["contiguous", "generic"])
@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("name", COUNTS)
def test_lists(emulation_tools, tmp_path, name, separate, version):
    counts, heights, widths = COUNTS[name](np.random.default_rng(0))
    lists = expected(counts, heights, widths, separate)
    kernel = kernel_of_program(emulation_tools, program(separate), version, tmp_path, "schedule=plain")
    found = [np.full(own.shape, -1, np.int32) for own in lists]
    kernel(lists[0].size, counts, *([heights, widths] if separate else []), *found)
    for own, wanted in zip(found, lists):
        np.testing.assert_array_equal(own, wanted)
