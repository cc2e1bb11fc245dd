"""sattn.explain of calls on the CPU."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")


def attention_operands(make, **sizes):
    shape = 1, 2, sizes.get("length", 256), sizes.get("columns", 64)
    return [make(*shape) for _ in range(3)]


def test_the_cpu(sattn):
    crow, col = np.array([0, 1], np.int32), np.array([0], np.int32)
    explanation = sattn.explain(None, (crow, col, np.ones((1, 16, 16), np.float32)), np.ones((16, 3), np.float32),
                                beta=0)
    assert explanation.target == "cpu" and not explanation.kernels
    assert str(explanation) == ("code for the CPU, which launches no kernels\n"
                                "tile = [16, 16, 16]; from the choice by shape, sparsity and device")
    explanation = sattn.explain(None, (crow, col, np.ones((1, 16, 16), np.float32)), np.ones((16, 3), np.float32),
                                beta=0, meta={"tile": (16, 32, 16)})
    assert explanation.remarks == ("tile = [16, 32, 16]; from meta",)


def test_products_by_their_names(sattn):
    crow, col = np.array([0, 1], np.int32), np.array([0], np.int32)
    weight, x = (crow, col, np.ones((1, 16, 16), np.float32)), np.ones((2, 3, 16), np.float32)
    for given in (weight, sattn.prepare(weight)):
        for call in ((sattn.linear, x, given), (sattn.linear, x, given, np.ones(16, np.float32)),
                     (sattn.bsr_dense_mm, given, x[0].T)):
            assert str(sattn.explain(*call)).startswith("code for the CPU, which launches no kernels\ntile = [16, ")
    out = np.zeros((2, 3, 16), np.float32)
    sattn.explain(sattn.linear, x, weight, out=out)
    assert not out.any()
    with pytest.raises(ValueError, match="argument 'x': expected a multiple of 16 columns"):
        sattn.explain(sattn.linear, x[..., :15], weight)
    with pytest.raises(ValueError, match="argument 'x': expected elements of f32"):
        sattn.explain(sattn.linear, x.astype(np.float64), weight)
    with pytest.raises(ValueError, match="argument 'input': expected an array, since beta is not 0, but got None"):
        sattn.explain(sattn.bsr_dense_addmm, None, weight, x[0].T)


def test_masks_of_attention(sattn):
    arrays = attention_operands(lambda *shape: np.ones(shape, np.float32))
    documents = np.arange(256) // 100
    made = sattn.create_block_mask(lambda b, h, i, j: (documents[i] == documents[j]) & (i * j % 3 > 0), None, None, 256, 256)
    given = sattn.BlockMask.from_kv_blocks(made.kv_num_blocks, made.kv_indices, BLOCK_SIZE=128)
    proved = sattn.create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < 100), None, None, 256, 256)
    for mask, remark in ((made, "the mask has block lists with blocks of 128 x 128, made from its function"),
                         (given, "the mask has given block lists with blocks of 128 x 128"),
                         (proved, "the blocks that the mask leaves are computed in the kernel, without lists")):
        explanation = sattn.explain(sattn.flex_attention, *arrays, None, mask, return_lse=True)
        assert (explanation.target, explanation.kernels, explanation.remarks) == ("cpu", (), (remark,))
        assert str(explanation) == f"code for the CPU, which launches no kernels\n{remark}"
    with pytest.raises(ValueError, match="argument 'key': expected 64 columns"):
        sattn.explain(sattn.flex_attention, arrays[0], arrays[1][..., :32], arrays[2])


def test_attention_of_a_sparse_mask(sattn):
    """The generator stays where it is; several programs are checked one after the other."""
    mask = np.array([0, 1], np.int32), np.array([0], np.int32), np.ones((1, 16, 16), bool)
    state = np.random.get_state()[1].tolist()
    for columns, remarks in ((24, 0), (600, 1)):
        query, value = np.ones((16, columns), np.float32), np.ones((16, 40), np.float32)
        explanation = sattn.explain(sattn.scaled_dot_product_attention, query, query, value, mask, 0.5 if columns < 512 else 0.0)
        assert explanation.target == "cpu"
        assert len([remark for remark in explanation.remarks if not remark.startswith("tile = ")]) == remarks
    assert "one kernel takes up to 512 columns" in str(explanation)
    assert np.random.get_state()[1].tolist() == state
    with pytest.raises(ValueError, match="argument 'is_causal': expected False"):
        sattn.explain(sattn.scaled_dot_product_attention, query, query, value, mask, is_causal=True)
