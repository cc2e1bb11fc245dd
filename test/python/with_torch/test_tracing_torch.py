"""Values that a traced function reads from outside, with PyTorch's tensors and under torch.compile: guarded, or the
graph breaks."""

import collections
import types

import pytest
import torch

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"), pytest.mark.filterwarnings("ignore::FutureWarning:torch")]
LENGTH = 32


@pytest.fixture
def attend(sattn):
    """Attention by a mask_mod."""
    torch.manual_seed(0)
    operands = [torch.randn(1, 1, LENGTH, 16) for _ in range(3)]

    def run(function, operands=operands):
        return sattn.flex_attention(*operands, block_mask=sattn.create_block_mask(function, None, None, LENGTH, LENGTH))

    return run


def by_definition(function):
    """The mask of all positions, in PyTorch."""
    position = torch.arange(LENGTH)
    return function(0, 0, position[:, None], position[None, :])


def class_attribute():
    class Config:
        w = 5

    from sattn.torch import dynamo_private

    return (lambda b, h, q, k: q - k < Config.w), lambda: setattr(Config, "w", 20), dynamo_private.GUARDS_CLASSES


def truth():
    class Flag:
        on = False

        def __bool__(self):
            return self.on

    flag = Flag()
    return (lambda b, h, q, k: q - k < (20 if flag else 5)), lambda: setattr(flag, "on", True), False


def ordered():
    box = collections.OrderedDict(w=5)
    return (lambda b, h, q, k: q - k < box["w"]), lambda: box.update(w=20), False


def some_of_a_set():
    box = {1, 5}
    return (lambda b, h, q, k: q - k < max(box)), lambda: box.add(20), False


def element():
    box = torch.tensor([5, 1])
    return (lambda b, h, q, k: q - k < int(box[0])), lambda: box.fill_(20), False


def flag():
    box = torch.tensor(True)
    return (lambda b, h, q, k: (q >= k) & box), lambda: box.fill_(False), False


def attribute_of_function():
    def function(b, h, q, k):
        return q - k < function.w

    function.w = 5
    return function, lambda: setattr(function, "w", 20), False


def hidden_builtin():
    return (lambda b, h, q, k: abs(q - k) < 5), lambda: globals().update(abs=lambda x: x), False


def namespace():
    space = types.SimpleNamespace(w=5)
    return (lambda b, h, q, k: q - k < space.w), lambda: setattr(space, "w", 20), False


CASES = [class_attribute, truth, ordered, some_of_a_set, element, flag, attribute_of_function, hidden_builtin, namespace]


@pytest.fixture(params=CASES, ids=lambda case: case.__name__)
def case(request):
    yield request.param()
    globals().pop("abs", None)


def require_changes(run, attend, function, change):
    for step in range(2):
        if step:
            change()
        # The mask as a captured tensor: nothing else is read.
        seen = by_definition(function)
        torch.testing.assert_close(run(function), attend(lambda b, h, q, k: seen[q, k]))


def test_changes_are_seen(attend, case):
    function, change, _ = case
    require_changes(attend, attend, function, change)


def test_changes_are_seen_under_compile(attend, case):
    function, change, is_whole = case
    torch._dynamo.reset()
    require_changes(torch.compile(attend, backend="eager", fullgraph=is_whole), attend, function, change)


def test_a_gradient_of_a_tensor_without_dimensions(sattn):
    """Which is a number of the kernel where no gradient is wanted, else an array."""
    operand = torch.zeros(1, 1, 4, 16)
    rate = torch.nn.Parameter(torch.tensor(0.7))

    def attend():
        return sattn.flex_attention(operand, operand, operand, lambda score, b, h, q, k: score * rate)

    assert attend().requires_grad
    with torch.no_grad():
        assert not attend().requires_grad
