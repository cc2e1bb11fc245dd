"""Calls with PyTorch's tensors from several threads, from forked processes, and from the workers of a DataLoader."""

import concurrent.futures
import multiprocessing
import pickle
import threading

import pytest
import torch

THREADS = 4

# Newer Pythons warn of forking a process that has threads, as PyTorch's DataLoader does.
pytestmark = [pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:Sparse BSR tensor support is in beta state:UserWarning")]


@pytest.fixture
def package(sattn):
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


def operands(length, dim=16):
    generator = torch.Generator().manual_seed(length)
    return [torch.randn(1, 2, length, dim, generator=generator) for _ in range(3)]


def weight(rows=64, columns=64):
    generator = torch.Generator().manual_seed(0)
    kept = torch.kron(torch.rand(rows // 16, columns // 16, generator=generator) < 0.5, torch.ones(16, 16))
    return (torch.randn(rows, columns, generator=generator) * kept).to_sparse_bsr((16, 16))


def attend(package, length):
    mask = package.create_block_mask(lambda b, h, q, kv: (q >= kv) & (q - kv < length // 2), None, None, length, length)
    return package.flex_attention(*operands(length), lambda score, b, h, q, kv: score - (q - kv) / length, block_mask=mask)


def expected_attention(length):
    query, key, value = (array.double() for array in operands(length))
    q, kv = torch.arange(length)[:, None], torch.arange(length)
    score = query @ key.transpose(-1, -2) / 4 - (q - kv) / length
    return torch.softmax(score.masked_fill((q < kv) | (q - kv >= length // 2), -torch.inf), -1) @ value


def assert_right(package, lengths):
    matrix = weight()
    for length in lengths:
        torch.testing.assert_close(attend(package, length).double(), expected_attention(length), rtol=0, atol=1e-5)
        dense = torch.randn(64, length, generator=torch.Generator().manual_seed(1))
        product = package.bsr_dense_addmm(None, matrix, dense, beta=0)
        torch.testing.assert_close(product, matrix.to_dense() @ dense, rtol=1e-4, atol=1e-4)


def test_threads_that_call_the_first_time_at_once(package):
    start = threading.Barrier(THREADS)

    def work(number):
        start.wait()
        assert_right(package, [32 + 16 * number, 48, 33])

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(THREADS)]:
            done.result(timeout=120)
    # Each kind of call was compiled once, whoever came first.
    compilations = package.cache.info().compilations
    assert_right(package, [40, 50])
    assert package.cache.info().compilations == compilations


def test_threads_share_what_is_prepared(package):
    matrix = weight()
    operand, expected = package.prepare(matrix), matrix.to_dense()

    def work(number):
        for columns in (8, 24, 8):
            dense = torch.full((64, columns), float(number + 1))
            torch.testing.assert_close(package.bsr_dense_addmm(None, operand, dense, beta=0), expected @ dense, rtol=1e-4, atol=1e-4)

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(2 * THREADS)]:
            done.result(timeout=120)


def test_grad_mode_of_another_thread(package):
    """A thread's no_grad is its own."""
    query, key, value = operands(32)
    query.requires_grad_()
    with torch.no_grad(), concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert not package.flex_attention(query, key, value).requires_grad
        assert pool.submit(package.flex_attention, query, key, value).result(timeout=60).requires_grad


def _in_a_child(package, matrix, dense, lengths, queue):
    try:
        product = package.bsr_dense_addmm(None, matrix, dense, beta=0)
        queue.put([product.numpy(), *(attend(package, length).numpy() for length in lengths)])
    except BaseException as error:
        queue.put(repr(error))


@pytest.mark.parametrize("warm", [False, True])
def test_a_forked_process(package, warm):
    """It runs what its parent has compiled, and compiles more itself. PyTorch's own products hang there."""
    lengths, matrix, dense = [64, 80], weight(), torch.ones(64, 8)
    if warm:
        assert_right(package, lengths[:1])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_child, args=(package, matrix, dense, lengths, queue))
    child.start()
    try:
        product, *attended = queue.get(timeout=120)
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
    torch.testing.assert_close(torch.from_numpy(product), matrix.to_dense() @ dense, rtol=1e-4, atol=1e-4)
    for length, out in zip(lengths, attended, strict=True):
        torch.testing.assert_close(torch.from_numpy(out).double(), expected_attention(length), rtol=0, atol=1e-5)
    assert_right(package, lengths[:1])


class Attended(torch.utils.data.Dataset):
    """A data set whose elements sattn computes."""

    def __init__(self, package):
        self.attend = package.flex_attention

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.attend(*operands(32 + index))[0, 0, :32]


def test_workers_of_a_data_loader(package):
    alone = torch.stack([Attended(package)[index] for index in range(4)])
    loader = torch.utils.data.DataLoader(Attended(package), batch_size=2, num_workers=2, multiprocessing_context="fork", timeout=120)
    assert torch.equal(torch.cat(list(loader)), alone)


def test_a_block_mask_and_an_operand_are_pickled(package):
    operand = pickle.loads(pickle.dumps(package.prepare(weight())))
    dense = torch.ones(64, 8)
    torch.testing.assert_close(package.bsr_dense_addmm(None, operand, dense, beta=0), weight().to_dense() @ dense, rtol=1e-4, atol=1e-4)
    table = torch.arange(40) // 9
    mask = package.create_block_mask(lambda b, h, q, kv: table[q] == table[kv], None, None, 40, 40, BLOCK_SIZE=16)
    lists = pickle.loads(pickle.dumps(mask.as_tuple()[2:6]))
    assert all(torch.equal(one, other) for one, other in zip(lists, mask.as_tuple()[2:6]))
