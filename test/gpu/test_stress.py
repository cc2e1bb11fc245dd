"""The answer does not depend on how fast each warp is.

Kernels whose threads are delayed at random, by up to two microseconds wherever they wait, arrive, issue or
release, have to give the same bits in each of many launches (`--launches`, 100 by default).
"""

import pytest

from bsr_cases import Case, arguments, program

# Rows of a block and of a tile, columns and depth of the tile.
TILES = {"8": ((8, 8), (8, 128, 8)), "16": ((16, 16), (16, 256, 16)), "32": ((32, 32), (32, 256, 32)),
         "64": ((64, 64), (64, 256, 64)), "128": ((128, 128), (128, 256, 64)), "grouped": ((64, 64), (128, 256, 64))}
PATTERNS = {"even": {"pattern": "random"}, "skewed": {"pattern": "skewed", "density": 0.1},
            "empty-rows": {"pattern": "empty_rows"}}


@pytest.mark.parametrize("tile", TILES)
def test_same_bits_at_full_speed(sparse_run, tile, tmp_path):
    """Many tiles for each CTA, so that a ring runs full for long."""
    block, sizes = TILES[tile]
    case = Case(tile, block=block, tile=sizes, shape=(8192, 1024, 8192), density=0.2)
    path = tmp_path / "program.mlir"
    path.write_text(program(case))
    done = sparse_run("--target=cuda", "--json", "--launches=20", path, *arguments(case, tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("tile", TILES)
def test_same_bits_under_delays(sparse_run, tile, pattern, tmp_path, request):
    block, sizes = TILES[tile]
    case = Case(tile, block=block, tile=sizes, shape=(24 * block[0], 32 * block[1], 1200), beta=0.5, **PATTERNS[pattern])
    path = tmp_path / "program.mlir"
    path.write_text(program(case))
    done = sparse_run("--target=cuda", "--json", "--check", "--delays=2000",
                      f"--launches={request.config.getoption('--launches')}", path, *arguments(case, tmp_path))
    assert done.returncode == 0, done.stderr
