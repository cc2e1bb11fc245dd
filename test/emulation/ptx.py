"""Inline PTX as functions of LLVM's IR: loads and stores of global memory, and the arithmetic of their addresses."""

import re

CALL = re.compile(r'call (?P<result>[^"@\n]*?) asm (?:sideeffect )?"(?P<body>[^"]*)", "(?P<constraints>[^"]*)"\((?P<arguments>[^)]*)\)')
TYPES = {"h": "i16", "r": "i32", "l": "i64"}


class _Function:
    """One statement after the other; a predicated one is a branch of its own."""

    def __init__(self, constraints):
        self.lines, self.count, self.block = [], 0, "entry"
        kinds = [constraint.strip("=&") for constraint in constraints.split(",")]
        self.types = [TYPES[kind] for kind in kinds]
        self.outputs = sum(constraint.startswith("=") for constraint in constraints.split(","))
        # Of operands by number, and of registers by name.
        self.values = {f"${i}": "0" if i < self.outputs else f"%a{i}" for i in range(len(kinds))}

    def new(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def begin(self, label):
        self.lines.append(f"{label}:")
        self.block = label

    def value(self, operand):
        return self.values.get(operand, operand)

    def statement(self, text):
        predicate = re.fullmatch(r"@%(\w) (.*)", text)
        if not predicate:
            return self.plain(text)
        before, name = dict(self.values), f"s{len(self.lines)}"
        self.lines.append(f"  br i1 {self.values['%' + predicate[1]]}, label %{name}, label %{name}.end")
        source = self.block
        self.begin(name)
        self.plain(predicate[2])
        self.lines.append(f"  br label %{name}.end")
        inside = self.block
        self.begin(f"{name}.end")
        for i in range(self.outputs):
            old, now = before[f"${i}"], self.values[f"${i}"]
            if old != now:
                self.values[f"${i}"] = self.new(f"phi {self.types[i]} [ {old}, %{source} ], [ {now}, %{inside} ]")
        return None

    def plain(self, text):
        if found := re.fullmatch(r"mov\.b\d+ (\$\d+), (\S+)", text):
            self.values[found[1]] = self.value(found[2])
        elif found := re.fullmatch(r"mad\.lo\.s64 (%\w), (\S+), (\S+), (\S+)", text):
            left, right, added = (self.value(found[i]) for i in (2, 3, 4))
            self.values[found[1]] = self.new(f"add i64 {self.new(f'mul i64 {left}, {right}')}, {added}")
        elif found := re.fullmatch(r"setp\.(\w\w)\.s32 (%\w), (\S+), (\S+)", text):
            predicate = found[1] if found[1] in ("eq", "ne") else f"s{found[1]}"
            self.values[found[2]] = self.new(f"icmp {predicate} i32 {self.value(found[3])}, {self.value(found[4])}")
        elif found := re.fullmatch(r"ld\.global(?:\.v\d)?\.b(\d+) \{?([^}\[]*)\}?, \[([^+\]]*)(?:\+(\d+))?\]", text):
            for i, register in enumerate(found[2].split(", ")):
                self.values[register] = self.new(f"load i{found[1]}, ptr {self.address(found, 3, i)}, align 1")
        elif found := re.fullmatch(r"st\.global(?:\.v\d)?\.b(\d+) \[([^+\]]*)(?:\+(\d+))?\], \{?([^}]*)\}?", text):
            for i, register in enumerate(found[4].split(", ")):
                address = self.address(found, 2, i)
                self.lines.append(f"  store i{found[1]} {self.value(register)}, ptr {address}, align 1")
        else:
            raise AssertionError(f"expected PTX that is known here, but got '{text}'")

    def address(self, found, group, element):
        offset = int(found[group + 1] or 0) + element * int(found[1]) // 8
        return self.new(f"inttoptr i64 {self.new(f'add i64 {self.value(found[group])}, {offset}')} to ptr")


def to_functions(ir):
    """The IR with each piece of inline PTX a call of a function, and the functions."""
    functions = {}

    def replace(call):
        key = call["result"], call["body"], call["constraints"]
        if key not in functions:
            functions[key] = f"ptx_{len(functions)}", _define(f"ptx_{len(functions)}", *key)
        return f"call {call['result']} @{functions[key][0]}({call['arguments']})"

    ir = CALL.sub(replace, ir)
    return ir + "\n" + "\n".join(text for _, text in functions.values())


def _define(name, result, body, constraints):
    function = _Function(constraints)
    # A scope's braces stand alone, those of vectors within a statement.
    text = body.replace("\\0A", "\n").strip().removeprefix("{").removesuffix("}")
    for statement in map(str.strip, text.split(";")):
        if statement and not statement.startswith(".reg"):
            function.statement(statement)
    types = function.types[:function.outputs]
    if len(types) > 1:
        whole = "poison"
        for i in range(len(types)):
            whole = function.new(f"insertvalue {result} {whole}, {types[i]} {function.values[f'${i}']}, {i}")
        function.lines.append(f"  ret {result} {whole}")
    else:
        function.lines.append(f"  ret {result} {function.values['$0']}" if types else "  ret void")
    arguments = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(function.types) if i >= function.outputs)
    return f"define internal {result} @{name}({arguments}) {{\nentry:\n" + "\n".join(function.lines) + "\n}\n"
