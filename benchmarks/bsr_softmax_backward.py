"""The gradient of a softmax of the rows of a BSR matrix, beside dense softmax's and a copy of the same bytes.

    python benchmarks/bsr_softmax_backward.py [--small] [--sweep] [--out benchmarks/results/DATE-DEVICE-bsr_softmax_backward.json]

As bsr_softmax.py: each candidate is a CUDA graph of calls that go through several matrices in turn. `copy` reads and
writes as many bytes as `ours`, which reads two arrays and writes one, and `copy_share` is its time beside that of
`ours`. The matrix of `ours` is prepared; of other ones, `cleared`, blocks of no row are cleared before. `dense` is
torch._softmax_backward_data of the whole matrix. `difference` is the largest of ours from the formula in f32, in units
of the largest element. With --sweep there are candidates `head 4096` too, which keep so many bytes of a row, of both
arrays together, in registers.
"""

import functools
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import sattn  # noqa: E402
import shape_rows  # noqa: E402
from bsr_softmax import COLD_BYTES, SHAPES, SMALL, metas_of, row_of  # noqa: E402
from problems import make  # noqa: E402
from sattn._arrays.sparse_operand import Operand  # noqa: E402
from sattn._call import memory  # noqa: E402
from sattn._ops import bsr_softmax  # noqa: E402
from sattn.torch import library  # noqa: E402, F401 - it defines the operations.


def gradient_of(problem, output, grad):
    """The gradient in f32."""
    rows, output, grad = problem.rows(), output.float(), grad.float()
    sums = torch.zeros(len(problem.crow) - 1, problem.block, device="cuda")
    sums.index_add_(0, rows, (output * grad).sum(-1))
    return output * (grad - sums[rows][..., None])


def with_meta(crow, col, meta):
    """The gradient with these tile parameters."""
    text = f"tile = [{', '.join(map(str, meta['tile']))}], stages = {max(meta['stages'], 1)}"

    def run(output, grad):
        found = torch.empty_like(output)
        operand = Operand(crow, col, output, multiple=1)
        program, named = bsr_softmax.call_of(bsr_softmax.BsrSoftmaxBackward, operand, output, grad, found, meta=text)
        memory.launched(program, operand, named)
        return found

    return run


def candidates_of(size, block, sparsity, pattern, sweep):
    """As of bsr_softmax.py, with the difference from the formula in f32."""
    problem = make(size, size, 8, block, sparsity / 100, pattern)
    crow, col, values = problem.crow, problem.col, problem.values
    prepared = sattn.prepare((crow, col, values))
    count = -(-COLD_BYTES // (2 * values.numel() * values.element_size()))
    outputs = [sattn.bsr_softmax((crow, col, torch.randn_like(values)))[2] for _ in range(count)]
    grads = [torch.randn_like(values) for _ in range(count)]
    sources = [torch.randn(3 * values.numel() // 2, device="cuda", dtype=values.dtype) for _ in range(count)]
    targets = [torch.empty_like(source) for source in sources]
    dense = [torch.softmax(torch.randn(size, size, device="cuda", dtype=values.dtype), -1) for _ in range(4)]
    dense_grads = [torch.randn_like(matrix) for matrix in dense]
    backward = torch.ops.sattn.bsr_softmax_backward

    def through(call, *of):
        """Each matrix once; what the calls return is kept so long."""
        return lambda: [call(*matrices) for matrices in zip(*of)]

    def gradient(operand):
        return lambda output, grad: backward(grad, [True], output, operand[0], operand[1], values)[0]

    ours = gradient((prepared.crow, prepared.col))
    calls = {"copy": (through(lambda target, source: target.copy_(source), targets, sources), count),
             "dense": (through(lambda output, grad: torch._softmax_backward_data(grad, output, -1, output.dtype), dense, dense_grads), 4),
             "ours": (through(ours, outputs, grads), count),
             "cleared": (through(gradient((crow, col)), outputs, grads), count)}
    if sweep:
        for name, meta in metas_of(block, 2 * values.element_size()).items():
            calls[name] = (through(with_meta(crow, col, meta), outputs, grads), count)
    expected = gradient_of(problem, outputs[0], grads[0])
    difference = float((ours(outputs[0], grads[0]).float() - expected).abs().max() / expected.abs().max())
    return calls, difference


def main(arguments=None):
    shape_rows.run("bsr_softmax_backward", __doc__, arguments, SHAPES, SMALL, "blocks of 64 at 0.5 alone",
                   functools.partial(row_of, candidates=candidates_of), "more and less of a row in registers")


if __name__ == "__main__":
    main()
