"""Products on the CPU of a kind that was made before: what was kept of them, and what it is kept by."""

import ctypes
import gc

import numpy as np
import pytest
import torch


def arrays(col=(0, 1)):
    """A matrix of 32 x 32 of ones in its blocks, of 16 x 16, and what it is multiplied with."""
    return ((np.array([0, 1, 2], np.int32), np.array(col, np.int32), np.ones((2, 16, 16), np.float32)),
            np.ones((32, 64), np.float32))


def tensors(col=(0, 1)):
    bsr, b = arrays(col)
    return tuple(map(torch.from_numpy, bsr)), torch.from_numpy(b)


@pytest.fixture
def freed(package, monkeypatch):
    """Programs of the CPU that were freed."""
    from sattn._compiler import c_api

    library, calls = c_api.library(), []
    free = library.sattn_program_free

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def count(program):
        calls.append(program)
        free(program)

    monkeypatch.setattr(library, "sattn_program_free", count)
    yield calls
    # None may be left that calls `count`.
    package.cache.clear()
    gc.collect()


def test_code_stays_as_long_as_what_calls_it(package, freed, short):
    bsr, b = tensors()
    prepared = package.prepare(bsr)
    package.bsr_dense_addmm(None, prepared, b, beta=0)
    package.cache.clear()
    gc.collect()
    assert not freed
    short()
    assert (package.bsr_dense_addmm(None, prepared, b, beta=0) == 16).all()
    del prepared
    gc.collect()
    assert len(freed) == 1


@pytest.mark.parametrize("shape", [(64,), (1, 64), (32, 1), (1, 1), (32, 64)])
def test_an_input_is_broadcast_in_repeated_calls(package, short, shape):
    bsr, b = tensors()
    input = torch.arange(float(np.prod(shape))).view(shape)
    first = package.bsr_dense_addmm(input, bsr, b)
    short()
    torch.testing.assert_close(first, input + 16.0 * torch.ones(32, 64))
    assert torch.equal(package.bsr_dense_addmm(input, bsr, b), first)


def test_columns_of_each_prepared_operand_count(sattn):
    """Also where a call of the same shapes was good."""
    few, b = arrays([0, 1])
    many, _ = arrays([0, 700000])
    assert (sattn.bsr_dense_addmm(None, sattn.prepare(few), b, beta=0) == 16).all()
    with pytest.raises(ValueError, match="argument 'dense': expected rows for whole blocks of 16 columns of bsr, but"):
        sattn.bsr_dense_addmm(None, sattn.prepare(many), b, beta=0)


@pytest.mark.parametrize("crow", [np.array(3, np.int32), np.zeros(0, np.int32)])
def test_crow_of_another_rank_is_refused_as_at_first(package, crow):
    bsr, b = tensors()
    message = r"argument 'crow': expected shape \(\*, M / BM \+ 1\), but got"
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            package.bsr_dense_addmm(None, (torch.from_numpy(crow), *bsr[1:]), b, beta=0)
        package.bsr_dense_addmm(None, bsr, b, beta=0)


class Same(dict):
    """Parameters that do not tell what they are."""

    def __repr__(self):
        return "Same"


@pytest.mark.parametrize("operands", [arrays, tensors])
def test_parameters_are_known_by_what_they_are(package, operands):
    bsr, b = operands()

    def product(meta):
        package.bsr_dense_addmm(None, bsr, b, beta=0, meta=meta)
        return {source.meta for source, _ in package._call.cache._programs}

    meta = Same(tile=(16, 64, 16))
    for _ in range(2):
        assert product(meta) == {"tile = [16, 64, 16]"}
    meta["tile"] = (16, 32, 16)
    assert product(meta) == {"tile = [16, 64, 16]", "tile = [16, 32, 16]"}
    meta["tile"] = (17, 3, 5)
    with pytest.raises(ValueError, match="argument 'meta'"):
        product(meta)
    # Equal to integers, but none.
    product({"SPLIT_N": 2, "tile": None})
    for value in (2.0, True):
        with pytest.raises(ValueError, match="argument 'meta': expected 'SPLIT_N' to be a positive integer"):
            product({"SPLIT_N": value})


def test_the_short_way_takes_plain_parameters(package, short):
    bsr, b = tensors()
    for tile in ((16, 64, 16), [16, 32, 16]):
        package.bsr_dense_addmm(None, bsr, b, beta=0, meta={"tile": tile, "warps": 4})
    short()
    for tile in ((16, 64, 16), [16, 32, 16]):
        package.bsr_dense_addmm(None, bsr, b, beta=0, meta={"tile": tile, "warps": 4})


def test_another_thread_may_forget_at_any_time(package):
    from sattn._call import guard

    package.bsr_dense_addmm(None, *tensors(), beta=0)

    class Forgetting(dict):
        def __setitem__(self, key, value):
            pass

    bsr, b = tensors()
    program = package.compile("func.func @f(%a: memref<4xf32>) { return }")
    guard.remember(Forgetting(), "kind", program._launch, (*bsr, b, None, b))


def test_an_exception_of_the_program_is_a_failure(package):
    """Not one of the operands, with which the long way would make the product again."""
    import tvm_ffi
    from sattn._native import libraries

    def program(array):
        raise KeyError("of the program")

    call, remember = libraries.binding().guarded_calls(1, -1)
    array, program = torch.zeros(4), tvm_ffi.convert(program)
    assert call(None, array) is call(None) is call(None, array, array) is None
    remember(program.__chandle__(), (), (), (), None, array)
    assert call(None, array) is False
    with pytest.raises(KeyError, match="of the program"):
        libraries.binding().raise_failure()


def test_only_plain_arguments_are_taken(package):
    """Others take the long way."""
    import tvm_ffi

    from sattn._native import libraries

    class Other(torch.Tensor):
        pass

    call, remember = libraries.binding().guarded_calls(1, -1)
    array, wanted = torch.zeros(4), torch.zeros(4, requires_grad=True)
    negative = torch.zeros(4, dtype=torch.complex64).conj().imag
    program = tvm_ffi.convert(lambda array: 7)
    remember(program.__chandle__(), (), (), (), None, array)
    known = [7, None, ()]
    assert call(None, array) == call(None, torch.nn.Parameter(array, False)) == known
    with torch.no_grad():
        assert call(None, wanted) == known
    host = np.zeros(4, np.float32)
    host.flags.writeable = False
    for other in (wanted, negative, array.as_subclass(Other), array.tolist(), "text", 2**64, torch.zeros(4).to_sparse(),
                  torch.zeros(4, device="meta"), torch.zeros(4, dtype=torch.float64), torch.zeros(5), None, 1.0, host):
        assert call(None, other) is None
    remember(program.__chandle__(), (), (), (), None, host)
    assert call(None, host) == call(None, np.zeros(4, np.float32)) == call(None, array) == known
    assert torch.vmap(lambda one: array[0] + (call(None, one) is None))(torch.zeros(2, 4)).tolist() == [1, 1]
    with torch.autograd.forward_ad.dual_level():
        assert call(None, array) is None
    array.untyped_storage().resize_(15)
    assert call(None, array) is None


@pytest.mark.parametrize("name", ["crow", "col", "values"])
def test_arrays_of_a_sparse_tensor_that_were_made_smaller_are_refused(package, name):
    (crow, col, values), b = tensors()
    bsr = torch.sparse_bsr_tensor(crow.clone(), col.clone(), values.clone(), (32, 32))
    for _ in range(2):
        package.bsr_dense_addmm(None, bsr, b, beta=0)
    array = {"crow": bsr.crow_indices, "col": bsr.col_indices, "values": bsr.values}[name]()
    array.untyped_storage().resize_(4)
    for call in (lambda: package.bsr_dense_addmm(None, bsr, b, beta=0), lambda: package.bsr_softmax(bsr)):
        with pytest.raises(ValueError, match="expected a tensor whose storage holds its elements"):
            call()
