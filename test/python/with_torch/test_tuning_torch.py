"""sattn.tuning with PyTorch's types and tensors, on the CPU."""

import pytest
import torch


KEY = 192, 192, 256, 64, 64, True, False, True
SHIPPED = {"GROUP_SIZE_ROW": 1, "SPLIT_N": 4, "num_stages": 4, "num_warps": 4}


@pytest.mark.parametrize("dtype", [torch.bfloat16, (torch.bfloat16, torch.bfloat16)])
def test_versions_have_types_of_pytorch(tuning, dtype):
    assert tuning.get_meta("bsr_dense_addmm", KEY, "NVIDIA A100-SXM4-80GB", version=(0, dtype, 0.56)) == SHIPPED
    tuning.update("bsr_dense_addmm", "NVIDIA H200", (0, torch.float16, 0.5), KEY, (1, 2, 3, 4))
    assert tuning.get_meta("bsr_dense_addmm", KEY, "NVIDIA H200", (0, "f16", 0.5)) == dict(zip(SHIPPED, (1, 2, 3, 4)))
    tuning.dump()


def test_the_device_without_cuda(tuning, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    tuning.update("bsr_dense_addmm", "cpu", (0, torch.float32, 0.5), KEY, {"SPLIT_N": 2})
    assert tuning.get_meta("bsr_dense_addmm", KEY, version=(0, torch.float32, 0.5)) == {"SPLIT_N": 2}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_blocked_tensors_are_of_pytorch(tuning, dtype):
    torch.manual_seed(0)
    matrix = tuning.create_blocked_tensor(2, 64, 96, (16, 32), 0.5, dtype, "cpu")
    assert matrix.shape == (2, 64, 96) and matrix.dtype == dtype
    assert matrix.to_sparse_bsr((16, 32)).values().shape == (2, 6, 16, 32)
    assert (tuning.create_blocked_tensor(2, 64, 96, (16, 32), 0.5, dtype, torch.device("cpu")) != matrix).any()
    torch.manual_seed(0)
    assert (tuning.create_blocked_tensor(2, 64, 96, (16, 32), 0.5, dtype, "cpu") == matrix).all()


def test_tunes_a_product_of_tensors(tuning, monkeypatch):
    from sattn._tuning import products

    times, seen = {1: 4.0, 2: 1.0, 4: 2.0, 8: 5.0}, []
    own = products.bsr_dense_addmm

    def product(*arguments, meta, **options):
        seen.append(meta["SPLIT_N"])
        return own(*arguments, meta=meta, **options)

    def milliseconds(call, on_gpu):
        call()
        return times[seen[-1]]

    monkeypatch.setattr(products, "bsr_dense_addmm", product)
    monkeypatch.setattr(products.timing, "milliseconds", milliseconds)
    tuning.optimize_bsr_dense_addmm(64, 64, 128, 16, 16, dtype=torch.float32, device="cpu")
    version = 0, torch.float32, 0.5
    assert tuning.get_meta("bsr_dense_addmm", (64, 64, 128, 16, 16, False, True, True), "cpu", version) == {"SPLIT_N": 2}
    # Tensors that require gradients are timed as others are.
    bsr = tuning.create_blocked_tensor(0, 64, 64, (16, 16), 0.25, torch.float32, "cpu").to_sparse_bsr((16, 16))
    dense = torch.randn(64, 128, requires_grad=True)
    meta = tuning.tune_bsr_dense_addmm(torch.zeros(64, 128), bsr, dense)
    assert meta == {"SPLIT_N": 2} and dense.grad is None
    tuning.optimize_scatter_mm(64, 64, 128, 16, 16, dtype=torch.float32, device="cpu", force=True)
