# Configuration of the lit tests. Substitutions beside the tools' own names:
#   %attention_program  prints a tile program of attention: %attention_program VARIANT [FIELD=VALUE ...]
#   %check_ptx   assembles a .ptx file and fails on spills and serialized wgmma
#   %ptxas       NVIDIA's assembler (feature `ptxas`; `ptxas-third0` to 2 where a run takes a share)
#   %python      the Python that has NumPy and SciPy
#   %examples    the folder examples/
#   %sattn_lib   the folder of the libraries that the build made
#   %sattn_version, %llvm_version  what --version should print
#   %stub_libcuda  a CUDA driver that only records (stub-libcuda/)
import os
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

config.name = "sattn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ptx"]
# Not lit's: pytest's, ctest's, seeds, what only a GPU can run, and inputs of tests.
config.excludes = ["CMakeLists.txt", "Inputs", "fuzz", "gpu", "lib", "python", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sattn_build_root, "test")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "TMPDIR"])
llvm_config.use_default_substitutions()
# The folder of ./dev test, which begins empty, and never the user's own.
llvm_config.with_environment("SATTN_CACHE_DIR", os.environ.get("SATTN_CACHE_DIR") or
                             os.path.join(config.sattn_build_root, "test-cache"))
# A test sees the built tools and LLVM's, never one that the PATH happens to have.
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.sattn_tools_dir, append_path=True)

ptxas = config.ptxas if os.access(config.ptxas, os.X_OK) else shutil.which("ptxas")
check_ptx = os.path.join(config.sattn_source_root, "test", "tools", "check_ptx.py")
attention_programs = os.path.join(config.sattn_source_root, "test", "python", "attention_programs.py")
if ptxas:
    config.available_features.add("ptxas")
    # A run of whole suites assembles for a third of what is said to repeat (other chips, other schedules), another third with
    # every commit; see test/python/shares.py.
    seed = os.environ.get("SATTN_TEST_SEED")
    for part in range(3):
        if seed is None or int(seed) % 3 == part:
            config.available_features.add(f"ptxas-third{part}")
    llvm_config.with_environment("PATH", os.path.dirname(ptxas), append_path=True)

# The plugin is for an mlir-opt over the same shared library.
if config.sattn_shared_mlir:
    config.available_features.add("mlir-dylib")

# First, since lit has a %python of its own.
config.substitutions[:0] = [
    ("%attention_program", f"'{config.python_executable}' '{attention_programs}'"),
    ("%check_ptx", f"'{config.python_executable}' '{check_ptx}' --ptxas '{ptxas}'"),
    ("%ptxas", f"'{ptxas}'"),
    ("%python", f"'{config.python_executable}'"),
    ("%examples", os.path.join(config.sattn_source_root, "examples")),
    ("%sattn_lib", config.sattn_lib_dir),
    ("%sattn_version", config.sattn_version),
    ("%llvm_version", config.llvm_version),
    ("%stub_libcuda", os.path.join(config.test_exec_root, "stub-libcuda", "libcuda.so.1")),
]

# `./dev test` has built every tool; somebody who builds one and runs its tests has not.
unresolved = "fatal" if os.environ.get("SATTN_REQUIRE_TOOLS") else "ignore"
llvm_config.add_tool_substitutions(
    [
        ToolSubst(name, FindTool(name), unresolved=unresolved)
        for name in ["mlir-opt", "sparse-lsp-server", "sparse-opt", "sparse-reduce", "sparse-translate", "sparse-run", "sparse-tune",
                     "sattn-test-opt", "sattn-test-translate"]
    ],
    [config.sattn_tools_dir, config.llvm_tools_dir],
)
