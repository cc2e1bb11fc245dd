"""sattn.explain: which version of each kernel a call runs, with which parameters, and why; over the stub."""

import logging

import cuda_tensors
import pytest


def operands(rows=128, k=64, n=64):
    bsr = cuda_tensors.sparse(range(rows // 64 + 1), [0] * (rows // 64), (64, 64), k)
    return bsr, cuda_tensors.zeros(k, n), cuda_tensors.zeros(rows, n)


def only_product(explanation):
    """The kernel of the product: the one with tile parameters."""
    kernel, = [kernel for kernel in explanation.kernels if kernel.parameters]
    return kernel


def test_the_aligned_version(package, stub_cuda):
    bsr, dense, out = operands()
    explanation = package.explain(None, bsr, dense, beta=0, out=out)
    kernel = only_product(explanation)
    assert (kernel.version, kernel.reasons) == ("aligned", ())
    assert kernel.parameters.startswith("tile = [") and kernel.origin == "the choice by shape, sparsity and device"
    assert only_product(package.explain(None, bsr, dense, beta=0, out=out, meta={"tile": (64, 64, 64)})).origin == "meta"
    assert "aligned specialization" in str(explanation) and str(explanation).startswith("sm_90a:")
    assert not stub_cuda.lines("launch")


def test_where_a_dense_product_is_faster(package):
    """Half of the blocks of 16, and one in 16 of the blocks of 64, of matrices of 2048."""
    dense = cuda_tensors.zeros(2048, 2048)
    small = cuda_tensors.sparse(range(0, 128 * 64 + 1, 64), [*range(0, 128, 2)] * 128, (16, 16), 2048)
    remark, = package.explain(None, small, dense, beta=0).remarks
    assert remark.startswith("a dense product takes an estimated 0.") and remark.endswith("of the time of these blocks")
    large = cuda_tensors.sparse(range(0, 32 * 2 + 1, 2), [0, 16] * 32, (64, 64), 2048)
    assert package.explain(None, large, dense, beta=0).remarks == ()


GAPS = "`input` has elements 128 apart in its rows; vectors of them need a stride of 1"


def test_why_the_generic_version(package):
    bsr, dense, out = operands()
    explanation = package.explain(cuda_tensors.zeros(64, 128).transpose(0, 1), bsr, dense, out=out)
    kernel = only_product(explanation)
    assert kernel.version == "generic" and GAPS in kernel.reasons
    assert "    " + GAPS in str(explanation).splitlines()


def test_why_copies(package):
    bsr, dense, out = operands(n=37)
    explanation = package.explain(None, bsr, dense, beta=0, out=out)
    assert only_product(explanation).version == "aligned"
    into, back = [kernel for kernel in explanation.kernels if kernel.version == "copy"]
    assert into.reasons == ("`dense` has rows of 74 bytes; TMA needs a multiple of 16",)
    assert "`out` has rows of 74 bytes; TMA needs a multiple of 16" in back.reasons
    assert "copies an argument to memory that TMA can take" in str(explanation)


@pytest.mark.parametrize("columns", [16, 1])
@pytest.mark.parametrize("dense_columns", [False, True])
@pytest.mark.parametrize("out_columns", [False, True])
def test_every_layout_has_an_aligned_version(package, dense_columns, out_columns, columns):
    bsr, _, _ = operands()

    def matrix(rows, is_transposed):
        return cuda_tensors.zeros(columns, rows).transpose(0, 1) if is_transposed else cuda_tensors.zeros(rows, columns)

    dense, out = matrix(64, dense_columns), matrix(128, out_columns)
    kernel = only_product(package.explain(None, bsr, dense, beta=0, out=out))
    assert (kernel.version, kernel.reasons) == ("aligned", ())


def test_plans(package):
    bsr, dense, out = operands(rows=2048, n=2560)
    meta = {"tile": (128, 128, 64)}
    for operand, prepared in ((bsr, False), (package.prepare(bsr), True)):
        explanation = package.explain(None, operand, dense, beta=0, out=out, meta=meta)
        plans = [kernel for kernel in explanation.kernels if kernel.is_plan]
        assert plans and all(kernel.is_prepared == prepared for kernel in plans)
        assert ("done before" if prepared else "in each call") in str(explanation)


def test_refusals_of_precisions(package):
    bsr, dense, out = operands()
    pattern = cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    for call in ((None, bsr, dense), (package.sampled_addmm, pattern, out, cuda_tensors.zeros(64, 64))):
        with pytest.raises(ValueError, match="argument 'precision': expected None, 'ieee' or 'tf32', but got 'fast'"):
            package.explain(*call, beta=0, precision="fast")


def test_refusals(package):
    bsr, dense, out = operands()
    with pytest.raises(ValueError, match="expected 64 rows"):
        package.explain(None, bsr, cuda_tensors.zeros(32, 64), beta=0)


def test_a_program(package):
    program = package.compile("""
        func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                     %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
          %one = arith.constant 1.0 : f32
          %zero = arith.constant 0.0 : f32
          %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
              tensor<?x64x64xbf16>, tensor<?x?xbf16>) outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
          return %0 : tensor<?x?xbf16>
        }""", "cuda", options="max-padding=64")
    bsr, dense, out = operands(n=36)
    arguments = [tensor for tensor in (bsr.crow_indices(), bsr.col_indices(), bsr.values(), dense, out)]
    kernel = only_product(package.explain(program, *arguments))
    assert kernel.version == "generic" and kernel.origin.startswith("the computed default")
    assert "`b` has rows of 72 bytes; TMA needs a multiple of 16" in kernel.reasons
    assert "a copy of `b` that TMA takes would have more than 64 bytes" in kernel.reasons
    with pytest.raises(TypeError, match="expected no keywords after a Program"):
        package.explain(program, *arguments, beta=0)


def attention_operands(make, **sizes):
    shape = 1, 2, sizes.get("length", 256), sizes.get("columns", 64)
    return [make(*shape) for _ in range(3)]


def test_attention(package, stub_cuda):
    """By its arguments: the tile is the compiler's, or that of kernel_options. Nothing is launched."""
    arrays = attention_operands(cuda_tensors.zeros)
    explanation = package.explain(package.flex_attention, *arrays, causal=True)
    kernel, = [kernel for kernel in explanation.kernels if kernel.parameters]
    assert kernel.version == "aligned" and kernel.parameters.startswith("tile = [") and not explanation.remarks
    assert kernel.origin == "the choice by shape and device"
    explanation = package.explain(package.flex_attention, *arrays, kernel_options={"tile_queries": 64, "tile_keys": 32})
    kernel, = [kernel for kernel in explanation.kernels if kernel.parameters]
    assert kernel.parameters.startswith("tile = [64, 64, 32]") and kernel.origin == "kernel_options"
    assert str(explanation).startswith("sm_90a:") and not stub_cuda.lines("launch")


def test_logging(package, caplog):
    """Once for each program, where anybody listens."""
    bsr, dense, out = operands()
    added = cuda_tensors.zeros(64, 128).transpose(0, 1)
    package.bsr_dense_addmm(added, bsr, dense, out=out)
    assert not caplog.records
    package.cache.clear()
    with caplog.at_level(logging.INFO, logger="sattn"):
        for _ in range(2):
            package.bsr_dense_addmm(added, bsr, dense, out=out)
    record, = caplog.records
    assert "generic specialization" in record.message and GAPS in record.message
