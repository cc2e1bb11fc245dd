"""Values of all operations, by their expressions, on every pair of types (operation_table.py); by NumPy's functions where there is
no PyTorch. with_torch/test_operation_table_torch.py has both libraries', and kernels."""

import numpy as np
import operation_table
import pytest

pytest.importorskip("tvm_ffi")
from operation_table import TYPES, check, has_value, taken_by, values_of  # noqa: E402
from sattn._arrays import evaluation  # noqa: E402
from sattn._trace import tracing, user_functions  # noqa: E402
from sattn._trace.element_types import NAMES  # noqa: E402


@pytest.fixture(autouse=True)
def nothing_kept():
    user_functions.clear()
    yield
    user_functions.clear()


@pytest.fixture
def nodes(monkeypatch):
    """The nodes that tracing asks for, the result of a function last."""
    found, node_of = [], tracing.node_of

    def noted(value):
        found.append(node_of(value))
        return found[-1]

    monkeypatch.setattr(tracing, "node_of", noted)
    return found


def value_of(operation, module, types, nodes):
    """(the operation's values, by its expression, the name of their type)."""
    first, last = values_of(types[0]), values_of(types[-1])

    def number(score, b, h, q_idx, kv_idx):
        return operation.function(module, *[first[q_idx], last[kv_idx]][:len(types)])

    def boolean(score, b, h, q_idx, kv_idx):
        return np.where(operation.function(module, *[first[q_idx], last[kv_idx]][:len(types)]), 1.0, 0.0)

    user_functions.clear()
    try:
        found, captured = user_functions.traced("score_mod", number)
        # As a float, which it becomes in the end.
        node = found.result if nodes[-1].dtype == "f32" else found.result.operands[0]
    except TypeError as error:
        if "returns a boolean" not in str(error):
            raise
        found, captured = user_functions.traced("score_mod", boolean)
        node = found.result.operands[0]
    places = np.arange(len(first), dtype=np.int32)
    value = evaluation.evaluate(node, {"q_idx": places[:, None], "kv_idx": places[None, :]},
                                user_functions.host_arrays(captured), evaluation.library())
    return np.broadcast_to(value, (len(first), len(last))).astype(NAMES[node.type]), NAMES[node.type]


@pytest.mark.parametrize("first", TYPES)
def test_expressions(first, nodes):
    """Each operation has the type and the values that NumPy or PyTorch gives it, called by either one's functions."""
    differing = []
    for types in ((first,), *((first, other) for other in TYPES)):
        for operation, expected in taken_by(types):
            for name in operation.of:
                module = np if name == "numpy" else operation_table.torch
                if module is not None:
                    differing.append(check(operation, types, *value_of(operation, module, types, nodes), expected))
    assert len(differing) > 200 and not list(filter(None, differing)), "\n".join(filter(None, differing))


def test_the_table_tells_differences():
    """A result that is off by one unit, or of another type, is one."""
    operation, expected = next(one for one in taken_by(("int8", "uint8")) if one[0].name == "-")
    right, name = expected[0]
    wrong = right.copy()
    wrong[3, 5] += 1
    assert check(operation, ("int8", "uint8"), right, name, expected) is None
    assert "1 differ" in check(operation, ("int8", "uint8"), wrong, name, expected)
    assert "int32 instead of" in check(operation, ("int8", "uint8"), right, "int32", expected)
    assert has_value(operation, right, right).all()
