"""examples/fem_stiffness.py: what its matrix promises."""

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse as sparse

import fem_stiffness


@pytest.fixture(scope="module")
def matrix():
    return fem_stiffness.fem_stiffness(nodes=400, block=16)


def test_is_symmetric(matrix):
    assert abs(matrix - matrix.T).max() == 0


def test_rows_have_unequal_length(matrix):
    lengths = np.diff(matrix.indptr)
    assert len(np.unique(lengths[lengths > 0])) >= 3


def test_first_block_rows_are_empty(matrix):
    lengths = np.diff(matrix.indptr)
    empty = np.count_nonzero(lengths == 0)
    assert empty >= 1
    assert (lengths[:empty] == 0).all()
    assert (lengths[empty:] > 0).all()


@pytest.mark.parametrize("block", [8, 16, 64, 128])
def test_has_whole_blocks_and_an_empty_block_row(block):
    matrix = fem_stiffness.fem_stiffness(nodes=64, block=block)
    assert matrix.blocksize == (block, block)
    assert matrix.shape[0] == matrix.shape[1]
    assert matrix.shape[0] % block == 0
    assert 0 in np.diff(matrix.indptr)
    assert matrix.has_sorted_indices


def test_is_a_stiffness_matrix(matrix):
    """Positive on the free unknowns, zero on the others."""
    dense = matrix.toarray().astype(np.float64)
    used = np.flatnonzero(dense.any(axis=1))
    smallest = np.linalg.eigvalsh(dense[np.ix_(used, used)])[0]
    assert smallest > 1e-4
    assert np.count_nonzero(dense.any(axis=1)) < len(dense)


def test_rigid_motions_are_free_of_forces():
    points, tetrahedra = fem_stiffness.box_mesh(200, seed=3)
    stiffness = fem_stiffness.stiffness(points, tetrahedra)
    shift = np.tile([1.0, -2.0, 0.5], len(points))
    turn = np.cross([0.3, 0.2, -1.0], points).ravel()
    for motion in [shift, turn]:
        assert np.abs(stiffness @ motion).max() < 1e-10 * abs(stiffness).max()


def test_mesh_fills_the_box():
    points, tetrahedra = fem_stiffness.box_mesh(200, seed=3)
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    assert np.abs(np.linalg.det(edges)).sum() / 6 == pytest.approx(3.0, rel=1e-3)


def test_is_seeded(matrix):
    again = fem_stiffness.fem_stiffness(nodes=400, block=16)
    other = fem_stiffness.fem_stiffness(nodes=400, block=16, seed=1)
    assert abs(again - matrix).max() == 0
    assert abs(other.toarray() - matrix.toarray()).max() > 0 if other.shape == matrix.shape else True


@pytest.mark.parametrize("dtype, numpy_dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_values_are_exact_in_their_dtype(dtype, numpy_dtype):
    data = fem_stiffness.fem_stiffness(nodes=64, block=16, dtype=dtype).data
    assert data.dtype == np.float32
    assert (data.astype(numpy_dtype).astype(np.float32) == data).all()
    assert np.abs(data).max() == 1


def test_command_line_writes_a_file_that_scipy_reads(tmp_path, capsys):
    path = tmp_path / "k.npz"
    assert fem_stiffness.main(["--n", "64", "--block", "16", "-o", str(path)]) == 0
    assert "empty block rows" in capsys.readouterr().out
    matrix = sparse.load_npz(path)
    assert matrix.format == "bsr"
    assert matrix.blocksize == (16, 16)


@pytest.mark.parametrize("arguments, message", [
    (["--n", "1", "-o", "x.npz"], "expected --n of at least 8, but got 1"),
    (["--block", "0", "-o", "x.npz"], "expected a positive --block, but got 0"),
    (["-o", "x.npy"], "expected the output to end in .npz, but got 'x.npy'"),
])
def test_bad_options(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        fem_stiffness.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_unwritable_output(tmp_path, capsys):
    assert fem_stiffness.main(["--n", "27", "-o", str(tmp_path / "none" / "k.npz")]) == 1
    assert "cannot write" in capsys.readouterr().err
