"""Values from outside a traced function are read again by each call, immutable, or refused with their name and line."""

import array
import collections
import copy
import dataclasses
import enum
import functools
import gc
import math
import numbers
import operator
import os
import random
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from sattn._arrays import evaluation  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SIZE = 16
QUERY, KEY = np.arange(SIZE, dtype=np.int32)[:, None], np.arange(SIZE, dtype=np.int32)[None, :]
W = 3


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setitem(globals(), "W", 3)
    user_functions.clear()
    yield
    user_functions.clear()


def traced(function):
    """The mask by the expression."""
    found, values = user_functions.traced("mask_mod", function)
    arguments = {"b": np.int32(0), "h": np.int32(0), "q_idx": QUERY, "kv_idx": KEY}
    value = evaluation.evaluate(found.result, arguments, user_functions.host_arrays(values), evaluation.library())
    return np.broadcast_to(value, (SIZE, SIZE))


def eager(function):
    """The mask by the function itself."""
    return np.broadcast_to(function(0, 0, QUERY, KEY), (SIZE, SIZE))


def require_same(function, *changes):
    """Both agree, also after each change."""
    before = eager(function)
    np.testing.assert_array_equal(traced(function), before)
    for change in changes:
        change()
        after = eager(function)
        assert (after != before).any(), "the change changes nothing"
        np.testing.assert_array_equal(traced(function), after)
        before = after


def window(read):
    """A mask by a number that is read of outside."""
    return lambda b, h, q, k: q - k < read()


def union(box):
    """A mask by a loop over what is read of outside."""
    def function(b, h, q, k):
        seen = q < 0
        for one in box:
            seen = seen | (q - k == one)
        return seen
    return function


class Base:
    w = 3

    @classmethod
    def by_class(cls):
        return cls.w

    @staticmethod
    def by_nothing():
        return Base.w

    def width(self):
        return self.w

    @property
    def wide(self):
        return self.w + 1


class Derived(Base):
    def width(self):
        return super().width() + 1

    @classmethod
    def by_class(cls):
        return super().by_class() + 2

    @property
    def wide(self):
        return super().wide + type(self).w


@dataclasses.dataclass(slots=True)
class Slots:
    w: int


Pair = collections.namedtuple("Pair", "first second")


class Mode(enum.Enum):
    NEAR, FAR = 3, 9


class Kind(enum.IntEnum):
    NEAR, FAR = 3, 9


def of_global(name, value):
    return lambda: globals().__setitem__(name, value)


def class_attribute():
    base = Base()
    return window(lambda: base.w), lambda: setattr(Base, "w", 9)


def container(make, key, change=None):
    def case():
        box = make()
        return window(lambda: box[key]), (lambda: change(box)) if change else lambda: box.__setitem__(key, 9)
    return case


def loop(make, add):
    def case():
        box = make()
        return union(box), lambda: add(box)
    return case


def of_method(cls, name, is_called=True):
    def case():
        base = cls()
        read = (lambda: getattr(base, name)()) if is_called else (lambda: getattr(base, name))
        return window(read), lambda: setattr(Base, "w", 9)
    return case


def object_with_slots():
    slots = Slots(3)
    return window(lambda: slots.w), lambda: setattr(slots, "w", 9)


def proxy():
    under = {"w": 3}
    found = types.MappingProxyType(under)
    return window(lambda: found["w"]), lambda: under.update(w=9)


def member_of_set():
    some = {0}
    return lambda b, h, q, k: q - k < (9 if 1 in some else 3), lambda: some.add(1)


def local_of_thread():
    local = threading.local()
    local.w = 3
    return window(lambda: local.w), lambda: setattr(local, "w", 9)


def environment():
    os.environ["SATTN_TEST_W"] = "3"
    return window(lambda: int(os.environ["SATTN_TEST_W"])), lambda: os.environ.update(SATTN_TEST_W="9")


def imported():
    sys.modules["sattn_test_settings"] = settings = types.ModuleType("sattn_test_settings")
    settings.w = 3

    def function(b, h, q, k):
        import sattn_test_settings
        from sattn_test_settings import w
        return q - k < (sattn_test_settings.w + w) // 2

    return function, lambda: setattr(settings, "w", 9)


def by_globals():
    return lambda b, h, q, k: q - k < globals()["W"], of_global("W", 9)


def without_dimensions(value, other):
    def case():
        number = np.array(value)
        return lambda b, h, q, k: (q - k + number >= number + W) ^ (number == value), lambda: number.__setitem__((), other)
    return case


def plain(x):
    return x


def shifted(x):
    return x + 5


def two_names():
    globals().update(one=plain, two=plain)
    return lambda b, h, q, k: one(q) >= two(k), of_global("two", shifted)  # noqa: F821


def twice_in_a_list():
    pair = [plain, plain]
    return lambda b, h, q, k: pair[0](q) >= pair[1](k), lambda: pair.__setitem__(1, shifted)


def hidden_builtin():
    return lambda b, h, q, k: abs(q - k) < 3, of_global("abs", plain)


def attribute_of_function():
    def function(b, h, q, k):
        return q - k < function.w

    function.w = 3
    return function, lambda: setattr(function, "w", 9)


def element(read):
    def case():
        box = np.array([[3, 1], [0, 0]], np.int32)
        return (lambda b, h, q, k: q - k < read(box)), lambda: box.__setitem__((0, 0), 5)
    return case


def cached_helper():
    box = [3]

    @functools.cache
    def helper(n):
        return box[0] + n

    return window(lambda: helper(1)), lambda: (box.__setitem__(0, 9), helper.cache_clear())


def absent_attribute():
    space = types.SimpleNamespace()
    return window(lambda: getattr(space, "w", 3)), lambda: setattr(space, "w", 9)


def added_truth():
    class Plain:
        pass

    one = Plain()
    return lambda b, h, q, k: q - k < (9 if one else 3), lambda: setattr(Plain, "__bool__", lambda self: False)


def identity():
    left, right = [1], [1]
    space = types.SimpleNamespace(left=left, right=right)
    return window(lambda: 9 if space.left is space.right else 3), lambda: setattr(space, "right", left)


def equality():
    left, right = Base(), Base()
    space = types.SimpleNamespace(left=left, right=right)
    return window(lambda: 9 if space.left == space.right else 3), lambda: setattr(space, "right", left)


def equality_of_dataclasses():
    left, right = Slots(1), Slots(2)
    return window(lambda: 9 if left == right else 3), lambda: setattr(right, "w", 1)


def member_of_enum(kind, by):
    def case():
        space = types.SimpleNamespace(mode=kind.NEAR)
        reads = {"value": lambda: space.mode.value, "is": lambda: 3 if space.mode is kind.NEAR else 9,
                 "==": lambda: 3 if space.mode == kind.NEAR else 9, "key": lambda: {kind.NEAR: 3, kind.FAR: 9}[space.mode]}
        return window(reads[by]), lambda: setattr(space, "mode", kind.FAR)
    return case


def type_of_number():
    space = types.SimpleNamespace(w=4)
    return window(lambda: 3 if isinstance(space.w, int) else 9), lambda: setattr(space, "w", np.int32(4))


def array_is_array():
    left, right = np.zeros(3, np.int32), np.zeros(3, np.int32)
    space = types.SimpleNamespace(left=left, right=right)
    return window(lambda: 3 if space.left is space.right else 9), lambda: setattr(space, "right", left)


#: Cases give (function, change).
READ_AGAIN = {
    "class attribute": class_attribute,
    "class method": of_method(Base, "by_class"),
    "class method with super": of_method(Derived, "by_class"),
    "static method": of_method(Base, "by_nothing"),
    "method": of_method(Base, "width"),
    "method with super": of_method(Derived, "width"),
    "property": of_method(Base, "wide", False),
    "property with super": of_method(Derived, "wide", False),
    "__slots__": object_with_slots,
    "dict": container(lambda: {"w": 3}, "w"),
    "defaultdict": container(lambda: collections.defaultdict(int, w=3), "w"),
    "OrderedDict": container(lambda: collections.OrderedDict(w=3), "w"),
    "Counter": container(lambda: collections.Counter(w=3), "w"),
    "ChainMap": container(lambda: collections.ChainMap({"w": 3}), "w"),
    "UserDict": container(lambda: collections.UserDict(w=3), "w"),
    "mappingproxy": proxy,
    "list": container(lambda: [3], 0),
    "deque": container(lambda: collections.deque([3]), 0),
    "array.array": container(lambda: array.array("i", [3]), 0),
    "bytearray": container(lambda: bytearray([3]), 0),
    "loop over a list": loop(lambda: [0, 1], lambda box: box.append(3)),
    "loop over a list of a class": loop(lambda: type("Own", (list,), {})([0, 1]), lambda box: box.append(3)),
    "loop over a set": loop(lambda: {0, 1}, lambda box: box.add(3)),
    "loop over a deque": loop(lambda: collections.deque([0, 1]), lambda box: box.append(3)),
    "loop over an array": loop(lambda: np.array([0, 1]), lambda box: box.__setitem__(0, 7)),
    "set": member_of_set,
    "threading.local": local_of_thread,
    "os.environ": environment,
    "import": imported,
    "globals()": by_globals,
    "0-d bool": without_dimensions(True, False),
    "0-d wide integer": without_dimensions(2**40, 2**40 + 8),
    "0-d float": without_dimensions(0.5, 0.25),
    "one function by two names": two_names,
    "one function twice in a list": twice_in_a_list,
    "a global in front of a builtin": hidden_builtin,
    "function attribute": attribute_of_function,
    "int of an element": element(lambda box: int(box[0, 0])),
    "item of an element": element(lambda box: box[0][0].item()),
    "float of an element": element(lambda box: float(box[0, 0])),
    "if of an element": element(lambda box: 9 if box[0, 0] > 4 else 3),
    "min of an element": element(lambda box: min(box[0, 0], 20)),
    "range of an element": element(lambda box: sum(1 for _ in range(int(box[0, 0])))),
    "list index of an element": element(lambda box: [0, 1, 2, 3, 4, 9][int(box[0, 0])]),
    "in an array": element(lambda box: 9 if 5 in box[0] else 3),
    "cached helper": cached_helper,
    "absent attribute": absent_attribute,
    "class without truth": added_truth,
    "is": identity,
    "is of arrays": array_is_array,
    "== of objects": equality,
    "== of dataclasses": equality_of_dataclasses,
    **{f"{kind.__name__} by {by}": member_of_enum(kind, by) for kind in (Mode, Kind) for by in ("value", "is", "==", "key")},
    "type of a number": type_of_number,
}


@pytest.mark.parametrize("name", READ_AGAIN)
def test_what_is_read_again(name, monkeypatch):
    """The first value is not kept."""
    monkeypatch.setattr(Base, "w", 3)
    monkeypatch.setenv("SATTN_TEST_W", "3")
    kept = dict(globals())
    try:
        require_same(*READ_AGAIN[name]())
    finally:
        for key in globals().keys() - kept.keys():
            del globals()[key]
        sys.modules.pop("sattn_test_settings", None)


class Falsy:
    def __bool__(self):
        return False


class Empty:
    def __len__(self):
        return 0


class Numbers(list):
    pass


class Items:
    """Which has both ways of iterating."""

    def __getitem__(self, place):
        return [9][place]

    def __iter__(self):
        return iter([0, 1])


class ByPlace:
    def __getitem__(self, place):
        return [0, 2, 5][place]


class Names(dict):
    def __contains__(self, name):
        return name == "other"


ASKED = {
    "bool by __bool__": lambda box=Falsy(): window(lambda: 9 if box else 3),
    "bool by __len__": lambda box=Empty(): window(lambda: 9 if box else 3),
    "bool of an empty list": lambda box=Numbers(): window(lambda: 9 if box else 3),
    "bool of an object": lambda box=Base(): window(lambda: 9 if box else 3),
    "isinstance": lambda box=Derived(): window(lambda: 9 if isinstance(box, Base) else 3),
    "isinstance of another": lambda box=Falsy(): window(lambda: 9 if isinstance(box, (Base, dict)) else 3),
    "isinstance of a list": lambda box=Numbers(): window(lambda: 9 if isinstance(box, list) else 3),
    "isinstance of a number": lambda: window(lambda: 9 if isinstance(W, int) else 3),
    "type is": lambda box=Derived(): window(lambda: 9 if type(box) is Derived else 3),
    "type is not": lambda box=Derived(): window(lambda: 9 if type(box) is Base else 3),
    "__class__": lambda box=Derived(): window(lambda: 9 if box.__class__ is Derived else 3),
    "issubclass": lambda: window(lambda: 9 if issubclass(Derived, Base) else 3),
    "name of a class": lambda box=Derived(): window(lambda: 9 if type(box).__name__ == "Derived" else 3),
    "callable": lambda box=Base(): window(lambda: 9 if callable(box) else 3),
    "hasattr": lambda box=Base(): window(lambda: 9 if hasattr(box, "w") else 3),
    "no hasattr": lambda box=Base(): window(lambda: 9 if hasattr(box, "v") else 3),
    "in by __contains__": lambda box=Names(): window(lambda: 9 if "other" in box else 3),
    "iteration by __iter__": lambda: union(Items()),
    "iteration by __getitem__": lambda: union(ByPlace()),
    "len of a namedtuple": lambda pair=Pair(2, 5): window(lambda: len(pair) + pair.first + pair[1]),
    "unpacked namedtuple": lambda pair=Pair(2, 5): window(lambda: sum([*pair])),
    "methods of a dict": lambda box={"a": 2, "b": 3}: window(lambda: sum(box.values()) + box.get("c", 1)),
    "methods of a dict of a class": lambda box=type("Own", (dict,), {})(a=2): window(lambda: sum(box.values()) + box.get("c", 1)),
    "class in the function": lambda: in_the_function,
    "isinstance of an abstract class": lambda: window(lambda: 9 if isinstance(W, numbers.Integral) else 3),
    "text of a number": lambda box={"layer3": 9}: window(lambda: box.get(f"layer{W}", 3) + box.get("layer" + str(W), 3)),
    "a number as a key": lambda box={3: 9}: window(lambda: box[W]),
}


def in_the_function(b, h, q, k):
    class Inner:
        def __init__(self):
            self.w = W

    return q - k < Inner().w


@pytest.mark.parametrize("name", ASKED)
def test_what_python_asks_of_a_captured_value(name):
    """The value itself answers, not what stands for it."""
    require_same(ASKED[name]())


def made_outside(b, h, q, k):
    return q - k < Slots(W).w


REFUSED = {
    "object of a class outside": (made_outside, "a call of Slots"),
    "set of objects": (lambda box={Mode.NEAR}: window(lambda: len(box)), "box of type set"),
    "generator": (lambda box=(x for x in (3,)): window(lambda: next(box)), "box of type generator"),
    "iterator": (lambda box=iter([3]): window(lambda: next(box)), "box of type list_iterator"),
    "time": (window(lambda: time.time()), "time.time of type builtin_function_or_method"),
    "random": (window(lambda: random.random()), "random.random of type builtin_function_or_method"),
    "random of numpy": (window(lambda: np.random.rand()), "np.random.rand of type"),
    "getenv": (window(lambda: int(os.getenv("SATTN_TEST_W"))), "os.getenv of type function"),
    "eval": (window(lambda: eval("W")), r"eval\(\)"),
    "id": (window(lambda: id(Base)), r"id\(\)"),
    "keys of globals": (window(lambda: len(globals())), r"globals\(\)"),
    "hash of an object": (lambda box=Base(): window(lambda: {box: 3}[box]), "box of type Base, which is no key"),
    "text of an object": (lambda box=Base(): window(lambda: len(f"{box}")), "box of type Base, of which __format__ is asked"),
    "assignment": (lambda box=Base(): window(lambda: setattr(box, "w", 5)), "box of type Base, which is changed by __setattr__"),
    "operator.is_": (window(lambda: operator.is_(Base, Derived)), "operator.is_ of type"),
    "copy": (lambda box=Base(): window(lambda: copy.copy(box).w), "copy.copy of type"),
    "arithmetic": (lambda box=Base(): window(lambda: 3 + box), "box of type Base, of which __radd__ is asked"),
    "array without order": (lambda box=np.ma.masked_array([3]): window(lambda: box[0]), "box"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    """With its name, and the place where it is used."""
    function, message = REFUSED[name]
    if function.__defaults__:
        function = function()
    with pytest.raises(TypeError, match=f"^argument 'mask_mod': expected .*{message}.*"):
        user_functions.traced("mask_mod", function)


def test_a_refused_value_that_is_not_used_does_no_harm():
    box = iter([3])
    require_same(lambda b, h, q, k: q - k < (W if box is not None else next(box)))


def test_what_is_traced_is_not_kept():
    """The user's arrays go when the user lets go of them, without a collection of cycles."""
    box = types.SimpleNamespace(table=np.zeros(SIZE, np.int32))
    gone = weakref.ref(box.table)
    gc.disable()
    try:
        user_functions.traced("mask_mod", lambda b, h, q, k, box=box: box.table[q] <= k)
        del box
        assert gone() is None
    finally:
        gc.enable()


def test_a_captured_nan_on_which_the_expression_depends():
    """It is the same number in each call, though it does not equal itself."""
    limit = math.nan
    require_same(lambda b, h, q, k: q >= k if not limit > 3 else q < k)
    limit = 4.0
    require_same(lambda b, h, q, k: q >= k if not limit > 3 else q < k)


def test_an_empty_array_that_is_indexed():
    empty = np.zeros(0, np.int32)
    with pytest.raises(ValueError, match=r"expected captured arrays with elements where they are indexed, but got one of shape \(0,\)"):
        traced(lambda b, h, q, k: empty[q] >= 0)


def test_a_wrong_argument_is_told_by_the_names_of_the_user():
    box = np.arange(3)
    with pytest.raises(TypeError) as error:
        user_functions.traced("mask_mod", lambda b, h, q, k: q < box.max(1, 2, 3))
    assert "max()" in str(error.value) and "locals" not in str(error.value)


def test_the_place_is_the_users_where_the_package_is_behind_a_link(tmp_path):
    """Frames of the package are known by its name, not by its path."""
    import subprocess

    import sattn

    (tmp_path / "sattn").symlink_to(os.path.dirname(sattn.__file__), target_is_directory=True)
    (tmp_path / "user.py").write_text("import sattn\ntry:\n    sattn.create_block_mask(lambda b, h, q, k: q > 3 and k > 3, 1, 1, 16, 16)\n"
                                      "except TypeError as error:\n    print(error)\n")
    found = subprocess.run([sys.executable, "user.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, text=True,
                           capture_output=True, check=True).stdout
    assert "user.py:3: " in found
