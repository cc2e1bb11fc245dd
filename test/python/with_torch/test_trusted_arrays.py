"""Arrays that products trust without a look: they cannot be written unnoticed, and a refused state changes nothing."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

import sattn
import sattn.nn

pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR")


def _matrix(seed):
    generator = torch.Generator().manual_seed(seed)
    dense = torch.randn(64, 64, generator=generator)
    kept = torch.eye(4).repeat_interleave(16, 0).repeat_interleave(16, 1) * dense
    return kept.to_sparse_bsr((16, 16))


def _dense():
    return torch.randn(64, 32, generator=torch.Generator().manual_seed(9))


@pytest.mark.parametrize("name, value", [("col", 2**40), ("crow", 2**40), ("col", 1)])
def test_written_indices_of_an_operand_are_refused(name, value):
    operand, dense = sattn.prepare(_matrix(0)), _dense()
    for use in (lambda: operand @ dense, lambda: sattn.linear(dense.T.contiguous(), operand), lambda: sattn.bsr_softmax(operand)):
        use()
    with torch.inference_mode():
        other = sattn.prepare(_matrix(0))
    for one in (operand, other):
        getattr(one, name)[0] = value
        for use in (lambda: one @ dense, lambda: sattn.linear(dense.T.contiguous(), one), lambda: sattn.bsr_softmax(one)):
            with pytest.raises(ValueError, match="index arrays as they were prepared"):
                use()


def test_written_indices_of_a_prepared_mask_are_refused():
    mask, query = sattn.prepare(_matrix(0)), torch.randn(64, 16)
    sattn.scaled_dot_product_attention(query, query, query, mask)
    sattn.scaled_dot_product_attention(query, query, query, mask)
    mask.col[0] = 2**40
    with pytest.raises(ValueError, match="index arrays as they were prepared"):
        sattn.scaled_dot_product_attention(query, query, query, mask)


def test_indices_of_an_operand_are_not_replaced():
    operand = sattn.prepare(_matrix(0))
    with pytest.raises(TypeError, match="cannot be replaced"):
        operand.col = operand.col.clone()


def test_indices_of_numpy_cannot_be_written():
    crow, col, values = np.array([0, 1], np.int64), np.array([0], np.int64), np.ones((1, 16, 16), np.float32)
    operand = sattn.prepare((crow, col, values))
    for array in (operand.crow, operand.col):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    np.testing.assert_array_equal(operand @ np.ones((16, 4), np.float32), 16)


def _states():
    def index(state):
        state["col"][0] = 2**40

    def offsets(state):
        state["crow"][1] = 9

    def shape(state):
        state["col"] = state["col"][:2]

    def missing(state):
        del state["crow"]

    return [index, offsets, shape, missing]


@pytest.mark.parametrize("spoil", _states(), ids=lambda one: one.__name__)
def test_a_refused_state_leaves_a_module_as_it_was(spoil):
    module, dense = sattn.nn.Bsr(_matrix(0)), _dense()
    before, arrays = module(dense), {name: array.clone() for name, array in module.state_dict().items()}
    state = sattn.nn.Bsr(_matrix(1)).state_dict()
    spoil(state)
    with pytest.raises((ValueError, RuntimeError)):
        module.load_state_dict(state)
    assert all(torch.equal(array, arrays[name]) for name, array in module.state_dict().items())
    assert torch.equal(module(dense), before)


@pytest.mark.parametrize("assign", [False, True])
def test_a_state_is_loaded(assign):
    module, other, dense = sattn.nn.Bsr(_matrix(0)), sattn.nn.Bsr(_matrix(1)), _dense()
    module(dense)
    values = module.values
    module.load_state_dict(other.state_dict(), assign=assign)
    assert torch.equal(module(dense), other(dense))
    assert (module.values is values) != assign and module.values is module.operand.values


def test_indices_of_a_module_that_are_written_are_checked_again():
    module, dense = sattn.nn.Bsr(_matrix(0)), _dense()
    module(dense)
    module.col.copy_(torch.tensor([1, 0, 3, 2]))
    assert torch.equal(module(dense), sattn.bsr_dense_addmm(None, (module.crow, module.col, module.values), dense, beta=0))
    module.col[0] = 2**40
    with pytest.raises(ValueError, match="block columns"):
        module(dense)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
def test_a_copy_of_a_module_has_the_arrays_of_its_operand(copied):
    module, dense = sattn.nn.Bsr(_matrix(0)), _dense()
    for one in (copied(module), module):
        assert all(getattr(one, name) is getattr(one.operand, name) for name in sattn.nn.ARRAYS)
        assert torch.equal(one(dense), module(dense))


def test_a_call_with_other_buffers_has_their_values():
    module, other, dense = sattn.nn.Bsr(_matrix(0)), sattn.nn.Bsr(_matrix(1)), _dense()
    assert torch.equal(torch.func.functional_call(module, other.state_dict(), (dense,)), other(dense))


@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_module_has_its_buffers_alone(strict):
    class Twice(torch.nn.Module):
        def __init__(self, seed):
            super().__init__()
            self.weight = sattn.nn.Bsr(_matrix(seed))

        def forward(self, x):
            return 2 * self.weight(x)

    module, other, dense = Twice(0), Twice(1), _dense()
    program = torch.export.export(module, (dense,), strict=strict)
    assert not program.constants and sorted(program.state_dict) == ["weight.col", "weight.crow", "weight.values"]
    memory = io.BytesIO()
    torch.export.save(program, memory)
    memory.seek(0)
    loaded = torch.export.load(memory).module()
    assert torch.equal(loaded(dense), module(dense))
    loaded.load_state_dict(other.state_dict())
    assert torch.equal(loaded(dense), other(dense))


@pytest.mark.parametrize("bytes_left", [0, 64, -4])
def test_a_tensor_whose_storage_was_shrunk_is_refused(bytes_left):
    """Where it is negative, the storage lacks the last element alone."""
    def shrunk(tensor):
        tensor = tensor.clone()
        storage = tensor.untyped_storage()
        storage.resize_(bytes_left if bytes_left >= 0 else storage.nbytes() + bytes_left)
        return tensor

    operand, dense, query = sattn.prepare(_matrix(0)), _dense(), torch.randn(1, 1, 32, 16)
    calls = {"dense": lambda: operand @ shrunk(dense), "key": lambda: sattn.flex_attention(query, shrunk(query), query),
             "bsr": lambda: sattn.bsr_dense_addmm(None, (operand.crow, operand.col, shrunk(operand.values)), dense, beta=0)}
    for _ in range(2):  # Also where such calls were made before.
        operand @ dense
        sattn.flex_attention(query, query, query)
        for name, call in calls.items():
            with pytest.raises(ValueError, match=f"'{name}'.*storage"):
                call()
