"""The passes take what an op's space calls possible: candidates compile, for the CPU and for GPUs."""

import os
import random
import shutil
import subprocess

import pytest

TARGETS = ["cpu", "sm_80", "sm_90a"]
# Candidates of a problem that a run compiles.
COUNT = int(os.environ.get("SATTN_TEST_CANDIDATES", "3"))


def function(name, types, body, results):
    """A function of these arguments, {name: type}, that returns %0's results."""
    arguments = ", ".join(f"%{argument}: {type}" for argument, type in types.items())
    returned = ", ".join("%0" if len(results) == 1 else f"%0#{i}" for i in range(len(results)))
    listed = ", ".join(results)
    return (f"func.func @{name}({arguments}) -> ({listed}) {{\n  {body}\n  return {returned} : {listed}\n}}\n")


def listed(types, names):
    return f"{', '.join(f'%{name}' for name in names)} : {', '.join(types[name] for name in names)}"


def bsr_addmm(meta, block, dtype, n, transposed=False):
    size = 16 * block
    columns = f"tensor<{n}x{size}x{dtype}>" if transposed else f"tensor<{size}x{n}x{dtype}>"
    types = {"alpha": "f32", "beta": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>",
             "values": f"tensor<?x{block}x{block}x{dtype}>", "b": columns, "out": f"tensor<{size}x{n}x{dtype}>"}
    attributes = f"{{meta = {meta}{', transpose_b' if transposed else ''}}}"
    return function("f", types, f"%0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins({listed(types, ['crow', 'col', 'values', 'b'])}) "
                    f"outs({listed(types, ['out'])}) {attributes} -> {types['out']}", [types["out"]])


def bsr_attention(meta, block, dtype, columns):
    head = f"tensor<2x?x{columns}x{dtype}>"
    types = {"scale": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>", "q": head, "k": head, "v": head, "out": head}
    return function("f", types, f"%0 = sattn.bsr_attention scale(%scale) ins({listed(types, ['crow', 'col', 'q', 'k', 'v'])}) "
                    f"outs({listed(types, ['out'])}) {{block_size = array<i64: {block}, {block}>, meta = {meta}}} -> {head}", [head])


def flex_attention(meta, dtype, columns, mask=None):
    head = f"tensor<2x3x?x{columns}x{dtype}>"
    types = {"scale": "f32", "q": head, "k": head, "v": head, "out": head}
    masked = f", mask = #sattn.mask<{mask}>" if mask else ""
    return function("f", types, f"%0 = sattn.flex_attention scale(%scale) ins({listed(types, ['q', 'k', 'v'])}) "
                    f"outs({listed(types, ['out'])}) -> {head} {{meta = {meta}{masked}}}", [head])


def gradient(op, meta, dtype, columns, mask=None):
    head, rows = f"tensor<2x3x?x{columns}x{dtype}>", "tensor<2x3x?xf32>"
    types = {"scale": "f32", "q": head, "k": head, "v": head, "g": head, "lse": rows, "delta": rows}
    attributes, captures, score = f"meta = {meta}", "", ""
    outs = {"dq": ["dq"], "dkdv": ["dk", "dv"], "dcapture": ["sums"]}[op]
    if mask:
        attributes += f", mask = #sattn.mask<{mask}>"
    if op == "dcapture":
        types["x"] = "f32"
        captures = "captures(%x : f32)"
        score = "score_mod {\n^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: f32):\n%r = arith.mulf %s, %y : f32\nsattn.yield %r : f32\n}"
        attributes += ", number = 0 : i64"
    result = "tensor<2x3x?x?xf32>" if op == "dcapture" else head
    types.update({name: result for name in outs})
    operands = ["q", "k", "v", "g", "lse", "delta"]
    results = [result] * len(outs)
    value = "%0" if len(outs) == 1 else "%0:2"
    return function("f", types, f"{value} = sattn.flex_attention_{op} scale(%scale) ins({listed(types, operands)}) {captures} "
                    f"outs({listed(types, outs)}) -> {', '.join(results)} {score} {{{attributes}}}", results)


def softmax(op, meta, block, dtype):
    blocks = f"tensor<?x{block}x{block}x{dtype}>"
    types = {"crow": "tensor<?xi32>", "col": "tensor<?xi32>", "values": blocks, "grad": blocks, "out": blocks}
    operands = ["crow", "col", "values"] + ["grad"] * (op == "bsr_softmax_backward")
    return function("f", types, f"%0 = sattn.{op} ins({listed(types, operands)}) outs({listed(types, ['out'])}) {{meta = {meta}}} -> {blocks}",
                    [blocks])


def sampled_addmm(meta, block, dtype, k=None):
    left, right = (f"tensor<?x?x{dtype}>",) * 2 if k is None else (f"tensor<?x{k}x{dtype}>", f"tensor<{k}x?x{dtype}>")
    blocks = f"tensor<?x{block}x{block}x{dtype}>"
    types = {"alpha": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>", "mat1": left, "mat2": right, "out": blocks}
    return function("f", types, f"%beta = arith.constant 0.0 : f32\n  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta) "
                    f"ins({listed(types, ['crow', 'col', 'mat1', 'mat2'])}) outs({listed(types, ['out'])}) {{meta = {meta}}} -> {blocks}", [blocks])


def scatter_mm(meta, block, dtype, n):
    others = f"tensor<?x?x{block}x{n}x{dtype}>"
    types = {"offsets": "tensor<?xi32>", "q": "tensor<?xi32>", "blocks": f"tensor<?x{block}x{block}x{dtype}>", "others": others,
             "r": "tensor<?xi32>", "out": others}
    return function("f", types, f"%0 = sattn.scatter_mm ins({listed(types, ['offsets', 'q', 'blocks', 'others'])}) r(%r : tensor<?xi32>) "
                    f"outs({listed(types, ['out'])}) {{meta = {meta}}} -> {others}", [others])


def product(block, dtype, n, transposed=False):
    facts = f"block_rows={block} block_columns={block} dtype={dtype} out_dtype={dtype} m={16 * block} n={n} k={16 * block} sparsity=50"
    return ("bsr_addmm", facts + " along_k=1" * transposed, lambda meta: bsr_addmm(meta, block, dtype, n, transposed))


def attention(op, dtype, columns, mask=None):
    facts = f"head_dim={columns} value_dim={columns} dtype={dtype}" + " is_causal=1" * bool(mask)
    text = flex_attention if op == "flex_attention" else lambda *rest: gradient(op.removeprefix("flex_attention_"), *rest)
    return op, facts, lambda meta: text(meta, dtype, columns, mask)


def blocks(op, text, block, dtype, more="", *rest):
    return op, f"block_rows={block} block_columns={block} dtype={dtype} {more}", lambda meta: text(meta, block, dtype, *rest)


# Op, facts of a problem, its program with an attribute `meta`.
PROBLEMS = {
    "addmm_16": product(16, "bf16", 1024), "addmm_32": product(32, "f16", 512), "addmm_64": product(64, "bf16", 4096),
    "addmm_128": product(128, "f32", 1024), "addmm_few": product(64, "bf16", 16), "addmm_48": product(48, "bf16", 300),
    "addmm_along_k": product(64, "bf16", 512, transposed=True),
    "sparse_attention_64": blocks("bsr_attention", bsr_attention, 64, "bf16", "head_dim=128 value_dim=128 shares_mask=1", 128),
    "sparse_attention_32": blocks("bsr_attention", bsr_attention, 32, "f32", "head_dim=64 value_dim=64 shares_mask=1", 64),
    **{f"{op}_{dtype}_{columns}": attention(op, dtype, columns, mask)
       for op in ("flex_attention", "flex_attention_dq", "flex_attention_dkdv", "flex_attention_dcapture")
       for dtype, columns, mask in (("bf16", 64, "right = 0"), ("bf16", 128, None), ("f32", 64, None), ("f16", 256, None))},
    **{f"{op}_{block}_{dtype}": blocks(op, lambda meta, block, dtype, op=op: softmax(op, meta, block, dtype), block, dtype)
       for op in ("bsr_softmax", "bsr_softmax_backward") for block, dtype in ((64, "bf16"), (16, "f16"), (32, "f32"))},
    "sampled_64": blocks("sampled_addmm", sampled_addmm, 64, "bf16"),
    "sampled_run": blocks("sampled_addmm", sampled_addmm, 64, "bf16", "k=64 can_be_run=1", 64),
    "sampled_32": blocks("sampled_addmm", sampled_addmm, 32, "f32", "k=512 can_be_run=1", 512),
    "scatter_64": blocks("scatter_mm", scatter_mm, 64, "bf16", "n=256", 256),
    "scatter_24": blocks("scatter_mm", scatter_mm, 24, "f16", "n=64", 64),
    "scatter_128": blocks("scatter_mm", scatter_mm, 128, "f32", "n=128", 128),
}


def candidates(built_tools, op, target, facts):
    """{parameter: value} of each candidate."""
    output = subprocess.run([built_tools / "sattn-test-spaces", op, target, *facts.split()], check=True, capture_output=True, text=True).stdout
    return [dict((name, int(value)) for name, value in (entry.split("=") for entry in line.split())) for line in output.splitlines()]


def attribute(candidate):
    """#sattn.meta of a candidate."""
    tile = ", ".join(str(candidate[f"tile_{name}"]) for name in "mnk")
    hints = "".join(f", {name} = {value}" for name, value in candidate.items() if value and not name.startswith("tile_"))
    return f"#sattn.meta<tile = [{tile}]{hints}>"


@pytest.mark.share(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_passes_take_what_is_possible(built_tools, tmp_path, name, target):
    op, facts, text = PROBLEMS[name]
    all = candidates(built_tools, op, target, facts)
    chosen = [all[0], *random.Random(f"{name} {target}").sample(all[1:], min(COUNT, len(all) - 1))]
    kind = ["--to=llvmir", "--chip=cpu"] if target == "cpu" else ["--to=cubin" if shutil.which("ptxas") else "--to=ptx", f"--chip={target}"]
    for candidate in chosen:
        file = tmp_path / "program.mlir"
        file.write_text(text(attribute(candidate)))
        run = subprocess.run([built_tools / "sparse-translate", *kind, file, "-o", tmp_path / "out"], capture_output=True, text=True)
        assert run.returncode == 0, (attribute(candidate), run.stderr[-2000:])
