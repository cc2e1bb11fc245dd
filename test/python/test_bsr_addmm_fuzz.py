"""Random products on the CPU against the Reference: every edge of the op in random combination.

SATTN_FUZZ_SEEDS sets how many seeds are tried (default: as many as 20 seconds allow, 60 at most).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from bsr_cases import Case, operands, program, save  # noqa: E402

SECONDS = 20
SEEDS = 60
BATCHES = [((), (), ()), ((), (), ()), ((), (2,), (2,)), ((2,), (), (2,)), ((1,), (2,), (2,)), ((2, 1), (1, 3), (2, 3))]


def random_case(seed):
    """A case; its name says how to try it again."""
    rng = np.random.default_rng(seed)

    def one_of(*choices):
        return choices[rng.integers(len(choices))]

    block = one_of((8, 8), (16, 16), (24, 40), (16, 128), (32, 32), (64, 64), (64, 16), (128, 64))
    alpha = one_of(1.0, 0.0, -0.5, "1.0", "0.0", "2.0")
    beta = one_of(0.0, 1.0, 0.25, "0.0", "1.0", "-3.0")
    unread = ("values", "b") if float(alpha) == 0 else ()
    optional = tuple(name for name in ("input", "left", "right") if rng.random() < 0.3)
    if float(beta) == 0:
        unread += ("out", "input")
    batches = one_of(*BATCHES)
    return Case(
        f"seed-{seed}", dtype=one_of("f32", "f16", "bf16"), out=one_of("", "", "f32"), block=block,
        tile=(block[0], int(one_of(8, 64, 128)), block[1]), alpha=alpha, beta=beta, operands=optional,
        shape=(block[0] * int(rng.integers(1, 5)), block[1] * int(rng.integers(1, 6)),
               int(one_of(1, 7, 8, 63, 64, 65, 100, 129, 257))),
        density=float(rng.random()), batches=batches, index=one_of("i32", "i64"), static=bool(rng.random() < 0.2),
        pattern=one_of("random", "duplicates", "duplicates", "empty"), nan_in=unread)


def write_arguments(case, folder, seed):
    """The operands as files; some of those of rank 2 with the columns outermost, rows with gaps."""
    rng = np.random.default_rng([seed, 1])
    result = [str(getattr(case, name)) for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    arrays = operands(case, seed)
    for name in ["crow", "col", "values", "b", *case.operands, "out"]:
        array = arrays[name]
        layout = rng.integers(3) if name in ("b", "input", "out", "values") else 0
        path = str(save(folder / f"{name}.npy", np.asfortranarray(array) if layout == 1 else array))
        if layout == 2 and array.ndim == 2:
            path += f":ld={array.shape[-1] + int(rng.integers(1, 9))}"
        result.append(path)
    return result


def test_random_products_agree_with_the_reference(built_tools, tmp_path):
    wanted = os.environ.get("SATTN_FUZZ_SEEDS")
    deadline = time.monotonic() + SECONDS
    tried = 0
    for seed in range(int(wanted) if wanted else SEEDS):
        if not wanted and time.monotonic() > deadline:
            break
        case = random_case(seed)
        text = tmp_path / "program.mlir"
        text.write_text(program(case))
        done = subprocess.run([built_tools / "sparse-run", "--target=cpu", "--json", "--check", text,
                               *write_arguments(case, tmp_path, seed)],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{case}: {done.stderr}"
        assert json.loads(done.stdout)["ok"], case
        tried += 1
    assert tried >= 5, f"only {tried} products in {SECONDS} s"
