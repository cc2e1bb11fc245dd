"""Texts of programs of `sattn.scatter_mm`."""

import dataclasses

# For each format the names of its lists, as the op's operands and as PyTorch calls them.
LISTS = {"scatter_mm": {"offsets": "c_offsets", "q": "pq[:, 1]", "p": "pq[:, 0]"},
         "bsr_strided_mm": {"offsets": "c_indices", "q": "q_offsets", "p": "p_offsets", "r": "r_offsets"},
         "bsr_strided_mm_compressed": {"offsets": "c_indices", "q": "q_offsets", "r": "r_offsets"}}


@dataclasses.dataclass(frozen=True)
class ScatterMm:
    """One `sattn.scatter_mm` on tensors of dynamic shapes: what a kernel is compiled for.

    format: a name in LISTS. dtype: element type of blocks and others: "f16", "bf16", "f32" or "f64". out: the result's.
    block: rows and columns of a block. n: columns of a matrix that is added to, or None where any may come.
    index: the element type, "i32" or "i64", of each list. batch: batch dimensions of others and the result.
    precision: "ieee", or of f32 "tf32". overwrite: whether the old elements do not count, of which none are left then.
    sparsity: the part of the others that lists do not have where they are short, or None.
    """

    format: str
    dtype: str
    out: str
    block: tuple
    n: object
    index: tuple
    batch: int
    precision: str
    overwrite: bool = False
    sparsity: float | None = None

    @property
    def options(self):
        """Of the pipeline of a GPU."""
        return "" if self.sparsity is None else f"sparsity={self.sparsity}"

    @property
    def operands(self):
        """The op's operands in the order of the function's arguments."""
        lists = [*LISTS[self.format]]
        return [*lists[:2], "blocks", "others", *lists[2:], "out"]

    @property
    def arguments(self):
        """The callers' names of the function's arguments, in order."""
        names = {**LISTS[self.format], "out": "accumulators"}
        return [names.get(operand, operand) for operand in self.operands]

    def types(self):
        """The type of each operand, by name."""
        rows, columns = self.block
        grid = "?x" * (self.batch + (1 if self.format == "scatter_mm" else 2))
        n = "?" if self.n is None else self.n
        types = {name: f"tensor<?x{element}>" for name, element in zip(LISTS[self.format], self.index)}
        return {**types, "blocks": f"tensor<?x{rows}x{columns}x{self.dtype}>",
                "others": f"tensor<{grid}{columns}x{n}x{self.dtype}>", "out": f"tensor<{grid}{rows}x{n}x{self.out}>"}

    def text(self):
        """The module: one function @scatter_mm, which returns its last argument's new contents."""
        types = self.types()
        arguments = ", ".join(f"%{name}: {types[name]}" for name in self.operands)
        names = ", ".join(f'"{name}"' for name in self.arguments)
        inputs = self.operands[:4]
        lists = "".join(f" {name}(%{name} : {types[name]})" for name in self.operands[4:-1])
        attributes = ['precision = "tf32"'] * (self.precision == "tf32") + ["overwrite"] * self.overwrite
        attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
        return (f"func.func @scatter_mm({arguments}) -> {types['out']}\n"
                f"    attributes {{sattn.names = [{names}]}} {{\n"
                "  %0 = sattn.scatter_mm\n"
                f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})"
                f"{lists}\n"
                f"      outs(%out : {types['out']}){attributes} -> {types['out']}\n"
                f"  return %0 : {types['out']}\n}}\n")
