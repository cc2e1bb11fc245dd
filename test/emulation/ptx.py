"""Inline PTX as functions of LLVM's IR: loads and stores of global memory, the arithmetic of their addresses, and branches."""

import re

CALL = re.compile(r'call (?P<result>[^"@\n]*?) asm (?:sideeffect )?"(?P<body>[^"]*)", "(?P<constraints>[^"]*)"\((?P<arguments>[^)]*)\)')
TYPES = {"b": "i1", "h": "i16", "r": "i32", "l": "i64", "f": "float"}


class _Function:
    """A piece of PTX. Its operands and registers are variables, which LLVM turns into values."""

    def __init__(self, name, result, constraints):
        kinds = constraints.split(",")
        self.outputs = sum(kind.startswith("=") for kind in kinds)
        self.types = {f"${i}": TYPES[kind.strip("=&")] for i, kind in enumerate(kinds)}
        self.result, self.count, self.lines = result, 0, []
        arguments = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(self.types.values()) if i >= self.outputs)
        self.head = f"define internal {result} @{name}({arguments}) {{\nentry:\n"

    def emit(self, text):
        self.lines.append(f"  {text}")

    def new(self, text):
        self.count += 1
        self.emit(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    @staticmethod
    def variable(name):
        return f"%variable.{name[1:]}"

    def value(self, operand):
        if operand not in self.types:
            return operand  # A constant.
        return self.new(f"load {self.types[operand]}, ptr {self.variable(operand)}")

    def set(self, name, value, kind=None):
        self.types.setdefault(name, kind)
        self.emit(f"store {self.types[name]} {value}, ptr {self.variable(name)}")

    def address(self, base, offset):
        return self.new(f"inttoptr i64 {self.new(f'add i64 {self.value(base)}, {offset}')} to ptr")

    def resize(self, value, kind, wanted):
        """Resizes a value of memory to its wider register, and back."""
        if kind == wanted:
            return value
        return self.new(f"{'zext' if int(kind[1:]) < int(wanted[1:]) else 'trunc'} {kind} {value} to {wanted}")

    def statement(self, text):
        if found := re.fullmatch(r"(\w+):\s*(.*)", text, re.DOTALL):
            self.emit(f"br label %{found[1]}")
            self.lines.append(f"{found[1]}:")
            if found[2]:
                self.statement(found[2])
        elif found := re.fullmatch(r"@(!?)(%\w) (.*)", text):
            self.count += 1
            then, after = f"then{self.count}", f"after{self.count}"
            self.emit(f"br i1 {self.value(found[2])}, " + ", ".join(
                f"label %{label}" for label in ((after, then) if found[1] else (then, after))))
            self.lines.append(f"{then}:")
            if not self.plain(found[3]):
                self.emit(f"br label %{after}")
            self.lines.append(f"{after}:")
        elif self.plain(text):
            self.count += 1
            self.lines.append(f"unreached{self.count}:")

    def plain(self, text):
        """Returns whether it leaves for a label."""
        if found := re.fullmatch(r"bra (\w+)", text):
            self.emit(f"br label %{found[1]}")
            return True
        if found := re.fullmatch(r"mov\.u32 (\$\d+), %laneid", text):
            self.set(found[1], self.new(f"and i32 {self.new('call i32 @llvm.nvvm.read.ptx.sreg.tid.x()')}, 31"))
        elif found := re.fullmatch(r"mov\.b\d+ (\$\d+), (\S+)", text):
            self.set(found[1], self.value(found[2]))
        elif found := re.fullmatch(r"mad\.lo\.s64 (%\w), (\S+), (\S+), (\S+)", text):
            left, right, added = (self.value(found[i]) for i in (2, 3, 4))
            self.set(found[1], self.new(f"add i64 {self.new(f'mul i64 {left}, {right}')}, {added}"), "i64")
        elif found := re.fullmatch(r"setp\.(\w\w)\.s(32|64) (%\w|\$\d+), (\S+), (\S+)", text):
            predicate = found[1] if found[1] in ("eq", "ne") else f"s{found[1]}"
            self.set(found[3], self.new(f"icmp {predicate} i{found[2]} {self.value(found[4])}, {self.value(found[5])}"), "i1")
        elif found := re.fullmatch(r"and\.b64 (%\w), (\S+), (\S+)", text):
            self.set(found[1], self.new(f"and i64 {self.value(found[2])}, {self.value(found[3])}"), "i64")
        elif found := re.fullmatch(r"(and|or)\.b32 (%\w|\$\d+), (\S+), (\S+)", text):
            self.set(found[2], self.new(f"{found[1]} i32 {self.value(found[3])}, {self.value(found[4])}"), "i32")
        elif found := re.fullmatch(r"bmsk\.clamp\.b32 (\$\d+), 0, (\S+)", text):
            count = self.new(f"zext i32 {self.value(found[2])} to i64")
            count = self.new(f"call i64 @llvm.umin.i64(i64 {count}, i64 32)")
            ones = self.new(f"add i64 {self.new(f'shl i64 1, {count}')}, -1")
            self.set(found[1], self.new(f"trunc i64 {ones} to i32"))
        elif found := re.fullmatch(r"selp\.[bf]32 (\$\d+), (\S+), (\S+), (\S+)", text):
            condition, *values = (self.value(found[i]) for i in (4, 2, 3))
            kind = self.types[found[1]]
            self.set(found[1], self.new(f"select i1 {condition}, {kind} {values[0]}, {kind} {values[1]}"))
        elif found := re.fullmatch(r"neg\.f32 (\$\d+), (\S+)", text):
            self.set(found[1], self.new(f"fneg float {self.value(found[2])}"))
        elif found := re.fullmatch(r"cvt\.u(\d+)\.u(\d+) (%\w), (\S+)", text):
            self.set(found[3], self.resize(self.value(found[4]), f"i{found[2]}", f"i{found[1]}"), f"i{found[1]}")
        elif found := re.fullmatch(r"(and|or)\.pred (%\w), (%\w), (%\w)", text):
            self.set(found[2], self.new(f"{found[1]} i1 {self.value(found[3])}, {self.value(found[4])}"), "i1")
        elif found := re.fullmatch(r"ld\.global(?:\.v\d)?\.[bu](\d+) \{?([^}\[]*)\}?, \[([^+\]]*)(?:\+(\d+))?\]", text):
            for i, register in enumerate(found[2].split(", ")):
                address = self.address(found[3], int(found[4] or 0) + i * int(found[1]) // 8)
                self.set(register, self.resize(self.new(f"load i{found[1]}, ptr {address}, align 1"), f"i{found[1]}",
                                               self.types[register]))
        elif found := re.fullmatch(r"st\.global(?:\.v\d)?\.[bu](\d+) \[([^+\]]*)(?:\+(\d+))?\], \{?([^}]*)\}?", text):
            for i, register in enumerate(found[4].split(", ")):
                address = self.address(found[2], int(found[3] or 0) + i * int(found[1]) // 8)
                value = self.resize(self.value(register), self.types[register], f"i{found[1]}")
                self.emit(f"store i{found[1]} {value}, ptr {address}, align 1")
        else:
            raise AssertionError(f"expected PTX that is known here, but got '{text}'")
        return False

    def finish(self):
        """The function's text."""
        outputs = [f"${i}" for i in range(self.outputs)]
        if len(outputs) > 1:
            whole = "poison"
            for i, name in enumerate(outputs):
                whole = self.new(f"insertvalue {self.result} {whole}, {self.types[name]} {self.value(name)}, {i}")
            self.emit(f"ret {self.result} {whole}")
        else:
            self.emit(f"ret {self.result} {self.value('$0')}" if outputs else "ret void")
        begin = [f"  {self.variable(name)} = alloca {kind}" for name, kind in self.types.items()]
        begin += [f"  store {self.types[f'${i}']} %a{i}, ptr {self.variable(f'${i}')}"
                  for i in range(self.outputs, len(self.types)) if f"${i}" in self.types]
        return self.head + "\n".join(begin + self.lines) + "\n}\n"


def _define(name, result, body, constraints):
    function = _Function(name, result, constraints)
    # A scope's braces stand alone, those of vectors within a statement.
    text = body.replace("\\0A", "\n").strip().removeprefix("{").removesuffix("}")
    for statement in map(str.strip, text.split(";")):
        if statement and not statement.startswith(".reg"):
            function.statement(statement)
    return function.finish()


def to_functions(ir):
    """The IR with each piece of inline PTX a call of a function, and the functions."""
    functions = {}

    def replace(call):
        key = call["result"], call["body"], call["constraints"]
        if key not in functions:
            name = f"ptx_{len(functions)}"
            functions[key] = name, _define(name, *key)
        return f"call {call['result']} @{functions[key][0]}({call['arguments']})"

    ir = CALL.sub(replace, ir)
    return ir + "\n" + "\n".join(text for _, text in functions.values())
