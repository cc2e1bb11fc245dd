"""Texts of programs of `sattn.sampled_addmm`."""

import dataclasses

from . import _elements


@dataclasses.dataclass(frozen=True)
class SampledAddmm:
    """One `sattn.sampled_addmm` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of mat1: "f16", "bf16", "f32", "f64", "i8", "f8E4M3FN" or "f8E5M2". mat2, input: those of mat2 and input.
    out: the result's.
    block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of (crow, col), of mat1, mat2, input and out.
    with_input: whether beta * input is added; else beta is 0.
    precision: "ieee", or of f32 "tf32". transpose_mat2: whether mat2 is (*, N, K).
    meta: the inside of #sattn.meta<...>, or "" for the compiler's choice. k: the columns of mat1 where the program is made
    for them, else None.
    """

    dtype: str
    mat2: str
    input: str
    out: str
    block: tuple
    index: str
    batch: tuple
    with_input: bool
    precision: str
    transpose_mat2: bool
    meta: str = ""
    k: int | None = None

    @property
    def arguments(self):
        """Names of the function's arguments, in order."""
        return [*("alpha", "beta")[:1 + self.with_input], "crow", "col", "mat1", "mat2",
                *("input",)[:self.with_input], "out"]

    def types(self):
        """The type of each operand, by name."""
        storage, mat1, mat2, input, out = self.batch
        block = "x".join(map(str, self.block))

        def tensor(rank, element):
            return f"tensor<{'?x' * rank}{element}>"

        def factor(rank, element, last):
            k = self.k or "?"
            return f"tensor<{'?x' * rank}{f'?x{k}x' if last else f'{k}x?x'}{element}>"

        scalar = _elements.scalar_of(self.dtype)
        return {"alpha": scalar, "beta": scalar,
                "crow": tensor(storage + 1, self.index), "col": tensor(storage + 1, self.index),
                "mat1": factor(mat1, self.dtype, last=True), "mat2": factor(mat2, self.mat2, last=self.transpose_mat2),
                "input": tensor(input + 1, f"{block}x{self.input}"), "out": tensor(out + 1, f"{block}x{self.out}")}

    def text(self):
        """The module: one function @sampled_addmm, which returns its last argument's new contents."""
        types = self.types()
        arguments = ", ".join(f"%{name}: {types[name]}" for name in self.arguments)
        names = ", ".join(f'"{name}"' for name in self.arguments)
        beta = "" if self.with_input else f"  %beta = arith.constant 0.0 : {types['beta']}\n"
        inputs = ["crow", "col", "mat1", "mat2"]
        added = f" input(%input : {types['input']})" if self.with_input else ""
        attributes = [f"meta = #sattn.meta<{self.meta}>"] if self.meta else []
        attributes += ['precision = "tf32"'] if self.precision == "tf32" else []
        attributes += ["transpose_mat2"] if self.transpose_mat2 else []
        attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
        return (f"func.func @sampled_addmm({arguments}) -> {types['out']}\n"
                f"    attributes {{sattn.names = [{names}]}} {{\n{beta}"
                "  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)\n"
                f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})"
                f"{added}\n"
                f"      outs(%out : {types['out']}){attributes} -> {types['out']}\n"
                f"  return %0 : {types['out']}\n}}\n")
