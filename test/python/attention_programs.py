#!/usr/bin/env python3
"""Tile programs of attention, forward: what `sattn-tile` would leave of an op of attention.

    attention_programs.py VARIANT [FIELD=VALUE ...]     prints the program, e.g. causal block_q=192 head_dim=64

A program is a function `attention` on tensors with dynamic lengths:

    scale: f32        of the scores, positive
    q                 [batch * head, query, head_dim]; batched: [batch, head, query, head_dim]
    k                 the same with key in the place of query, and with heads / group heads
    v, o              as k and q, with value_dim columns
    lse               lse: [batch * head, query] or [batch, head, query] of f32
    num, idx          block_list: how many blocks of keys each tile of queries reads, [tile], and which, [tile, block]
    partial           block_list with a mask: how many of them, the first, the mask applies to, [tile]
    slopes            alibi: [batch * head] or [head] of f32

It writes o and lse. A query that sees no key has an output of 0 and an LSE of -inf.

These conventions keep a program fast on the GPU; each was once broken and cost spills or a serialized loop:
- carried tiles are updated in place, the running maximum last: the loop computes with a fresh maximum before;
- blocks that need a mask come first, under a condition `iv < bound`, so that the range can be split there;
- an index becomes i32 at once;
- multiply and add are one math.fma; exp2, log2, tanh and divisions have fastmath<afn>;
- K and Q, V, O and LSE are clipped each by its own length.
"""

import ast
import dataclasses
import math
import sys
from dataclasses import dataclass

LOG2_E = math.log2(math.e)


@dataclass(frozen=True)
class Attention:
    """A variant of attention and its tiles."""

    block_q: int = 128  # queries of a tile
    block_kv: int = 128  # keys of an iteration
    head_dim: int = 128  # columns of Q and K
    value_dim: int | None = None  # columns of V and O; None: head_dim
    dtype: str = "bf16"  # of Q, K, V and O: bf16, f16 or f32
    tail: bool = False  # the keys may end within a block; without it their number is a multiple of block_kv
    causal: bool = False  # query i sees keys 0 to i
    window: int | None = None  # query i sees keys i - window + 1 to i
    block_list: bool = False  # a tile of queries reads a list of blocks
    softcap: float | None = None  # scores are softcap * tanh(score / softcap)
    alibi: bool = False  # scores get slope * (key - query)
    lse: bool = False  # the logarithm of the sum of exponentials of each query is stored too
    batched: bool = False  # Q, K, V and O have rank 4
    group: int = 1  # query heads that share a head of K and V
    stages: int | None = 2  # the hint `sattn.stages` of the loop over tiles
    raster_group: int | None = None  # the hint `sattn.raster_group`: heads whose tiles are walked side by side

    @property
    def values(self):
        """Columns of V and O."""
        return self.value_dim or self.head_dim

    @property
    def masked(self):
        """Whether scores of some blocks are masked."""
        return self.causal or self.tail or self.window is not None

    @property
    def modified(self):
        """Whether scores are modified, which scales them too."""
        return self.softcap is not None or self.alibi

    @property
    def may_see_nothing(self):
        """Whether all scores of a query in a block may be -inf."""
        return self.masked or self.block_list


VARIANTS = {
    "dense": Attention(),
    "tail": Attention(tail=True),
    "causal": Attention(causal=True),
    "window": Attention(window=1024),
    "list": Attention(block_list=True),
    "listcausal": Attention(block_list=True, causal=True),
    "softcap": Attention(softcap=20.0),
    "softcapcausal": Attention(softcap=20.0, causal=True),
    "alibi": Attention(alibi=True),
    "alibicausal": Attention(alibi=True, causal=True),
    "lse": Attention(lse=True),
    "rank4": Attention(batched=True),
    "rank4causal": Attention(batched=True, causal=True),
    "gqa": Attention(group=4),
    "gqacausal": Attention(group=4, causal=True),
    "m192": Attention(block_q=192),
    "d64": Attention(head_dim=64, block_q=192),
    "d64m128": Attention(head_dim=64),
    "d64causal": Attention(head_dim=64, block_q=192, causal=True, raster_group=16),
    "d256": Attention(head_dim=256, block_kv=64),
    "d256causal": Attention(head_dim=256, block_kv=64, causal=True, raster_group=8),
}


def tensor(*shape):
    """The type of a tensor: its extents, "?" where dynamic, and its element type."""
    return f"tensor<{'x'.join(map(str, shape))}>"


class _Text:
    """Lines, indented as they nest."""

    def __init__(self):
        self.lines = []
        self.depth = 0

    def __call__(self, text):
        for line in text.strip("\n").splitlines():
            self.lines.append("  " * self.depth + line if line else line)

    def open(self, line):
        self(line)
        self.depth += 1

    def close(self, line):
        self.depth -= 1
        self(line)

    def __str__(self):
        return "\n".join(self.lines) + "\n"


MAPS = """\
#tile = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vector = affine_map<(d0) -> (d0)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>"""


class _Program:
    """Writes the program of one variant."""

    def __init__(self, variant, name):
        self.v = variant
        self.name = name
        self.w = _Text()
        v = variant
        lead = ("?", "?") if v.batched else ("?",)
        self.qk = tensor(*lead, "?", v.head_dim, v.dtype)
        self.vo = tensor(*lead, "?", v.values, v.dtype)
        self.lse = tensor(*lead, "?", "f32")
        # Types of the values of a tile.
        self.scores = tensor(v.block_q, v.block_kv, "f32")
        self.sums = tensor(v.block_q, v.values, "f32")
        self.rows = tensor(v.block_q, "f32")
        # The place of a tile among the leading dimensions, in Q and O and in K and V.
        self.lead = ["%b", "%h"] if v.batched else ["%h"]
        self.lead_kv = self.lead[:-1] + ["%hkv" if v.group > 1 else "%h"]
        self.ones = ["1"] * len(self.lead)

    def text(self):
        self.w(MAPS)
        self._function()
        return str(self.w)

    # The function and the loop over tiles.

    def _function(self):
        v, w = self.v, self.w
        arguments = ["%scale: f32", f"%q: {self.qk}", f"%k: {self.qk}", f"%v: {self.vo}", f"%o: {self.vo}"]
        outs = [("%o", self.vo)]
        if v.lse:
            arguments.append(f"%lse: {self.lse}")
            outs.append(("%lse", self.lse))
        if v.block_list:
            arguments += ["%num: tensor<?xi32>", "%idx: tensor<?x?xi32>"]
            if v.masked:
                arguments.append("%partial: tensor<?xi32>")
        if v.alibi:
            arguments.append("%slopes: tensor<?xf32>")
        results = ", ".join(kind for _, kind in outs)
        w.open(f"func.func @{self.name}({', '.join(arguments)}) -> ({results})")
        # Nothing says that blocks of a list and heads of K and V are in bounds, as an op would.
        w.lines[-1] += " attributes {sattn.unchecked} {"
        w(f"""
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%zero = arith.constant 0.0 : f32
%one = arith.constant 1.0 : f32
%ninf = arith.constant 0xFF800000 : f32
%pad = arith.constant 0.0 : {v.dtype}
%log2e = arith.constant {LOG2_E:.8e} : f32
%ln2 = arith.constant {1 / LOG2_E:.8e} : f32
""")
        length = "%c2" if v.batched else "%c1"
        if v.batched:
            w(f"%B = tensor.dim %q, %c0 : {self.qk}")
        w(f"%H = tensor.dim %q, {'%c1' if v.batched else '%c0'} : {self.qk}")
        for size, operand, kind in [("M", "q", self.qk), ("N", "k", self.qk),
                                    ("NV", "v", self.vo), ("MO", "o", self.vo)]:
            w(f"%{size} = tensor.dim %{operand}, {length} : {kind}")
        if v.lse:
            w(f"%ML = tensor.dim %lse, {length} : {self.lse}")
        # Heads are the fastest, then tiles of queries, then batches.
        counters, ends, steps = ["%i", "%h"], ["%M", "%H"], [f"{v.block_q}", "1"]
        if v.batched:
            counters, ends, steps = ["%b"] + counters, ["%B"] + ends, ["1"] + steps
        begins = ["0"] * len(counters)
        mapping = [f"#gpu.block<linear_dim_{n}>" for n in reversed(range(len(counters)))]
        shared = ", ".join(f"%out{n} = {out}" for n, (out, _) in enumerate(outs))
        count = f":{len(outs)}" if len(outs) > 1 else ""
        w.open(f"%done{count} = scf.forall ({', '.join(counters)}) = ({', '.join(begins)}) to ({', '.join(ends)}) "
               f"step ({', '.join(steps)}) shared_outs({shared}) -> ({results}) {{")
        self._tile()
        hints = [f"mapping = [{', '.join(mapping)}]"]
        hints += [f"sattn.{hint} = {getattr(v, hint)} : i64" for hint in ("raster_group", "stages")
                  if getattr(v, hint) is not None]
        w.close(f"}} {{{', '.join(hints)}}}")
        returned = ", ".join(f"%done#{n}" for n in range(len(outs))) if count else "%done"
        w(f"return {returned} : {results}")
        w.close("}")

    def _tile(self):
        v, w = self.v, self.w
        if v.group > 1:
            w(f"%hkv = affine.apply affine_map<(d0) -> (d0 floordiv {v.group})>(%h)")
        self._read("q", self.qk, self.lead, "%i", "%M", v.block_q, v.head_dim)
        w("%scale_log2 = arith.mulf %scale, %log2e : f32")
        if v.softcap is not None:
            w(f"""
%softcap = arith.constant {v.softcap:e} : f32
%to_cap = arith.divf %scale, %softcap : f32
%from_cap = arith.mulf %softcap, %log2e : f32
""")
        if v.alibi:
            w("""
%slope0 = tensor.extract %slopes[%h] : tensor<?xf32>
%slope = arith.mulf %slope0, %log2e : f32
""")
        w(f"""
%sums = tensor.empty() : {self.sums}
%acc0 = linalg.fill ins(%zero : f32) outs(%sums : {self.sums}) -> {self.sums}
%rows = tensor.empty() : {self.rows}
%m0 = linalg.fill ins(%ninf : f32) outs(%rows : {self.rows}) -> {self.rows}
%l0 = linalg.fill ins(%zero : f32) outs(%rows : {self.rows}) -> {self.rows}
""")
        self._range()
        types = f"{self.sums}, {self.rows}, {self.rows}"
        w.open("%loop:3 = scf.for %t = %c0 to %end step %c1 iter_args(%acc = %acc0, %m = %m0, %l = %l0) "
               f"-> ({types}) {{")
        self._iteration()
        w(f"scf.yield %acc_new, %m_new, %l_new : {types}")
        w.close("} {sattn.block_loop}")
        self._epilogue()

    def _read(self, name, kind, lead, first, end, rows, columns):
        """`%{name}_tile`: rows of an operand from `first` on, zeros beyond its end."""
        v = self.v
        place = f"{', '.join(lead)}, {first}, 0"
        ones = ", ".join(self.ones)
        sizes = f"{ones}, %{name}_rows, {columns}"
        clipped, tile = tensor("?", columns, v.dtype), tensor(rows, columns, v.dtype)
        self.w(f"""
%{name}_rows = affine.min affine_map<(d0)[s0] -> ({rows}, s0 - d0)>({first})[{end}]
%{name}_slice = tensor.extract_slice %{name}[{place}] [{sizes}] [{ones}, 1, 1] : {kind} to {clipped}
%{name}_high = affine.apply affine_map<(d0) -> ({rows} - d0)>(%{name}_rows)
%{name}_tile = tensor.pad %{name}_slice low[0, 0] high[%{name}_high, 0] {{
^bb0(%x: index, %y: index):
  tensor.yield %pad : {v.dtype}
}} : {clipped} to {tile}
""")

    # The blocks of keys that a tile of queries reads.

    def _range(self):
        """`%end`, the number of blocks, and where scores are masked `%bound`, that of the first ones with a mask."""
        v, w = self.v, self.w
        if v.block_list:
            w(f"""
%qb = affine.apply affine_map<(d0) -> (d0 floordiv {v.block_q})>(%i)
%num32 = tensor.extract %num[%qb] : tensor<?xi32>
%end = arith.index_cast %num32 : i32 to index
""")
            if v.masked:
                w("""
%partial32 = tensor.extract %partial[%qb] : tensor<?xi32>
%bound = arith.index_cast %partial32 : i32 to index
""")
            return
        blocks = f"s0 ceildiv {v.block_kv}"
        if not v.causal and v.window is None:
            w(f"%end = affine.apply affine_map<()[s0] -> ({blocks})>()[%N]")
            if v.tail:
                w(f"""
%whole = affine.apply affine_map<()[s0] -> (s0 floordiv {v.block_kv})>()[%N]
%bound = arith.subi %end, %whole : index
""")
            return
        # From `stop` on the first block without a key that a query of the tile sees; from `full` on those that
        # some query does not see all of.
        stop = "%stop" if v.window is not None else "%end"
        seen = f"(d0 + {v.block_q + v.block_kv - 1}) floordiv {v.block_kv}"
        whole = f"s0 floordiv {v.block_kv}" if v.tail else blocks
        w(f"""
{stop} = affine.min affine_map<(d0)[s0] -> ({seen}, {blocks})>(%i)[%N]
%full0 = affine.min affine_map<(d0)[s0] -> (d0 floordiv {v.block_kv}, {whole})>(%i)[%N]
""")
        if v.window is None:
            w("%bound = arith.subi %end, %full0 : index")
            return
        # Blocks from `start` to `inner` have keys that some query no longer sees.
        w(f"""
%start0 = affine.max affine_map<(d0) -> ((d0 - {v.window - 1}) floordiv {v.block_kv}, 0)>(%i)
%start = arith.minsi %start0, %stop : index
%inner0 = affine.max affine_map<(d0) -> ((d0 + {v.block_q - v.window}) ceildiv {v.block_kv}, 0)>(%i)
%inner1 = arith.maxsi %inner0, %start : index
%inner = arith.minsi %inner1, %stop : index
%full = arith.maxsi %full0, %inner : index
%above = arith.subi %stop, %full : index
%below = arith.subi %inner, %start : index
%bound = arith.addi %above, %below : index
%end = arith.subi %stop, %start : index
%last = arith.subi %stop, %c1 : index
%shift = arith.subi %start, %above : index
""")

    def _block(self):
        """`%j`, the block of iteration `%t`, those with a mask first."""
        v, w = self.v, self.w
        if v.block_list:
            w("""
%j32 = tensor.extract %idx[%qb, %t] : tensor<?x?xi32>
%j = arith.index_cast %j32 : i32 to index
""")
        elif v.window is not None:
            w("""
%is_above = arith.cmpi slt, %t, %above : index
%down = arith.subi %last, %t : index
%up = arith.addi %shift, %t : index
%j = arith.select %is_above, %down, %up : index
""")
        elif v.masked:
            w("%j = affine.apply affine_map<(d0)[s0] -> (s0 - 1 - d0)>(%t)[%end]")
        else:
            w("%j = arith.addi %t, %c0 : index")

    # One block of keys.

    def _iteration(self):
        v, w = self.v, self.w
        self._block()
        w(f"%n = affine.apply affine_map<(d0) -> (d0 * {v.block_kv})>(%j)")
        self._read("k", self.qk, self.lead_kv, "%n", "%N", v.block_kv, v.head_dim)
        self._read("v", self.vo, self.lead_kv, "%n", "%NV", v.block_kv, v.values)
        q, k = tensor(v.block_q, v.head_dim, v.dtype), tensor(v.block_kv, v.head_dim, v.dtype)
        w(f"""
%scores = tensor.empty() : {self.scores}
%s0 = linalg.fill ins(%zero : f32) outs(%scores : {self.scores}) -> {self.scores}
%s = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%q_tile, %k_tile : {q}, {k}) \
outs(%s0 : {self.scores}) -> {self.scores}
""")
        scores = self._mask(self._modify("%s"))
        self._softmax(scores)
        self._update()

    def _generic(self, result, ins, out, body, reduce=False):
        """An elementwise op or, with `reduce`, one that reduces rows. `ins` are pairs of a value and its map, `out` a
        value, its map and its type; the elements are %x, %y, ... of the inputs and %old of the output."""
        types = {"#tile": self.scores, "#row": self.rows, "#vector": self.rows, "#sums": self.sums}
        maps = ["#tile" if m == "#sums" else m for _, m in ins] + [out[1]]
        kinds = [types[m] for _, m in ins]
        rank = 1 if out[1] == "#vector" else 2
        iterators = ['"parallel"'] * (rank - 1) + ['"reduction"' if reduce else '"parallel"']
        names = ["%x", "%y", "%z"][:len(ins)]
        element = out[2].removesuffix(">").rsplit("x", 1)[1]
        arguments = ", ".join([f"{name}: f32" for name in names] + [f"%old: {element}"])
        w = self.w
        w.open(f"{result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
               f"iterator_types = [{', '.join(iterators)}]}} "
               f"ins({', '.join(value for value, _ in ins)} : {', '.join(kinds)}) outs({out[0]} : {out[2]}) {{")
        w.depth -= 1
        w(f"^bb0({arguments}):")
        w.depth += 1
        w(body)
        w(f"linalg.yield %r : {element}")
        w.close(f"}} -> {out[2]}")

    def _modify(self, scores):
        """Softcap and ALiBi: scores to the base 2, scaled."""
        v, w = self.v, self.w
        if not v.modified:
            return scores
        if v.alibi:
            w("""
%i_mod = arith.index_cast %i : index to i32
%n_mod = arith.index_cast %n : index to i32
""")
        if v.softcap is not None:
            body = """
%ratio = arith.mulf %x, %to_cap : f32
%tanh = math.tanh %ratio fastmath<afn> : f32
%capped = arith.mulf %tanh, %from_cap : f32"""
        else:
            body = "%capped = arith.mulf %x, %scale_log2 : f32"
        if v.alibi:
            body += """
%r0 = linalg.index 0 : index
%c0_ = linalg.index 1 : index
%r1 = arith.index_cast %r0 : index to i32
%c1_ = arith.index_cast %c0_ : index to i32
%query = arith.addi %r1, %i_mod : i32
%key = arith.addi %c1_, %n_mod : i32
%distance = arith.subi %key, %query : i32
%distance_f = arith.sitofp %distance : i32 to f32
%r = math.fma %distance_f, %slope, %capped : f32"""
        else:
            body = body.replace("%capped", "%r")
        self._generic("%s_mod", [(scores, "#tile")], ("%scores", "#tile", self.scores), body)
        return "%s_mod"

    def _mask(self, scores):
        """-inf where a query does not see a key, in the first `%bound` iterations."""
        v, w = self.v, self.w
        if not v.masked:
            return scores
        w("%is_masked = arith.cmpi slt, %t, %bound : index")
        w.open(f"%s_seen = scf.if %is_masked -> ({self.scores}) {{")
        w("""
%i_mask = arith.index_cast %i : index to i32
%n_mask = arith.index_cast %n : index to i32
""")
        if v.tail:
            w("%keys = arith.index_cast %N : index to i32")
        conditions = []
        if v.causal or v.window is not None:
            conditions.append("%sees{} = arith.cmpi sge, %query, %key : i32")
        if v.window is not None:
            w(f"%window = arith.constant {v.window} : i32")
            conditions.append("%distance = arith.subi %query, %key : i32\n"
                              "%sees{} = arith.cmpi slt, %distance, %window : i32")
        if v.tail:
            conditions.append("%sees{} = arith.cmpi slt, %key, %keys : i32")
        body = """
%r0 = linalg.index 0 : index
%c0_ = linalg.index 1 : index
%r1 = arith.index_cast %r0 : index to i32
%c1_ = arith.index_cast %c0_ : index to i32
%query = arith.addi %r1, %i_mask : i32
%key = arith.addi %c1_, %n_mask : i32
"""
        body += "\n".join(condition.format(number) for number, condition in enumerate(conditions))
        sees = "%sees0"
        for number in range(1, len(conditions)):
            body += f"\n%both{number} = arith.andi {sees}, %sees{number} : i1"
            sees = f"%both{number}"
        body += f"\n%r = arith.select {sees}, %x, %ninf : f32"
        self._generic("%s_masked", [(scores, "#tile")], ("%scores", "#tile", self.scores), body)
        w(f"scf.yield %s_masked : {self.scores}")
        w.close("} else {")
        w.depth += 1
        w(f"scf.yield {scores} : {self.scores}")
        w.close("}")
        return "%s_seen"

    def _softmax(self, scores):
        """`%p`, the exponentials of the scores, and `%rescale`, the factor of what was summed up before."""
        v, w = self.v, self.w
        w(f"%least = linalg.fill ins(%ninf : f32) outs(%rows : {self.rows}) -> {self.rows}")
        self._generic("%m_block", [(scores, "#tile")], ("%least", "#row", self.rows),
                      "%r = arith.maximumf %x, %old : f32", reduce=True)
        self._generic("%m_fresh", [("%m_block", "#vector"), ("%m", "#vector")], ("%rows", "#vector", self.rows),
                      "%r = arith.maximumf %x, %y : f32")
        # The maximum in the exponent; 0 where it is -inf, since -inf minus -inf is no number.
        finite = "%is_inf = arith.cmpf oeq, %x, %ninf : f32\n{} = arith.select %is_inf, %zero, %x : f32\n"
        if v.modified:
            body = finite.format("%r")
        elif v.may_see_nothing:
            body = finite.format("%finite") + "%r = arith.mulf %finite, %scale_log2 : f32"
        else:
            body = "%r = arith.mulf %x, %scale_log2 : f32"
        self._generic("%shift_rows", [("%m_fresh", "#vector")], ("%rows", "#vector", self.rows), body)
        exponential = ("%minus = arith.negf %y : f32\n"
                       + ("%exponent = arith.addf %x, %minus : f32\n" if v.modified else
                          "%exponent = math.fma %x, %scale_log2, %minus : f32\n")
                       + "%r = math.exp2 %exponent fastmath<afn> : f32")
        self._generic("%rescale", [("%m", "#vector"), ("%shift_rows", "#vector")], ("%rows", "#vector", self.rows),
                      exponential)
        self._generic("%p", [(scores, "#tile"), ("%shift_rows", "#row")], ("%scores", "#tile", self.scores),
                      exponential)

    def _update(self):
        """The sums and, last, the maximum, each in its place."""
        v, w = self.v, self.w
        scaled = "%r = arith.mulf %old, %x : f32"
        self._generic("%l_scaled", [("%rescale", "#vector")], ("%l", "#vector", self.rows), scaled)
        self._generic("%l_new", [("%p", "#tile")], ("%l_scaled", "#row", self.rows), "%r = arith.addf %x, %old : f32",
                      reduce=True)
        self._generic("%acc_scaled", [("%rescale", "#row")], ("%acc", "#tile", self.sums), scaled)
        weights, kind = "%p", tensor(v.block_q, v.block_kv, v.dtype)
        if v.dtype != "f32":
            weights = "%p_narrow"
            w(f"%p_empty = tensor.empty() : {kind}")
            self._generic(weights, [("%p", "#tile")], ("%p_empty", "#tile", kind),
                          f"%r = arith.truncf %x : f32 to {v.dtype}")
        w(f"%acc_new = linalg.matmul ins({weights}, %v_tile : {kind}, {tensor(v.block_kv, v.values, v.dtype)}) "
          f"outs(%acc_scaled : {self.sums}) -> {self.sums}")
        self._generic("%m_new", [("%m_block", "#vector")], ("%m", "#vector", self.rows),
                      "%r = arith.maximumf %x, %old : f32")

    # The values that the tile stores.

    def _epilogue(self):
        v, w = self.v, self.w
        self._generic("%inverse", [("%loop#2", "#vector")], ("%rows", "#vector", self.rows), """
%is_zero = arith.cmpf oeq, %x, %zero : f32
%sum = arith.select %is_zero, %one, %x : f32
%r = arith.divf %one, %sum fastmath<afn> : f32""")
        tile = tensor(v.block_q, v.values, v.dtype)
        w(f"%o_empty = tensor.empty() : {tile}")
        body = "%r = arith.mulf %x, %y : f32"
        if v.dtype != "f32":
            body = f"%wide = arith.mulf %x, %y : f32\n%r = arith.truncf %wide : f32 to {v.dtype}"
        self._generic("%o_tile", [("%loop#0", "#sums"), ("%inverse", "#row")], ("%o_empty", "#tile", tile), body)
        inserts = [self._insert("%o_tile", "out0", tile, tensor("?", v.values, v.dtype), self.vo, "%MO", v.values)]
        if v.lse:
            scaled = ("%log_sum = arith.addf %x, %log : f32" if v.modified else
                      "%log_sum = math.fma %x, %scale_log2, %log : f32")
            self._generic("%lse_tile", [("%loop#1", "#vector"), ("%loop#2", "#vector")],
                          ("%rows", "#vector", self.rows),
                          f"%log = math.log2 %y fastmath<afn> : f32\n{scaled}\n%r = arith.mulf %log_sum, %ln2 : f32")
            inserts.append(self._insert("%lse_tile", "out1", self.rows, tensor("?", "f32"), self.lse, "%ML"))
        w.open("scf.forall.in_parallel {")
        for insert in inserts:
            w(insert)
        w.close("}")

    def _insert(self, tile, out, kind, clipped, whole, end, columns=None):
        """Clips a tile to the result's end; returns the op that writes it there."""
        rows = f"%{out}_rows"
        zeros, sizes, ones = ["0"], [rows], ["1"]
        if columns is not None:
            zeros, sizes, ones = ["0", "0"], [rows, str(columns)], ["1", "1"]
        inner = f"[{', '.join(zeros)}] [{', '.join(sizes)}] [{', '.join(ones)}]"
        place = ", ".join(self.lead + ["%i"] + zeros[1:])
        outer = f"[{place}] [{', '.join(self.ones + sizes)}] [{', '.join(self.ones + ones)}]"
        self.w(f"""
{rows} = affine.min affine_map<(d0)[s0] -> ({self.v.block_q}, s0 - d0)>(%i)[{end}]
%{out}_clip = tensor.extract_slice {tile}{inner} : {kind} to {clipped}
%{out}_place = tensor.extract_slice %{out}{outer} : {whole} to {clipped}
%{out}_new = tensor.insert_slice %{out}_clip into %{out}_place{inner} : {clipped} into {clipped}
""")
        return f"tensor.parallel_insert_slice %{out}_new into %{out}{outer} : {clipped} into {whole}"


def program(variant, name="attention"):
    """The tile program of a variant, as text."""
    return _Program(variant, name).text()


def op_program(variant, first=0):
    """The same of a dense or causal variant by `sattn_test.attention`, an op that only tests have, of queries from
    `first` on."""
    qk, vo = f"tensor<?x?x{variant.head_dim}x{variant.dtype}>", f"tensor<?x?x{variant.values}x{variant.dtype}>"
    return f"""func.func @attention(%scale: f32, %q: {qk}, %k: {qk}, %v: {vo}, %o: {vo}) -> {vo} {{
  %first = arith.constant {first} : index
  %0 = sattn_test.attention {"causal" if variant.causal else ""} scale(%scale) first(%first)
      tile({variant.block_q}, {variant.block_kv}) ins(%q, %k, %v : {qk}, {qk}, {vo}) outs(%o : {vo}) -> {vo}
  return %0 : {vo}
}}
"""


def main(arguments):
    variant = VARIANTS[arguments[0]]
    changes = dict(argument.split("=", 1) for argument in arguments[1:])
    text = {"dtype"}
    print(program(dataclasses.replace(variant, **{
        field: value if field in text else ast.literal_eval(value) for field, value in changes.items()})), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
