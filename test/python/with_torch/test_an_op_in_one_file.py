"""An operation stands in one file: one that is added to _ops is in PyTorch's library, Dynamo, explain and the stub."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILE = '''
"""doubled."""

from .._arrays import stand_ins
from .._call import dispatch
from . import bsr_addmm
from .spec import OpSpec, operand_batch, register, rows_of


def doubled(bsr, dense, *, precision=None, check=None):
    """2 * bsr @ dense."""
    if stand_ins.stands_for_others(dense):
        return dispatch.call("doubled", bsr=bsr, dense=dense, precision=precision, check=check)
    return bsr_addmm.bsr_dense_addmm(None, bsr, dense, beta=0, alpha=2, precision=precision, check=check)


def _fake(crow, col, bsr, columns, dense, precision):
    return dense.new_empty((*operand_batch(crow, bsr, dense.shape[:-2]), rows_of(crow, bsr), dense.shape[-1]))


def _explained(bsr, dense, *, precision=None):
    return bsr_addmm.explained(None, bsr, dense, beta=0, alpha=2, precision=precision)


register(OpSpec(doubled, "doubled", {"bsr": "matrix", "dense": "tensor", "precision": "precision"}, fake=_fake,
                explained=_explained))
'''
CODE = '''
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
import sattn

assert "doubled" in sattn.__all__
torch.manual_seed(0)
matrix, dense = torch.randn(32, 48), torch.randn(48, 8)
bsr = matrix.to_sparse_bsr((16, 16))
parts = [part().clone() for part in (bsr.crow_indices, bsr.col_indices, bsr.values)]
expected = 2 * matrix @ dense
prepared = sattn.prepare(bsr)
torch.testing.assert_close(sattn.doubled(prepared, dense), expected)
assert str(sattn.explain(sattn.doubled, bsr, dense)).startswith("code for the CPU, which launches no kernels")
with FakeTensorMode() as mode:
    fake = sattn.doubled(tuple(map(mode.from_tensor, parts)), mode.from_tensor(dense))
    assert fake.shape == (32, 8)
    try:
        sattn.doubled(tuple(map(mode.from_tensor, parts)), mode.from_tensor(dense), check=True)
        raise SystemExit("took an option that the operation has not")
    except NotImplementedError as error:
        assert str(error).startswith("argument 'check': expected none where doubled is traced")
torch.testing.assert_close(torch.ops.sattn.doubled(*parts, None, dense, ""), expected)
nodes = []


def backend(graph, _):
    nodes.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
    return graph


run = torch.compile(lambda dense: sattn.doubled(prepared, dense), backend=backend, fullgraph=True)
torch.testing.assert_close(run(dense), expected)
assert any("doubled" in node for node in nodes), nodes
# The function records what it calls, the operation has no gradient of its own.
assert sattn.doubled(prepared, dense.clone().requires_grad_()).requires_grad
try:
    torch.ops.sattn.doubled(*parts, None, dense.clone().requires_grad_(), "")
    raise SystemExit("recorded no gradient")
except NotImplementedError:
    pass
'''


@pytest.fixture
def package_folder(tmp_path):
    """A copy of the package with one file more."""
    shutil.copytree(ROOT / "python" / "sattn", tmp_path / "sattn", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "sattn" / "_ops" / "doubled.py").write_text(FILE)
    return tmp_path


def run(folder, code):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "scripts")])}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


def test_it_is_in_the_library_dynamo_and_explain(sattn, package_folder):
    done = run(package_folder, CODE)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(importlib.util.find_spec("numpy") is None, reason="no NumPy")
def test_it_is_in_the_stub(package_folder):
    done = run(package_folder, "import pathlib, stubs, sattn\n"
               "print(stubs.text(pathlib.Path(sattn.__file__).parent))")
    assert done.returncode == 0, done.stderr
    assert ("def doubled(bsr: _Bsr, dense: _Array, *, precision: _Precision | None = None, "
            "check: bool | None = None) -> _Array: ...\n") in done.stdout
