"""scripts/torch.sh: the environment with PyTorch that ./dev test makes, with a stand-in for pip that downloads nothing."""

import subprocess
import sys

import pytest

MODULES = "numpy ml_dtypes scipy tvm_ffi pytest xdist hypothesis expecttest torch"
SCRIPT = """
set -euo pipefail
root=$1
say() { echo "say: $*"; }
die() { printf '%s\\n' "$@" >&2; exit 1; }
source "$root/scripts/setup.sh"
source "$root/scripts/torch.sh"
need_space() { :; }
# Modules with a version alone: of PyTorch, that of the requirements.
pip_install() {
  local folder version=0
  echo "pip: ${*:3}"
  folder=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  for name in MODULES; do
    if [ "$name" = torch ]; then version=$(sed -n 's/^torch==//p' "$1/requirements-torch.txt"); fi
    echo "__version__ = '$version+cu'" > "$folder/$name.py"
  done
}
setup_torch "${2:-$(torch_version)}"
echo "python: $torch_python"
""".replace("MODULES", MODULES)


# Its environments have no pip of their own, which would take most of the tests' time.
PYTHON = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
  shift 2
  exec {python} -m venv --without-pip "$@"
fi
exec {python} "$@"
"""


@pytest.fixture
def setup(root, tmp_path):
    python = tmp_path / "python-without-pip"
    python.write_text(PYTHON.format(python=sys.executable))
    python.chmod(0o755)

    def run(version="", **environment):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SATTN_PYTHON": str(python), **environment}
        return subprocess.run(["bash", "-c", SCRIPT, "-", str(root), version], capture_output=True, text=True, check=False,
                              env=environment)

    return run


def version_of(root):
    (line,) = [line for line in (root / "requirements-torch.txt").read_text().splitlines() if line.startswith("torch==")]
    return line.removeprefix("torch==")


def test_makes_it_once(setup, root, tmp_path):
    folder = tmp_path / ".cache" / "sattn-tests" / f"torch-{version_of(root)}"
    made = setup()
    assert made.returncode == 0, made.stderr
    assert f"say: making {folder}" in made.stdout and f"python: {folder}/bin/python" in made.stdout
    assert setup().stdout == f"python: {folder}/bin/python\n"


def test_makes_it_again_where_it_is_broken(setup, root, tmp_path):
    version = version_of(root)
    setup(XDG_CACHE_HOME=str(tmp_path))
    (module,) = (tmp_path / "sattn-tests" / f"torch-{version}").glob("lib/*/site-packages/torch.py")
    for text, reason in [("raise OSError('no libcudart')", "torch cannot be imported: OSError: no libcudart"),
                         ("__version__ = '1.0'  # Older.", f"expected PyTorch {version}, but found 1.0")]:
        module.write_text(text)
        again = setup(XDG_CACHE_HOME=str(tmp_path))
        assert again.returncode == 0, again.stderr
        assert f"say: making the environment with PyTorch again: {reason}" in again.stdout
        assert "pip:" in again.stdout and "pip:" not in setup(XDG_CACHE_HOME=str(tmp_path)).stdout


def test_one_of_another_version(setup, tmp_path):
    made = setup("2.11.0")
    assert made.returncode == 0, made.stderr
    folder = tmp_path / ".cache" / "sattn-tests" / "torch-2.11.0"
    assert f"python: {folder}/bin/python" in made.stdout
    assert "torch==2.11.0" in (folder / "requirements-torch.txt").read_text().splitlines()


def test_left_out(setup, tmp_path):
    done = setup(SATTN_TORCH="skip")
    assert (done.returncode, done.stdout) == (0, "python: \n") and not (tmp_path / ".cache").exists()


def test_a_python_of_the_users(setup, tmp_path):
    for name in MODULES.split():
        (tmp_path / f"{name}.py").write_text("__version__ = '3.0'\n")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} \"$@\"\n")
    python.chmod(0o755)
    assert setup(SATTN_TORCH=str(python)).stdout == f"python: {python}\n"
    (tmp_path / "expecttest.py").write_text("raise ImportError('none')")
    done = setup(SATTN_TORCH=str(python))
    assert done.returncode == 1 and "lacks what the tests need: expecttest cannot be imported: ImportError: none" in done.stderr


@pytest.mark.parametrize("version, environment, message", [
    ("newest", {}, "expected a version of PyTorch such as"), ("../2", {}, "but got '../2'"),
    ("", {"SATTN_TORCH": "/nowhere/python"}, "expected SATTN_TORCH to be 'skip' or a Python, but got '/nowhere/python'")])
def test_what_is_refused(setup, version, environment, message):
    done = setup(version, **environment)
    assert done.returncode == 1 and message in done.stderr
