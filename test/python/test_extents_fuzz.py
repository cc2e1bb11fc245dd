"""Random programs with extents that fit and others: see random_extents.py."""

import os
import re
import subprocess
import sys

import pytest

import shares

pytest.importorskip("tvm_ffi")

SEEDS = 120


def test_random_programs_compute_or_refuse(sattn, built_tools, root):
    """In another process, which a touch of memory outside the arrays ends."""
    environment = {**os.environ, "SATTN_LIBRARIES": str(built_tools.parent / "lib"), "PYTHONPATH": str(root / "python")}
    seeds = shares.seeds(SEEDS, 3)
    done = subprocess.run([sys.executable, root / "test/python/random_extents.py", f"--first={seeds.start}",
                           f"--seeds={len(seeds)}"], text=True, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines()[-3:]) + done.stderr
    fits, refused = map(int, re.search(r"(\d+) calls computed, (\d+) refused", done.stdout).groups())
    assert fits > len(seeds) and refused > len(seeds)


def test_a_write_outside_is_found(monkeypatch):
    import numpy as np
    import random_extents

    def writes_before(arrays):
        address = arrays[-1].ctypes.data - 4
        import ctypes
        ctypes.c_float.from_address(address).value = 0
    program = random_extents.Program(0)
    monkeypatch.setattr(random_extents, "Guarded", lambda data, _, make=random_extents.Guarded: make(data, True))
    with pytest.raises(AssertionError, match="memory outside was written"):
        random_extents.check(program, writes_before, np.random.default_rng(0))
