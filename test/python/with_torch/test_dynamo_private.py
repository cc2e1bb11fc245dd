"""Changes that the package makes to Dynamo's private classes: in versions of PyTorch that were looked at, and in no others."""

import os
import subprocess
import sys

import torch
import torch._dynamo
from torch._dynamo.variables import base
from torch._dynamo.variables.functions import NestedUserFunctionVariable
from torch._dynamo.variables.misc import CellVariable

CODE = '''
import torch
torch.__version__ = "9.9.0"
import sattn
import torch._dynamo
from torch._dynamo.variables.functions import NestedUserFunctionVariable
from torch._dynamo.variables.misc import CellVariable
from sattn.torch import dynamo_private

assert not dynamo_private.is_known()
for cls in (CellVariable, NestedUserFunctionVariable):
    assert not any(getattr(value, "__module__", "") == dynamo_private.__name__ for value in vars(cls).values())
table = vars(CellVariable).get("tp_getset", {})
assert "cell_contents" not in table
torch.manual_seed(0)
query = torch.randn(1, 2, 32, 16)
table = torch.randn(32)


def outer(query, table):
    return sattn.flex_attention(query, query, query, lambda s, b, h, i, j: s + table[i])


with torch.no_grad():
    expected = outer(query, table)
    torch.testing.assert_close(torch.compile(outer, backend="eager")(query, table), expected)

    def by_cell(table):
        def inner(query):
            return sattn.flex_attention(query, query, query, lambda s, b, h, i, j: s + table[i])
        return inner

    torch.testing.assert_close(torch.compile(by_cell(table), backend="eager")(query), expected)
'''


def test_this_pytorch_is_known(sattn):
    """A PyTorch that is not known breaks graphs at functions that read cells. To make it known: see that the assertions below
    hold, that test_compiled.py and test_tracing_torch.py pass, and move the end of KNOWN (python/sattn/torch/dynamo_private.py)."""
    from sattn.torch import dynamo_private

    assert dynamo_private.is_known(), f"PyTorch {torch.__version__} is none of {dynamo_private.KNOWN}"
    if hasattr(base, "GetSet"):
        assert not hasattr(CellVariable, "var_getattr")
        assert vars(CellVariable)["tp_getset"]["cell_contents"].getter is dynamo_private._contents
    else:
        assert CellVariable.var_getattr.__module__ == dynamo_private.__name__
        assert NestedUserFunctionVariable.var_getattr.__module__ == dynamo_private.__name__


def test_a_pytorch_that_is_not_known_breaks_the_graph(sattn):
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
