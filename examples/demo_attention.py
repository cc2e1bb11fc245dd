"""The demo's attention: a causal window, on the CPU and on the GPU, beside NumPy and, if it is installed, PyTorch."""

import importlib.util
import time

import numpy as np

from matrix_files import DTYPES, load_array, save_array

HEADS, HEAD_DIM = 4, 64
# Rows and columns of the picture, at most; elements of its smallest cell along each.
PICTURE, CELL = 16, 16


def program_text(dtype, window):
    """q, k, v and the result have shape (heads, length, HEAD_DIM)."""
    tensor = f"tensor<?x?x{HEAD_DIM}x{dtype}>"
    # f32 on a GPU has kernels for tf32 only; the CPU's are in f32.
    precision = ', precision = "tf32"' if dtype == "f32" else ""
    return f"""// Query i sees key j if i - {window} < j <= i.
func.func @attention(%scale: f32, %q: {tensor}, %k: {tensor}, %v: {tensor},
                     %out: {tensor}) -> {tensor} {{
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : {tensor}, {tensor}, {tensor})
      outs(%out : {tensor}) -> {tensor}
      {{mask = #sattn.mask<left = {window - 1}, right = 0>{precision}}}
  return %0 : {tensor}
}}
"""


def visible(length, window):
    """Which keys each query sees: bool, (length, length)."""
    distance = np.arange(length)[:, None] - np.arange(length)[None, :]
    return (distance >= 0) & (distance < window)


def picture(seen):
    """Lines of a mask, a character for each square of it: # all of it is seen, + a part, . nothing."""
    cell = max(CELL, -(-len(seen) // PICTURE))
    starts = range(0, len(seen), cell)

    def symbol(square):
        return "#" if square.all() else "+" if square.any() else "."

    return [" ".join(symbol(seen[i:i + cell, j:j + cell]) for j in starts) for i in starts]


def attention(q, k, v, seen, scale):
    """Attention over the keys that are seen, in the type of the operands."""
    scores = np.where(seen, q @ k.swapaxes(1, 2) * scale, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights @ v / weights.sum(-1, keepdims=True)


def median(call):
    """The last result and the median seconds: of three calls, or one of more than a second."""
    times = []
    while len(times) < 3 and sum(times) < 1:
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return result, sorted(times)[len(times) // 2]


def torch_rows(operands, seen, scale, dtype, on_gpu):
    """Rows of PyTorch's scaled_dot_product_attention with the mask as a tensor, which computes every pair."""
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    rows = []
    for device in ["cpu", *(["cuda"] if on_gpu and torch.cuda.is_available() else [])]:
        element = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
        q, k, v = (torch.from_numpy(array.astype(np.float32)).to(device, element) for array in operands)
        mask = torch.from_numpy(seen).to(device)

        def call(q=q, k=k, v=v, mask=mask, device=device):
            result = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
            if device == "cuda":
                torch.cuda.synchronize()
            return result

        call()
        result, seconds = median(call)
        rows.append({"where": f"PyTorch SDPA, {dtype}, {device.upper()}", "result": result.float().cpu().numpy(),
                     "seconds": seconds, "pairs": seen.size})
    return rows


def run(options, on_gpu, run_program):
    """Prints the mask; the rows of the table, with "work", and the result in double precision.

    run_program: of a program, its arguments and a target the row of sparse-run.
    """
    dtype, length = options.dtype, options.length
    window = max(length // 4, 1)
    scale = HEAD_DIM ** -0.5
    rng = np.random.default_rng(options.seed)
    operands = [rng.standard_normal((HEADS, length, HEAD_DIM)).astype(DTYPES[dtype]) for _ in "qkv"]
    seen = visible(length, window)
    exact = [array.astype(np.float64) for array in operands]
    reference = attention(*exact, seen, scale)

    print(f"Attention, {dtype}: {HEADS} heads, {length} queries and keys, {HEAD_DIM} columns")
    print(f"  a query sees itself and the {window - 1} keys before it, {100 * seen.mean():.1f} % of the pairs:")
    for line in picture(seen):
        print(f"    {line}")
    program = options.output_dir / "attention.mlir"
    program.write_text(program_text(dtype, window))
    paths = []
    for name, array in zip("qkv", operands):
        paths.append(options.output_dir / f"{name}.npy")
        save_array(paths[-1], array)
    rows = [run_program(program, [scale, *paths, "zeros"], target)
            for target in ["cpu", *(["cuda"] if on_gpu else [])]]
    for row in rows:
        row["pairs"] = int(seen.sum())
    single = [array.astype(np.float32) for array in operands]
    result, seconds = median(lambda: attention(*single, seen, np.float32(scale)))
    rows.append({"where": "NumPy, f32, its threads", "result": result, "seconds": seconds, "pairs": seen.size})
    rows += torch_rows(operands, seen, scale, dtype, on_gpu)
    for row in rows:
        row["work"] = 4.0 * HEAD_DIM * HEADS * row.pop("pairs")
    return rows, reference
