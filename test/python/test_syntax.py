"""scripts/syntax.py: sources that do not include what they use are found, whatever the build precompiles."""

import json
import shutil
import subprocess
import sys

import pytest


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_what_only_the_precompiled_header_includes(tmp_path, root):
    (tmp_path / "whole.cpp").write_text("#include <vector>\nstd::vector<int> numbers;\n")
    (tmp_path / "part.cpp").write_text("std::vector<int> numbers;\n")
    options = "-I/x -std=c++17 -Wno-c++20-extensions -Xclang -fno-pch-timestamp -include-pch absent.pch -MD -MT a -MF b -o c -fsanitize=fuzzer-no-link -fno-sanitize-recover=all"
    entries = [{"directory": str(tmp_path), "file": str(tmp_path / name),
                "command": f"ccache /usr/bin/clang++-22 {options} -c {tmp_path / name}"} for name in ("whole.cpp", "part.cpp")]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))

    def run(*files):
        return subprocess.run([sys.executable, root / "scripts" / "syntax.py", tmp_path, "g++", *files], cwd=tmp_path,
                              capture_output=True, text=True, check=False)

    assert run("whole.cpp", "of_no_build.cpp").returncode == 0
    done = run("whole.cpp", "part.cpp")
    assert done.returncode == 1 and "part.cpp:1:6: error" in done.stderr and "whole.cpp" not in done.stderr
