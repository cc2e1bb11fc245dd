"""sattn.tuning of CUDA tensors: the parameters that a GPU has, and whose device they are for."""

import cuda_tensors


def test_tunes_pytorchs_parameters(tuning, package, stub_cuda, monkeypatch, torch):
    from sattn._tuning import products

    seen = []
    own = products.bsr_dense_addmm

    def product(*arguments, meta, **options):
        seen.append(dict(meta))
        return own(*arguments, meta=meta, **options)

    def milliseconds(call, on_gpu):
        assert on_gpu
        call()
        meta = seen[-1]
        return 1.0 + abs(meta["SPLIT_N"] - 2) + (meta["num_stages"] - 2)**2 + (meta["num_warps"] - 4)**2

    monkeypatch.setattr(products, "bsr_dense_addmm", product)
    monkeypatch.setattr(products.timing, "milliseconds", milliseconds)
    bsr = cuda_tensors.sparse([0, 2, 3], [1, 0, 2], (64, 64), 192)
    input, dense = cuda_tensors.zeros(128, 256), cuda_tensors.zeros(192, 256)
    found = tuning.tune_bsr_dense_addmm(input, bsr, dense, store=True)
    assert found == {"GROUP_SIZE_ROW": 1, "SPLIT_N": 2, "num_stages": 2, "num_warps": 4}
    assert seen[0] == {"GROUP_SIZE_ROW": 1, "SPLIT_N": 4, "num_stages": 1, "num_warps": 4}
    name = package._native.libraries.binding().device_name(0)
    key = 128, 192, 256, 64, 64, False, True, True
    assert tuning.get_meta("bsr_dense_addmm", key, name, (0, bsr.dtype, 0.5)) == found
    assert tuning.get_meta("bsr_dense_addmm", key, version=(0, bsr.dtype, 0.5)) == found
    # A call without parameters takes them.
    launches = len(stub_cuda.lines("launch"))
    package.bsr_dense_addmm(input, bsr, dense)
    assert len(stub_cuda.lines("launch")) > launches
    assert any("tile = [64, 128, " in source.meta for source, _ in package._call.cache._programs)


def test_times_of_a_device_are_those_of_events(tuning, monkeypatch, torch):
    from sattn._tuning import timing

    marks, calls = [], []

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            marks.append(len(calls))
            self.at = len(calls)

        def elapsed_time(self, end):
            return 20.0 * (end.at - self.at)

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: marks.append("wait"))
    assert timing.milliseconds(lambda: calls.append(1), True) == 20.0
    # One that compiles, one that tells how many, one to warm up, and five that count, which are waited for together.
    assert len(calls) == 8 and marks.count("wait") == 2 and marks[-1] == "wait"
