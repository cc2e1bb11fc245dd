"""Programs of sattn.flex_attention_dq and sattn.flex_attention_dkdv, and the gradients by their definition in float64."""

import math
import re

import numpy as np

import flex_programs as forward
from attention_reference import DTYPES

LOG2_E = math.log2(math.e)


def program(v):
    """The module of a variant of the forward: @dq and @dkdv, with the arguments of `operands` in order."""
    text = forward.program(v)
    lead = "?x" * (v.rank - 2)
    row, out = f"tensor<{lead}?xf32>", f"tensor<{lead}?x{v.values}x{v.dtype}>"
    arguments, body = re.match(r"func.func @attention\((.*?)\) -> \(.*?\) \{\n(.*)\n *outs\(", text, re.DOTALL).groups()
    inputs = [each for each in arguments.split(", %") if not re.match(r"%?(o|lse|max_scores):", each)]
    arguments = ", %".join(inputs)
    tail = re.search(r"outs\([^\n]*?\) -> [^\n{]*?(?= score_mod| mask_mod| \{)(.*)\nreturn", text, re.DOTALL).group(1)
    body = body.replace("%k, %v :", "%k, %v, %go, %lse2, %delta :")
    body = re.sub(r"(ins\([^)]*?)\)", rf"\1, {out}, {row}, {row})", body, count=1)
    q, k, values = (re.search(rf"%?{name}: (tensor<.*?>)", arguments).group(1) for name in "qkv")
    text = ""
    for name, outs in (("dq", {"dq": q}), ("dkdv", {"dk": k, "dv": values})):
        results = ", ".join(outs.values())
        own = re.sub(r"%0:\d+ = sattn.flex_attention", f"%0:{len(outs)} = sattn.flex_attention_{name}", body)
        widest = v.head_dim if name == "dq" else max(v.head_dim, v.values)
        columns = v.tile[2] if v.tile and len(v.tile) > 2 else -(-widest // 8) * 8
        end = re.sub(r"tile = \[(\d+), \d+, (\d+)\]", rf"tile = [\1, {columns}, \2]", tail)
        text += (f"func.func @{name}({arguments}, %go: {out}, %lse2: {row}, %delta: {row}, "
                 f"{', '.join(f'%{key}: {type}' for key, type in outs.items())}) -> ({results}) {{\n{own}\n"
                 f" outs({', '.join('%' + key for key in outs)} : {results}) -> {results}{end}\n"
                 f"return {', '.join(f'%0#{n}' for n in range(len(outs)))} : {results}\n}}\n")
    return text


def transposed(v, sizes, arrays):
    """The lists of a variant for each block of keys: the blocks of queries that read it, in any order but that one which
    ends after the queries is the last that is seen whole."""
    rows, columns = math.ceil(sizes.queries / v.block_size[0]), math.ceil(sizes.keys / v.block_size[1])
    result = {}
    for kind in v.lists:
        num, idx = arrays[f"{kind}_num"], arrays[f"{kind}_idx"]
        lead = num.shape[:-1]
        result[f"{kind}_num"] = np.zeros((*lead, columns), np.int32)
        result[f"{kind}_idx"] = np.full((*lead, columns, rows + 1), 1 << 30, np.int32)
        for place in np.ndindex(num.shape):
            for block in idx[place][:num[place]]:
                at = (*place[:-1], block)
                result[f"{kind}_idx"][(*at, result[f"{kind}_num"][at])] = place[-1]
                result[f"{kind}_num"][at] += 1
    return result


def operands(v, sizes, seed=0):
    """({"dq": arguments by name, "dkdv": the same}, the forward's arrays with its results, the gradients of these)."""
    arrays = forward.operands(v, sizes, seed)
    o, lse = forward.attention(v, arrays)
    rng = np.random.default_rng(seed + 1)
    go = rng.standard_normal(o.shape, np.float32).astype(DTYPES[v.dtype])
    glse = rng.standard_normal(lse.shape, np.float32) * (seed % 2)
    with np.errstate(invalid="ignore"):
        lse2 = np.where(np.isneginf(lse), np.inf, lse * LOG2_E).astype(np.float32)
    delta = ((go.astype(np.float64) * o).sum(-1) - glse).astype(np.float32)
    inputs = {name: array for name, array in arrays.items() if name not in ("o", "lse", "max_scores")}
    given = {"go": go, "lse2": lse2, "delta": delta}

    def unwritten(name):
        return np.full(arrays[name].shape, 7.0).astype(DTYPES[v.dtype])

    return ({"dq": inputs | given | {"dq": unwritten("q")},
             "dkdv": inputs | transposed(v, sizes, arrays) | given | {"dk": unwritten("k"), "dv": unwritten("v")}},
            arrays, (go, glse))


def gradients(v, arrays, go, glse):
    """{"dq", "dk", "dv"} in float64."""
    scores, values = forward._scores(v, arrays)
    shape = scores.shape
    q, k = (arrays[name].astype(np.float64) for name in "qk")
    own = arrays["q"].shape, arrays["k"].shape, arrays["v"].shape
    if v.rank == 3:
        q, k = q[None], k[None]
    heads = np.repeat(k, v.group, axis=1)
    scale = np.float64(np.float32(arrays["scale"] if v.scale is None else v.scale))
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    go = go.astype(np.float64).reshape(*shape[:3], v.values)
    sees = ~np.isneginf(scores).all(-1)
    go, glse = go * sees[..., None], glse.reshape(shape[:3]) * sees
    dp = go @ np.swapaxes(values, -1, -2)
    o = weights @ values
    ds = weights * (dp - ((go * o).sum(-1) - glse)[..., None])
    if v.score_mod:  # By the complex step: the functions are analytic where they do not jump.
        step = 1e-30
        products = q @ np.swapaxes(heads, -1, -2) * scale
        moved = forward._call(v, forward.SCORE_MODS[v.score_mod], products + 1j * step, arrays, shape)
        ds = np.where(weights == 0, 0, ds * np.broadcast_to(moved, shape).imag / step)
    dq = scale * ds @ heads
    dk, dv = scale * np.swapaxes(ds, -1, -2) @ q, np.swapaxes(weights, -1, -2) @ go

    def shared(array, columns):
        array = array.reshape(shape[0], shape[1] // v.group, v.group, shape[3], columns).sum(2)
        return array.sum(0, keepdims=True) if v.one_kv_batch else array

    return {"dq": dq.reshape(own[0]), "dk": shared(dk, v.head_dim).reshape(own[1]), "dv": shared(dv, v.values).reshape(own[2])}
