"""bsr_dense_mm."""

from . import bsr_addmm
from .spec import OpSpec, register


def bsr_dense_mm(bsr, dense, *, out=None, skip_checks=False, max_grid=None, meta=None, check=None, precision=None,
                 strict=False):
    """bsr @ dense: bsr_dense_mm of torch.sparse.

    All arguments are those of bsr_dense_addmm; out's old elements are not read. Where PyTorch's function differs, this
    one does what the arguments say: `meta` counts, and dense may have any number of columns.

    Returns out, or a new array (*, M, N) of dense's type. Raises what bsr_dense_addmm raises.
    """
    return bsr_addmm.bsr_dense_addmm(None, bsr, dense, beta=0, out=out, skip_checks=skip_checks, max_grid=max_grid,
                                     meta=meta, check=check, precision=precision, strict=strict)


def explained(bsr, dense, **keywords):
    """The explanation of a call, as by bsr_addmm.explained."""
    return bsr_addmm.explained(None, bsr, dense, beta=0, **keywords)


register(OpSpec(
    bsr_dense_mm, explained=explained, form_of=("bsr_dense_addmm", {"input": None, "beta": 0}),
    types={"bsr": "_Bsr", "dense": "_Array"}))
