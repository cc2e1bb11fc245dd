"""Programs of sattn.flex_attention, and attention by its definition in float64."""

import math
from dataclasses import dataclass

import numpy as np

from attention_reference import DTYPES

# Elementwise functions of users: the captures, the region's text and the same in NumPy.


@dataclass(frozen=True)
class Mod:
    """A score_mod or a mask_mod. `captures` are names with their types; `make` gives their arrays."""

    text: str
    compute: object
    captures: tuple = ()


def _doc_equal(s, b, h, i, j, doc):
    return doc[i] == doc[j]


SCORE_MODS = {
    "alibi": Mod("""
%hi = arith.index_cast %h : i32 to index
%slope = tensor.extract %slopes[%hi] : tensor<?xf32>
%d = arith.subi %j, %i : i32
%df = arith.sitofp %d : i32 to f32
%bias = arith.mulf %slope, %df : f32
%r = arith.addf %s, %bias : f32""", lambda s, b, h, i, j, slopes: s + slopes[h] * (j - i), ("slopes",)),
    "softcap": Mod("""
%cap = arith.constant 2.0 : f32
%x = arith.divf %s, %cap : f32
%t = math.tanh %x fastmath<afn> : f32
%r = arith.mulf %t, %cap : f32""", lambda s, b, h, i, j: 2 * np.tanh(s / 2)),
    # An index that is computed: a gather.
    "relative": Mod("""
%c8 = arith.constant 8 : i32
%d = arith.subi %j, %i : i32
%at = arith.addi %d, %c8 : i32
%c0 = arith.constant 0 : i32
%c16 = arith.constant 16 : i32
%least = arith.maxsi %at, %c0 : i32
%most = arith.minsi %least, %c16 : i32
%idx = arith.index_cast %most : i32 to index
%bias = tensor.extract %table[%idx] : tensor<17xf32>
%r = arith.addf %s, %bias : f32""", lambda s, b, h, i, j, table: s + table[np.clip(j - i + 8, 0, 16)], ("table",)),
    "bias": Mod("""
%hi = arith.index_cast %h : i32 to index
%ii = arith.index_cast %i : i32 to index
%ji = arith.index_cast %j : i32 to index
%x = tensor.extract %bias[%hi, %ii, %ji] : tensor<?x?x?xf32>
%r = arith.addf %s, %x : f32""", lambda s, b, h, i, j, bias: s + bias[h, i, j], ("bias",)),
    "per_head": Mod("""
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%odd = arith.andi %h, %one : i32
%is = arith.cmpi eq, %odd, %zero : i32
%d = arith.subi %i, %j : i32
%a = math.absi %d : i32
%af = arith.sitofp %a : i32 to f32
%less = arith.subf %s, %af : f32
%r = arith.select %is, %s, %less : f32""", lambda s, b, h, i, j: np.where(h % 2 == 0, s, s - abs(i - j))),
    "minus_infinity": Mod("""
%three = arith.constant 3 : i32
%zero = arith.constant 0 : i32
%ninf = arith.constant 0xFF800000 : f32
%sum = arith.addi %i, %j : i32
%rem = arith.remsi %sum, %three : i32
%is = arith.cmpi eq, %rem, %zero : i32
%r = arith.select %is, %ninf, %s : f32""", lambda s, b, h, i, j: np.where((i + j) % 3 == 0, -np.inf, s)),
    # A table for each head, and one of two dimensions: both indices are computed.
    "relative_per_head": Mod("""
%c8 = arith.constant 8 : i32
%hi = arith.index_cast %h : i32 to index
%d = arith.subi %j, %i : i32
%at = arith.addi %d, %c8 : i32
%idx = arith.index_cast %at : i32 to index
%bias = tensor.extract %tables[%hi, %idx] : tensor<?x17xf32>
%near = math.absi %d : i32
%is = arith.cmpi sle, %near, %c8 : i32
%more = arith.addf %s, %bias : f32
%r = arith.select %is, %more, %s : f32""",
                             lambda s, b, h, i, j, tables: np.where(abs(j - i) <= 8, s + tables[h, np.clip(j - i + 8, 0, 16)], s),
                             ("tables",)),
    "relative_2d": Mod("""
%c8 = arith.constant 8 : i32
%c3 = arith.constant 3 : i32
%x = arith.remsi %i, %c8 : i32
%y = arith.andi %j, %c3 : i32
%xi = arith.index_cast %x : i32 to index
%yi = arith.index_cast %y : i32 to index
%bias = tensor.extract %grid[%xi, %yi] : tensor<?x?xf32>
%r = arith.addf %s, %bias : f32""", lambda s, b, h, i, j, grid: s + grid[i % 8, j & 3], ("grid",)),
    "distance": Mod("""
%rate = arith.constant 0.125 : f32
%d = arith.subi %i, %j : i32
%a = math.absi %d : i32
%af = arith.sitofp %a : i32 to f32
%less = arith.mulf %rate, %af : f32
%r = arith.subf %s, %less : f32""", lambda s, b, h, i, j: s - 0.125 * abs(i - j)),
    # Rows and columns of one sum apart, a quotient, a product of sums.
    "sums": Mod("""
%three = arith.constant 3 : i32
%half = arith.constant 0.5 : f32
%eight = arith.constant 8.0 : f32
%twice = arith.muli %j, %three : i32
%sum = arith.subi %twice, %i : i32
%more = arith.addi %sum, %three : i32
%f = arith.sitofp %more : i32 to f32
%quotient = arith.divf %f, %eight : f32
%if = arith.sitofp %i : i32 to f32
%row = arith.mulf %if, %half : f32
%bias = arith.subf %row, %quotient : f32
%less = arith.negf %bias : f32
%scaled = arith.mulf %less, %half : f32
%r = arith.addf %scaled, %s : f32""", lambda s, b, h, i, j: s - 0.5 * (0.5 * i - (3 * j - i + 3) / 8)),
    "minus_infinity_rows": Mod("""
%three = arith.constant 3 : i32
%zero = arith.constant 0 : i32
%ninf = arith.constant 0xFF800000 : f32
%rem = arith.remsi %i, %three : i32
%is = arith.cmpi eq, %rem, %zero : i32
%r = arith.select %is, %ninf, %s : f32""", lambda s, b, h, i, j: np.where(i % 3 == 0, -np.inf, s + 0 * j)),
    "times": Mod("%r = arith.mulf %s, %factor : f32", lambda s, b, h, i, j, factor: s * factor, ("factor",)),
}
MASK_MODS = {
    "causal": Mod("%r = arith.cmpi sge, %i, %j : i32", lambda s, b, h, i, j: i >= j),
    "window": Mod("""
%size = arith.constant 20 : i32
%d = arith.subi %i, %j : i32
%near = arith.cmpi slt, %d, %size : i32
%past = arith.cmpi sge, %i, %j : i32
%r = arith.andi %near, %past : i1""", lambda s, b, h, i, j: (i >= j) & (i - j < 20)),
    "dilated": Mod("""
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%d = arith.subi %i, %j : i32
%odd = arith.andi %d, %one : i32
%r = arith.cmpi eq, %odd, %zero : i32""", lambda s, b, h, i, j: (i - j) % 2 == 0),
    "document": Mod("""
%ii = arith.index_cast %i : i32 to index
%ji = arith.index_cast %j : i32 to index
%x = tensor.extract %doc[%ii] : tensor<?xi32>
%y = tensor.extract %doc[%ji] : tensor<?xi32>
%r = arith.cmpi eq, %x, %y : i32""", _doc_equal, ("doc",)),
    "tree": Mod("""
%ii = arith.index_cast %i : i32 to index
%ji = arith.index_cast %j : i32 to index
%x = tensor.extract %tree[%ii, %ji] : tensor<?x?xi32>
%zero = arith.constant 0 : i32
%r = arith.cmpi ne, %x, %zero : i32""", lambda s, b, h, i, j, tree: tree[i, j] != 0, ("tree",)),
    # The offset of each batch, known to no block of keys.
    "offset": Mod("""
%bi = arith.index_cast %b : i32 to index
%moving = tensor.extract %offset[%bi] : tensor<?xi32>
%moved = arith.addi %i, %moving : i32
%r = arith.cmpi sge, %moved, %j : i32""", lambda s, b, h, i, j, offset: i + offset[b] >= j, ("offset",)),
    "neighbours": Mod("""
%w = arith.constant 8 : i32
%two = arith.constant 2 : i32
%iy = arith.divsi %i, %w : i32
%jy = arith.divsi %j, %w : i32
%ix = arith.remsi %i, %w : i32
%jx = arith.remsi %j, %w : i32
%dy = arith.subi %iy, %jy : i32
%dx = arith.subi %ix, %jx : i32
%ay = math.absi %dy : i32
%ax = math.absi %dx : i32
%m = arith.maxsi %ay, %ax : i32
%r = arith.cmpi sle, %m, %two : i32""",
                      lambda s, b, h, i, j: np.maximum(abs(i // 8 - j // 8), abs(i % 8 - j % 8)) <= 2),
    "sinks": Mod("""
%four = arith.constant 4 : i32
%size = arith.constant 20 : i32
%d = arith.subi %i, %j : i32
%near = arith.cmpi slt, %d, %size : i32
%past = arith.cmpi sge, %i, %j : i32
%band = arith.andi %near, %past : i1
%sink = arith.cmpi slt, %j, %four : i32
%r = arith.ori %band, %sink : i1""", lambda s, b, h, i, j: (j < 4) | ((i >= j) & (i - j < 20))),
    "prefixes": Mod("""
%bi = arith.index_cast %b : i32 to index
%length = tensor.extract %prefix[%bi] : tensor<?xi32>
%inside = arith.cmpi slt, %j, %length : i32
%past = arith.cmpi sge, %i, %j : i32
%r = arith.ori %inside, %past : i1""", lambda s, b, h, i, j, prefix: (j < prefix[b]) | (i >= j), ("prefix",)),
    # A cache that is filled in part.
    "padding": Mod("""
%bi = arith.index_cast %b : i32 to index
%length = tensor.extract %prefix[%bi] : tensor<?xi32>
%r = arith.cmpi slt, %j, %length : i32""", lambda s, b, h, i, j, prefix: (j < prefix[b]) & (i >= 0), ("prefix",)),
    "by_head": Mod("""
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%size = arith.constant 9 : i32
%odd = arith.andi %h, %one : i32
%is = arith.cmpi eq, %odd, %zero : i32
%d = arith.subi %i, %j : i32
%a = math.absi %d : i32
%near = arith.cmpi slt, %a, %size : i32
%past = arith.cmpi sge, %i, %j : i32
%r = arith.select %is, %past, %near : i1""", lambda s, b, h, i, j: np.where(h % 2 == 0, i >= j, abs(i - j) < 9)),
    # Odd queries see nothing in the first block that is read, or in the last.
    "odd_see_few": Mod("""
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%eight = arith.constant 8 : i32
%odd = arith.andi %i, %one : i32
%is = arith.cmpi eq, %odd, %zero : i32
%first = arith.cmpi slt, %j, %eight : i32
%r = arith.ori %is, %first : i1""", lambda s, b, h, i, j: (i % 2 == 0) | (j < 8)),
    "late": Mod("""
%forty = arith.constant 40 : i32
%r = arith.cmpi sge, %j, %forty : i32""", lambda s, b, h, i, j: (j >= 40) & (i >= 0)),
    "nothing": Mod("%r = arith.constant false", lambda s, b, h, i, j: np.zeros(np.broadcast_shapes(i.shape, j.shape), bool)),
}
CAPTURE_TYPES = {"slopes": "tensor<?xf32>", "table": "tensor<17xf32>", "bias": "tensor<?x?x?xf32>", "doc": "tensor<?xi32>",
                 "tree": "tensor<?x?xi32>", "offset": "tensor<?xi32>", "factor": "f32", "prefix": "tensor<?xi32>",
                 "tables": "tensor<?x17xf32>", "grid": "tensor<?x?xf32>"}


@dataclass(frozen=True)
class Flex:
    """A variant of the op."""

    head_dim: int = 32  # columns of Q and K
    value_dim: int | None = None  # columns of V; None: head_dim
    dtype: str = "f32"
    rank: int = 4
    group: int = 1  # heads of Q's tensor that share a head of K and V
    packed: int = 1  # heads in the rows of one head of Q's tensor
    lse: bool = True
    max_scores: bool = False  # with lse
    left: int | None = None
    right: int | None = None
    prefix: int = 0
    bottom_right: bool = False
    score_mod: str | None = None
    mask_mod: str | None = None
    lists: tuple = ()  # "partial", "full"
    block_size: tuple = (32, 32)
    key_lengths: bool = False
    scale: float | None = None  # a constant; None: an argument
    scale_argument: float | None = None  # None: 1 / sqrt(head_dim)
    one_kv_batch: bool = False  # all batches share K and V
    tile: tuple | None = (32, 16)  # queries, keys, and columns if not all; None: the default
    precision: str | None = None

    @property
    def values(self):
        return self.value_dim or self.head_dim

    @property
    def captures(self):
        names = []
        for mods, name in ((SCORE_MODS, self.score_mod), (MASK_MODS, self.mask_mod)):
            names += [c for c in (mods[name].captures if name else ()) if c not in names]
        return names


def _region(kind, mod, captures):
    arguments = ["%s: f32"] if kind == "score_mod" else []
    arguments += [f"%{name}: i32" for name in "bhij"] + [f"%{c}: {CAPTURE_TYPES[c]}" for c in captures]
    result = "f32" if kind == "score_mod" else "i1"
    return f" {kind} {{\n^bb0({', '.join(arguments)}):\n{mod.text.strip()}\nsattn.yield %r : {result}\n}}"


def program(v, name="attention"):
    """The function of a variant, with the arguments of `operands` in order."""
    lead = "?x" * (v.rank - 2)
    kv_lead = "1x?x" if v.one_kv_batch else lead
    types = {"q": f"tensor<{lead}?x{v.head_dim}x{v.dtype}>", "k": f"tensor<{kv_lead}?x{v.head_dim}x{v.dtype}>",
             "v": f"tensor<{kv_lead}?x{v.values}x{v.dtype}>", "o": f"tensor<{lead}?x{v.values}x{v.dtype}>",
             "lse": f"tensor<{lead}?xf32>", "max_scores": f"tensor<{lead}?xf32>", "lengths": "tensor<?xi32>"}
    names = ["q", "k", "v"]
    ins = f"ins(%q, %k, %v : {types['q']}, {types['k']}, {types['v']})"
    for kind in v.lists:
        types[f"{kind}_num"], types[f"{kind}_idx"] = f"tensor<{lead}?xi32>", f"tensor<{lead}?x?xi32>"
        names += [f"{kind}_num", f"{kind}_idx"]
        ins += f"\n {kind}(%{kind}_num, %{kind}_idx : {types[f'{kind}_num']}, {types[f'{kind}_idx']})"
    if v.key_lengths:
        names.append("lengths")
        ins += f"\n key_lengths(%lengths : {types['lengths']})"
    if v.captures:
        names += [f"{c}_in" for c in v.captures]
        types |= {f"{c}_in": CAPTURE_TYPES[c] for c in v.captures}
        ins += f"\n captures({', '.join(f'%{c}_in' for c in v.captures)} : {', '.join(CAPTURE_TYPES[c] for c in v.captures)})"
    outs = ["o"] + ["lse"] * v.lse + ["max_scores"] * v.max_scores
    results = ", ".join(types[out] for out in outs)
    regions = ""
    if v.score_mod:
        regions += _region("score_mod", SCORE_MODS[v.score_mod], v.captures)
    if v.mask_mod:
        regions += _region("mask_mod", MASK_MODS[v.mask_mod], v.captures)
    attributes = []
    band = [f"{key} = {getattr(v, key)}" for key in ("left", "right") if getattr(v, key) is not None]
    if band:
        band += [f"prefix = {v.prefix}"] if v.prefix else []
        band += ["bottom_right = true"] if v.bottom_right else []
        attributes.append(f"mask = #sattn.mask<{', '.join(band)}>")
    if v.packed != 1:
        attributes.append(f"packed_heads = {v.packed} : i64")
    if v.group != 1:
        attributes.append(f"group = {v.group} : i64")
    if v.lists:
        attributes.append(f"block_size = array<i64: {v.block_size[0]}, {v.block_size[1]}>")
    if v.tile:
        columns = v.tile[2] if len(v.tile) > 2 else -(-v.values // 8) * 8
        attributes.append(f"meta = #sattn.meta<tile = [{v.tile[0]}, {columns}, {v.tile[1]}]>")
    if v.precision:
        attributes.append(f'precision = "{v.precision}"')
    arguments = ([] if v.scale is not None else ["%scale: f32"]) + [f"%{n}: {types[n]}" for n in names + outs]
    text = f"func.func @{name}({', '.join(arguments)}) -> ({results}) {{\n"
    if v.scale is not None:
        text += f"%scale = arith.constant {v.scale:e} : f32\n"
    text += f"""%0:{len(outs)} = sattn.flex_attention scale(%scale) {ins}
 outs({', '.join('%' + out for out in outs)} : {results}) -> {results}{regions} {{{', '.join(attributes)}}}
return {', '.join(f'%0#{n}' for n in range(len(outs)))} : {results}
}}
"""
    return text


@dataclass(frozen=True)
class Sizes:
    """Extents of a problem: queries of each of all heads, packed or not."""

    queries: int
    keys: int
    heads: int = 2
    batch: int = 1


def _lists(rng, v, sizes, lead):
    """For each block of queries a random choice of blocks of keys, in random order. Whole ones may be in `full`."""
    rows, columns = math.ceil(sizes.queries / v.block_size[0]), math.ceil(sizes.keys / v.block_size[1])
    arrays = {}
    if not v.lists:
        return arrays
    for kind in v.lists:
        arrays[f"{kind}_num"] = np.zeros((*lead, rows), np.int32)
        # Entries after the number are no blocks.
        arrays[f"{kind}_idx"] = np.full((*lead, rows, columns + 1), 1 << 30, np.int32)
    for place in np.ndindex(*lead, rows):
        for block in rng.permutation(columns)[:rng.integers(0, columns + 1)]:
            kind = v.lists[rng.integers(len(v.lists))]
            count = arrays[f"{kind}_num"][place]
            arrays[f"{kind}_idx"][(*place, count)] = block
            arrays[f"{kind}_num"][place] += 1
        if "full" in v.lists:  # A block that ends after the keys comes last.
            listed = arrays["full_idx"][place][:arrays["full_num"][place]]
            listed[:] = sorted(listed, key=lambda block: (block + 1) * v.block_size[1] > sizes.keys)
    return arrays


def operands(v, sizes, seed=0):
    """The arguments of a variant's program by name, in order. Results begin as what must be written over."""
    rng = np.random.default_rng(seed)
    heads = sizes.heads // v.packed
    rows = sizes.queries * v.packed
    lead = (sizes.batch, heads) if v.rank == 4 else (sizes.batch * heads,)
    kv_lead = ((1,) if v.one_kv_batch else lead[:-1]) + (lead[-1] // v.group,)
    # On rank 3, heads count through all batches.
    heads = lead[-1] * v.packed

    def normal(*shape):
        return rng.standard_normal(shape, np.float32).astype(DTYPES[v.dtype])

    scale = 1 / math.sqrt(v.head_dim) if v.scale_argument is None else v.scale_argument
    arrays = {} if v.scale is not None else {"scale": scale}
    arrays |= {"q": normal(*lead, rows, v.head_dim), "k": normal(*kv_lead, sizes.keys, v.head_dim),
               "v": normal(*kv_lead, sizes.keys, v.values)}
    arrays |= _lists(rng, v, sizes, lead)
    if v.key_lengths:
        arrays["lengths"] = rng.integers(0, sizes.keys + 1, lead[0], np.int32)
    longest = max(sizes.queries, sizes.keys, 1)
    captures = {
        "slopes": lambda: (2.0 ** -np.arange(1, heads + 1)).astype(np.float32),
        "table": lambda: rng.standard_normal(17, np.float32),
        "bias": lambda: rng.standard_normal((heads, max(sizes.queries, 1), max(sizes.keys, 1)), np.float32),
        "doc": lambda: np.sort(rng.integers(0, 4, longest, np.int32)),
        "tree": lambda: rng.integers(0, 2, (max(sizes.queries, 1), max(sizes.keys, 1)), np.int32),
        "offset": lambda: rng.integers(-20, 20, max(sizes.batch, 1), np.int32),
        "factor": lambda: 0.75,
        "prefix": lambda: rng.integers(0, 60, max(sizes.batch, 1), np.int32),
        "tables": lambda: rng.standard_normal((heads, 17), np.float32),
        "grid": lambda: rng.standard_normal((8, 4), np.float32),
    }
    arrays |= {name: captures[name]() for name in v.captures}
    arrays["o"] = np.full((*lead, rows, v.values), 7.0).astype(DTYPES[v.dtype])
    for name in ["lse"] * v.lse + ["max_scores"] * v.max_scores:
        arrays[name] = np.full((*lead, rows), 7.0, np.float32)
    return arrays


def _call(v, mod, score, arrays, shape):
    b, h, i, j = np.ogrid[tuple(slice(n) for n in shape)]
    if v.rank == 3:
        b = np.zeros_like(b)
    captures = [np.float64(np.float32(arrays[c])) if np.isscalar(arrays[c]) else arrays[c] for c in mod.captures]
    return mod.compute(score, b, h, i, j, *captures)


def seen_by(v, arrays, shape):
    """Which keys each query sees, and the blocks of the lists."""
    batch, heads, queries, keys = shape
    i, j = np.arange(queries)[:, None], np.arange(keys)[None, :]
    lengths = np.full(shape[:2], keys)
    if v.key_lengths:
        lengths[:] = arrays["lengths"][:, None] if v.rank == 4 else arrays["lengths"].repeat(v.packed)[None, :]
    lengths = lengths[:, :, None, None]
    distance = j - (i + (lengths - queries if v.bottom_right else 0))
    seen = np.ones(shape, bool)
    if v.left is not None:
        seen &= distance >= -v.left
    if v.right is not None:
        seen &= distance <= v.right
    seen |= j < v.prefix
    if v.mask_mod:
        seen &= _call(v, MASK_MODS[v.mask_mod], None, arrays, shape)
    if v.lists:
        listed = {kind: np.zeros(shape, bool) for kind in ("partial", "full")}
        for kind in v.lists:
            num, idx = (arrays[f"{kind}_{part}"] for part in ("num", "idx"))
            num, idx = (array.reshape(shape[0], shape[1] // v.packed, *array.shape[v.rank - 2:]).repeat(v.packed, axis=1)
                        for array in (num, idx))
            for place in np.ndindex(num.shape):
                rows = slice(place[2] * v.block_size[0], (place[2] + 1) * v.block_size[0])
                for block in idx[place][:num[place]]:
                    columns = slice(block * v.block_size[1], (block + 1) * v.block_size[1])
                    listed[kind][place[0], place[1], rows, columns] = True
        seen = (seen & listed["partial"]) | listed["full"]
    return seen & (j < lengths)


def _scores(v, arrays):
    """(B, H, M, N) in float64, -inf for keys that are not seen; V for each head."""
    q, k, values = (arrays[name].astype(np.float64) for name in "qkv")
    if v.rank == 3:
        q, k, values = (array[None] for array in (q, k, values))
    q = q.reshape(q.shape[0], q.shape[1] * v.packed, q.shape[2] // v.packed, q.shape[3])
    k, values = (np.repeat(array, v.group * v.packed, axis=1) for array in (k, values))
    scale = np.float64(np.float32(arrays["scale"] if v.scale is None else v.scale))
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if v.score_mod:
        scores = _call(v, SCORE_MODS[v.score_mod], scores, arrays, scores.shape)
    return np.where(seen_by(v, arrays, scores.shape), scores, -np.inf), values


def max_scores(v, arrays):
    """The greatest score of each query in float64, -inf where it sees no key."""
    return _scores(v, arrays)[0].max(axis=-1, initial=-np.inf).reshape(arrays["o"].shape[:-1])


def attention(v, arrays):
    """(o, lse) in float64; of a query that sees no key 0 and -inf."""
    scores, values = _scores(v, arrays)
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (np.log(total) + largest)[..., 0]
    o = weights @ values / np.where(total == 0, 1, total)
    o, lse = o.reshape(*arrays["o"].shape), lse.reshape(*arrays["o"].shape[:-1])
    return o, lse
