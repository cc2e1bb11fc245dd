"""The wheel: installed into a fresh virtual environment without a network, used without PyTorch; and the stubs."""

import ast
import inspect
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "packaging"))
import build_wheel  # noqa: E402

PROGRAM = """
import sys
import numpy as np
import sattn
from importlib.metadata import version

assert "torch" not in sys.modules
rng = np.random.default_rng(0)
values, dense = rng.standard_normal((3, 16, 16), np.float32), rng.standard_normal((32, 5), np.float32)
bsr = np.array([0, 2, 3], np.int32), np.array([0, 1, 1], np.int32), values
out = sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
expected = np.concatenate([values[0] @ dense[:16] + values[1] @ dense[16:], values[2] @ dense[16:]])
assert np.allclose(out, expected, atol=1e-5)
print(sattn.__file__, version("sattn"))
"""


@pytest.fixture
def libraries(built_tools, monkeypatch):
    folder = built_tools.parent / "lib"
    monkeypatch.setenv("SATTN_LIBRARIES", str(folder))
    return folder


def test_installs_without_network_or_torch(libraries, tmp_path):
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    # The package's dependencies are there, as an index would have brought them.
    site = next((environment / "lib").glob("python*/site-packages"))
    (site / "dependencies.pth").write_text(str(Path(np.__file__).parents[1]) + "\n")
    python = environment / "bin" / "python"
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", ROOT],
                          env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # Where it looks for libraries by itself.
    del clean["SATTN_LIBRARIES"]
    done = subprocess.run([python, "-c", PROGRAM], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    file, version = done.stdout.split()
    assert Path(file).is_relative_to(site) and version == build_wheel.version()


def test_contents(libraries, tmp_path):
    name = build_wheel.build_wheel(tmp_path)
    assert name == f"sattn-{build_wheel.version()}-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(tmp_path / name) as archive:
        names = archive.namelist()
        info = f"sattn-{build_wheel.version()}.dist-info"
        metadata = archive.read(f"{info}/METADATA").decode()
        assert archive.testzip() is None
        assert archive.getinfo("sattn/lib/libsattn.so").external_attr >> 16 == 0o755
    for file in ["py.typed", "__init__.py", "__init__.pyi", "cache.pyi", "tuning.pyi", "lib/libsattn_binding.so"]:
        assert f"sattn/{file}" in names
    assert not any("pycache" in file for file in names)
    assert "Requires-Dist: numpy\n" in metadata and 'Requires-Dist: ml_dtypes; extra == "bf16"\n' in metadata
    assert "Provides-Extra: examples\n" in metadata and 'Requires-Dist: scipy; extra == "examples"\n' in metadata
    assert "torch" not in metadata[:metadata.index("\n\n")]


def test_the_libraries_that_were_built_last(tmp_path, monkeypatch):
    monkeypatch.delenv("SATTN_LIBRARIES", raising=False)
    folders = tmp_path / "bundle", tmp_path / "build"
    monkeypatch.setattr(build_wheel, "BUNDLE", folders[0])
    monkeypatch.setattr(build_wheel, "BUILD", folders[1])
    with pytest.raises(build_wheel.WheelError, match="but found none: run ./dev build or ./dev bundle first"):
        build_wheel.libraries()
    for newest in (0, 1):
        for place, folder in enumerate(folders):
            folder.mkdir(exist_ok=True)
            for name in build_wheel.LIBRARIES:
                (folder / name).touch()
                os.utime(folder / name, (0, 100 + (place == newest)))
        assert build_wheel.libraries() == folders[newest]
    (folders[1] / build_wheel.LIBRARIES[0]).unlink()
    assert build_wheel.libraries() == folders[0]


def test_libraries_without_their_llvm(tmp_path, monkeypatch):
    from sattn._compiler import c_api
    from sattn._native import libraries

    (tmp_path / "libsattn.so").write_bytes(b"")
    monkeypatch.setenv("SATTN_LIBRARIES", str(tmp_path))

    def fail(path):
        raise OSError("libLLVM.so.22.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(libraries.ctypes, "CDLL", fail)
    with pytest.raises(RuntimeError, match="expected the libraries that .*libsattn.so was linked with, but got: libLLVM.so.22.1: "
                                           ".*; it was built with this LLVM: install it, or take a wheel of ./dev bundle"):
        c_api.library.__wrapped__()


def test_same_wheel_again(libraries, tmp_path):
    (tmp_path / "again").mkdir()
    name = build_wheel.build_wheel(tmp_path)
    assert (tmp_path / name).read_bytes() == (tmp_path / "again" / build_wheel.build_wheel(tmp_path / "again")).read_bytes()


def test_nothing_built(tmp_path, monkeypatch):
    monkeypatch.setenv("SATTN_LIBRARIES", str(tmp_path))
    with pytest.raises(build_wheel.WheelError, match=f"expected libsattn.so and .* in {tmp_path}, but found none: run"):
        build_wheel.build_wheel(tmp_path)


def stub_functions(path):
    """{name, with that of its class: (names of parameters, which of them have defaults), or None where overloaded}."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text())):
        scope = [node] if isinstance(node, ast.Module) else []
        scope += [node] if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else []
        for parent in scope:
            for function in parent.body:
                if isinstance(function, ast.FunctionDef):
                    prefix = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
                    overloaded = any(isinstance(name, ast.Name) and name.id == "overload"
                                     for name in function.decorator_list)
                    found[prefix + function.name] = None if overloaded else parameters_of_stub(function.args)
    return found


def parameters_of_stub(arguments):
    positional = [argument.arg for argument in arguments.args]
    optional = positional[len(positional) - len(arguments.defaults):] if arguments.defaults else []
    keywords = [argument.arg for argument in arguments.kwonlyargs]
    optional += [name for name, default in zip(keywords, arguments.kw_defaults) if default is not None]
    return positional, keywords, optional, arguments.vararg.arg if arguments.vararg else None


def parameters_of(function):
    parameters = inspect.signature(function).parameters.values()

    def names(*kinds):
        return [parameter.name for parameter in parameters if parameter.kind in kinds]

    return (names(inspect.Parameter.POSITIONAL_OR_KEYWORD), names(inspect.Parameter.KEYWORD_ONLY),
            [parameter.name for parameter in parameters if parameter.default is not inspect.Parameter.empty],
            next(iter(names(inspect.Parameter.VAR_POSITIONAL)), None))


@pytest.mark.parametrize("module", ["__init__", "cache"])
def test_stubs_are_of_these_functions(sattn, module):
    package = sattn if module == "__init__" else sattn.cache
    stubs = stub_functions(ROOT / "python" / "sattn" / f"{module}.pyi")
    for name, parameters in stubs.items():
        function = package
        for part in name.split("."):
            function = getattr(function, part)
        function = getattr(function, "fget", function)  # A property.
        if inspect.ismethod(function):  # A class.
            function = function.__func__
        assert parameters is None or parameters_of(function) == parameters, name
    public = {name for name in getattr(package, "__all__", vars(package))
              if inspect.isfunction(getattr(package, name)) and not name.startswith("_")}
    assert public <= set(stubs)
