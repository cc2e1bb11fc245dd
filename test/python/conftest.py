"""Paths of the checkout, and the built tools."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
sys.path.insert(0, str(ROOT / "test" / "tools"))


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def built_tools():
    """The folder of the built tools. `./dev test` has built them, so there their lack is a failure."""
    folder = Path(os.environ.get("SATTN_BUILD_DIR", ROOT / "build")) / "bin"
    missing = [name for name in ["sparse-opt", "sparse-translate", "sparse-run"] if not (folder / name).exists()]
    if missing:
        message = f"not built: {', '.join(missing)}"
        if os.environ.get("SATTN_REQUIRE_TOOLS") or os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder
