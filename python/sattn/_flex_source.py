"""Texts of programs of sattn.flex_attention."""

import dataclasses

from . import _region


@dataclasses.dataclass(frozen=True)
class FlexAttention:
    """One `sattn.flex_attention` on tensors of dynamic lengths: what a kernel is compiled for.

    dtype: element type of query, key and value. head_dim, value_dim: columns of query and key, and of value. group:
    query heads that share a head of key and value. packed: heads in the rows of one head of query's tensor. one_kv_batch: whether all batches share key and value. lse,
    max_scores: whether they are computed, the second only with the first. scale: the number that is known now, or None for an argument. partial, full: whether (batches, heads)
    share a list, or None where there is none; block_size: of the lists. band: the text of #sattn.mask<...>. score_mod,
    mask_mod: texts of regions. captures: types of their captures. names: of the captures, for messages. precision:
    "ieee", or of f32 "tf32". meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
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

    def _lists(self, kind):
        """(types of the numbers and of the indices of a list)."""
        batch, head = ("1" if shared else "?" for shared in getattr(self, kind))
        return f"tensor<{batch}x{head}x?xi32>", f"tensor<{batch}x{head}x?x?xi32>"

    def text(self):
        """The module: one function @flex_attention, whose last arguments are the results."""
        lead, shared = "?x?x?x", "1x?x?x" if self.one_kv_batch else "?x?x?x"
        query, key = (f"tensor<{own}{self.head_dim}x{self.dtype}>" for own in (lead, shared))
        value, out = (f"tensor<{own}{self.value_dim}x{self.dtype}>" for own in (shared, lead))
        arguments = [] if self.scale is not None else [("scale", "f32", "scale")]
        arguments += [("q", query, "query"), ("k", key, "key"), ("v", value, "value")]
        operands = f"ins(%q, %k, %v : {query}, {key}, {value})"
        for kind, name in (("partial", "kv"), ("full", "full_kv")):
            if getattr(self, kind) is not None:
                counts, indices = self._lists(kind)
                arguments += [(f"{kind}_counts", counts, f"{name}_num_blocks"), (f"{kind}_indices", indices, f"{name}_indices")]
                operands += f" {kind}(%{kind}_counts, %{kind}_indices : {counts}, {indices})"
        if self.captures:
            given = [(f"captured{place}", own, name) for place, (own, name) in enumerate(zip(self.captures, self.names))]
            arguments += given
            operands += f" captures({', '.join('%' + name for name, _, _ in given)} : {', '.join(self.captures)})"
        results = [("out", out, "out")]
        results += [(name, "tensor<?x?x?xf32>", name) for name in ("lse", "max_scores") if getattr(self, name)]
        types = ", ".join(own for _, own, _ in results)
        attributes = [f"group = {self.group} : i64"] * (self.group != 1)
        attributes += [f"packed_heads = {self.packed} : i64"] * (self.packed != 1)
        if self.block_size:
            attributes.append(f"block_size = array<i64: {self.block_size[0]}, {self.block_size[1]}>")
        attributes += [f"mask = {self.band}"] * bool(self.band)
        attributes += [f'precision = "{self.precision}"'] * (self.precision != "ieee")
        attributes += [f"meta = #sattn.meta<{self.meta}>"] * bool(self.meta)
        regions = " ".join(region for region in (self.score_mod, self.mask_mod) if region)
        scale = "" if self.scale is None else f"  %scale = arith.constant {float(self.scale)!r} : f32\n"
        values = ", ".join(f"%0#{place}" for place in range(len(results)))
        return (f"func.func @flex_attention({', '.join(f'%{name}: {own}' for name, own, _ in arguments + results)}) -> ({types})\n"
                f"    attributes {{sattn.names = [{', '.join(_region.quoted(name) for _, _, name in arguments + results)}]}} {{\n{scale}"
                f"  %0:{len(results)} = sattn.flex_attention scale(%scale)\n      {operands}\n"
                f"      outs({', '.join('%' + name for name, _, _ in results)} : {types}) -> {types}\n"
                f"      {regions} {{{', '.join(attributes)}}}\n"
                f"  return {values} : {types}\n}}\n")
