"""The program of one kind of call of flex_attention."""

import dataclasses

from .._compiler import program_text
from .._compiler.program_text import meta_and_precision


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

    def _lists(self, kind):
        """(types of the numbers and of the indices of a list)."""
        batch, head = ("1" if shared else "?" for shared in getattr(self, kind))
        return f"tensor<{batch}x{head}x?xi32>", f"tensor<{batch}x{head}x?x?xi32>"

    def text(self):
        """The module: one function @flex_attention, whose last arguments are the results."""
        lead, shared = "?x?x?x", "1x?x?x" if self.one_kv_batch else "?x?x?x"
        query, key = (f"tensor<{own}{self.head_dim}x{self.dtype}>" for own in (lead, shared))
        value, out = (f"tensor<{own}{self.value_dim}x{self.dtype}>" for own in (shared, lead))
        types = {} if self.scale is not None else {"scale": self.wide}
        types |= {"q": query, "k": key, "v": value}
        names = {"q": "query", "k": "key", "v": "value"}
        operands = f" scale(%scale)\n      ins({program_text.listed('qkv', types)})"
        for kind, name in (("partial", "kv"), ("full", "full_kv")):
            if getattr(self, kind) is not None:
                own = f"{kind}_counts", f"{kind}_indices"
                types |= zip(own, self._lists(kind))
                names |= zip(own, (f"{name}_num_blocks", f"{name}_indices"))
                operands += f" {kind}({program_text.listed(own, types)})"
        if self.captures:
            own = [f"captured{place}" for place in range(len(self.captures))]
            types |= zip(own, self.captures)
            names |= zip(own, self.names)
            operands += f" captures({program_text.listed(own, types)})"
        outs = ["out", *(name for name in ("lse", "max_scores") if getattr(self, name))]
        types |= {name: out if name == "out" else f"tensor<?x?x?x{self.wide}>" for name in outs}
        attributes = [f"group = {self.group} : i64"] * (self.group != 1)
        attributes += [f"packed_heads = {self.packed} : i64"] * (self.packed != 1)
        if self.block_size:
            attributes.append(f"block_size = array<i64: {self.block_size[0]}, {self.block_size[1]}>")
        attributes += [f"mask = {self.band}"] * bool(self.band) + meta_and_precision(self)
        scale = "" if self.scale is None else f"  %scale = arith.constant {float(self.scale)!r} : {self.wide}\n"
        return program_text.program("flex_attention", types, operands, attributes, outs=outs, names=names,
                                    constants=scale, tail=" ".join(filter(None, (self.score_mod, self.mask_mod))))
