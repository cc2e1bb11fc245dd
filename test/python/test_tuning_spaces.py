"""The passes take what an op's space calls possible: candidates compile, for the CPU and for GPUs."""

import os
import random
import shutil
import subprocess

import pytest

TARGETS = ["cpu", "sm_80", "sm_90a"]
# Candidates of a problem that a run compiles, beside the default.
COUNT = int(os.environ.get("SATTN_TEST_CANDIDATES", "3"))

SCORE = """score_mod {
  ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: f32):
    %r = arith.mulf %s, %y : f32
    sattn.yield %r : f32
  }"""


def listed(types, names):
    return f"{', '.join(f'%{name}' for name in names)} : {', '.join(types[name] for name in names)}"


def function(types, op, operands, outs, attributes, before="", between="", after=""):
    """A function of arguments {name: type} that returns the results of one op, of the types of its outs."""
    arguments = ", ".join(f"%{argument}: {type}" for argument, type in types.items())
    results = ", ".join(types[name] for name in outs)
    values = ["%0"] if len(outs) == 1 else [f"%0#{number}" for number in range(len(outs))]
    return f"""func.func @f({arguments}) -> ({results}) {{
  %zero = arith.constant 0.0 : f32
  %0{'' if len(outs) == 1 else f':{len(outs)}'} = sattn.{op} {before}
      ins({listed(types, operands)}) {between} outs({listed(types, outs)}) {after.format(results)}
  return {', '.join(values)} : {results}
}}
""".replace("ATTRIBUTES", f"{{{attributes}}}")


def bsr_addmm(meta, block, dtype, n, along_k):
    size = 16 * block
    types = {"alpha": "f32", "beta": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>",
             "values": f"tensor<?x{block}x{block}x{dtype}>",
             "b": f"tensor<{n}x{size}x{dtype}>" if along_k else f"tensor<{size}x{n}x{dtype}>",
             "out": f"tensor<{size}x{n}x{dtype}>"}
    return function(types, "bsr_addmm", ["crow", "col", "values", "b"], ["out"],
                    f"meta = {meta}" + ", transpose_b" * along_k, "alpha(%alpha) beta(%beta)", after="ATTRIBUTES -> {}")


def bsr_attention(meta, block, dtype, columns):
    head = f"tensor<2x?x{columns}x{dtype}>"
    types = {"scale": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>", **dict.fromkeys("qkvo", head)}
    return function(types, "bsr_attention", ["crow", "col", *"qkv"], ["o"],
                    f"block_size = array<i64: {block}, {block}>, meta = {meta}", "scale(%scale)",
                    after="ATTRIBUTES -> {}")


def flex_attention(op, meta, dtype, columns, is_causal):
    """The forward pass, or the gradient that the op's name ends with."""
    head, rows = f"tensor<2x3x?x{columns}x{dtype}>", "tensor<2x3x?xf32>"
    types = {"scale": "f32", **dict.fromkeys("qkvg", head), "lse": rows, "delta": rows, "x": "f32"}
    outs = {"dkdv": ["dk", "dv"]}.get(op.removeprefix("flex_attention_"), ["out"])
    types.update(dict.fromkeys(outs, head))
    attributes = f"meta = {meta}" + ", mask = #sattn.mask<right = 0>" * is_causal
    operands = [*"qkv"] if op == "flex_attention" else [*"qkvg", "lse", "delta"]
    captures, after = "", "-> {} ATTRIBUTES"
    if op == "flex_attention_dcapture":
        types["out"] = "tensor<2x3x?x?xf32>"
        captures = "captures(%x : f32)"
        after = "-> {} SCORE ATTRIBUTES"
        attributes += ", number = 0 : i64"
    return function(types, op, operands, outs, attributes, "scale(%scale)", captures, after).replace("SCORE", SCORE)


def bsr_softmax(op, meta, block, dtype):
    blocks = f"tensor<?x{block}x{block}x{dtype}>"
    types = {"crow": "tensor<?xi32>", "col": "tensor<?xi32>", "values": blocks, "grad": blocks, "out": blocks}
    operands = ["crow", "col", "values"] + ["grad"] * (op == "bsr_softmax_backward")
    return function(types, op, operands, ["out"], f"meta = {meta}", after="ATTRIBUTES -> {}")


def sampled_addmm(meta, block, dtype, k):
    k = "?" if k is None else k
    types = {"alpha": "f32", "crow": "tensor<?xi32>", "col": "tensor<?xi32>", "mat1": f"tensor<?x{k}x{dtype}>",
             "mat2": f"tensor<{k}x?x{dtype}>", "out": f"tensor<?x{block}x{block}x{dtype}>"}
    return function(types, "sampled_addmm", ["crow", "col", "mat1", "mat2"], ["out"], f"meta = {meta}",
                    "alpha(%alpha) beta(%zero)", after="ATTRIBUTES -> {}")


def scatter_mm(meta, block, dtype, n):
    others = f"tensor<?x?x{block}x{n}x{dtype}>"
    types = {"offsets": "tensor<?xi32>", "q": "tensor<?xi32>", "blocks": f"tensor<?x{block}x{block}x{dtype}>",
             "others": others, "r": "tensor<?xi32>", "out": others}
    return function(types, "scatter_mm", ["offsets", "q", "blocks", "others"], ["out"], f"meta = {meta}",
                    between="r(%r : tensor<?xi32>)", after="ATTRIBUTES -> {}")


def of_blocks(block, dtype, **more):
    return {"block_rows": block, "block_columns": block, "dtype": dtype, **more}


def of_product(block, dtype, n, along_k=False):
    facts = of_blocks(block, dtype, out_dtype=dtype, m=16 * block, n=n, k=16 * block, sparsity=50, along_k=int(along_k))
    return "bsr_addmm", facts, lambda meta: bsr_addmm(meta, block, dtype, n, along_k)


def of_heads(op, dtype, columns, is_causal=False):
    facts = {"head_dim": columns, "value_dim": columns, "dtype": dtype, "is_causal": int(is_causal)}
    return op, facts, lambda meta: flex_attention(op, meta, dtype, columns, is_causal)


def of_sparse_attention(block, dtype, columns):
    facts = of_blocks(block, dtype, head_dim=columns, value_dim=columns, shares_mask=1)
    return "bsr_attention", facts, lambda meta: bsr_attention(meta, block, dtype, columns)


def of_softmax(op, block, dtype):
    return op, of_blocks(block, dtype), lambda meta: bsr_softmax(op, meta, block, dtype)


def of_sample(block, dtype, k=None):
    facts = of_blocks(block, dtype) if k is None else of_blocks(block, dtype, k=k, can_be_run=1)
    return "sampled_addmm", facts, lambda meta: sampled_addmm(meta, block, dtype, k)


def of_scatter(block, dtype, n):
    return "scatter_mm", of_blocks(block, dtype, n=n), lambda meta: scatter_mm(meta, block, dtype, n)


# Op, facts of a problem, its program with an attribute `meta`.
PROBLEMS = {
    "addmm_16": of_product(16, "bf16", 1024), "addmm_32": of_product(32, "f16", 512),
    "addmm_64": of_product(64, "bf16", 4096), "addmm_128": of_product(128, "f32", 1024),
    "addmm_few": of_product(64, "bf16", 16), "addmm_48": of_product(48, "bf16", 300),
    "addmm_along_k": of_product(64, "bf16", 512, along_k=True),
    "sparse_attention_64": of_sparse_attention(64, "bf16", 128),
    "sparse_attention_32": of_sparse_attention(32, "f32", 64),
    **{f"{op}_{dtype}_{columns}": of_heads(op, dtype, columns, is_causal)
       for op in ("flex_attention", "flex_attention_dq", "flex_attention_dkdv", "flex_attention_dcapture")
       for dtype, columns, is_causal in (("bf16", 64, True), ("bf16", 128, False), ("f32", 64, False),
                                         ("f16", 256, False))},
    **{f"{op}_{block}": of_softmax(op, block, dtype) for op in ("bsr_softmax", "bsr_softmax_backward")
       for block, dtype in ((64, "bf16"), (16, "f16"), (32, "f32"))},
    "sampled_64": of_sample(64, "bf16"), "sampled_run": of_sample(64, "bf16", 64),
    "sampled_32": of_sample(32, "f32", 512),
    "scatter_64": of_scatter(64, "bf16", 256), "scatter_24": of_scatter(24, "f16", 64),
    "scatter_128": of_scatter(128, "f32", 128),
}


def candidates(built_tools, op, target, facts):
    """{parameter: value} of each candidate."""
    command = [built_tools / "sattn-test-spaces", op, target, *(f"{name}={value}" for name, value in facts.items())]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [{name: int(value) for name, value in (entry.split("=") for entry in line.split())} for line in lines]


def attribute(candidate):
    """#sattn.meta of a candidate."""
    tile = ", ".join(str(candidate[f"tile_{name}"]) for name in "mnk")
    hints = "".join(f", {name} = {value}" for name, value in candidate.items()
                    if value and not name.startswith("tile_"))
    return f"#sattn.meta<tile = [{tile}]{hints}>"


@pytest.mark.share(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_passes_take_what_is_possible(built_tools, tmp_path, name, target):
    op, facts, text = PROBLEMS[name]
    default, *others = candidates(built_tools, op, target, facts)
    some = random.Random(f"{name} {target}").sample(others, min(COUNT, len(others)))
    kind = "cubin" if shutil.which("ptxas") else "ptx"
    options = ["--to=llvmir", "--chip=cpu"] if target == "cpu" else [f"--to={kind}", f"--chip={target}"]
    for candidate in [default, *some]:
        (tmp_path / "program.mlir").write_text(text(attribute(candidate)))
        run = subprocess.run([built_tools / "sparse-translate", *options, tmp_path / "program.mlir",
                              "-o", tmp_path / "out"], capture_output=True, text=True)
        assert run.returncode == 0, f"{attribute(candidate)}: {run.stderr[:2000]}"
