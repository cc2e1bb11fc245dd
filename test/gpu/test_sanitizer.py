"""compute-sanitizer finds nothing: memcheck, synccheck and racecheck of the kernels of each kind of tile.

Skipped where there is no compute-sanitizer. The driver's own probing of pointers is not reported.
"""

import shutil

import pytest

from bsr_cases import Case, arguments, program
from test_stress import TILES

SANITIZER = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")


@pytest.mark.skipif(SANITIZER is None, reason="needs compute-sanitizer")
@pytest.mark.parametrize("check", ["memcheck", "synccheck", "racecheck"])
@pytest.mark.parametrize("tile", TILES)
def test_nothing_is_found(sparse_run, tile, check, tmp_path):
    block, sizes = TILES[tile]
    case = Case(tile, block=block, tile=sizes, shape=(7 * block[0], 9 * block[1], 600), beta=0.5, pattern="empty_rows")
    path = tmp_path / "program.mlir"
    path.write_text(program(case))
    done = sparse_run("--target=cuda", "--check", path, *arguments(case, tmp_path),
                      wrapper=[SANITIZER, "--tool", check, "--report-api-errors", "no", "--error-exitcode", "9"])
    assert done.returncode == 0, done.stdout + done.stderr
