"""Captured arrays that are shorter than the positions they are read at."""

import numpy as np
import pytest

import sattn

SHORT, LONG = np.zeros(100, np.int32), np.zeros(256, np.int32)
PAIRS = np.zeros((256, 100), np.float32)


def _operand(length):
    return np.ones((1, 1, length, 16), np.float32)


@pytest.mark.parametrize("mask_mod, where", [
    (lambda b, h, q, k: SHORT[q] == LONG[k], "'SHORT', which is read at q_idx"),
    (lambda b, h, q, k: LONG[q] == SHORT[k], "'SHORT', which is read at kv_idx"),
    (lambda b, h, q, k: PAIRS[q, k] == 0, "dimension 1 of the captured array 'PAIRS', which is read at kv_idx"),
    (lambda b, h, q, k: (k <= q) & (SHORT[k] == 0), "'SHORT', which is read at kv_idx")])
def test_a_mask_of_a_short_array_is_refused(mask_mod, where):
    mask, x = sattn.create_block_mask(mask_mod, None, None, 256, 256), _operand(256)
    for use in (lambda: mask.kv_num_blocks, lambda: sattn.flex_attention(x, x, x, block_mask=mask),
                lambda: sattn.flex_attention(x, x, x, block_mask=mask, causal=True)):
        with pytest.raises(ValueError, match=f"argument 'mask_mod': expected at least 256 elements.*{where}, but got 100"):
            use()


def test_scores_of_a_short_array_are_refused():
    x = _operand(256)
    with pytest.raises(ValueError, match="argument 'score_mod': expected at least 256 elements.*'SHORT'.*at kv_idx, but got 100"):
        sattn.flex_attention(x, x, x, score_mod=lambda score, b, h, q, k: score + SHORT[k])


def test_computed_indices_are_clamped():
    mask = sattn.create_block_mask(lambda b, h, q, k: (SHORT[q * 7] == 0) & (SHORT[k - 1000] == 0), None, None, 256, 256)
    x = _operand(256)
    np.testing.assert_allclose(sattn.flex_attention(x, x, x, block_mask=mask), x)


def test_an_array_as_long_as_its_positions_is_taken():
    mask = sattn.create_block_mask(lambda b, h, q, k: LONG[q] == SHORT[k], None, None, 256, 100)
    np.testing.assert_allclose(sattn.flex_attention(_operand(256), _operand(100), _operand(100), block_mask=mask), _operand(256))
