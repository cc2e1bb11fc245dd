"""GPU tests: they run the tools of a bundle (or of a build) on a machine with a Hopper GPU.

    python3 -m pytest test/gpu [--tools FOLDER]

FOLDER is the one of sparse-run; by default the bundle's own bin/ beside test/, or build/bin.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "python")]


def pytest_addoption(parser):
    parser.addoption("--launches", type=int, default=100, help="launches of each stress test")
    parser.addoption("--tools", type=Path, default=None, help="folder of the tools")


@pytest.fixture(scope="session")
def sparse_run(request):
    """Runs sparse-run; gives the finished process."""
    folders = [request.config.getoption("--tools"), ROOT / "bin", ROOT / "build" / "bin"]
    tool = next((folder / "sparse-run" for folder in folders if folder and (folder / "sparse-run").exists()), None)
    if tool is None:
        pytest.fail("expected sparse-run in --tools, bin/ or build/bin, but found none")

    def run(*arguments, wrapper=()):
        return subprocess.run([*wrapper, str(tool), *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=dict(os.environ), timeout=300)

    return run
