"""Prepared operands of a CUDA device as objects: what they say of themselves, copies, and what they hold."""

import copy
import gc
import weakref

import cuda_tensors


def test_says_what_it_is_on_a_device(package):
    operand = package.prepare(cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 128, device=1))
    assert repr(operand) == ("sattn.Prepared(shape=(128, 128), block=(64, 64), nnz=2, dtype=torch.bfloat16, "
                             "device='cuda:1')")


def test_a_copy_on_a_device_keeps_what_was_prepared(package, stub_cuda):
    operand = package.prepare(cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64))
    b, c = cuda_tensors.zeros(64, 64), cuda_tensors.zeros(128, 64)
    package.bsr_dense_addmm(c, operand, b, out=c)
    launches = len(stub_cuda.lines("launch"))
    package.bsr_dense_addmm(c, operand, b, out=c)
    again = len(stub_cuda.lines("launch")) - launches
    package.bsr_dense_addmm(c, copy.copy(operand), b, out=c)
    # The order of the tiles is not made again.
    assert len(stub_cuda.lines("launch")) - launches == 2 * again


def test_memory_goes_with_the_last_reference(package):
    operand = package.prepare(cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64))
    b, c = cuda_tensors.zeros(64, 64), cuda_tensors.zeros(128, 64)
    for _ in range(3):  # The long way, then what is remembered.
        package.bsr_dense_addmm(c, operand, b, out=c)
    gone = [weakref.ref(array) for array in (operand, operand.crow, operand.col)]
    gc.disable()  # No cycles: references alone.
    try:
        del operand
    finally:
        gc.enable()
    assert [reference() for reference in gone] == [None, None, None]
