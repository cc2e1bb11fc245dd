"""examples/pruned_weights.py: which blocks stay, and the command line."""

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse as sparse

import pruned_weights


def test_blocks_of_the_largest_norm_stay():
    whole = pruned_weights.pruned_weights((128, 96), 16, sparsity=0).toarray()
    pruned = pruned_weights.pruned_weights((128, 96), 16, sparsity=0.75)
    assert pruned.blocksize == (16, 16) and len(pruned.indices) == 12
    pruned.check_format(full_check=True)
    blocks = [matrix.reshape(8, 16, 6, 16).swapaxes(1, 2) for matrix in (whole, pruned.toarray())]
    norms = np.linalg.norm(blocks[0], axis=(2, 3))
    kept = blocks[1].any(axis=(2, 3))
    assert (blocks[1][kept] == blocks[0][kept]).all()
    assert norms[kept].min() > norms[~kept].max()


@pytest.mark.parametrize("sparsity, blocks", [(0, 48), (1, 0), (0.5, 24)])
def test_sparsity(sparsity, blocks):
    assert len(pruned_weights.pruned_weights((128, 96), 16, sparsity).indices) == blocks


def test_rows_are_unequal():
    lengths = np.diff(pruned_weights.pruned_weights().indptr)
    assert lengths.min() < lengths.max()


def test_is_seeded():
    first, again, other = (pruned_weights.pruned_weights((64, 64), 16, seed=seed) for seed in (0, 0, 1))
    assert (first.toarray() == again.toarray()).all()
    assert (first.toarray() != other.toarray()).any()


@pytest.mark.parametrize("dtype, numpy_dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_values_are_exact_in_their_dtype(dtype, numpy_dtype):
    data = pruned_weights.pruned_weights((64, 64), 16, dtype=dtype).data
    assert data.dtype == np.float32
    assert (data.astype(numpy_dtype).astype(np.float32) == data).all()


def test_command_line_writes_a_file_that_scipy_reads(tmp_path, capsys):
    path = tmp_path / "w.npz"
    assert pruned_weights.main(["--size", "128", "96", "--block", "16", "-o", str(path)]) == 0
    assert "10 stored blocks" in capsys.readouterr().out
    assert sparse.load_npz(path).blocksize == (16, 16)


@pytest.mark.parametrize("arguments, message", [
    (["--size", "100", "64", "-o", "x.npz"], "expected --size of positive multiples of 64, but got [100, 64]"),
    (["--block", "0", "-o", "x.npz"], "expected a positive --block, but got 0"),
    (["--sparsity", "1.5", "-o", "x.npz"], "expected --sparsity from 0 to 1, but got 1.5"),
    (["-o", "x.npy"], "expected the output to end in .npz, but got 'x.npy'"),
])
def test_bad_options(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        pruned_weights.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_unwritable_output(tmp_path, capsys):
    arguments = ["--size", "64", "64", "-o", str(tmp_path / "none" / "w.npz")]
    assert pruned_weights.main(arguments) == 1
    assert "cannot write" in capsys.readouterr().err
