"""Random Python programs whose mask_mod reads outside in every way, while all that it reads is changed between the calls.

`Program(seed)` has the function and changes of itself. Each kind of capture is (text that sets it up, what is read, texts
that change it); {n} is its number, {v} a small integer.
"""

import random

KINDS = {
    "global": ("g{n} = {v}", "g{n}", ["g{n} = {v}", "globals()['g{n}'] = {v}", "g{n} = np.int32({v})", "g{n} = float({v})"]),
    "class attribute": ("class C{n}:\n    w = {v}\no{n} = C{n}()", "o{n}.w + C{n}.w",
                        ["C{n}.w = {v}", "o{n}.w = {v}", "o{n}.__dict__.pop('w', None)", "o{n} = C{n}()",
                         "class C{n}:\n    w = {v}\no{n} = C{n}()"]),
    "inherited": ("class B{n}:\n    w = {v}\n    def f(self):\n        return self.w\nclass C{n}(B{n}):\n    def f(self):\n"
                  "        return super().f() + type(self).w\no{n} = C{n}()", "o{n}.f()",
                  ["B{n}.w = {v}", "C{n}.w = {v}", "C{n}.f = lambda self: {v}", "B{n}.f = lambda self: {v}", "o{n}.w = {v}"]),
    "class method": ("class C{n}:\n    w = {v}\n    @classmethod\n    def f(cls):\n        return cls.w\n    @staticmethod\n    def g():\n"
                     "        return C{n}.w\no{n} = C{n}()", "o{n}.f() + C{n}.f() + o{n}.g()",
                     ["C{n}.w = {v}", "C{n}.g = staticmethod(lambda: {v})", "C{n}.f = classmethod(lambda cls: {v})"]),
    "property": ("class C{n}:\n    w = {v}\n    @property\n    def p(self):\n        return self.w + 1\no{n} = C{n}()", "o{n}.p",
                 ["o{n}.w = {v}", "C{n}.w = {v}", "C{n}.p = property(lambda self: {v})"]),
    "slots": ("@dataclasses.dataclass(slots=True)\nclass C{n}:\n    w: int\no{n} = C{n}({v})", "o{n}.w", ["o{n}.w = {v}", "o{n} = C{n}({v})"]),
    "frozen": ("@dataclasses.dataclass(frozen=True)\nclass C{n}:\n    w: int\no{n} = C{n}({v})", "o{n}.w", ["o{n} = C{n}({v})"]),
    "equality": ("@dataclasses.dataclass\nclass C{n}:\n    w: int\no{n}, p{n} = C{n}({v}), C{n}(3)", "(5 if o{n} == p{n} else 2)",
                 ["o{n}.w = {v}", "o{n}.w = 3", "p{n} = o{n}", "p{n}.w = {v}"]),
    "identity": ("o{n}, p{n} = [{v}], [{v}]", "(5 if o{n} is p{n} else o{n}[0])", ["p{n} = o{n}", "p{n} = [{v}]", "o{n} = [{v}]", "o{n}[0] = {v}"]),
    "namespace": ("s{n} = types.SimpleNamespace(w={v})", "getattr(s{n}, 'w', 4)", ["s{n}.w = {v}", "s{n}.__dict__.pop('w', None)",
                                                                                  "s{n} = types.SimpleNamespace(w={v})"]),
    "module": ("m{n} = types.ModuleType('m{n}')\nm{n}.w = {v}", "m{n}.w", ["m{n}.w = {v}", "vars(m{n})['w'] = {v}"]),
    "local": ("t{n} = threading.local()\nt{n}.w = {v}", "t{n}.w", ["t{n}.w = {v}"]),
    "dict": ("d{n} = dict(w={v})", "d{n}.get('w', 4) + d{n}.get('z', 1)", ["d{n}['w'] = {v}", "d{n}.clear()", "d{n}['z'] = {v}",
                                                                          "d{n} = dict(z=1, w={v})"]),
    **{name: (f"d{{n}} = {name}(w={{v}})" if name != "collections.defaultdict" else f"d{{n}} = {name}(int, w={{v}})",
              "d{n}['w'] + sum(d{n}.values()) + len(d{n})", ["d{n}['w'] = {v}", "d{n}['z'] = {v}", "d{n}.update(y={v})"])
       for name in ("collections.OrderedDict", "collections.defaultdict", "collections.Counter", "collections.UserDict")},
    "chain": ("d{n} = collections.ChainMap({{}}, dict(w={v}))", "d{n}['w']", ["d{n}['w'] = {v}", "d{n}.maps[1]['w'] = {v}"]),
    "proxy": ("u{n} = dict(w={v})\nd{n} = types.MappingProxyType(u{n})", "d{n}['w']", ["u{n}['w'] = {v}", "u{n}['z'] = 1"]),
    "own dict": ("class D{n}(dict):\n    def __missing__(self, key):\n        return 4\nd{n} = D{n}(w={v})",
                 "d{n}['w'] + d{n}['y'] + ('z' in d{n})", ["d{n}['w'] = {v}", "d{n}['z'] = {v}", "d{n}['y'] = {v}",
                                                          "D{n}.__missing__ = lambda self, key: {v}"]),
    **{name: (f"l{{n}} = {name}([{{v}}, 2])", "l{n}[0] + l{n}[-1] + len(l{n})", ["l{n}[0] = {v}", "l{n}.append({v})", "l{n}.pop()\nl{n}.append({v})"])
       for name in ("list", "collections.deque", "collections.UserList", "type('L', (list,), {{}})")},
    "tuple": ("l{n} = ({v}, (2, {v}))", "l{n}[1][1]", ["l{n} = ({v}, (1, {v}))", "l{n} = (1, (1, {v}, 2))"]),
    "namedtuple": ("P{n} = collections.namedtuple('P', 'a b')\nl{n} = P{n}(1, {v})", "l{n}.b + len(l{n}) + l{n}[1]", ["l{n} = P{n}({v}, {v})"]),
    "bytes": ("l{n} = bytearray([{v}, 1])", "l{n}[0]", ["l{n}[0] = {v}", "l{n}.append(1)"]),
    "array.array": ("l{n} = array.array('i', [{v}, 1])", "l{n}[0]", ["l{n}[0] = {v}"]),
    "set": ("s{n} = {{1, {v}}}", "max(s{n}) + (3 in s{n})", ["s{n}.add({v})", "s{n}.discard({v})\ns{n}.add(1)", "s{n} = {{{v}}}"]),
    "nested": ("d{n} = dict(a=[types.SimpleNamespace(w={v})])", "d{n}['a'][0].w", ["d{n}['a'][0].w = {v}", "d{n}['a'][0] = types.SimpleNamespace(w={v})",
                                                                                "d{n}['a'] = [types.SimpleNamespace(w={v})]"]),
    "no dimensions": ("a{n} = np.array({v}, np.int32)", "a{n}", ["a{n}[()] = {v}", "a{n} = np.array({v}, np.int32)", "a{n} = {v}"]),
    "flag": ("a{n} = np.array({v} > 4)", "(5 if a{n} else 2)", ["a{n}[()] = {v} > 4", "a{n} = {v} > 4"]),
    "vector": ("a{n} = np.array([1, {v}], np.int32)", "a{n}[1]", ["a{n}[1] = {v}", "a{n} = np.array([{v}, {v}, 1], np.int32)",
                                                                "a{n} = np.array([{v}, {v}], np.float32)", "a{n} += 1"]),
    "loop": ("a{n} = np.array([1, {v}], np.int32)", "sum(a{n}) + len(a{n})", ["a{n}[1] = {v}", "a{n} = np.array([{v}] * 3, np.int32)"]),
    "function": ("def f{n}(x={v}, *, y={v}):\n    return x + y", "f{n}()", [
        "f{n}.__defaults__ = ({v},)", "f{n}.__kwdefaults__ = dict(y={v})", "f{n}.__kwdefaults__['y'] = {v}",
        "f{n}.__code__ = (lambda x, *, y: y - x + {v}).__code__", "def f{n}(x={v}):\n    return x"]),
    "function attribute": ("def f{n}():\n    return f{n}.w\nf{n}.w = {v}", "f{n}()", ["f{n}.w = {v}", "f{n}.z = {v}"]),
    "two names": ("def f{n}(x):\n    return x\ng{n} = h{n} = f{n}", "g{n}(1) + h{n}(2)", ["g{n} = lambda x: x + {v}", "h{n} = lambda x: {v}", "h{n} = g{n}"]),
    "closure": ("def make{n}(w):\n    def get():\n        return w\n    def put(x):\n        nonlocal w\n        w = x\n    return get, put\n"
                "f{n}, p{n} = make{n}({v})", "f{n}()", ["p{n}({v})", "f{n}.__closure__[0].cell_contents = {v}", "f{n}, p{n} = make{n}({v})"]),
    "partial": ("f{n} = functools.partial(lambda x, y: x + y, {v}, y=1)", "f{n}()", ["f{n}.keywords['y'] = {v}",
                                                                                  "f{n} = functools.partial(lambda x, y: x + y, {v}, y=1)"]),
    "cached": ("b{n} = [{v}]\n@functools.cache\ndef f{n}(x):\n    return b{n}[0] + x", "f{n}(1)", ["b{n}[0] = {v}\nf{n}.cache_clear()"]),
    "callable": ("class C{n}:\n    def __init__(self, w):\n        self.w = w\n    def __call__(self):\n        return self.w\no{n} = C{n}({v})", "o{n}()",
                 ["o{n}.w = {v}", "C{n}.__call__ = lambda self: {v}", "o{n} = lambda: {v}"]),
    "truth": ("class C{n}:\n    w = {v}\no{n} = C{n}()", "(5 if o{n} else 2)", ["C{n}.__bool__ = lambda self: self.w > 4", "C{n}.w = {v}",
                                                                             "C{n}.__len__ = lambda self: {v} % 2", "o{n} = None"]),
    "sequence": ("class C{n}:\n    w = [{v}, 1]\n    def __getitem__(self, place):\n        return self.w[place]\n    def __len__(self):\n"
                 "        return len(self.w)\no{n} = C{n}()", "sum(o{n}) + len(o{n}) + (3 in o{n})",
                 ["C{n}.w[0] = {v}", "C{n}.w.append({v})", "C{n}.__iter__ = lambda self: iter([{v}])", "C{n}.__contains__ = lambda self, key: {v} > 3"]),
    "arithmetic": ("class C{n}:\n    w = {v}\n    def __add__(self, other):\n        return self.w + other\n    def __lt__(self, other):\n"
                   "        return self.w < other\no{n} = C{n}()", "(o{n} + 1 if o{n} < 4 else 3)", ["C{n}.w = {v}", "C{n}.__add__ = lambda self, other: {v}"]),
    "enum": ("E{n} = enum.Enum('E', 'A B C')\ns{n} = types.SimpleNamespace(e=E{n}.A)", "(s{n}.e.value if s{n}.e is not E{n}.B else 7)",
             ["s{n}.e = list(E{n})[{v} % 3]"]),
    "text": ("s{n} = types.SimpleNamespace(mode='near')", "dict(near=2, far=5)[s{n}.mode] + (s{n}.mode == 'far')", ["s{n}.mode = ('near', 'far')[{v} % 2]"]),
    "number's type": ("g{n} = {v}", "(g{n} if isinstance(g{n}, int) else 6)", ["g{n} = {v}", "g{n} = np.int64({v})", "g{n} = float({v})", "g{n} = True"]),
    "builtin": ("", "abs(-3) + max(1, 2)", ["abs = lambda x: {v}", "globals().pop('abs', None)", "max = lambda *x: {v}", "globals().pop('max', None)"]),
    "import": ("sys.modules['random_program_{n}'] = m{n} = types.ModuleType('x')\nm{n}.w = {v}\ndef f{n}():\n    import random_program_{n}\n"
               "    return random_program_{n}.w", "f{n}()", ["m{n}.w = {v}"]),
}
FORMS = ["{}", "{}", "int({})", "min({}, 7)", "(5 if {} > 4 else 2)", "sum(1 for _ in range(int({})))", "[3, 4, 5, 6, 7, 8, 9, 1, 2, 0][int({}) % 10]",
         "(lambda z: z)({})", "helper({})", "float({})", "(3 if {} in (1, 2, 5) else 6)", "round({})"]
CONDITIONS = ["(q - k < {})", "((q + k) % ({} + 2) != 0)", "(q >= {} * 2)", "(np.where(q > k, {}, 3) < k)", "((q - {}) * 2 > k)"]
IMPORTS = "array, collections, dataclasses, enum, functools, sys, threading, types"


class Program:
    """function(b, h, q, k), and change(), which changes a part of what it reads."""

    def __init__(self, seed, names=None):
        """names: of kinds; without them some are picked."""
        self.rng = random.Random(seed)
        names = names or self.rng.sample(sorted(KINDS), self.rng.randint(2, 5))
        self.parts = list(enumerate(names))
        self.names = {"__name__": "program"}
        self.texts = []
        self.run(f"import {IMPORTS}\nimport numpy as np\ndef helper(z):\n    return z + 1")
        conditions = []
        for n, name in self.parts:
            self.run(self.text(KINDS[name][0], n))
            read = self.rng.choice(FORMS).format(KINDS[name][1].format(n=n) if self.rng.random() < 0.7 else f"({KINDS[name][1].format(n=n)})")
            conditions.append(self.rng.choice(CONDITIONS).format(read))
        text = conditions[0]
        for condition in conditions[1:]:
            text = f"{text} {self.rng.choice('&|^')} {condition}"
        arguments = "b, h, q, k" + (", own=3, *, more=2" if self.rng.random() < 0.3 else "")
        if "own" in arguments:
            text = f"({text}) ^ (q < own + more)"
        self.run(f"def function({arguments}):\n    return {text}" if self.rng.random() < 0.7 else f"function = lambda {arguments}: {text}")
        self.has_own = "own" in arguments

    @property
    def function(self):
        return self.names["function"]

    def text(self, text, n):
        return text.format(n=n, v=self.rng.randint(1, 9))

    def run(self, text):
        self.texts.append(text)
        exec(compile(text, "<program>", "exec"), self.names)

    def change(self, text=None):
        """text: the change, of the first part; without one any of any part."""
        n, name = self.parts[0] if text else self.rng.choice(self.parts)
        try:
            if not text and self.has_own and self.rng.random() < 0.2:
                self.run(self.text("function.__defaults__ = ({v},)", n))
            else:
                self.run(self.text(text or self.rng.choice(KINDS[name][2]), n))
        except TypeError:  # An earlier change left what this one does not change.
            self.texts.pop()
