"""Texts of programs in the dialect `sattn`."""

import dataclasses

from . import _elements


# The op's names of operands that callers know by others.
CALLERS_NAMES = {"b": "dense", "left": "left_alpha", "right": "right_alpha"}


@dataclasses.dataclass(frozen=True)
class BsrAddmm:
    """One `sattn.bsr_addmm` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of values: "f16", "bf16", "f32", "f64", "i8", "f8E4M3FN" or "f8E5M2". dense: that of dense, or "" for the
    same. out: the result's.
    block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of (crow, col, values), of dense and of out.
    input, left, right: the operand's element type, or "" where there is none; without input the result's
    former contents are scaled by beta. input_batch, left_batch, right_batch: their batch dimensions.
    alpha, beta: a number that is known now, or None for an argument.
    meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    precision: "ieee", or of f32 "tf32".
    transpose_b, transpose_out: whether b is (*, N, K), and whether input and out are (*, N, M).
    """

    dtype: str = "bf16"
    dense: str = ""
    out: str = "bf16"
    block: tuple = (64, 64)
    index: str = "i32"
    batch: tuple = (0, 0, 0)
    input: str = ""
    left: str = ""
    right: str = ""
    input_batch: int = 0
    left_batch: int = 0
    right_batch: int = 0
    alpha: float | None = None
    beta: float | None = None
    meta: str = ""
    precision: str = "ieee"
    transpose_b: bool = False
    transpose_out: bool = False

    @property
    def arguments(self):
        """Names of the function's arguments, in order."""
        scalars = [name for name in ("alpha", "beta") if getattr(self, name) is None]
        optional = [name for name in ("input", "left", "right") if getattr(self, name)]
        return [*scalars, "crow", "col", "values", "b", *optional, "out"]

    def types(self):
        """The type of each operand, by name."""
        storage, dense, out = self.batch
        rows, columns = self.block

        def tensor(rank, element, static=""):
            return f"tensor<{'?x' * rank}{static}{element}>"

        scalar = _elements.scalar_of(self.dtype)
        return {"alpha": scalar, "beta": scalar,
                "crow": tensor(storage + 1, self.index), "col": tensor(storage + 1, self.index),
                "values": tensor(storage + 1, self.dtype, f"{rows}x{columns}x"), "b": tensor(dense + 2, self.dense or self.dtype),
                "input": tensor(self.input_batch + 2, self.input), "left": tensor(self.left_batch + 1, self.left),
                "right": tensor(self.right_batch + 1, self.right), "out": tensor(out + 2, self.out)}

    def text(self):
        """The module: one function @bsr_addmm, which returns its last argument's new contents."""
        types = self.types()
        arguments = ", ".join(f"%{name}: {types[name]}" for name in self.arguments)
        names = ", ".join(f'"{CALLERS_NAMES.get(name, name)}"' for name in self.arguments)
        constants = "".join(f"  %{name} = arith.constant {float(getattr(self, name))!r} : {types[name]}\n"
                            for name in ("alpha", "beta") if getattr(self, name) is not None)
        inputs = ["crow", "col", "values", "b"]
        optional = " ".join(f"{name}(%{name} : {types[name]})" for name in ("input", "left", "right")
                            if getattr(self, name))
        attributes = [f"meta = #sattn.meta<{self.meta}>"] if self.meta else []
        if self.precision != "ieee":
            attributes.append(f'precision = "{self.precision}"')
        attributes += [name for name in ("transpose_b", "transpose_out") if getattr(self, name)]
        attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
        return (f"func.func @bsr_addmm({arguments}) -> {types['out']}\n"
                f"    attributes {{sattn.names = [{names}]}} {{\n{constants}"
                "  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)\n"
                f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})"
                f" {optional}\n"
                f"      outs(%out : {types['out']}){attributes} -> {types['out']}\n"
                f"  return %0 : {types['out']}\n}}\n")


@dataclasses.dataclass(frozen=True)
class BsrSoftmax:
    """One `sattn.bsr_softmax` on tensors of dynamic shapes.

    dtype: element type of values and out. block: rows and columns of a stored block. index: "i32" or "i64". batch:
    number of batch dimensions. meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    """

    dtype: str
    block: tuple
    index: str
    batch: int
    meta: str = ""

    def text(self):
        """The module: one function @bsr_softmax, which returns its last argument's new contents."""
        batch = "?x" * self.batch
        index = f"tensor<{batch}?x{self.index}>"
        values = f"tensor<{batch}?x{self.block[0]}x{self.block[1]}x{self.dtype}>"
        attributes = f" {{meta = #sattn.meta<{self.meta}>}}" if self.meta else ""
        return (f"func.func @bsr_softmax(%crow: {index}, %col: {index}, %values: {values}, %out: {values}) -> {values}\n"
                '    attributes {sattn.names = ["crow", "col", "input", "out"]} {\n'
                f"  %0 = sattn.bsr_softmax ins(%crow, %col, %values : {index}, {index}, {values})\n"
                f"      outs(%out : {values}){attributes} -> {values}\n"
                f"  return %0 : {values}\n}}\n")
