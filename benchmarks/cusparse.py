"""cuSPARSE's generic SpMM through ctypes, from the library that PyTorch has loaded: CSR, Blocked-ELL and BSR.

PyTorch itself offers none of the block formats in 16 bits. Numbers are those of cusparse.h and library_types.h.
"""

import ctypes
from pathlib import Path

import torch

CUDA_R_32F, CUDA_R_16BF = 0, 14
INDEX_32I, BASE_ZERO, ROW_ORDER, NO_TRANSPOSE = 2, 0, 2, 0
CSR_ALG2, BLOCKED_ELL_ALG1, BSR_ALG1 = 6, 13, 14


class CusparseError(Exception):
    """A library that is missing, or a call that it refuses."""


def library():
    """The cuSPARSE of this process."""
    torch.cuda.init()
    paths = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libcusparse.so" in line}
    if not paths:
        raise CusparseError("PyTorch has not loaded libcusparse")
    return ctypes.CDLL(min(paths))


class Cusparse:
    """A handle on the current stream, and products of matrices in its formats."""

    def __init__(self):
        self.library = library()
        self.library.cusparseGetErrorName.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        self.call("cusparseCreate", ctypes.byref(self.handle))

    def call(self, name, *arguments):
        function = getattr(self.library, name, None)
        if function is None:
            raise CusparseError(f"this cuSPARSE has no {name}")
        if status := function(*arguments):
            raise CusparseError(f"{name} failed: {self.library.cusparseGetErrorName(status).decode()}")

    def dense(self, tensor):
        descriptor = ctypes.c_void_p()
        rows, columns = tensor.shape
        self.call("cusparseCreateDnMat", ctypes.byref(descriptor), ctypes.c_int64(rows), ctypes.c_int64(columns),
                  ctypes.c_int64(tensor.stride(0)), ctypes.c_void_p(tensor.data_ptr()), CUDA_R_16BF, ROW_ORDER)
        return descriptor

    def product(self, matrix, algorithm, b, out, keep):
        """A function that enqueues out = matrix @ b; `keep`: tensors that the descriptors refer to."""
        b_matrix, out_matrix = self.dense(b), self.dense(out)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        common = (self.handle, NO_TRANSPOSE, NO_TRANSPOSE, ctypes.byref(one), matrix, b_matrix, ctypes.byref(zero),
                  out_matrix, CUDA_R_32F, algorithm)
        size = ctypes.c_size_t()
        self.call("cusparseSpMM_bufferSize", *common, ctypes.byref(size))
        workspace = torch.empty(size.value + 16, dtype=torch.uint8, device="cuda")
        kept = (keep, b, out, workspace, one, zero)

        def enqueue(_kept=kept):
            self.call("cusparseSetStream", self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            self.call("cusparseSpMM", *common, ctypes.c_void_p(workspace.data_ptr()))

        return enqueue

    def bsr(self, problem, out):
        """The problem's own arrays."""
        m, k, _ = problem.shape
        block = problem.block
        matrix = ctypes.c_void_p()
        self.call("cusparseCreateBsr", ctypes.byref(matrix), ctypes.c_int64(m // block), ctypes.c_int64(k // block),
                  ctypes.c_int64(len(problem.col)), ctypes.c_int64(block), ctypes.c_int64(block),
                  *(ctypes.c_void_p(array.data_ptr()) for array in (problem.crow, problem.col, problem.values)),
                  INDEX_32I, INDEX_32I, BASE_ZERO, CUDA_R_16BF, ROW_ORDER)
        return self.product(matrix, BSR_ALG1, problem.b, out, problem)

    def blocked_ell(self, problem, out):
        """A matrix of the same sizes with equally many blocks in every row, the format's best case."""
        m, k, _ = problem.shape
        block = problem.block
        rows, columns = m // block, k // block
        width = max(1, round(len(problem.col) / rows))
        places = torch.rand(rows, columns, device="cuda").argsort(1)[:, :width].sort(1).values.int().contiguous()
        values = torch.randn(m, width * block, device="cuda", dtype=torch.bfloat16)
        matrix = ctypes.c_void_p()
        self.call("cusparseCreateBlockedEll", ctypes.byref(matrix), ctypes.c_int64(m), ctypes.c_int64(k),
                  ctypes.c_int64(block), ctypes.c_int64(width * block), ctypes.c_void_p(places.data_ptr()),
                  ctypes.c_void_p(values.data_ptr()), INDEX_32I, BASE_ZERO, CUDA_R_16BF)
        return self.product(matrix, BLOCKED_ELL_ALG1, problem.b, out, (places, values))

    def csr(self, dense, b, out):
        """The matrix element by element: cuSPARSE's generic product."""
        sparse = dense.to_sparse_csr()
        crow, col = sparse.crow_indices().int(), sparse.col_indices().int()
        values = sparse.values()
        matrix = ctypes.c_void_p()
        self.call("cusparseCreateCsr", ctypes.byref(matrix), ctypes.c_int64(dense.shape[0]),
                  ctypes.c_int64(dense.shape[1]), ctypes.c_int64(len(values)),
                  *(ctypes.c_void_p(array.data_ptr()) for array in (crow, col, values)), INDEX_32I, INDEX_32I,
                  BASE_ZERO, CUDA_R_16BF)
        return self.product(matrix, CSR_ALG2, b, out, (crow, col, values))
