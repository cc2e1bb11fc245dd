"""The text of an expression (_trace/expression.py) as a region of sattn.flex_attention."""

import math
import struct

from .._arrays.evaluation import in_order
from .captured_kinds import PASSED
from .expression import COMPARISONS, RANGES

_BINARY = {"add": ("arith.addi", "arith.addf"), "sub": ("arith.subi", "arith.subf"),
           "mul": ("arith.muli", "arith.mulf"), "div": (None, "arith.divf"), "min": ("arith.minsi", "arith.minimumf"),
           "max": ("arith.maxsi", "arith.maximumf"), "fmin": (None, "arith.minnumf"), "fmax": (None, "arith.maxnumf"),
           "fmod": (None, "arith.remf"), "pow": (None, "math.powf"), "fma": (None, "math.fma"),
           "and": ("arith.andi", None), "or": ("arith.ori", None), "xor": ("arith.xori", None)}
_FUNCTIONS = {"round": "math.roundeven"}
# Functions with approximate instructions for 16-bit operands.
_APPROXIMATE = "exp", "exp2", "log", "log2", "sqrt", "tanh", "sin", "cos"


def passed_element(element, wide):
    """The type that a kernel reads of a captured array's. wide: the type of scores, "f32" or "f64"."""
    return element if element == wide else PASSED[element]


def types_of(captures, wide="f32"):
    """Types of the kernel's arguments for captures, a list for each: numbers take one of the type of scores, or two."""
    return [[f"tensor<{'?x' * capture.rank}{passed_element(capture.element, wide)}>"] if capture.kind == "array" else
            [wide] * (2 if capture.kind in ("large", "extent") else 1) for capture in captures]


def numbers_of(capture, value):
    """A captured number as that many floats."""
    return (value >> 16, value & 0xffff) if capture.kind in ("large", "extent") else (value,)


def _literal(value, dtype, wide):
    if dtype == "i1":
        return "true" if value else "false"
    if dtype != "f32":
        return f"{value} : {dtype}"
    if not math.isfinite(value):
        bits, number = ("<Q", "<d") if wide == "f64" else ("<I", "<f")
        return f"0x{struct.unpack(bits, struct.pack(number, value))[0]:0{16 if wide == 'f64' else 8}X} : f32"
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{mark}{exponent} : f32"


class _Writer:
    """Writes the operations of one region, floats as f32. What f32 is in a region of f64 as well is written as F32."""

    def __init__(self, captures, places, approximate, is_derived, moved, varied, wide):
        self.captures, self.places, self.wide = captures, places, wide
        self.moved, self.varied = moved, varied
        self.approximate, self.is_derived = approximate, is_derived
        self.lines, self.names, self.constants = [], {}, {}
        self.count = 0

    def add(self, text):
        """A line that defines a value. Returns its name."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value, dtype):
        literal = _literal(value, dtype, self.wide)
        if literal not in self.constants:
            self.constants[literal] = self.add(f"arith.constant {literal}")
        return self.constants[literal]

    def position(self, name):
        """A batch, a head or a position, from where the captured number says."""
        if name not in self.moved:
            return f"%{name}"
        start = self.add(f"arith.fptosi %c{self.moved[name]} : f32 to i32")
        return self.add(f"arith.addi %{name}, {start} : i32")

    def number(self, node):
        capture = self.captures[node.payload]
        arguments = [f"%c{place}" for place in self.places[node.payload]]
        if capture.kind == "float":
            return arguments[0]
        whole = [self.add(f"arith.fptosi {name} : f32 to i32") for name in arguments]
        if len(whole) == 1:
            return whole[0]
        high = self.add(f"arith.shli {whole[0]}, {self.constant(16, 'i32')} : i32")
        return self.add(f"arith.addi {high}, {whole[1]} : i32")

    def load(self, node, indices):
        capture = self.captures[node.payload]
        element = passed_element(capture.element, self.wide)
        if element == "f32" and self.wide == "f64":
            element = "F32"
        places = [self.add(f"arith.index_cast {index} : {operand.dtype} to index")
                  for index, operand in zip(indices, node.operands)]
        loaded = self.add(f"tensor.extract %c{self.places[node.payload][0]}[{', '.join(places)}] : "
                          f"tensor<{'?x' * capture.rank}{element}>")
        if capture.element == "bool":
            return self.add(f"arith.cmpi ne, {loaded}, {self.constant(0, 'i8')} : i8")
        if element == "i8":
            return self.add(f"arith.{'extui' if capture.element == 'u8' else 'extsi'} {loaded} : i8 to i32")
        return self.add(f"arith.extf {loaded} : {element} to f32") if element in ("f16", "bf16", "F32") else loaded

    def cast(self, value, source, target):
        if source == target:  # The types differ in NumPy and PyTorch alone.
            return value
        if target == "f32":
            return self.add(f"arith.{'uitofp' if source == 'i1' else 'sitofp'} {value} : {source} to f32")
        if source == "f32":
            return self.add(f"arith.fptosi {value} : f32 to {target}")
        if source == "i1":
            return self.add(f"arith.extui {value} : i1 to {target}")
        return self.add(f"arith.{'extsi' if source == 'i32' else 'trunci'} {value} : {source} to {target}")

    def wrap(self, value, dtype, type):
        """An integer in the range of a type of fewer bits."""
        bits = int(type[1:])
        if type[0] == "u":
            return self.add(f"arith.andi {value}, {self.constant(2**bits - 1, dtype)} : {dtype}")
        shift = self.constant(int(dtype[1:]) - bits, dtype)
        high = self.add(f"arith.shli {value}, {shift} : {dtype}")
        return self.add(f"arith.shrsi {high}, {shift} : {dtype}")

    def shift(self, node, left, amount):
        """Amounts that are negative, or that pass the type's bits, shift all bits out."""
        dtype, given = node.dtype, node.operands[1]
        most = int(dtype[1:]) - 1
        fits = 0 <= given.low and given.high <= most
        within = amount if fits else self.add(f"arith.minui {amount}, {self.constant(most, dtype)} : {dtype}")
        if node.op == "shr":
            return self.add(f"arith.shrsi {left}, {within} : {dtype}")
        result = self.add(f"arith.shli {left}, {within} : {dtype}")
        if fits:
            return result
        is_within = self.add(f"arith.cmpi ule, {amount}, {self.constant(most, dtype)} : {dtype}")
        return self.add(f"arith.select {is_within}, {result}, {self.constant(0, dtype)} : {dtype}")

    def whole(self, node, left, right):
        """Floor division of integers, or its remainder. By 0 both are 0, as NumPy's, and nothing traps."""
        dtype, divisor = node.dtype, node.operands[1]
        if not divisor.low <= 0 <= divisor.high:
            return self.divided(node, left, right)
        zero = self.constant(0, dtype)
        is_zero = self.add(f"arith.cmpi eq, {right}, {zero} : {dtype}")
        right = self.add(f"arith.select {is_zero}, {self.constant(1, dtype)}, {right} : {dtype}")
        result = self.divided(node, left, right)
        if node.op == "mod":  # By 1 it is 0.
            return result
        return self.add(f"arith.select {is_zero}, {zero}, {result} : {dtype}")

    def divided(self, node, left, right):
        dtype, (dividend, divisor) = node.dtype, node.operands
        op = "divsi" if node.op == "floordiv" else "remsi"
        zero = self.constant(0, dtype)
        if dividend.low >= 0 and divisor.low >= 0:
            return self.add(f"arith.{op} {left}, {right} : {dtype}")
        safe = right
        negative = None
        if divisor.low <= -1 <= divisor.high and dividend.low == RANGES[dtype][0]:  # The quotient may not fit.
            negative = self.add(f"arith.cmpi eq, {right}, {self.constant(-1, dtype)} : {dtype}")
            safe = self.add(f"arith.select {negative}, {self.constant(1, dtype)}, {right} : {dtype}")
        rest = self.add(f"arith.remsi {left}, {safe} : {dtype}")
        signs = self.add(f"arith.xori {rest}, {safe} : {dtype}")
        differ = self.add(f"arith.cmpi slt, {signs}, {zero} : {dtype}")
        some = self.add(f"arith.cmpi ne, {rest}, {zero} : {dtype}")
        moves = self.add(f"arith.andi {differ}, {some} : i1")
        if op == "remsi":  # The remainder by -1 is 0, as by 1.
            moved = self.add(f"arith.addi {rest}, {safe} : {dtype}")
            return self.add(f"arith.select {moves}, {moved}, {rest} : {dtype}")
        quotient = self.add(f"arith.divsi {left}, {safe} : {dtype}")
        less = self.add(f"arith.subi {quotient}, {self.constant(1, dtype)} : {dtype}")
        result = self.add(f"arith.select {moves}, {less}, {quotient} : {dtype}")
        if negative is None:
            return result
        minus = self.add(f"arith.subi {zero}, {left} : {dtype}")
        return self.add(f"arith.select {negative}, {minus}, {result} : {dtype}")

    def detached(self, value):
        """The value by way of its bits, which have no derivative. What is computed of them, and is they themselves,
        keeps the casts apart until the region has been derived."""
        if not self.is_derived:
            return value
        bits = "i64" if self.wide == "f64" else "i32"
        whole = self.add(f"arith.bitcast {value} : f32 to {bits}")
        some = self.add(f"arith.andi {whole}, {self.constant(1, bits)} : {bits}")
        whole = self.add(f"arith.ori {whole}, {some} : {bits}")
        return self.add(f"arith.bitcast {whole} : {bits} to f32")

    def bounded(self, node, value, bound):
        """A relu or clamp as a choice, which has one derivative on the bound: the bound's."""
        is_beyond = self.add(f"arith.cmpf {'ole' if node.op == 'max' else 'oge'}, {value}, {bound} : f32")
        return self.add(f"arith.select {is_beyond}, {bound}, {value} : f32")

    def operation(self, node, operands):
        op, dtype = node.op, node.dtype
        is_float = dtype == "f32"
        if op == "load":
            return self.load(node, operands)
        if op == "detached":
            return self.detached(operands[0])
        if op == "cast":
            return self.cast(operands[0], node.operands[0].dtype, dtype)
        if op == "rounded":
            narrow = self.add(f"arith.truncf {operands[0]} : f32 to {node.payload}")
            return self.add(f"arith.extf {narrow} : {node.payload} to f32")
        if op in COMPARISONS:
            own = node.operands[0].dtype
            if own == "f32":
                return self.add(f"arith.cmpf {'une' if op == 'ne' else 'o' + op}, {', '.join(operands)} : f32")
            # false is less than true.
            how = COMPARISONS[op] if own != "i1" else COMPARISONS[op].replace("s", "u")
            return self.add(f"arith.cmpi {how}, {', '.join(operands)} : {own}")
        if op in ("floordiv", "mod"):
            return self.whole(node, *operands)
        if op == "where":
            return self.add(f"arith.select {', '.join(operands)} : {dtype}")
        if op in ("min", "max") and dtype == "i1":
            return self.add(f"arith.{'andi' if op == 'min' else 'ori'} {', '.join(operands)} : i1")
        if is_float and node.payload and self.is_derived and op in ("min", "max"):
            return self.bounded(node, *operands)
        if op in _BINARY:
            return self.add(f"{_BINARY[op][is_float]} {', '.join(operands)} : {dtype}")
        if op in ("shl", "shr"):
            return self.shift(node, *operands)
        if op == "wrap":
            return self.wrap(*operands, dtype, node.payload)
        if op == "neg" and not is_float:
            return self.add(f"arith.subi {self.constant(0, dtype)}, {operands[0]} : {dtype}")
        if op == "abs" and not is_float:
            return self.add(f"math.absi {operands[0]} : {dtype}")
        name = {"neg": "arith.negf", "abs": "math.absf"}.get(op) or _FUNCTIONS.get(op, f"math.{op}")
        flags = " fastmath<afn>" if self.approximate and op in _APPROXIMATE else ""
        return self.add(f"{name} {operands[0]}{flags} : f32")

    def write(self, result):
        for node in in_order(result):
            operands = [self.names[id(operand)] for operand in node.operands]
            if node.op == "argument":
                name = self.position(node.payload)
            elif node.op == "constant":
                name = self.constant(node.payload, node.dtype)
            elif node.op == "number":
                name = self.number(node)
            else:
                name = self.operation(node, operands)
            if self.varied is not None and node is self.varied[0]:
                name = self.add(f"arith.addf {name}, %c{self.varied[1]} : f32")
            self.names[id(node)] = name
        return self.names[id(result)]


def text(function, first, types, approximate, is_derived=False, moved=None, varied=None, wide="f32"):
    """The region of a Function (_trace/user_functions.py).

    first: how many of the op's captures, whose types are `types`, stand before the function's own. approximate: whether
    functions may be approximate, as with 16-bit operands. is_derived: whether `sattn-differentiate` derives the region,
    which then has PyTorch's derivatives of relu and clamp; its values are those of the other region. moved: by the
    names of b, h, q_idx and kv_idx, the number of the op's capture that is added to them, a whole number in f32.
    varied: (a node of f32, the number of the op's capture that is added to its value), or None. wide: the type of
    scores, "f32" or "f64".
    """
    places, place = [], first
    for own in types_of(function.captures, wide):
        places.append(range(place, place + len(own)))
        place += len(own)
    writer = _Writer(function.captures, places, approximate, is_derived, moved or {}, varied, wide)
    result = writer.write(function.result)
    score = [f"%score: {wide}"] if function.kind == "score_mod" else []
    arguments = [*score, *(f"%{name}: i32" for name in ("b", "h", "q_idx", "kv_idx")),
                 *(f"%c{place}: {name}" for place, name in enumerate(types))]
    lines = "\n".join(writer.lines + [f"  sattn.yield {result} : {'f32' if score else 'i1'}"])
    if wide == "f64":
        lines = lines.replace("f32", "f64").replace("F32", "f32")
    return f"{function.kind} {{\n^bb0({', '.join(arguments)}):\n{lines}\n}}"
