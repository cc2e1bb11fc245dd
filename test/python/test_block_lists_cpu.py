"""sattn.block_lists on the CPU, against NumPy."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from block_lists import COUNTS, expected, program  # noqa: E402


@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("name", COUNTS)
def test_agrees_with_numpy(sattn, name, separate):
    counts, heights, widths = COUNTS[name](np.random.default_rng(0))
    lists = expected(counts, heights, widths, separate)
    found = [np.full(own.shape, -1, np.int32) for own in lists]
    sattn.compile(program(separate))(counts, heights, widths, *found)
    for own, wanted in zip(found, lists):
        np.testing.assert_array_equal(own, wanted)


def test_any_strides(sattn):
    counts, heights, widths = COUNTS["several steps"](np.random.default_rng(1))
    counts = counts.swapaxes(-1, -2)
    lists = expected(counts, widths, heights, True)
    numbers = np.full(lists[0].shape[::-1], -1, np.int32).T
    columns = np.full((*lists[1].shape[:-1], 2 * lists[1].shape[-1]), -1, np.int32)[..., ::-2]
    sattn.compile(program(True))(counts, widths, heights, numbers, columns)
    np.testing.assert_array_equal(numbers, lists[0])
    np.testing.assert_array_equal(columns, lists[1])


@pytest.mark.parametrize("shape", [(0, 1, 3, 3), (1, 1, 0, 3), (1, 1, 3, 0)])
def test_nothing(sattn, shape):
    numbers = np.full((2, *shape[:-1]), -1, np.int32)
    sattn.compile(program(True))(np.empty(shape, np.int32), np.empty(shape[2], np.int32), np.empty(shape[3], np.int32),
                                 numbers, np.empty((2, *shape), np.int32))
    assert (numbers == 0).all()


def test_refusals(sattn):
    compiled = sattn.compile(program(True))
    counts, extents = np.zeros((1, 2, 4, 4), np.int32), np.ones(4, np.int32)
    numbers, columns = np.empty((2, 1, 2, 4), np.int32), np.empty((2, 1, 2, 4, 4), np.int32)
    with pytest.raises(ValueError, match="argument 'counts': expected .*i32"):
        compiled(counts.astype(np.int64), extents, extents, numbers, columns)
    with pytest.raises(ValueError, match="'heights'.*4.*3|'heights'.*3.*4"):
        compiled(counts, extents[:3], extents, numbers, columns)
    with pytest.raises(ValueError, match="'columns'.*5|'columns'.*4"):
        compiled(counts, extents, extents, numbers, np.empty((2, 1, 2, 4, 5), np.int32))
    with pytest.raises(ValueError, match="'numbers'.*overlap|overlap.*'numbers'"):
        compiled(counts, extents, extents, counts.reshape(-1)[:16].reshape(2, 1, 2, 4), columns)
