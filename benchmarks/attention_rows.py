"""The rows of benchmarks/flex_attention.py: problems of attention, their programs, and what of them is visible.

NumPy only: a row needs no GPU to be counted, compiled or looked at.
"""

import dataclasses
from dataclasses import dataclass

import long_masks
import numpy as np

# Unequal documents, 8192 elements together (the last is cut at a shorter length).
DOCUMENTS = [1500, 300, 64, 900, 33, 700, 1200, 128, 450, 1000, 17, 600, 256, 500, 300, 244]
WINDOW, PREFIX, CAP = 1024, 1024, 20.0
# Blocks of the lists that are made of documents.
LIST_BLOCK = 128
MASKS = ["dense", "causal", "window", "prefix", "document", "document_causal", "blocks"]


@dataclass(frozen=True)
class Row:
    """bf16 attention of (batch, heads, length, head_dim), queries as many as keys."""

    batch: int
    heads: int
    length: int
    head_dim: int = 128
    mask: str = "dense"
    kv_heads: int | None = None  # None: heads
    value_dim: int | None = None  # None: head_dim
    score: str | None = None  # "alibi", "softcap"
    block: int = LIST_BLOCK  # rows and columns of a block of the lists
    count: int = 0  # of mask "blocks": blocks that a block of queries sees
    # Ours is sattn.flex_attention with a mask of a function, and not a program; so are all masks of long_masks.py.
    by_function: bool = False
    # Targets as ratios to the best peer: the least, and the aim. None: no peer decides.
    least: float | None = 1.0
    aim: float | None = None

    @property
    def values(self):
        return self.value_dim or self.head_dim

    @property
    def group(self):
        return self.heads // (self.kv_heads or self.heads)

    @property
    def has_lists(self):
        return self.mask in ("document", "document_causal", "blocks")

    def title(self):
        """For people: "causal, D128, 4 x 16 x 4096"."""
        name = self.mask.replace("_", ", ")
        if self.mask in ("window", "prefix"):
            name += f" {WINDOW if self.mask == 'window' else PREFIX}"
        if self.mask == "blocks":
            name = f"{self.count} of {self.length // self.block} blocks of {self.block}"
        elif self.block != LIST_BLOCK:
            name += f", lists of blocks of {self.block}"
        if self.score:
            name = f"{'ALiBi' if self.score == 'alibi' else f'softcap {CAP:.0f}'}, {name}"
        heads = f"{self.heads}:{self.kv_heads}" if self.kv_heads else str(self.heads)
        dims = f"D{self.head_dim}" + (f"/{self.values}" if self.values != self.head_dim else "")
        return f"{name}, {dims}, {self.batch} x {heads} x {self.length}"


ROWS = {
    "dense_4096": Row(4, 16, 4096, aim=1.05),
    "dense_8192": Row(2, 16, 8192, aim=1.05),
    "causal_4096": Row(4, 16, 4096, mask="causal", aim=1.05),
    "causal_8192": Row(2, 16, 8192, mask="causal", aim=1.05),
    "causal_131072": Row(1, 4, 131072, mask="causal", aim=1.03),
    "window_4096": Row(4, 16, 4096, mask="window", least=1.05, aim=1.15),
    "window_8192": Row(2, 16, 8192, mask="window", least=1.05, aim=1.15),
    "prefix_8192": Row(2, 16, 8192, mask="prefix", aim=1.05),
    "alibi_8192": Row(2, 16, 8192, mask="causal", score="alibi", aim=1.1),
    "softcap_8192": Row(2, 16, 8192, mask="causal", score="softcap", least=1.3, aim=1.5),
    "document_8192": Row(2, 16, 8192, mask="document", aim=1.15),
    "document_causal_8192": Row(2, 16, 8192, mask="document_causal", aim=1.15),
    "blocks_128": Row(4, 16, 4096, mask="blocks", block=128, count=8, aim=1.08),
    "blocks_64": Row(4, 16, 4096, mask="blocks", block=64, count=16, aim=1.08),
    "video": Row(1, 7, 109632, mask="blocks", block=64, count=64, aim=1.08),
    "d64_dense": Row(4, 32, 4096, 64, aim=1.05),
    "d64_causal": Row(4, 32, 4096, 64, mask="causal", aim=1.05),
    "d256_dense": Row(4, 8, 4096, 256, aim=1.03),
    "d256_causal": Row(4, 8, 4096, 256, mask="causal", aim=1.03),
    "gqa_8192": Row(1, 32, 8192, mask="causal", kv_heads=8, aim=1.05),
    "d72_dense": Row(4, 32, 4096, 72, least=None),
    "d80_dense": Row(4, 32, 4096, 80, least=None),
    "d96_dense": Row(4, 16, 4096, 96, least=None),
    "d192_dense": Row(4, 8, 4096, 192, least=None),
    **{f"long_{mask}": Row(1, 4, 131072, mask=mask, by_function=True) for mask in ["causal", *long_masks.MASKS]},
}


def with_lengths_over(row, factor):
    """The same mask on a problem so many times shorter, and of one batch: to look at, and for tests."""
    blocks = max(1, row.length // factor // row.block) if row.mask == "blocks" else 0
    length = blocks * row.block if blocks else row.length // factor
    heads = 2 * row.group
    return dataclasses.replace(row, batch=1, heads=heads, kv_heads=2 if row.kv_heads else None, length=length,
                               count=min(row.count, blocks))


# Queries and keys of a tile, and stages of K and V, by the columns of a head up to which they are tried.
SWEPT_TILES = {
    64: [(128, 128, 2), (128, 128, 3), (192, 96, 2), (192, 128, 2), (192, 128, 3), (192, 160, 2)],
    80: [(128, 128, 2), (192, 96, 2), (192, 112, 2)],
    128: [(128, 64, 2), (128, 64, 3), (128, 64, 4), (128, 96, 2), (128, 112, 2), (128, 128, 2), (192, 80, 2)],
    192: [(128, 64, 2), (128, 96, 2), (128, 112, 2)],
    256: [(128, 48, 2), (128, 64, 2), (128, 80, 2)],
}
SWEPT_GROUPS = 1, 8, 16


def sweep(row):
    """Parameters of a tile around the computed default, as text for #sattn.meta: each tile in the default's order and
    in others. Those that a row's blocks or a chip's memory do not allow are left out, or refused by the compiler."""
    widest = max(row.head_dim, row.values)
    tiles = SWEPT_TILES[next(columns for columns in SWEPT_TILES if widest <= columns)]
    if row.has_lists:
        tiles = [(min(queries, row.block), keys, stages) for queries, keys, stages in tiles]
        tiles = [tile for tile in dict.fromkeys(tiles) if row.block % tile[0] == 0 and row.block % tile[1] == 0]
    return [f"tile = [{queries}, {row.values}, {keys}], stages = {stages}, raster_group = {group}"
            for queries, keys, stages in tiles for group in SWEPT_GROUPS]


# ---------------------------------------------------------------------------
# Visible blocks and elements
# ---------------------------------------------------------------------------


def documents(length):
    """The number of the document of each element, i32."""
    numbers = np.repeat(np.arange(len(DOCUMENTS), dtype=np.int32), DOCUMENTS)
    return np.concatenate([numbers, np.full(max(0, length - len(numbers)), numbers[-1], np.int32)])[:length]


def intervals(row):
    """Keys that a query sees, as [begin, end) for each query, disjoint and rising; None for blocks."""
    if row.mask in long_masks.MASKS:
        return long_masks.intervals(row.mask, row.length)
    queries = np.arange(row.length)
    zeros = np.zeros_like(queries)
    if row.mask == "blocks":
        return None
    if row.mask == "dense":
        return [(zeros, zeros + row.length)]
    if row.mask == "causal":
        return [(zeros, queries + 1)]
    if row.mask == "window":
        return [(np.maximum(queries - WINDOW, 0), queries + 1)]
    if row.mask == "prefix":
        return [(zeros, np.maximum(queries + 1, min(PREFIX, row.length)))]
    numbers = documents(row.length)
    begin = np.searchsorted(numbers, numbers, side="left")
    end = queries + 1 if row.mask == "document_causal" else np.searchsorted(numbers, numbers, side="right")
    return [(begin, end)]


def vectors(row):
    """The values that the mask's function captures: the documents, or a dictionary (long_masks.py)."""
    return long_masks.vectors(row.mask, row.length) if row.mask in long_masks.MASKS else documents(row.length)


def visible_function(row, numbers):
    """(i, j) -> whether query i sees key j, of arrays of any library. numbers: `vectors`, as that library's arrays.

    Blocks are not known to it: it is what the mask adds to the row's lists.
    """
    if row.mask in long_masks.MASKS:
        return long_masks.function(row.mask, numbers)
    return {
        "dense": lambda i, j: (i >= 0) & (j >= 0),
        "causal": lambda i, j: i >= j,
        "window": lambda i, j: (i >= j) & (i - j <= WINDOW),
        "prefix": lambda i, j: (j < PREFIX) | (i >= j),
        "document": lambda i, j: numbers[i] == numbers[j],
        "document_causal": lambda i, j: (numbers[i] == numbers[j]) & (i >= j),
        "blocks": lambda i, j: (i >= 0) & (j >= 0),
    }[row.mask]


def count_pairs(row):
    """Pairs of a query and a key that it sees, of one head."""
    if row.mask == "blocks":
        return row.length // row.block * row.count * row.block ** 2
    return int(sum((end - begin).sum() for begin, end in intervals(row)))


def count_operations(row):
    """2 (D + Dv) for each visible pair of each head."""
    return 2 * (row.head_dim + row.values) * count_pairs(row) * row.batch * row.heads


@dataclass(frozen=True)
class Lists:
    """Blocks of keys that each block of queries sees, i32: (B or 1, H or 1, rows) and (B or 1, H or 1, rows, columns).
    What comes after the number is 0."""

    partial_counts: np.ndarray
    partial_indices: np.ndarray
    full_counts: np.ndarray
    full_indices: np.ndarray
    block: int

    def operands(self, row):
        """Names and arrays of the lists that the program of a row reads."""
        names = ["full"] if row.mask == "blocks" else ["partial", "full"]
        return {f"{name}_{part}": getattr(self, f"{name}_{part}") for name in names for part in ("counts", "indices")}


def _listed(present):
    """(counts, indices) of a matrix of what is there, of rank 4."""
    counts = present.sum(-1).astype(np.int32)
    order = np.argsort(~present, axis=-1, kind="stable").astype(np.int32)
    return counts, np.where(np.arange(present.shape[-1]) < counts[..., None], order, 0).astype(np.int32)


def lists(row, block=None):
    """The row's blocks of keys: random ones, or those that its mask leaves, exactly."""
    if row.mask == "blocks":
        blocks = row.length // row.block
        rng = np.random.default_rng(0)
        shape = (row.batch, row.heads, blocks)
        chosen = np.sort(rng.random((*shape, blocks), np.float32).argsort(-1)[..., :row.count], -1).astype(np.int32)
        nothing = np.zeros((*shape, 1), np.int32)
        return Lists(nothing[..., 0], nothing, np.full(shape, row.count, np.int32), chosen, row.block)
    block = block or row.block
    blocks = -(-row.length // block)
    some, every = np.zeros((blocks, blocks), bool), np.zeros((blocks, blocks), bool)
    first = np.arange(blocks) * block
    last = np.minimum(first + block, row.length)
    seen = intervals(row)
    for number in range(blocks):
        rows = slice(first[number], last[number])
        keys = sum(np.maximum(np.minimum(end[rows, None], last) - np.maximum(begin[rows, None], first), 0) for begin, end in seen)
        # A short last block is partial: what is beyond the keys is not visible.
        some[number], every[number] = keys.any(0), (keys == block).all(0)
    return Lists(*_listed((some & ~every)[None, None]), *_listed(every[None, None]), block)


# ---------------------------------------------------------------------------
# Programs
# ---------------------------------------------------------------------------

MASK_ATTRIBUTES = {"causal": "#sattn.mask<right = 0>", "window": f"#sattn.mask<left = {WINDOW}, right = 0>",
                   "prefix": f"#sattn.mask<right = 0, prefix = {PREFIX}>", "document_causal": "#sattn.mask<right = 0>"}
DOCUMENT = """mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %numbers_in: tensor<?xi32>):
        %query = arith.index_cast %i : i32 to index
        %key = arith.index_cast %j : i32 to index
        %x = tensor.extract %numbers_in[%query] : tensor<?xi32>
        %y = tensor.extract %numbers_in[%key] : tensor<?xi32>
        %same = arith.cmpi eq, %x, %y : i32
        sattn.yield %same : i1
      }"""
ALIBI = """score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %of_heads: tensor<?xf32>):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %of_heads[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %wide = arith.sitofp %distance : i32 to f32
        %bias = arith.mulf %slope, %wide : f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      }"""
SOFTCAP = """score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %cap_in: f32):
        %x = arith.divf %s, %cap_in : f32
        %t = math.tanh %x fastmath<afn> : f32
        %r = arith.mulf %t, %cap_in : f32
        sattn.yield %r : f32
      }"""


def slopes(heads):
    """ALiBi's, of 8 to the base 2 over all heads."""
    return (2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)).astype(np.float32)


def captures(row):
    """Names, types and values of what the row's functions capture."""
    if row.score == "alibi":
        return [("slopes", "tensor<?xf32>", slopes(row.heads))]
    if row.score == "softcap":
        return [("cap", "f32", CAP)]
    if row.mask.startswith("document"):
        return [("numbers", "tensor<?xi32>", documents(row.length))]
    return []


def program(row, meta=None, rank=4):
    """MLIR's text: a function of q, k, v, the lists, the captures, and out. meta: the text of its parameters.
    rank 3: heads of all batches together, for rows without lists. The scale is 1 / sqrt(D), and known, as it is where
    sattn.flex_attention is called without one."""
    if row.by_function:
        raise ValueError("expected a row whose mask is no function of Python")
    if rank == 3 and (row.has_lists or row.score == "alibi"):
        raise ValueError("expected rank 4 of a row with lists or with numbers of heads")
    lead = "?x?x" if rank == 4 else "?x"
    query, key, value = (f"tensor<{lead}?x{columns}xbf16>" for columns in (row.head_dim, row.head_dim, row.values))
    out = f"tensor<{lead}?x{row.values}xbf16>"
    arguments = [f"%q: {query}", f"%k: {key}", f"%v: {value}"]
    clauses = [f"ins(%q, %k, %v : {query}, {key}, {value})"]
    attributes = []
    if row.has_lists:
        shape = "?x?x?" if row.mask == "blocks" else "1x1x?"
        types = {"counts": f"tensor<{shape}xi32>", "indices": f"tensor<{shape}x?xi32>"}
        for kind in ["full"] if row.mask == "blocks" else ["partial", "full"]:
            arguments += [f"%{kind}_{part}: {types[part]}" for part in types]
            clauses.append(f"{kind}({', '.join(f'%{kind}_{part}' for part in types)} : {', '.join(types.values())})")
        attributes.append(f"block_size = array<i64: {row.block}, {row.block}>")
    captured = captures(row)
    if captured:
        arguments += [f"%{name}: {kind}" for name, kind, _ in captured]
        clauses.append(f"captures({', '.join(f'%{name}' for name, _, _ in captured)} : "
                       f"{', '.join(kind for _, kind, _ in captured)})")
    if row.mask in MASK_ATTRIBUTES:
        attributes.append(f"mask = {MASK_ATTRIBUTES[row.mask]}")
    if row.group != 1:
        attributes.append(f"group = {row.group} : i64")
    if meta:
        attributes.append(f"meta = #sattn.meta<{meta}>")
    arguments.append(f"%out: {out}")
    clauses.append(f"outs(%out : {out}) -> {out}")
    if row.score:
        clauses.append(ALIBI if row.score == "alibi" else SOFTCAP)
    if row.mask.startswith("document"):
        clauses.append(DOCUMENT)
    lines = "\n      ".join(clauses)
    return (f"func.func @attention({', '.join(arguments)}) -> {out} {{\n"
            f"  %scale = arith.constant {row.head_dim ** -0.5!r} : f32\n  %0 = sattn.flex_attention scale(%scale)\n"
            f"      {lines}\n      {{{', '.join(attributes)}}}\n  return %0 : {out}\n}}\n")
