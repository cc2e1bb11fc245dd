"""The options of the demo. Without NumPy, so that `./dev demo` reads them before anything is installed.

    python3 demo_options.py [OPTION...]

says what is wrong with the options, by the exit code too, or nothing.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = [8, 16, 32, 64, 128]
# The blocks that made matrices are made of where the demo chooses.
MADE_BLOCK = 64
DTYPES = ["bf16", "f16", "f32"]
DESCRIPTION = """\
Lowers examples/bsr_addmm.mlir to PTX, then multiplies a block-sparse matrix by a dense one, on the CPU and on the GPU
if there is one, beside SciPy and NumPy. Without --matrix or --fem the matrix is a weight matrix pruned by block norm.
Then attention with a causal window, beside NumPy and, where it is installed, PyTorch.
"""


def block(text):
    return text if text == "auto" else int(text)


def parser():
    made = argparse.ArgumentParser(prog="./dev demo", description=DESCRIPTION)
    source = made.add_mutually_exclusive_group()
    source.add_argument("--matrix", type=Path, metavar="FILE",
                        help="a sparse matrix of your own: .npz of scipy.sparse.save_npz, or Matrix Market's .mtx or "
                             ".mtx.gz")
    source.add_argument("--fem", action="store_true", help="a finite-element stiffness matrix (fem_stiffness.py)")
    made.add_argument("--block", type=block, choices=[*BLOCKS, "auto"], default=MADE_BLOCK,
                      help="rows and columns of a block (default 64); auto: the cheapest (block_costs.py)")
    made.add_argument("--dtype", choices=DTYPES, default="bf16", help="element type (default bf16)")
    made.add_argument("--columns", type=int, default=512, help="columns of the dense operand (default 512)")
    made.add_argument("--size", type=int, nargs=2, default=[4096, 1024], metavar=("M", "K"),
                      help="rows and columns of the pruned weights (default 4096 1024)")
    made.add_argument("--sparsity", type=float, default=0.8,
                      help="share of the blocks that pruning takes away (default 0.8)")
    made.add_argument("--nodes", type=int, default=1500, help="nodes of the finite-element mesh (default 1500)")
    made.add_argument("--seed", type=int, default=0, help="of the made matrices and the dense operand (default 0)")
    made.add_argument("--length", type=int, default=1024,
                      help="queries and keys of the attention (default 1024; 0: none)")
    made.add_argument("--repeat", type=int, default=20, help="timed runs (default 20)")
    made.add_argument("--chip", default="sm_90a", help="of the PTX that is shown (default sm_90a)")
    made.add_argument("--device", type=int, default=0, help="number of the GPU that it also runs on (default 0)")
    made.add_argument("--meta-table", type=Path, metavar="FILE",
                      help="tuned parameters that are searched first for the GPU (docs/MetaTable.md)")
    made.add_argument("--output-dir", type=Path, default=ROOT / "build" / "demo",
                      help="folder of the program, its arrays and the PTX (default build/demo)")
    return made


def parse(arguments):
    """The options. Exits with code 2 where one is wrong."""
    made = parser()
    options = made.parse_args(arguments)
    for name, least in [("columns", 1), ("length", 0), ("nodes", 8), ("repeat", 1), ("device", 0)]:
        if getattr(options, name) < least:
            made.error(f"expected --{name} of at least {least}, but got {getattr(options, name)}")
    multiple = MADE_BLOCK if options.block == "auto" else options.block
    if options.matrix is None and not options.fem and any(size < 1 or size % multiple for size in options.size):
        made.error(f"expected --size of positive multiples of {multiple}, but got {' '.join(map(str, options.size))}")
    if not 0 <= options.sparsity <= 1:
        made.error(f"expected --sparsity from 0 to 1, but got {options.sparsity}")
    if options.matrix is not None and not options.matrix.is_file():
        made.error(f"no matrix '{options.matrix}'")
    return options


if __name__ == "__main__":
    parse(sys.argv[1:])
