"""The seeds that fuzz-passes starts from: every pass of the project over what its lit test runs it on."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "fuzz"))
import lit_seeds  # noqa: E402

TEST = """// RUN: sparse-opt %s --wgtile-subtile-epilogue=bytes=64 --wgtile-persist | FileCheck %s
// RUN: sparse-opt %s \\
// RUN:   --pass-pipeline='builtin.module(gpu.module(wgtile-overlap),cse)' | FileCheck %s
// RUN: sparse-opt %s --sattn-to-ptx | FileCheck %s

// CHECK: module
module {
  // A comment.
}

// -----

func.func private @f()
"""


def test_seeds():
    names = ["// ", "// gpu.module(wgtile-overlap),cse", "// wgtile-subtile-epilogue{bytes=64},wgtile-persist"]
    assert list(lit_seeds.seeds(TEST)) == [f"{name}\n{code}" for code in ("module {\n}\n", "func.func private @f()\n")
                                           for name in names]


def test_every_pass_has_a_seed(tmp_path):
    lit_seeds.main(tmp_path / "seeds", *(ROOT / "test" / name for name in ("Codegen", "Conversion", "Dialect", "Target")))
    lines = {file.read_text(encoding="utf-8").split("\n", 1)[0] for file in (tmp_path / "seeds").iterdir()}
    found = set(re.findall(r"[\w-]+", " ".join(lines)))
    passes = set()
    for file in (ROOT / "include" / "sattn").rglob("*Passes.td"):
        passes |= set(re.findall(r'Pass<"([\w-]+)"', file.read_text()))
    assert "wgtile-overlap" in passes
    # It starts ptxas.
    assert passes - found == {"sattn-serialize-kernels"}
