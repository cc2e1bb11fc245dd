"""Texts of programs of `sattn.bsr_attention`."""

import dataclasses

from . import _elements


@dataclasses.dataclass(frozen=True)
class BsrAttention:
    """One `sattn.bsr_attention` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of query, key, value and the result: "f16", "bf16", "f32" or "f64".
    columns: of query and key, and of value. block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of crow, col, query, key, value and the result.
    dropout: whether weights are dropped. precision: "ieee", or of f32 "tf32". meta: the inside of #sattn.meta<...>, or ""
    for the compiler's choice.
    """

    dtype: str
    columns: tuple
    block: tuple
    index: str
    batch: tuple
    dropout: bool
    precision: str
    meta: str = ""

    @property
    def arguments(self):
        """Names of the function's arguments, in order, and their types."""
        depth, width = self.columns

        def matrix(batch, columns):
            return f"tensor<{'?x' * (batch + 1)}{columns}x{self.dtype}>"

        def indices(batch):
            return f"tensor<{'?x' * (batch + 1)}{self.index}>"

        crow, col, query, key, value, out = self.batch
        scalar = _elements.scalar_of(self.dtype)
        return {"scale": scalar, **({"dropout_p": scalar} if self.dropout else {}),
                "crow": indices(crow), "col": indices(col), "query": matrix(query, depth), "key": matrix(key, depth),
                "value": matrix(value, width), **({"random": "tensor<2xi64>"} if self.dropout else {}),
                "out": matrix(out, width)}

    def text(self):
        """The module: one function @bsr_attention, which returns its last argument's new contents."""
        types = self.arguments
        inputs = ["crow", "col", "query", "key", "value"]
        dropout = f"      dropout(%dropout_p, %random : {types['random']})\n" if self.dropout else ""
        attributes = [f"block_size = array<i64: {self.block[0]}, {self.block[1]}>"]
        attributes += ['precision = "tf32"'] if self.precision == "tf32" else []
        attributes += [f"meta = #sattn.meta<{self.meta}>"] if self.meta else []
        arguments = ", ".join(f"%{name}: {type}" for name, type in types.items())
        names = ", ".join(f'"{name}"' for name in types)
        return (f"func.func @bsr_attention({arguments}) -> {types['out']}\n"
                f"    attributes {{sattn.names = [{names}]}} {{\n"
                "  %0 = sattn.bsr_attention scale(%scale)\n"
                f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})\n"
                f"{dropout}      outs(%out : {types['out']}) {{{', '.join(attributes)}}} -> {types['out']}\n"
                f"  return %0 : {types['out']}\n}}\n")
