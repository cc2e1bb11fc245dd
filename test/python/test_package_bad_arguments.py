"""Broken arguments are refused: the process lives, and nothing but an exception comes of them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shares
from test_package_bsr import matrix

pytest.importorskip("tvm_ffi")

# Random calls.
SEEDS = 250
SCRIPT = Path(__file__).with_name("bad_arguments.py")


def run_random_calls(built_tools, root, tmp_path, *options):
    """In a process of its own, which may end."""
    log = tmp_path / "seed"
    environment = {**os.environ, "SATTN_LIBRARIES": str(built_tools.parent / "lib"), "PYTHONPATH": str(root / "python")}
    seeds = shares.seeds(SEEDS, 5)
    done = subprocess.run([sys.executable, str(SCRIPT), "--log", str(log), f"--first={seeds.start}", f"--seeds={len(seeds)}",
                           *options], env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, f"seed {log.read_text()}{done.stderr}"
    for outcome in ("a result", "TypeError", "ValueError"):
        assert int(done.stdout.split(outcome)[1].split()[0]) >= len(seeds) * 20 // SEEDS, done.stdout


def test_random_calls(built_tools, root, tmp_path):
    run_random_calls(built_tools, root, tmp_path)


@pytest.fixture
def operand():
    (crow, col, values), _ = matrix(np.random.default_rng(0))
    return crow, col, values


@pytest.mark.parametrize("element", ["complex64", "bool", "uint8", "int16"])
def test_element_types_that_have_no_name(sattn, operand, element):
    crow, col, values = operand
    with pytest.raises(ValueError, match="argument 'col': expected"):
        sattn.bsr_dense_addmm(None, (crow, col.astype(element), values), np.zeros((80, 8), np.float32), beta=0)


def test_indices_without_dimensions(sattn, operand):
    crow, col, values = operand
    for call in (sattn.prepare, lambda bsr: sattn.bsr_dense_addmm(None, bsr, np.zeros((80, 8), np.float32), beta=0)):
        with pytest.raises(ValueError, match=r"argument 'col': expected shape \(\*, nnz\), but got \(\)"):
            call((crow, np.array(col[0]), values))
        with pytest.raises(ValueError, match="argument 'crow': expected shape"):
            call((np.array(crow[0]), col, values))


def test_prepare_checks_types_and_every_batch(sattn, operand):
    crow, col, values = operand
    with pytest.raises(ValueError, match="argument 'crow': expected elements of i32 or i64, but got float32"):
        sattn.prepare((crow.astype(np.float32), col, values))
    with pytest.raises(ValueError, match="argument 'col': expected elements of i32, but got int64"):
        sattn.prepare((crow, col.astype(np.int64), values))
    # One col for two batches of crow, of which the second is wrong.
    offsets = np.stack([crow, crow])
    offsets[1, -1] += 1
    with pytest.raises(ValueError, match="argument 'crow': expected offsets in"):
        sattn.prepare((offsets, col[None], np.stack([values, values])))
    with pytest.raises(ValueError, match="argument 'col': expected batches that broadcast"):
        sattn.prepare((np.stack([crow, crow]), np.stack([col, col, col]), np.stack([values, values])))


@pytest.mark.parametrize("batch", [(), (2,), (0,)])
def test_prepares_a_matrix_without_blocks(sattn, batch):
    operand = (np.zeros((*batch, 3), np.int32), np.zeros((*batch, 0), np.int32),
               np.zeros((*batch, 0, 8, 8), np.float32))
    prepared = sattn.prepare(operand)
    result = sattn.bsr_dense_addmm(None, prepared, np.ones((16, 3), np.float32), beta=0)
    assert result.shape == (*batch, 16, 3) and (result == 0).all()
