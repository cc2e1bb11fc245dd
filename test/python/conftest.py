"""Paths of the checkout, and the built tools."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "test" / "tools"))
sys.path.insert(0, str(ROOT / "test" / "emulation"))
sys.path.insert(0, str(Path(__file__).parent))

pytest_plugins = ["shares"]

# Never the user's own cache of compiled programs. Processes of a run share one, which ./dev test has named.
if not os.environ.get("SATTN_CACHE_DIR"):
    os.environ["SATTN_CACHE_DIR"] = tempfile.mkdtemp(prefix="sattn-cache-")
    atexit.register(shutil.rmtree, os.environ["SATTN_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def emulation_tools(built_tools):
    """The folder of the built tools, where LLVM's are at hand that test/emulation needs."""
    missing = [name for name in ["mlir-translate", "clang-22"] if not shutil.which(name)]
    if missing:
        message = f"not on PATH: {', '.join(missing)}"
        if os.environ.get("SATTN_REQUIRE_TOOLS"):
            pytest.fail(message)
        pytest.skip(message)
    return built_tools


@pytest.fixture
def stub_cuda(built_tools, monkeypatch, tmp_path):
    """The stub driver (test/stub-libcuda) in the place of CUDA's, and what it writes down."""
    library = built_tools.parent / "test" / "stub-libcuda" / "libcuda.so.1"
    assert library.exists()
    monkeypatch.setenv("SATTN_LIBCUDA", str(library))
    monkeypatch.setenv("STUB_CUDA_LOG", str(tmp_path / "stub.log"))
    # The stub refuses code of the real one, which would be made in vain.
    monkeypatch.setenv("SATTN_PTXAS", "")

    class Stub:
        def lines(self, word):
            """The lines of the log that begin with this word."""
            log = tmp_path / "stub.log"
            return [line for line in log.read_text().splitlines() if line.startswith(word)] if log.exists() else []

    return Stub()


@pytest.fixture
def sattn(stub_cuda, built_tools, monkeypatch):
    """The package, over the libraries of the build and the stub driver; processes that a test starts find it too."""
    monkeypatch.setenv("SATTN_LIBRARIES", str(built_tools.parent / "lib"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    import sattn

    return sattn


@pytest.fixture
def package(sattn):
    """The package with nothing kept of calls before."""
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


def forget(sattn):
    """Forgets the rows that a process added and the tables that it read."""
    from sattn._tuning import rows

    assert sattn.tuning
    rows._own.clear()
    sattn._call.cache.search_first("")


@pytest.fixture
def tuning(sattn, monkeypatch, tmp_path):
    """sattn.tuning without rows of its own, and without tables of who runs the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("SATTN_META_TABLE", raising=False)
    forget(sattn)
    yield sattn.tuning
    forget(sattn)


@pytest.fixture
def short(monkeypatch):
    """Takes away the long way of bsr_dense_addmm, which calls take that are no repetitions."""
    def take_away():
        from sattn._arrays import sparse_operand

        def operand_of(_):
            raise AssertionError("the long way was taken")
        monkeypatch.setattr(sparse_operand, "operand_of", operand_of)
    return take_away
