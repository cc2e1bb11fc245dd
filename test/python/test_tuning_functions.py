"""sattn.tuning: PyTorch's functions for tuned parameters, by their rules, with arrays of NumPy."""

import fcntl
import json
import threading

import numpy as np
import pytest

from conftest import forget

pytest.importorskip("tvm_ffi")

A100, PCIE, H200 = "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB", "NVIDIA H200"
KEY = 192, 192, 256, 64, 64, True, False, True
BF16 = 0, "bf16", 0.56
SHIPPED = {"GROUP_SIZE_ROW": 1, "SPLIT_N": 4, "num_stages": 4, "num_warps": 4}
ROW = 3, 2, 5, 8
NAMED = dict(zip(SHIPPED, ROW))


def written(path):
    """{(op, device, dtype, sparsity): (parameters, {key: values})} of a table's file."""
    return {(each["op"], each["device"], each["dtype"], each["sparsity"]):
            (each["parameters"], {tuple(key): tuple(values) for key, values in each["rows"]})
            for each in json.loads(path.read_text())["sections"]}


def test_a_row_of_the_shipped_table(tuning):
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == SHIPPED
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16, exact=True) == SHIPPED
    # Neither another sparsity, nor another type, version or key.
    for key, version in [(KEY, (0, "bf16", 0.5)), (KEY, (0, "f64", 0.56)), (KEY, (1, "bf16", 0.56)),
                         (KEY, (0, ("bf16", "f32"), 0.56)), ((*KEY[:2], 1024, *KEY[3:]), BF16)]:
        assert tuning.get_meta("bsr_dense_addmm", key, A100, version) is None


@pytest.mark.parametrize("dtype", ["bf16", "bfloat16", ("bf16", "bf16")])
def test_names_of_types(tuning, dtype):
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, (0, dtype, 0.56)) == SHIPPED


@pytest.mark.parametrize("dtype", ["float16", np.float16, np.dtype("float16")])
def test_types_of_numpy(tuning, dtype):
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, (0, dtype, 0.56)) == {**SHIPPED, "num_stages": 3}


def test_devices_of_a_family(tuning):
    assert tuning.get_meta("bsr_dense_addmm", KEY, PCIE, BF16) == SHIPPED
    assert tuning.get_meta("bsr_dense_addmm", KEY, PCIE, BF16, exact=True) is None
    for other in (H200, "NVIDIA A1000", "cpu"):
        assert tuning.get_meta("bsr_dense_addmm", KEY, other, BF16) is None
    # A section of the device's own is the only one, even without the row.
    tuning.update("bsr_dense_addmm", PCIE, BF16, (*KEY[:2], 4096, *KEY[3:]), ROW)
    shipped = tuning.get_meta("bsr_dense_addmm", (*KEY[:2], "*", *KEY[3:]), A100, BF16)
    assert tuning.get_meta("bsr_dense_addmm", (*KEY[:2], "*", *KEY[3:]), PCIE, BF16) == {
        (*KEY[:2], 4096, *KEY[3:]): NAMED, **shipped}


def test_the_device_here(tuning, monkeypatch):
    from sattn._tuning import rows

    name = rows.libraries.binding().device_name(0)
    assert rows.current_device_name() == name
    tuning.update("bsr_dense_addmm", name, BF16, KEY, ROW)
    assert tuning.get_meta("bsr_dense_addmm", KEY, version=BF16) == NAMED

    def refuse(_):
        raise RuntimeError("no driver")

    monkeypatch.setattr(rows.libraries, "binding", lambda: type("Binding", (), {"device_name": staticmethod(refuse)}))
    assert rows.current_device_name() == "cpu"


def test_places_that_any_number_matches(tuning):
    found = tuning.get_meta("bsr_dense_addmm", (*KEY[:2], "*", *KEY[3:]), A100, BF16)
    assert list(found) == [KEY, (*KEY[:2], 512, *KEY[3:])] and found[KEY] == SHIPPED
    everything = tuning.get_meta("bsr_dense_addmm", ["*"] * 8, A100, BF16)
    assert len(everything) == 4 and list(everything) == sorted(everything)
    assert tuning.get_meta("bsr_dense_addmm", (7, *["*"] * 7), A100, BF16) is None


def test_what_is_no_row(tuning):
    with pytest.raises(NotImplementedError, match="argument 'op': expected an op that tables have rows of, but got 'gemm'"):
        tuning.get_meta("gemm", KEY, A100)
    with pytest.raises(ValueError, match=r"argument 'key': expected a key \(M, K, N, BM, BK, .*\), but got 5 numbers"):
        tuning.get_meta("bsr_dense_addmm", KEY[:5], A100)
    with pytest.raises(ValueError, match=r"argument 'version': expected \(number, dtype, sparsity\), but got 0"):
        tuning.get_meta("bsr_dense_addmm", KEY, A100, 0)
    with pytest.raises(ValueError, match="argument 'dtype': expected one of f16, bf16, .*, but got 'f15'"):
        tuning.get_meta("bsr_dense_addmm", KEY, A100, (0, "f15", 0.5))


def test_update_sets_a_row(tuning):
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == NAMED
    assert tuning.get_meta("bsr_dense_addmm", KEY, PCIE, BF16) == NAMED
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, dict(reversed(SHIPPED.items())))
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == SHIPPED
    tuning.update("scatter_mm", "cpu", (0, np.float32, 0.5), (64, 64, 32, 16, 16), (1, 2, 16, 16, 3, 4))
    assert tuning.get_meta("scatter_mm", (64, 64, 32, 16, 16), "cpu", (0, "f32", 0.5)) == {
        "GROUP_SIZE": 1, "SPLIT_N": 2, "TILE_M": 16, "TILE_N": 16, "num_stages": 3, "num_warps": 4}


def test_a_tile_is_one_parameter(tuning):
    meta = {"tile": (64, 128, 32), "stages": 3}
    tuning.update("bsr_addmm", H200, BF16, KEY, meta)
    assert tuning.get_meta("bsr_dense_addmm", KEY, H200, BF16) == meta


def test_update_changes_nothing_that_is_set(tuning, monkeypatch, sattn):
    changes = []
    search_first = sattn._call.cache.search_first
    monkeypatch.setattr(sattn._call.cache, "search_first", lambda text: (changes.append(text), search_first(text)))
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    assert len(changes) == 1
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, NAMED)
    assert len(changes) == 1
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, {**NAMED, "num_warps": 4})
    assert len(changes) == 2


def test_rows_that_cannot_be(tuning):
    with pytest.raises(ValueError, match=r"expected SPLIT_N to divide N = 256, but got 3"):
        tuning.update("bsr_dense_addmm", A100, BF16, KEY, (1, 3, 1, 1))
    with pytest.raises(ValueError, match=r"expected a dict, or 4 numbers \(GROUP_SIZE_ROW, .*\), but got \(1, 3\)"):
        tuning.update("bsr_dense_addmm", A100, BF16, KEY, (1, 3))
    with pytest.raises(ValueError, match="expected parameters out of .*, but got colour"):
        tuning.update("bsr_dense_addmm", A100, BF16, KEY, {"SPLIT_N": 1, "colour": 1})
    with pytest.warns(RuntimeWarning, match="expected parameters of bsr_dense_addmm .*, but got none; the row is left out"):
        tuning.update("bsr_dense_addmm", A100, BF16, KEY, {})
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == SHIPPED
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    with pytest.raises(ValueError, match="expected rows of GROUP_SIZE_ROW, .*, but got rows of SPLIT_N"):
        tuning.update("bsr_dense_addmm", A100, BF16, KEY, {"SPLIT_N": 4})
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == NAMED


def test_calls_take_a_row_at_once(tuning, sattn):
    from sattn._ops.bsr_addmm import BsrAddmm

    name = sattn._native.libraries.binding().device_name(0)
    source = BsrAddmm(dtype="bf16", out="bf16", block=(64, 64), beta=0.0)

    def chosen():
        return sattn._call.cache.chosen(source, 0, (192, 256, 192), 4)

    before = chosen()
    tuning.update("bsr_dense_addmm", name, BF16, KEY, {**NAMED, "SPLIT_N": 4})
    assert chosen() != before and "tile = [64, 64, " in chosen()


def test_dump_writes_the_users_table(tuning, sattn, tmp_path, monkeypatch):
    path = tmp_path / "sattn" / "meta-table.json"
    tuning.dump()
    assert not path.parent.exists()
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    tuning.update("bsr_dense_addmm", A100, (0, ("bf16", "f32"), 0.5), KEY, ROW)
    assert not path.exists()
    tuning.dump()
    assert written(path) == {
        ("bsr_addmm", A100, "bf16", 0.56): (list(SHIPPED), {KEY: ROW}),
        ("bsr_addmm", A100, "bf16", 0.5): (list(SHIPPED), {KEY: ROW})}
    forget(sattn)
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == NAMED
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, (0, ("bf16", "f32"), 0.5)) == NAMED
    # The file that the variable names comes first.
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, SHIPPED)
    tuning.dump(tmp_path / "other.json")
    forget(sattn)
    monkeypatch.setenv("SATTN_META_TABLE", str(tmp_path / "other.json"))
    assert tuning.get_meta("bsr_dense_addmm", KEY, A100, BF16) == SHIPPED


def test_dump_keeps_other_rows(tuning, sattn, tmp_path):
    path = tmp_path / "table.json"
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    tuning.update("scatter_mm", "cpu", (0, "f32", 0.5), (64, 64, 32, 16, 16), (1, 2, 16, 16, 3, 4))
    tuning.dump(path)
    text, state = path.read_text(), path.stat()
    tuning.dump(path)
    assert path.stat().st_ino == state.st_ino and path.stat().st_mtime_ns == state.st_mtime_ns
    forget(sattn)
    other = (*KEY[:2], 512, *KEY[3:])
    # The same parameters in another order are the section's.
    tuning.update("bsr_dense_addmm", A100, BF16, other, {"num_warps": 2, **{name: NAMED[name] for name in list(NAMED)[:3]}})
    tuning.dump(path)
    sections = written(path)
    assert sections["bsr_addmm", A100, "bf16", 0.56] == (list(SHIPPED), {KEY: ROW, other: (3, 2, 5, 2)})
    assert len(sections) == 2 and path.read_text() != text
    assert {each.name for each in tmp_path.iterdir()} >= {"table.json", "table.json.lock"}
    assert not (tmp_path / "table.json.new").exists()


def test_dump_leaves_what_it_cannot_merge(tuning, sattn, tmp_path, monkeypatch):
    path = tmp_path / "table.json"
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, {"SPLIT_N": 4})
    path.write_text("{")
    with pytest.raises(ValueError, match="meta table '.*table.json': expected JSON"):
        tuning.dump(path)
    assert path.read_text() == "{"
    path.unlink()
    tuning.dump(path)
    before = path.read_text()
    forget(sattn)
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    with pytest.raises(ValueError, match="expected rows of SPLIT_N, .* but got rows of GROUP_SIZE_ROW"):
        tuning.dump(path)
    assert path.read_text() == before
    forget(sattn)
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, {"SPLIT_N": 2})

    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        tuning.dump(path)
    assert path.read_text() == before and not (tmp_path / "table.json.new").exists()


def test_dump_waits_for_the_lock(tuning, tmp_path):
    path = tmp_path / "table.json"
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer = threading.Thread(target=tuning.dump, args=(path,))
        writer.start()
        writer.join(timeout=0.2)
        assert writer.is_alive() and not path.exists()
    writer.join()
    assert written(path)["bsr_addmm", A100, "bf16", 0.56][1] == {KEY: ROW}


def test_there_is_no_users_table(tuning, monkeypatch):
    tuning.update("bsr_dense_addmm", A100, BF16, KEY, ROW)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME", raising=False)
    with pytest.raises(RuntimeError, match="expected XDG_CONFIG_HOME or HOME to be set"):
        tuning.dump()


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_blocked_tensors(tuning, batches):
    np.random.seed(0)
    matrix = tuning.create_blocked_tensor(batches, 96, 64, (16, 32), 0.7, "f16", "cpu")
    assert matrix.shape == (*[batches] * (batches > 0), 96, 64) and matrix.dtype == np.float16
    for each in matrix.reshape(-1, 96, 64):
        blocks = each.reshape(6, 16, 2, 32).transpose(0, 2, 1, 3).reshape(12, -1)
        assert sorted(map(set, blocks.tolist()), key=sorted) == [{0.0}] * 9 + [{1.0}] * 3  # int(0.3 * 12)
    again = tuning.create_blocked_tensor(batches, 96, 64, (16, 32), 0.7, np.float16, "cpu")
    np.random.seed(0)
    assert (again != matrix).any()
    assert (tuning.create_blocked_tensor(batches, 96, 64, (16, 32), 0.7, "float16", "cpu") == matrix).all()


@pytest.mark.parametrize("sparsity, stored", [(0, 1), (1, 0)])
def test_blocked_tensors_of_one_kind(tuning, sparsity, stored):
    assert (tuning.create_blocked_tensor(0, 32, 32, (16, 16), sparsity, "bf16", "cpu").astype(np.float32) == stored).all()


@pytest.mark.parametrize("sizes, sparsity, message", [
    ((32, 32, (16, 16)), 1.5, "argument 'sparsity': expected a number from 0 to 1, but got 1.5"),
    ((40, 32, (16, 16)), 0.5, "argument 'M': expected a multiple of 16, the size of a block, but got 40"),
    ((32, 33, (16, 16)), 0.5, "argument 'N': expected a multiple of 16, the size of a block, but got 33")])
def test_blocked_tensors_that_cannot_be(tuning, sizes, sparsity, message):
    with pytest.raises(ValueError, match=message):
        tuning.create_blocked_tensor(0, *sizes, sparsity, "f32", "cpu")
