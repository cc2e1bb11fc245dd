"""sattn.torch with PyTorch on the CPU. test/gpu/test_package_enable.py: on CUDA."""

import os
import subprocess
import sys
import threading
import warnings

import pytest
import torch
from torch.sparse import _triton_ops

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
NAMES = ("bsr_dense_mm", "bsr_dense_addmm", "sampled_addmm", "bsr_softmax", "scatter_mm", "bsr_scatter_mm",
         "_scaled_dot_product_attention")


@pytest.fixture
def package(sattn):
    import sattn.torch

    sattn.cache.clear()
    yield sattn.torch
    assert not sattn.torch.is_enabled()
    assert not any(getattr(_triton_ops, name) in sattn.torch.triton_ops._OURS.values() for name in NAMES)
    sattn.cache.clear()


@pytest.fixture
def given():
    torch.manual_seed(0)
    mask = (torch.rand(4, 5) < 0.5).repeat_interleave(16, 0).repeat_interleave(16, 1)
    return torch.randn(64, 24), (torch.randn(64, 80) * mask).to_sparse_bsr((16, 16)), torch.randn(80, 24)


@pytest.fixture
def calls(monkeypatch):
    """Functions in the place of PyTorch's, which need Triton: what they were called with."""
    seen = []

    def replaced(name):
        def function(*arguments, **options):
            seen.append((name, arguments, options))
            if name == "bsr_dense_mm":  # As PyTorch's does.
                bsr, dense = arguments
                return _triton_ops.bsr_dense_addmm(dense.new_empty(bsr.shape[0], dense.shape[1]), bsr, dense, beta=0)
            return "theirs"
        return function
    for name in NAMES:
        monkeypatch.setattr(_triton_ops, name, replaced(name))
    return seen


def near(result, expected, tolerance=1e-4):
    return result.shape == expected.shape and (result - expected).abs().max() < tolerance


def test_functions_are_replaced_and_given_back(package):
    theirs = [getattr(_triton_ops, name) for name in NAMES]
    package.enable()
    assert all(getattr(_triton_ops, name) is not function for name, function in zip(NAMES, theirs))
    package.disable()
    assert [getattr(_triton_ops, name) for name in NAMES] == theirs


def test_nesting(package):
    theirs = _triton_ops.bsr_dense_addmm
    with package.enable():
        ours = _triton_ops.bsr_dense_addmm
        package.enable()
        with package.enable():
            assert _triton_ops.bsr_dense_addmm is ours
        package.disable()
        assert _triton_ops.bsr_dense_addmm is ours and package.is_enabled()
        with pytest.raises(ValueError, match="argument 'strict': expected False, as it is enabled, but got True"):
            package.enable(strict=True)
    assert _triton_ops.bsr_dense_addmm is theirs
    with pytest.raises(ZeroDivisionError), package.enable():
        1 / 0
    with pytest.raises(RuntimeError, match="disable: expected to be called once for each enable"):
        package.disable()


def test_threads(package):
    def work():
        for _ in range(200):
            with package.enable():
                assert package.is_enabled()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_wrapper_of_others_stays(package, given, calls):
    theirs = _triton_ops.bsr_dense_addmm
    package.enable()
    ours = _triton_ops.bsr_dense_addmm
    wrapper = lambda *arguments, **options: ours(*arguments, **options)  # noqa: E731
    _triton_ops.bsr_dense_addmm = wrapper
    assert near(wrapper(*given), given[0] + given[1].to_dense() @ given[2])
    package.disable()
    assert _triton_ops.bsr_dense_addmm is wrapper and wrapper(*given) == "theirs" and len(calls) == 1
    _triton_ops.bsr_dense_addmm = theirs


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_products(package, given, calls, dtype):
    c, bsr, b = (tensor.to(dtype) for tensor in given)
    product = bsr.to_dense().double() @ b.double()
    tolerance = {torch.float64: 1e-10, torch.float32: 1e-3}.get(dtype, 0.5)
    with package.enable():
        assert near(_triton_ops.bsr_dense_mm(bsr, b), product, tolerance)
        out = torch.full_like(c, torch.nan)
        assert _triton_ops.bsr_dense_mm(bsr, b, out=out, skip_checks=True, max_grid=(None, 2, 4)) is out
        assert near(out, product, tolerance)
        left, right = torch.rand(64).to(dtype), torch.rand(24).to(dtype)
        wanted = 0.5 * c.double() + 2 * left.double()[:, None] * product * right.double()
        for scales in ((left, right), (left[:, None], right[None])):
            found = _triton_ops.bsr_dense_addmm(c, bsr, b, beta=0.5, alpha=2, left_alpha=scales[0], right_alpha=scales[1])
            assert near(found, wanted, tolerance)
        assert near(_triton_ops.bsr_dense_addmm(out, bsr, b, beta=1, out=out), 2 * product, tolerance)
        assert package.info() == (5, {})
    assert not calls


def test_operations_on_the_cpu_stay_pytorchs(package, given, calls):
    """PyTorch calls none of its block-sparse functions there, as enable's words and the page say; by name they run here."""
    c, bsr, b = given
    product = bsr.to_dense() @ b
    with package.enable():
        assert near(torch.nn.functional.linear(b.T.contiguous(), bsr), product.T)
        assert near(torch.addmm(c, bsr, b), c + product) and near(bsr @ b, product)
        assert package.info() == (0, {}) and not calls
        assert near(_triton_ops.bsr_dense_addmm(c, bsr, b), c + product)
        assert package.info() == (1, {}) and not calls
    words = " ".join(package.enable.__doc__.split())
    assert "On the CPU they stay PyTorch's: call sattn.linear and sattn.bsr_dense_addmm there." in words


def test_columns_and_strides_that_pytorch_refuses(package, given):
    _, bsr, b = given
    out = torch.empty(64, 30)[:, ::2]
    with package.enable():
        assert _triton_ops.bsr_dense_mm(bsr, b[:, :15], out=out) is out
    assert near(out, bsr.to_dense() @ b[:, :15])


def test_strict_leaves_the_checks_to_pytorch(package, given, calls):
    _, bsr, b = given
    theirs = _triton_ops.bsr_dense_mm
    with package.enable(strict=True):
        assert _triton_ops.bsr_dense_mm is theirs
        assert near(_triton_ops.bsr_dense_mm(bsr, b), bsr.to_dense() @ b)
    assert [name for name, *_ in calls] == ["bsr_dense_mm"]


UNSUPPORTED = {
    "elements are of torch.int32": lambda bsr, b: (bsr.to(torch.int32), b.to(torch.int32)),
    "elements are of torch.int8": lambda bsr, b: (bsr, b.to(torch.int8)),
    "blocks are 4 x 5": lambda bsr, b: (bsr.to_dense().to_sparse_bsr((4, 5)), b),
    "the matrix is no torch.sparse_bsr tensor": lambda bsr, b: (bsr.to_dense().to_sparse_csr(), b)}


@pytest.mark.parametrize("reason", UNSUPPORTED)
def test_what_is_left_to_pytorch(package, given, calls, reason):
    bsr, b = UNSUPPORTED[reason](*given[1:])
    with package.enable():
        with pytest.warns(RuntimeWarning, match=f"sattn.torch: PyTorch's own bsr_dense_mm runs, since {reason}") as seen:
            assert _triton_ops.bsr_dense_mm(bsr, b) == "theirs"
        assert len(seen) == 1 and seen[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert _triton_ops.bsr_dense_mm(bsr, b) == "theirs"
        with pytest.warns(RuntimeWarning, match="PyTorch's own bsr_dense_addmm runs"):
            assert _triton_ops.bsr_dense_addmm(given[0], bsr, b, beta=2) == "theirs"
        assert calls[-1] == ("bsr_dense_addmm", (given[0], bsr, b), {"beta": 2})
        products, left = package.info()
        assert products == 0 and sorted(name for name, _ in left) == ["bsr_dense_addmm", "bsr_dense_mm"]
        assert sorted(left.values()) == [1, 2] and all(why.startswith(reason) for _, why in left)


def test_parameters_that_only_pytorch_takes(package, given, calls):
    c, bsr, b = given
    with package.enable():
        assert near(_triton_ops.bsr_dense_mm(bsr, b, meta={"SPLIT_N": 3}), bsr.to_dense() @ b)
        with pytest.warns(RuntimeWarning, match="since argument 'meta': expected keys out of"):
            assert _triton_ops.bsr_dense_addmm(c, bsr, b, meta={"TILE": 3}) == "theirs"
        with pytest.raises(ValueError, match="argument 'dense': expected 80 rows"):
            _triton_ops.bsr_dense_mm(bsr, b[:64])
    assert len(calls) == 1


def test_without_triton(package, given, monkeypatch):
    monkeypatch.setattr(_triton_ops, "bsr_dense_mm", None)
    with package.enable():
        assert near(_triton_ops.bsr_dense_mm(*given[1:]), given[1].to_dense() @ given[2])
        with pytest.raises(NotImplementedError, match="bsr_dense_mm: elements are of torch.int32, .* Triton is not there"):
            _triton_ops.bsr_dense_mm(given[1].to(torch.int32), given[2].to(torch.int32))
    assert _triton_ops.bsr_dense_mm is None


def test_float32_precision(package, given, monkeypatch):
    """PyTorch's setting for the precision of its matmul holds for ours."""
    from sattn._ops import bsr_mm

    seen = []
    monkeypatch.setattr(bsr_mm, "bsr_dense_mm", lambda *arguments, **options: seen.append(options["precision"]))
    before = torch.get_float32_matmul_precision()
    try:
        with package.enable():
            for precision in ("highest", "high", "medium"):
                torch.set_float32_matmul_precision(precision)
                _triton_ops.bsr_dense_mm(*given[1:])
            _triton_ops.bsr_dense_mm(given[1].half(), given[2].half())
    finally:
        torch.set_float32_matmul_precision(before)
    assert seen == [None, "tf32", "tf32", None]


DISPATCH = """
import importlib.util, warnings
warnings.simplefilter("ignore")
import torch, sattn.torch
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: True if name == "triton" else find(name, *rest)
torch.cuda._register_triton_kernels()
importlib.util.find_spec = find
table = torch._TritonLibrary.ops_table
# The kernels that PyTorch registers for CUDA, for the CPU, too: so the dispatcher calls them here.
for name in ("_triton_bsr_dense_mm_out", "_triton_bsr_dense_addmm_out"):
    torch._TritonLibrary.lib.impl("triton::" + name, table[name, "SparseCsrCUDA"], "SparseCsrCPU")
torch.manual_seed(0)
bsr = torch.randn(32, 48).to_sparse_bsr((16, 16))
b, c, out = torch.randn(48, 16), torch.randn(32, 16), torch.empty(32, 16)
parameter = torch.nn.Parameter(b)
with sattn.torch.enable():
    torch.ops.triton._triton_bsr_dense_mm_out(bsr, b, out=out)
    assert (out - bsr.to_dense() @ b).abs().max() < 1e-3
    torch.ops.triton._triton_bsr_dense_addmm_out(c, bsr, parameter.detach(), beta=0.5, alpha=2, out=out)
    assert (out - 0.5 * c - 2 * bsr.to_dense() @ b).abs().max() < 1e-3
    with torch._C._AutoDispatchBelowAutograd():  # As under operations that record gradients themselves.
        torch.ops.triton._triton_bsr_dense_mm_out(bsr, parameter, out=out)
    assert (out - bsr.to_dense() @ b).abs().max() < 1e-3
print(table["_triton_bsr_dense_mm_out", "SparseCsrCUDA"].kernel_invoked)
"""


def test_dispatch(package, built_tools):
    """PyTorch's kernels for its dispatcher look the functions up at each call."""
    done = subprocess.run([sys.executable, "-c", DISPATCH], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("batches", [((), ()), ((2,), ()), ((), (2, 2)), ((2,), (2, 2))])
@pytest.mark.parametrize("m, n, k", [(32, 16, 48), (0, 16, 48), (32, 0, 48), (32, 16, 0), (0, 0, 0)])
def test_empty_dimensions_and_batches(package, calls, batches, m, n, k):
    torch.manual_seed(0)
    matrix, dense = torch.randn(*batches[0], m, k), torch.randn(*batches[1], k, n)
    with package.enable():
        found = _triton_ops.bsr_dense_mm(matrix.to_sparse_bsr((16, 16)), dense, max_grid=(2, None, 4))
        wanted = matrix @ dense
        assert found.shape == wanted.shape and torch.allclose(found, wanted, atol=1e-3)
        c = torch.randn(wanted.shape)
        found = _triton_ops.bsr_dense_addmm(c, matrix.to_sparse_bsr((16, 16)), dense, beta=2, alpha=0.5)
        assert torch.allclose(found, 2 * c + 0.5 * wanted, atol=1e-3)
    assert not calls


def test_the_other_functions(package, given, calls):
    c, bsr, b = given
    mask = bsr.to_dense() != 0
    a, other = torch.randn(64, 24), torch.randn(24, 80)
    wanted = torch.where(mask, 0.5 * bsr.to_dense() + 2 * (a @ other), 0)
    visible = (torch.rand(4, 5) < 0.7).index_fill(1, torch.tensor([0]), True)
    visible = visible.repeat_interleave(16, 0).repeat_interleave(16, 1)
    key, value = torch.randn(80, 24), torch.randn(80, 40)
    with package.enable():
        product = _triton_ops.sampled_addmm(bsr, a, other, beta=0.5, alpha=2, skip_checks=True, max_grid=(1, None, 2))
        assert product.layout == torch.sparse_bsr and near(product.to_dense(), wanted, 1e-3)
        out = torch.sparse_bsr_tensor(bsr.crow_indices(), bsr.col_indices(), torch.empty_like(bsr.values()), bsr.shape)
        assert _triton_ops.sampled_addmm(bsr, a, other, beta=0.5, alpha=2, out=out) is out
        assert near(out.to_dense(), wanted, 1e-3)
        stored = (wanted != 0).to(torch.float32).to_sparse_bsr((16, 16)).to(torch.bool)
        product = _triton_ops.sampled_addmm(stored, a, other, beta=0.0)
        assert near(product.to_dense(), torch.where(mask, a @ other, 0), 1e-3)
        weights = _triton_ops.bsr_softmax(bsr, max_row_nnz=80)
        assert near(weights.to_dense(), torch.softmax(bsr.to_dense().masked_fill(~mask, -torch.inf), -1).nan_to_num(0))
        odd = torch.randn(6, 10).to_sparse_bsr((3, 5))
        assert near(_triton_ops.bsr_softmax(odd).to_dense(), torch.softmax(odd.to_dense(), -1))
        found = _triton_ops._scaled_dot_product_attention(a, key, value, visible.to_sparse_bsr((16, 16)), scale=0.25)
        scores = (0.25 * a @ key.T).masked_fill(~visible, -torch.inf)
        assert near(found, torch.softmax(scores, -1) @ value, 1e-3)
        assert package.info() == (6, {})
        with pytest.warns(RuntimeWarning, match="PyTorch's own bsr_softmax runs, since elements are of torch.int32"):
            assert _triton_ops.bsr_softmax(bsr.to(torch.int32)) == "theirs"
        with pytest.raises(ValueError, match="argument 'is_causal': expected False"):
            _triton_ops._scaled_dot_product_attention(a, key, value, visible.to_sparse_bsr((16, 16)), is_causal=True)
    assert [name for name, *_ in calls] == ["bsr_softmax"]


def test_scattered_products(package, sattn, given, calls):
    _, bsr, b = given
    odd = torch.randn(6, 10).to_sparse_bsr((3, 5))
    with package.enable():
        for format in ("scatter_mm", "bsr_strided_mm", "bsr_strided_mm_compressed"):
            indices_data = sattn.bsr_scatter_mm_indices_data(bsr, b[:, :16], format)
            assert near(_triton_ops.bsr_scatter_mm(bsr, b[:, :16], indices_data), bsr.to_dense() @ b[:, :16])
            accumulators = torch.zeros(64, 16)
            others = b[:, :16].contiguous()
            if format == "scatter_mm":
                others, accumulators = others.view(5, 16, 16), accumulators.view(4, 16, 16)
            assert _triton_ops.scatter_mm(bsr.values(), others, indices_data, accumulators=accumulators) is accumulators
            assert near(accumulators.view(64, 16), bsr.to_dense() @ b[:, :16])
        out = torch.empty(6, 7)
        assert _triton_ops.bsr_scatter_mm(odd, b[:10, :7], out=out) is out and near(out, odd.to_dense() @ b[:10, :7])
        assert package.info() == (7, {})
        with pytest.warns(RuntimeWarning, match="PyTorch's own scatter_mm runs, since elements are of torch.int32"):
            assert _triton_ops.scatter_mm(bsr.values().to(torch.int32), b.to(torch.int32), ("scatter_mm",)) == "theirs"
    assert [name for name, *_ in calls] == ["scatter_mm"]


def test_strict_leaves_the_checks_of_attention_to_pytorch(package, calls):
    theirs = _triton_ops._scaled_dot_product_attention
    with package.enable(strict=True):
        assert _triton_ops._scaled_dot_product_attention is theirs
        assert _triton_ops.sampled_addmm is package.triton_ops._OURS["sampled_addmm"]
    assert not calls
