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
    numbers = [np.full(lists[0].shape[::-1], -1, np.int32).T for _ in range(2)]
    columns = [np.full((*lists[1].shape[:-1], 2 * lists[1].shape[-1]), -1, np.int32)[..., ::-2] for _ in range(2)]
    found = [numbers[0], columns[0], numbers[1], columns[1]]
    sattn.compile(program(True))(counts, widths, heights, *found)
    for own, wanted in zip(found, lists):
        np.testing.assert_array_equal(own, wanted)


@pytest.mark.parametrize("separate", [True, False])
def test_of_the_package(sattn, separate):
    from sattn._masks import block_lists

    counts, heights, widths = COUNTS["several steps"](np.random.default_rng(2))
    for own, wanted in zip(block_lists.block_lists(counts, heights, widths, separate), expected(counts, heights, widths, separate)):
        np.testing.assert_array_equal(own, wanted)
    assert block_lists.extents(300, 128).tolist() == [128, 128, 44]
    assert block_lists.extents(256, 128).tolist() == [128, 128]
    assert block_lists.extents(3, 128).tolist() == [3]


@pytest.mark.parametrize("shape", [(0, 1, 3, 3), (1, 1, 0, 3), (1, 1, 3, 0)])
def test_nothing(sattn, shape):
    lists = [np.full(size, -1, np.int32) for size in (shape[:-1], shape) * 2]
    sattn.compile(program(True))(np.empty(shape, np.int32), np.empty(shape[2], np.int32), np.empty(shape[3], np.int32), *lists)
    assert (lists[0] == 0).all() and (lists[2] == 0).all()


def test_refusals(sattn):
    compiled = sattn.compile(program(True))
    counts, extents = np.zeros((1, 2, 4, 4), np.int32), np.ones(4, np.int32)
    lists = [np.empty(shape, np.int32) for shape in (counts.shape[:-1], counts.shape) * 2]
    with pytest.raises(ValueError, match="argument 'counts': expected .*i32"):
        compiled(counts.astype(np.int64), extents, extents, *lists)
    with pytest.raises(ValueError, match="'heights'.*4.*3|'heights'.*3.*4"):
        compiled(counts, extents[:3], extents, *lists)
    with pytest.raises(ValueError, match="'full_columns'.*5|'full_columns'.*4"):
        compiled(counts, extents, extents, *lists[:3], np.empty((1, 2, 4, 5), np.int32))
    with pytest.raises(ValueError, match="'numbers'.*overlap|overlap.*'numbers'"):
        compiled(counts, extents, extents, counts.reshape(-1)[:8].reshape(1, 2, 4), *lists[1:])
