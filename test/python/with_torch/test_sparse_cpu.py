"""benchmarks/sparse_cpu.py measures its peers, and stops where a product is wrong."""

import numpy as np
import pytest
import torch


@pytest.fixture
def sparse_cpu(root, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import sparse_cpu

    for name, value in {"SIZE": 64, "COLUMNS": 8, "PAUSE": 0, "TIMED": 0.0001}.items():
        monkeypatch.setattr(sparse_cpu, name, value)
    return sparse_cpu


def test_row(sparse_cpu):
    row = sparse_cpu.row_of(np, torch, 16, 50, 2, 1)
    assert set(row["over"]) == {"scipy_bsr", "scipy_csr", "torch_bsr", "torch_csr", "numpy"}
    assert row["m"] == row["k"] == 64 and row["n"] == 8 and row["sparsity"] == 0.5
    assert row["gflops"] == pytest.approx(2 * 8 * 16 * 16 * 8 / row["ms"]["sattn"] / 1e6)


def test_stored_blocks(sparse_cpu):
    crow, col, values = sparse_cpu.matrix_of(np, 16, 75)
    assert crow[-1] == len(col) == len(values) == 4 and values.shape[1:] == (16, 16) and col.max() < 4


def test_wrong_product(sparse_cpu, monkeypatch):
    candidates = sparse_cpu.candidates
    monkeypatch.setattr(sparse_cpu, "candidates",
                        lambda *given: {**candidates(*given), "scipy_bsr": lambda: np.zeros((64, 8))})
    with pytest.raises(SystemExit, match="scipy_bsr, blocks of 16: off by"):
        sparse_cpu.row_of(np, torch, 16, 50, 1, 1)
