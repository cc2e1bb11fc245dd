"""The tile of a prepared operand whose block rows differ in length, over the stub."""

import cuda_tensors

ROWS = COLUMNS = 128
BLOCK = 64


def operand(lengths):
    crow, col = [0], []
    for length in lengths:
        col += range(length)
        crow.append(len(col))
    return cuda_tensors.sparse(crow, col, (BLOCK, BLOCK), COLUMNS * BLOCK)


def tile(package, bsr, n=512):
    dense, out = cuda_tensors.zeros(COLUMNS * BLOCK, n), cuda_tensors.zeros(ROWS * BLOCK, n)
    kernel, = [kernel for kernel in package.explain(None, bsr, dense, beta=0, out=out).kernels if kernel.parameters]
    return kernel.parameters.split("]")[0] + "]"


def test_a_long_row_has_narrow_tiles(package, stub_cuda):
    """As many blocks in all; of operands of the same shapes, each has its own choice."""
    equal, unequal = [13] * 128, [128] * 6 + [7] * 120 + [28] * 2
    assert sum(equal) == sum(unequal)
    bsr, other = operand(equal), operand(unequal)
    wide = tile(package, bsr)
    assert wide == tile(package, other) == tile(package, package.prepare(bsr)) == "tile = [64, 256, 64]"
    assert tile(package, package.prepare(other)) == "tile = [64, 128, 64]"
    assert tile(package, package.prepare(bsr)) == wide


def test_lengths_that_differ_little_are_one(package, stub_cuda):
    prepared = [package.prepare(operand([length] + [20] * 127)) for length in (97, 100, 112, 113)]
    assert [each.longest for each in prepared] == [112, 112, 112, 128]


def test_no_rows(package, stub_cuda):
    assert package.prepare(cuda_tensors.sparse([0], [], (BLOCK, BLOCK), COLUMNS * BLOCK)).longest == 0
