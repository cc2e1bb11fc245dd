"""The program of one kind of call of flex_attention."""

import dataclasses

from .._compiler import program_text


@dataclasses.dataclass(frozen=True)
class FlexAttention:
    """One `sattn.flex_attention` on tensors of dynamic lengths: what a kernel is compiled for.

    dtype: element type of query, key and value. head_dim, value_dim: columns of query and key, and of value. group:
    query heads that share a head of key and value. packed: heads in the rows of one head of query's tensor.
    one_kv_batch: whether all batches share key and value. lse, max_scores: whether they are computed, the second only
    with the first. scale: the number that is known now, or None for an argument. partial, full: whether (batches,
    heads) share a list, or None where there is none; block_size: of the lists. band: the text of #sattn.mask<...>.
    score_mod, mask_mod: texts of regions. captures: types of their captures. names: of the captures, for messages.
    precision: "ieee", or of f32 "tf32". meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    """

    dtype: str
    head_dim: int
    value_dim: int
    group: int = 1
    packed: int = 1
    one_kv_batch: bool = False
    lse: bool = False
    max_scores: bool = False
    scale: float | None = None
    partial: tuple | None = None
    full: tuple | None = None
    block_size: tuple = ()
    band: str = ""
    score_mod: str = ""
    mask_mod: str = ""
    captures: tuple = ()
    names: tuple = ()
    precision: str = "ieee"
    meta: str = ""

    @property
    def wide(self):
        """The type of scores, of numbers of queries and of captured numbers."""
        return "f64" if self.dtype == "f64" else "f32"

    @property
    def row(self):
        """The type of a number of each query."""
        return f"tensor<?x?x?x{self.wide}>"

    @property
    def operands(self):
        """Types of query, key, value and the output."""
        shared = "1x?x?x" if self.one_kv_batch else "?x?x?x"
        return [f"tensor<{lead}{columns}x{self.dtype}>" for lead, columns in (
            ("?x?x?x", self.head_dim), (shared, self.head_dim), (shared, self.value_dim), ("?x?x?x", self.value_dim))]

    @property
    def constants(self):
        """The line of a scale that is known."""
        return "" if self.scale is None else f"  %scale = arith.constant {float(self.scale)!r} : {self.wide}\n"

    @property
    def regions(self):
        return " ".join(filter(None, (self.score_mod, self.mask_mod)))

    def attributes(self):
        """The attributes that the forward and the gradients of such scores share."""
        block = f"block_size = array<i64: {', '.join(map(str, self.block_size))}>"
        return [*[f"group = {self.group} : i64"] * (self.group != 1),
                *[f"packed_heads = {self.packed} : i64"] * (self.packed != 1), *[block] * bool(self.block_size),
                *[f"mask = {self.band}"] * bool(self.band), *program_text.meta_and_precision(self)]

    def arguments(self, others=()):
        """The program's first arguments. others: types of those before the operands, by name."""
        types = {} if self.scale is not None else {"scale": self.wide}
        types |= dict(others) | dict(zip("qkv", self.operands))
        return program_text.Arguments(types, zip("qkv", ("query", "key", "value")))

    def list_types(self, kind):
        """Types of the numbers and of the indices of a list."""
        batch, head = ("1" if shared else "?" for shared in getattr(self, kind))
        return f"tensor<{batch}x{head}x?xi32>", f"tensor<{batch}x{head}x?x?xi32>"

    def lists(self, arguments, op="", of="kv"):
        """The clauses of lists, which become arguments: their names begin with `op`, those of callers have `of`."""
        text = ""
        for kind, name in (("partial", of), ("full", f"full_{of}")):
            if getattr(self, kind) is not None:
                own = dict(zip((f"{op}{kind}_counts", f"{op}{kind}_indices"), self.list_types(kind)))
                text += arguments.clause(kind, own, (f"{name}_num_blocks", f"{name}_indices"))
        return text

    def captured(self, arguments):
        """The clause of captures, which become arguments."""
        own = {f"captured{place}": type for place, type in enumerate(self.captures)}
        return arguments.clause("captures", own, self.names)

    def text(self):
        """The module: one function @flex_attention, whose last arguments are the results."""
        given = self.arguments()
        operands = f" scale(%scale)\n      ins({program_text.listed('qkv', given.types)})"
        operands += self.lists(given) + self.captured(given)
        outs = ["out", *(name for name in ("lse", "max_scores") if getattr(self, name))]
        types = given.types | dict.fromkeys(outs, self.row) | {"out": self.operands[3]}
        return program_text.program("flex_attention", types, operands, self.attributes(), outs=outs, names=given.names,
                                    constants=self.constants, tail=self.regions)
