"""Block-sparse matrices on the GPU for the benchmarks: seeded, and the same on every machine of one PyTorch."""

import dataclasses

import numpy as np
import torch
from row_lengths import LENGTHS


@dataclasses.dataclass
class Problem:
    """A (m x k, BSR) times b (k x n), in bf16, and a result c (m x n). block: the rows of one."""

    block: int
    crow: torch.Tensor
    col: torch.Tensor
    values: torch.Tensor
    b: torch.Tensor
    c: torch.Tensor

    @property
    def shape(self):
        return self.c.shape[0], self.b.shape[0], self.c.shape[1]

    @property
    def work(self):
        """Floating-point operations on stored blocks."""
        return 2 * self.values.numel() * self.shape[2]

    def rows(self):
        """The block row of each stored block."""
        counts = self.crow[1:] - self.crow[:-1]
        return torch.repeat_interleave(torch.arange(len(counts), device="cuda"), counts.long())

    def dense(self):
        """A with its zeros."""
        m, k, _ = self.shape
        rows, columns = self.values.shape[1:]
        blocks = torch.zeros(m // rows, k // columns, rows, columns, device="cuda", dtype=self.values.dtype)
        blocks[self.rows(), self.col.long()] = self.values
        return blocks.permute(0, 2, 1, 3).reshape(m, k).contiguous()


def make(m, k, n, block, sparsity, pattern="uniform", seed=0):
    """A problem of round((1 - sparsity) * blocks) stored blocks, columns ascending in each row. block: the side of a
    block, or its rows and columns."""
    height, width = (block, block) if isinstance(block, int) else block
    rng = np.random.default_rng(seed)
    rows, columns = m // height, k // width
    lengths = LENGTHS[pattern](rng, rows, columns, round((1 - sparsity) * rows * columns))
    crow = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    col = np.concatenate([np.sort(rng.permutation(columns)[:length]) for length in lengths]).astype(np.int32)
    generator = torch.Generator("cuda").manual_seed(seed)

    def random(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, generator=generator)

    return Problem(height, torch.from_numpy(crow).cuda(), torch.from_numpy(col).cuda(),
                   random(len(col), height, width), random(k, n), random(m, n))
