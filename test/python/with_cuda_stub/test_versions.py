"""Versions of kernels that are compiled when a call needs them, over the stub."""

import json
import threading

import cuda_tensors
import pytest

TEXT = """
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
             %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
      tensor<?x64x64xbf16>, tensor<?x?xbf16>) outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}"""
# Without copies for rows that TMA does not take.
ONLY_AS_THEY_ARE = "max-padding=0"
REFUSED = (r"program 'f': expected arguments that TMA takes, since it was compiled without kernel 'f_generic', but "
           r"`b` has rows of 74 bytes; TMA needs a multiple of 16; `out` has rows of 74 bytes")


def operands(columns):
    bsr = cuda_tensors.sparse([0, 1, 2], [0, 0], (64, 64), 64)
    return bsr, cuda_tensors.zeros(64, columns), cuda_tensors.zeros(128, columns)


def products(stub_cuda, name="bsr_addmm"):
    """Kernels that were launched, without those that order tiles."""
    kernels = [line.split()[1] for line in stub_cuda.lines("launch")]
    return [kernel for kernel in kernels if kernel in (name, name + "_generic")]


def matrix(has_gaps):
    """The matrix that is added to a product: no version but the generic one reads columns."""
    return cuda_tensors.zeros(64, 128).transpose(0, 1) if has_gaps else cuda_tensors.zeros(128, 64)


def test_compiled_when_a_call_needs_it(package, stub_cuda):
    before = package.cache.info().compilations
    for has_gaps, loaded in ((False, 1), (True, 2), (True, 2), (False, 2)):
        bsr, dense, out = operands(64)
        package.bsr_dense_addmm(matrix(has_gaps), bsr, dense, out=out, meta={"tile": (64, 64, 64)})
        assert len(stub_cuda.lines("module-load")) == loaded
    assert products(stub_cuda) == ["bsr_addmm", "bsr_addmm_generic", "bsr_addmm_generic", "bsr_addmm"]
    assert package.cache.info().compilations == before + 1


def test_prepared(package, stub_cuda):
    bsr, _, _ = operands(64)
    prepared = package.prepare(bsr)
    for has_gaps in (True, False, True):
        _, dense, out = operands(64)
        package.bsr_dense_addmm(matrix(has_gaps), prepared, dense, out=out, meta={"tile": (64, 64, 64)})
    assert products(stub_cuda) == ["bsr_addmm_generic", "bsr_addmm", "bsr_addmm_generic"]


def test_first_calls_at_once(package, stub_cuda):
    failures = []

    def call(has_gaps):
        bsr, dense, out = operands(64)
        try:
            package.bsr_dense_addmm(matrix(has_gaps), bsr, dense, out=out, meta={"tile": (64, 64, 64)})
        except Exception as error:
            failures.append(error)

    call(False)
    threads = [threading.Thread(target=call, args=(True,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(stub_cuda.lines("module-load")) == 2
    assert products(stub_cuda).count("bsr_addmm_generic") == 8


def given(columns):
    """The arguments of @f."""
    bsr, dense, out = operands(columns)
    return [bsr.crow_indices(), bsr.col_indices(), bsr.values(), dense, out]


def test_a_program_for_cuda(package, stub_cuda):
    program = package.compile(TEXT, "cuda", options=ONLY_AS_THEY_ARE)
    assert ".entry f(" in program.ptx and "f_generic" not in program.ptx
    assert [version["kernel"] for version in json.loads(program.manifest)["missing"]] == ["f_generic"]
    for columns in (37, 64):
        program(*given(columns))
        program.prepare(*given(columns))(*given(columns))
    assert products(stub_cuda, "f") == ["f_generic"] * 2 + ["f"] * 2
    kernel, = [kernel for kernel in package.explain(program, *given(37)).kernels if kernel.version]
    assert (kernel.name, kernel.version) == ("f_generic", "generic") and kernel.reasons


def test_texts_alone_are_refused_by_name(package, stub_cuda):
    """Loaded without the compiler, as in another process."""
    compiled = package.compile(TEXT, "cuda", options=ONLY_AS_THEY_ARE)
    program = package.load(compiled.manifest, compiled.ptx)
    program(*given(64))
    for call in (program, program.prepare(*given(37))):
        with pytest.raises(ValueError, match=REFUSED):
            call(*given(37))
    told = package.compile(TEXT, "cuda", options="versions=tma " + ONLY_AS_THEY_ARE)
    with pytest.raises(ValueError, match=REFUSED):
        told(*given(37))
    package.compile(TEXT, "cuda", options="versions=all " + ONLY_AS_THEY_ARE)(*given(37))


def test_what_the_compiler_says_of_the_other_version(package, monkeypatch):
    """Its failure is the call's, in its words."""
    program = package.compile(TEXT, "cuda", options=ONLY_AS_THEY_ARE)
    monkeypatch.setenv("STUB_CUDA_FAIL", "cuModuleLoadDataEx:209")
    with pytest.raises(RuntimeError, match="rejected the image"):
        program(*given(37))
    monkeypatch.delenv("STUB_CUDA_FAIL")
    program(*given(37))


def test_texts_for_a_chip_hold_every_version(package):
    program = package.compile(TEXT, "sm_90a")
    assert ".entry f_generic(" in program.ptx and ".entry f_copy_2d(" in program.ptx
    assert "missing" not in json.loads(program.manifest)


@pytest.mark.parametrize("chip", ["sm_90a", "sm_80"])
def test_texts_that_are_told_to_hold_one(package, chip):
    program = package.compile(TEXT, chip, options="versions=tma")
    assert ".entry f(" in program.ptx and ".entry f_generic(" not in program.ptx
    assert [version["kernel"] for version in json.loads(program.manifest)["missing"]][-1] == "f_generic"


def launches(stub_cuda):
    """(kernel, its parameters) of all launches but those that order tiles."""
    words = [line.split() for line in stub_cuda.lines("launch")]
    return [(line[1], line[line.index("params") + 1:]) for line in words if not line[1].endswith("_order")]


def test_copies_are_compiled_when_a_call_needs_them(package, stub_cuda):
    program = package.compile(TEXT, "cuda")
    assert "_copy_" not in program.ptx and "_generic" not in program.ptx
    missing = {version["kernel"]: version["version"] for version in json.loads(program.manifest)["missing"]}
    assert missing == {"f_copy_2d": "copy", "f_copy_3d": "copy", "f_generic": "generic"}
    for columns, loaded in ((64, 1), (37, 2), (64, 2), (37, 2)):
        program(*given(columns))
        assert len(stub_cuda.lines("module-load")) == loaded
    copied = ["f_copy_2d", "f", "f_copy_2d"]
    assert [name for name, _ in launches(stub_cuda)] == ["f", *copied, "f", *copied]


def test_first_calls_with_copies_at_once(package, stub_cuda):
    program, failures = package.compile(TEXT, "cuda"), []

    def call(columns):
        try:
            program(*given(columns))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=call, args=(columns,)) for columns in (37, 64) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(stub_cuda.lines("module-load")) == 2
    names = [name for name, _ in launches(stub_cuda)]
    assert (names.count("f"), names.count("f_copy_2d"), len(names)) == (8, 8, 16)


def test_copies_are_refused_by_name(package, stub_cuda):
    """Texts that hold the versions for TMA alone, loaded without the compiler."""
    compiled = package.compile(TEXT, "sm_90a", options="versions=tma")
    program = package.load(compiled.manifest, compiled.ptx)
    with pytest.raises(ValueError, match="compiled without kernel 'f_copy_2d', but `b` has rows of 74 bytes"):
        program(*given(37))
    program(*given(64))
    assert [name for name, _ in launches(stub_cuda)] == ["f"]


def test_rows_that_tma_does_not_take_are_copied(package, stub_cuda):
    """dense before the product, the result after it: in memory of the call, by the kernel that is launched otherwise."""
    program = package.compile(TEXT, "cuda", options="versions=all")
    program(*given(37))
    assert [name for name, _ in launches(stub_cuda)] == ["f_copy_2d", "f", "f_copy_2d"]
    assert len(stub_cuda.lines("module-load")) == 1
    (_, into), (_, product), (_, back) = launches(stub_cuda)
    address = [int.from_bytes(bytes.fromhex(word), "little") for word in (into[0], into[7], back[0], back[7])]
    # The product takes the copies, and nothing of the caller's.
    assert any(word.startswith(into[7]) for word in product) and any(word.startswith(back[0]) for word in product)
    assert address[1] != address[0] and address[2] != address[3]
    # Rows of 40 elements, the next multiple of 16 bytes.
    sizes = [int.from_bytes(bytes.fromhex(word), "little") for word in into[10:14]]
    assert sizes == [64, 37, 40, 1]


def test_copies_of_one_operand_alone(package, stub_cuda):
    """The others are used where they lie."""
    program = package.compile(TEXT, "cuda")
    bsr, _, out = operands(64)
    dense = cuda_tensors.zeros(64, 67)[:, :64]
    program(bsr.crow_indices(), bsr.col_indices(), bsr.values(), dense, out)
    assert [name for name, _ in launches(stub_cuda)] == ["f_copy_2d", "f"]


def test_no_copy_where_tma_takes_everything(package, stub_cuda):
    program = package.compile(TEXT, "cuda")
    program(*given(64))
    assert [name for name, _ in launches(stub_cuda)] == ["f"]


def test_copies_for_prepared_operands(package, stub_cuda):
    bsr, _, _ = operands(64)
    prepared = package.prepare(bsr)
    for columns in (37, 64, 37):
        _, dense, out = operands(columns)
        package.bsr_dense_addmm(None, prepared, dense, beta=0, out=out, meta={"tile": (64, 64, 64)})
    copied = ["bsr_addmm_copy_2d", "bsr_addmm", "bsr_addmm_copy_2d"]
    assert [name for name, _ in launches(stub_cuda)] == [*copied, "bsr_addmm", *copied]


def test_a_result_that_is_read_is_copied_first(package, stub_cuda):
    bsr, dense, out = operands(37)
    package.bsr_dense_addmm(out, bsr, dense, out=out, meta={"tile": (64, 64, 64)})
    assert [name for name, _ in launches(stub_cuda)] == ["bsr_addmm_copy_2d"] * 2 + ["bsr_addmm", "bsr_addmm_copy_2d"]
