"""docs/Troubleshooting.md: the messages that it quotes are those that its problems raise."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "Troubleshooting.md").read_text()
SOURCE = (ROOT / "examples" / "bsr_addmm.mlir").read_text()


def bsr(sattn, block=32):
    return sattn.to_bsr(np.ones((256, 128), np.float32), block)


def short_capture(sattn, q, k, v):
    d = np.zeros(32, np.int32)
    mask = sattn.create_block_mask(lambda b, h, q_idx, kv_idx: d[q_idx] == d[kv_idx], None, None, 64, 64)
    sattn.flex_attention(q, k, v, block_mask=mask)


def shared_out(sattn, x):
    memory = np.zeros(300, np.float32)
    out = np.lib.stride_tricks.as_strided(memory, (256, 8), (4, 4))
    sattn.bsr_dense_addmm(None, bsr(sattn), x, beta=0, out=out)


def wrong_column(sattn, x):
    crow, col, values = bsr(sattn)
    col = col.copy()
    col[0] = 99
    sattn.bsr_dense_addmm(None, (crow, col, values), x, beta=0)


def blocks_of_10(sattn, _):
    sattn.bsr_dense_addmm(None, sattn.to_bsr(np.eye(30, dtype=np.float32), 10), np.ones((30, 8), np.float32), beta=0)


# Problem: the call of sattn and the dense operand or query, key and value that has it, and what the page quotes.
PRODUCTS = {
    "dtype": (lambda sattn, x: sattn.bsr_dense_addmm(None, bsr(sattn), x.astype(np.float64), beta=0),
              "argument 'dense': expected elements of f32, but got float64"),
    "block": (blocks_of_10, "argument 'bsr': expected blocks of positive multiples of 8, but got 10 x 10"),
    "rows": (lambda sattn, x: sattn.bsr_dense_addmm(None, bsr(sattn), x[:100], beta=0),
             "argument 'dense': expected rows for whole blocks of 32 columns of bsr, but got 100"),
    "column": (wrong_column, "argument 'col': expected block columns in [0, 4), but got 99 at [0]"),
    "out": (shared_out, "argument 'out': expected every element to have memory of its own"),
}


def causal_of_128(sattn, q, k, v):
    mask = sattn.create_block_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 128, 128)
    sattn.flex_attention(q, k, v, block_mask=mask)


class State:
    count = 1


def changes_a_state(sattn, q, k, v):
    state = State()

    def counted(b, h, q_idx, kv_idx):
        state.count = 2
        return q_idx >= kv_idx
    sattn.flex_attention(q, k, v, block_mask=sattn.create_block_mask(counted, None, None, 64, 64))


ATTENTION = {
    "branch": (lambda sattn, *qkv: sattn.flex_attention(*qkv, lambda score, b, h, q_idx, kv_idx: score if score else 0),
               "expected operations on elements, which have no value yet"),
    "or": (lambda sattn, *qkv: sattn.flex_attention(*qkv, lambda score, b, h, q_idx, kv_idx: (q_idx or kv_idx) * score),
           "(where, logical_and, &, | or minimum), but got bool()"),
    "state": (changes_a_state, "expected captured values that each call can read again"),
    "capture": (short_capture, "expected at least 64 elements along dimension 0 of the captured array 'd', which is "
                               "read at q_idx, but got 32"),
    "length": (causal_of_128, "argument 'block_mask': expected a mask of 64 x 64 queries and keys, but got one of "
                              "128 x 128; make another one with create_block_mask"),
    "heads": (lambda sattn, q, k, v: sattn.flex_attention(np.concatenate([q] * 4, 1), k, v),
              "argument 'key': expected 8 heads, as query has, but got 2; with enable_gqa=True heads of query share "
              "one of key and value"),
}


@pytest.mark.parametrize("problem", PRODUCTS)
def test_products(sattn, problem):
    call, message = PRODUCTS[problem]
    with pytest.raises((ValueError, NotImplementedError)) as error:
        call(sattn, np.ones((128, 8), np.float32))
    assert message in str(error.value) and message in PAGE


@pytest.mark.parametrize("problem", ATTENTION)
def test_attention(sattn, problem):
    call, message = ATTENTION[problem]
    with pytest.raises((ValueError, TypeError)) as error:
        call(sattn, *np.ones((3, 1, 2, 64, 32), np.float32))
    assert message in str(error.value) and message in PAGE


def test_hidden_values_and_nan(sattn):
    """The page's claims about NaN: rows without a key, and hidden values in a block with visible ones."""
    query, key, value = np.ones((3, 1, 1, 64, 16), np.float32)
    keep = np.arange(64) % 2 == 0
    value[:, :, ~keep] = np.nan

    def attend(mask_mod, v):
        return sattn.flex_attention(query, key, v, block_mask=sattn.create_block_mask(mask_mod, None, None, 64, 64))
    assert not attend(lambda b, h, q_idx, kv_idx: q_idx + kv_idx < -1, value).any()
    shown = attend(lambda b, h, q_idx, kv_idx: keep[kv_idx], value)
    assert np.isnan(shown).any()
    cleared = np.where(keep[None, None, :, None], value, 0)
    assert not np.isnan(attend(lambda b, h, q_idx, kv_idx: keep[kv_idx], cleared)).any()


def test_causes_of_compilations(package):
    """A captured number may change; one that the function branches on compiles anew."""
    query, key, value = np.ones((3, 1, 1, 64, 16), np.float32)

    def compilations(mask_mod, numbers):
        nonlocal n
        mask = package.create_block_mask(mask_mod, None, None, 64, 64)
        counts = []
        for n in numbers:
            package.flex_attention(query, key, value, block_mask=mask)
            counts.append(package.cache.info().compilations)
        return counts
    n = 0

    def window(b, h, q_idx, kv_idx):
        return (q_idx >= kv_idx) & (q_idx - kv_idx < n)

    def branch(b, h, q_idx, kv_idx):
        return (q_idx >= kv_idx) if n < 10 else (kv_idx < 20)
    first, *others = compilations(window, [3, 5, 9])
    assert others == [first, first]
    first, same, other = compilations(branch, [3, 5, 20])
    assert first == same < other


def run(source, **environment):
    """The output of a process that runs these lines."""
    done = subprocess.run([sys.executable, "-c", source], env=os.environ | environment, capture_output=True, text=True,
                          check=False)
    return done.stdout + done.stderr


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


COMPILE = f"import sattn\nprint(sattn.compile({SOURCE!r}, 'cuda'))"


@pytest.mark.parametrize("environment, message", [
    ({"SATTN_LIBCUDA": ""}, "no CUDA driver: searched for 'libcuda.so.1'"),
    ({"STUB_CUDA_DEVICES": "0"}, "no CUDA device: the driver (CUDA 13.0) finds none"),
    ({"SATTN_LIBCUDA": "old"}, "the CUDA driver is too old: expected one for CUDA 12.0 or later"),
    ({"SATTN_LIBRARIES": "/tmp"}, "expected libsattn_binding.so in /tmp, but found none"),
])
def test_devices(sattn, built_tools, environment, message):
    if environment.get("SATTN_LIBCUDA") == "old":
        environment = {"SATTN_LIBCUDA": str(built_tools.parent / "test" / "stub-libcuda" / "old" / "libcuda.so.1")}
    if environment.get("SATTN_LIBCUDA") == "" and has_driver():
        pytest.skip("this machine has a driver")
    assert message in run(COMPILE, **environment) and message in PAGE


def test_ptxas(sattn, monkeypatch):
    program = sattn.compile(SOURCE, "sm_90a")
    monkeypatch.setenv("SATTN_PTXAS", "/nonexistent")
    message = "expected ptxas at /nonexistent, but found none; it comes with CUDA, or from PyPI as nvidia-cuda-nvcc"
    with pytest.raises(RuntimeError, match=message):
        program.cubin()
    assert message in PAGE


@pytest.mark.parametrize("environment, message", [
    ({"SATTN_CACHE_DIR": "/proc/nothing"}, "disk cache: folder '/proc/nothing': No such file or directory"),
    ({"SATTN_CACHE_BYTES": "abc"},
     "environment variable SATTN_CACHE_BYTES: expected a positive number of bytes, but got 'abc'"),
    ({}, "expected only its owner to have the right to write, but others do"),
])
def test_remarks_of_the_cache(sattn, tmp_path, environment, message):
    if not environment:
        tmp_path.chmod(0o777)
    environment = {"SATTN_CACHE_DIR": str(tmp_path), **environment}
    assert message in run(f"import sattn\nprint(sattn.compile({SOURCE!r}).messages)", **environment) and message in PAGE


@pytest.mark.parametrize("file, message", [
    ("scripts/setup.sh", "this system has no apt-get; ./dev sets up Debian 12 (bookworm)"),
    ("dev", "a compiler that was killed ran out of memory: try SATTN_JOBS=1 ./dev build"),
])
def test_quotes_of_scripts(file, message):
    """Messages that cannot be provoked here stand in the scripts: no apt-get, no memory."""
    assert message in (ROOT / file).read_text() and f"### `{message}`" in PAGE
