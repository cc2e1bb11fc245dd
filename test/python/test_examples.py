"""The examples beside the demo: each is built and run as its page says."""

import os
import re
import shutil
import subprocess
import sys

import pytest


def run(*command, **environment):
    return subprocess.run([str(part) for part in command], env={**os.environ, **environment}, capture_output=True,
                          text=True, check=False)


def python_example(root, tools, name, *arguments):
    return run(sys.executable, root / "examples" / "python" / name, *arguments, PYTHONPATH=str(root / "python"),
               SATTN_LIBRARIES=str(tools.parent / "lib"))


def errors(text):
    return [float(error) for error in re.findall(r"error (\S+)$", text, re.MULTILINE)]


def test_numpy_scipy(root, built_tools):
    pytest.importorskip("tvm_ffi")
    done = python_example(root, built_tools, "numpy_scipy.py")
    assert done.returncode == 0, done.stderr
    *single, half = errors(done.stdout)
    assert len(single) == 3 and max(single) < 1e-6 and half < 1e-2


def test_c_api(root, built_tools, tmp_path):
    prefixes = f"{root};{built_tools.parent}"
    compiler = shutil.which("clang-22") or shutil.which("cc")
    done = run("cmake", "-S", root / "examples" / "c_api", "-B", tmp_path, "-G", "Ninja",
               f"-DCMAKE_PREFIX_PATH={prefixes}", f"-DCMAKE_C_COMPILER={compiler}",
               "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
    assert done.returncode == 0, done.stdout + done.stderr
    done = run("cmake", "--build", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(tmp_path / "multiply")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[1:] == ["rows 0 to 7: 0 8 16 24", "rows 8 to 15: 0 40 80 120",
                                            "PTX for sm_90a: yes, manifest: yes"]
