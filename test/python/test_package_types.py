"""Arguments of other kinds than those expected, and arrays that do not lie in memory as they should: each is named."""

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")
from test_package_bsr import matrix  # noqa: E402

TEXT = "func.func @f(%a: memref<4xf32>) { return }"


@pytest.mark.parametrize("source", [5, None, ["a"], 1.5, bytearray(b"x"), object()])
def test_sources_of_other_types(sattn, source):
    with pytest.raises(TypeError, match=f"argument 'source': expected text or bytecode of MLIR, but got "
                                        f"{type(source).__name__}"):
        sattn.compile(source)


@pytest.mark.parametrize("source", [b"\xff\xfe\x00", b"func.func @\xe4() { return }"])
def test_bytes_that_are_no_text(sattn, source):
    with pytest.raises(TypeError, match="argument 'source': expected text in UTF-8 or bytecode of MLIR, but got bytes"):
        sattn.compile(source)


def test_surrogates(sattn):
    with pytest.raises(ValueError, match="argument 'source': expected text, but got '.udcff' at 3"):
        sattn.compile("// \udcff\n" + TEXT)


@pytest.mark.parametrize("name", ["target", "entry", "options"])
@pytest.mark.parametrize("value", [5, b"cpu", ["cpu"]])
def test_options_that_are_no_text(sattn, name, value):
    with pytest.raises(TypeError, match=f"argument '{name}': expected a str, but got {type(value).__name__}"):
        sattn.compile(TEXT, **{name: value})


def test_options_with_the_character_0(sattn):
    with pytest.raises(ValueError, match="argument 'target': expected text without the character 0"):
        sattn.compile(TEXT, "cpu\0x")


@pytest.mark.parametrize("name", ["threads", "device"])
def test_options_that_are_no_integers(sattn, name):
    with pytest.raises(TypeError, match=f"argument '{name}': expected an integer, but got str"):
        sattn.compile(TEXT, **{name: "1"})
    with pytest.raises(ValueError, match=f"argument '{name}': expected an integer of 64 bits"):
        sattn.compile(TEXT, **{name: 2**63})


@pytest.mark.parametrize("arguments, name", [((5, b""), "manifest"), (("{}", 5), "image"),
                                             (("{}", b"", "0"), "device")])
def test_load_with_other_types(sattn, arguments, name):
    with pytest.raises(TypeError, match=f"argument '{name}': expected "):
        sattn.load(*arguments)


@pytest.mark.parametrize("meta", [5, "tile", [("tile", (16, 16, 16))], {1, 2}])
def test_parameters_of_other_types(sattn, meta):
    bsr, _ = matrix(np.random.default_rng(0))
    with pytest.raises(TypeError, match=f"argument 'meta': expected a dict, but got {type(meta).__name__}"):
        sattn.bsr_dense_addmm(None, bsr, np.zeros((80, 8), np.float32), beta=0, meta=meta)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "lil", "dok"])
def test_other_formats_of_scipy(sattn, form):
    for make in (scipy.sparse.eye_array, scipy.sparse.eye):
        with pytest.raises(TypeError, match=rf"but got {form}; use \.tobsr\(blocksize=\(BM, BK\)\)"):
            sattn.prepare(make(32).asformat(form))


@pytest.mark.parametrize("count", [0, 2, 4])
def test_tuples_of_other_sizes(sattn, count):
    with pytest.raises(TypeError, match=rf"expected .*\(crow, col, values\), but got a tuple of {count} members"):
        sattn.prepare((np.zeros(1),) * count)


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    result = memory[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def with_odd_stride(array):
    """The same numbers as a field of records of 6 bytes."""
    records = np.zeros(array.shape, np.dtype({"names": ["x"], "formats": [array.dtype], "offsets": [0],
                                              "itemsize": array.itemsize + 2}))
    records["x"] = array
    return records["x"]


NAMES = ["dense", "input", "left_alpha", "right_alpha", "out", "crow", "col", "bsr"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change, error, message", [
    (unaligned, ValueError, "expected data aligned to the 4 bytes of (float|int)32, but got an address"),
    (with_odd_stride, ValueError, r"expected strides of multiples of the 4 bytes of \w+, but got \("),
    (np.ma.masked_array, TypeError, "expected an array without a mask, but got a MaskedArray; use filled"),
    (lambda a: a.astype(a.dtype.newbyteorder(">")), ValueError, "expected elements of .*, but got >")])
def test_arrays_that_do_not_lie_as_they_should(sattn, name, change, error, message):
    (crow, col, values), _ = matrix(np.random.default_rng(0))
    given = {"dense": np.zeros((80, 8), np.float32), "input": np.zeros((64, 8), np.float32),
             "left_alpha": np.ones(64, np.float32), "right_alpha": np.ones(8, np.float32),
             "out": np.zeros((64, 8), np.float32), "crow": crow, "col": col, "bsr": values}
    given[name] = change(given[name])
    operand = tuple(given.pop(part) for part in ("crow", "col", "bsr"))
    calls = [lambda: sattn.bsr_dense_addmm(bsr=operand, **given)]
    if name not in given:
        calls.append(lambda: sattn.prepare(operand))
    for call in calls:
        with pytest.raises(error, match=f"argument '{name}': {message}"):
            call()


def test_an_unaligned_array_without_elements(sattn):
    bsr, _ = matrix(np.random.default_rng(0))
    assert sattn.bsr_dense_addmm(None, bsr, unaligned(np.zeros((80, 0), np.float32)), beta=0).shape == (64, 0)


@pytest.mark.parametrize("change, message", [
    (unaligned, "expected data aligned"), (with_odd_stride, "expected strides of multiples"),
    (lambda a: a.astype(">f4"), "expected an array that DLPack takes"),
    (lambda a: np.broadcast_to(a, a.shape), "expected an array that DLPack takes")])
def test_arrays_of_a_program(sattn, change, message):
    program = sattn.compile(TEXT)
    for call in (program, program.check):
        with pytest.raises(ValueError, match=f"argument 'arg0': {message}"):
            call(change(np.zeros(4, np.float32)))


@pytest.mark.parametrize("name, broken", [
    ("dense", lambda a: a[None, :70]), ("left_alpha", lambda a: np.ones((2, 64), np.float32)),
    ("right_alpha", lambda a: np.ones((2, 8), np.float32))])
def test_messages_have_the_names_of_the_caller(sattn, name, broken):
    bsr, _ = matrix(np.random.default_rng(0))
    given = {"dense": np.zeros((80, 8), np.float32), "left_alpha": np.ones(64, np.float32),
             "right_alpha": np.ones(8, np.float32)}
    given[name] = broken(given[name])
    with pytest.raises(ValueError, match=f"argument '{name}'"):
        sattn.bsr_dense_addmm(None, bsr, **given, beta=0)


@pytest.mark.parametrize("name", ["dense", "left_alpha", "right_alpha"])
def test_the_compiled_program_has_the_names_of_the_caller(sattn, name):
    """The compiled program itself reports memory that out overlaps."""
    bsr, _ = matrix(np.random.default_rng(0), rows=5)
    memory = np.ones(80 * 80, np.float32)
    given = {"dense": np.zeros((80, 80), np.float32), "left_alpha": np.ones(80, np.float32),
             "right_alpha": np.ones(80, np.float32)}
    given[name] = memory[:given[name].size].reshape(given[name].shape)
    with pytest.raises(ValueError, match=f"argument 'out': expected memory apart from argument '{name}'"):
        sattn.bsr_dense_addmm(None, bsr, **given, beta=0, out=memory.reshape(80, 80))
