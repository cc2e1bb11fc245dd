#!/usr/bin/env python3
"""The tests that a change can break, by the folders of the files that it touches.

    git diff -z --name-only BASE | changed_tests.py BUILD

Prints a line a suite of `./dev test`: its name and its arguments. RULES says which tests a folder has; of a file the
longest matching prefix counts. Tests that changed run themselves, and a folder of lib/ has the lit tests of the same
folder of test/.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Tests that show in minutes that the compiler and the package work at all: one program of every op on the CPU, and one
# call.
SMOKE = "python: operation_table package_load fused; torch: modules"
KERNELS = ("python: block_counts_kernel condition_bits_kernel softmax_kernel tile_scan_kernel tile_order_kernel row_sum_kernel "
           "elementwise_kernel lane_reads")
ON_CPU = "python: bsr_addmm_cpu scatter_mm_cpu attention_cpu exp_cpu unread_cpu"
FLEX = "python: flex_attention_cpu flex_attention_backward_cpu flex_attention_contract huge_scores"
PACKAGE_FLEX = "python: package_flex_attention package_flex_packed; torch: flex_attention_torch flex_gradients_torch"

# A prefix of paths: suites, each with its tests. lit: folders of test/; unit: programs of GoogleTest; python: names of
# test/python/test_*.py; torch, torch-cuda: of the files in with_torch and with_cuda_stub.
RULES = {
    "include": f"lit: Dialect; {SMOKE}",
    "include/sattn-c": "python: c_api_misuse disk_cache site",
    "include/sattn/Support": SMOKE,
    "lib/CAPI": "python: c_api_misuse disk_cache package_load tuning_functions",
    "lib/Codegen": f"lit: Codegen; {ON_CPU}",
    "lib/CMake": SMOKE + "; lit: Tools",
    "lib/Conversion": "lit: Conversion",
    "lib/Conversion/KernelToLLVM": f"lit: Conversion/KernelToLLVM; {KERNELS}",
    "lib/Conversion/SAttnPlanToGPU": "lit: Conversion/SAttnPlanToGPU; python: tile_order_kernel tile_scan_kernel",
    "lib/Conversion/VectorToWGTile": "lit: Conversion/VectorToWGTile Pipelines; python: emulated_ops",
    "lib/Conversion/WGTileToNVVM": "lit: Conversion/WGTileToNVVM Target; python: emulated_ops check_ptx",
    "lib/Dialect": "lit: Dialect",
    "lib/Dialect/SAttn": f"lit: Dialect/SAttn; unit: SAttn; {SMOKE}",
    "lib/Dialect/SAttn/Analysis": "lit: Dialect/SAttn; unit: SAttnMask; python: package_mask_laws package_bounds",
    "lib/Dialect/SAttn/IR/FlexAttention": f"lit: Dialect/SAttn; {FLEX}",
    "lib/Dialect/SAttn/IR/BlockCounts": "lit: Dialect/SAttn; python: block_counts_cpu block_counts_kernel",
    "lib/Dialect/SAttn/IR/BlockLists": "lit: Dialect/SAttn; python: block_lists_cpu block_lists_kernel",
    "lib/Dialect/WGTile": f"lit: Dialect/WGTile Pipelines; unit: WGTile; {KERNELS}",
    "lib/Differentiation": "lit: Dialect/SAttn; python: differentiate_cpu; torch: differentiate_torch",
    "lib/DiskCache": "unit: DiskCache; python: disk_cache",
    "lib/InitAll": "lit: Tools",
    "lib/Layout": "unit: Layout; lit: Dialect/WGTile; python: lane_reads",
    "lib/Manifest": "unit: Runtime; lit: Target; python: package_load",
    "lib/MetaTable": "unit: MetaTable fuzz-metatable; python: package_meta sparse_tune",
    "lib/Pipelines": f"lit: Pipelines Codegen; {SMOKE}",
    "lib/Reference": "unit: Reference; python: bsr_addmm_cpu sampled_addmm_cpu",
    "lib/Resources": "unit: Resources Tuning WGTile; lit: Pipelines",
    "lib/Runtime": "unit: Runtime; python: package_load package_storage; torch-cuda: devices hints memory versions",
    "lib/Target": "lit: Target; python: check_ptx encoded",
    "lib/Tuner": "unit: Tuner; python: sparse_tune",
    "lib/Tuning": "unit: Tuning; lit: Pipelines; python: package_tuning block_costs",
    "tools": "lit: Tools",
    "tools/sparse-tune": "python: sparse_tune",
    "tools/sparse-translate": "lit: Tools/sparse-translate; unit: Npy; python: demo matrix_files",
    "python/": "python: cmake package_load",
    "python/binding": "python: package_load package_storage; torch: guarded_calls_cpu tensors; torch-cuda:",
    "python/packaging": "python: package_wheel install",
    "python/sattn": f"{SMOKE}; python: layering package_imports package_types",
    "python/sattn/_arrays": "python: layering package_conversions package_pruning package_block_fill package_storage; "
                            "torch: tensors conversions_torch trusted_arrays; torch-cuda: storage",
    "python/sattn/_call": "python: layering package_explain package_scalars package_prepared package_meta; torch: guarded_calls_cpu "
                          "threads_and_processes; torch-cuda: guarded_calls prepared begun",
    "python/sattn/_compiler": "python: layering package_program package_load disk_cache package_tuning; torch-cuda: versions",
    "python/sattn/_masks": "python: layering package_block_mask package_given_lists package_mask_laws; torch: given_lists",
    "python/sattn/_native": "python: layering package_imports package_load; torch: imports_torch",
    "python/sattn/_ops": f"{SMOKE}; python: layering package_bsr package_sampled package_scatter package_sdpa; torch: an_op_in_one_file",
    "python/sattn/_ops/flex": f"python: layering; {PACKAGE_FLEX}",
    "python/sattn/_trace": "python: layering package_tracing package_tracing_captures package_tracing_random traced_functions; torch: "
                           "tracing_torch traced_functions_torch",
    "python/sattn/_tuning": "python: layering tuning_functions tuning_minimize; torch: tuning_torch; torch-cuda: tuning_cuda",
    "python/sattn/torch": "python: layering; torch: compiled dynamo_private enable imports_torch modules; torch-cuda: autograd",
    "benchmarks": "python: benchmark_defaults benchmark_flex_attention first_call triton_tuning",
    "docs": "python: docs readme masks_page site; torch: pages",
    "examples": "python: examples demo fem_stiffness pruned_weights; torch: examples_torch",
    "scripts": "python: docs readme make_bundle suite_summary dev site torch_environment lit_seeds",
    "test/emulation": KERNELS,
    "test/fuzz": "unit: fuzz",
    "test/gpu": "python: bsr_addmm_cpu sampled_addmm_cpu",
    "test/lib": "lit: Dialect",
    "docs/Troubleshooting.md": "python: docs troubleshooting; torch: troubleshooting_torch; torch-cuda: troubleshooting_cuda",
    "docs/guides": "python: docs mask_gallery",
    "scripts/mask_pictures.py": "python: mask_gallery",
    "test/python": SMOKE,
    "test/stub": "torch-cuda:",
    "test/tools": "python: check_ptx",
    "test/unit": "unit: Tests",
    "README.md": "python: readme docs site; torch: pages",
    "CHANGELOG.md": "python: docs site",
    "CONTRIBUTING.md": "python: docs site",
    "LICENSE": "python: package_wheel",
    "CMake": f"{SMOKE}; python: cmake install",
    "cmake": "python: cmake install",
    "dev": "python: dev torch_environment suite_summary",
    "pyproject.toml": "python: package_wheel",
    "requirements": "python: dev site torch_environment",
    ".": f"lit: Tools; {SMOKE}",
}
FOLDERS = {"python": "test/python", "torch": "test/python/with_torch", "torch-cuda": "test/python/with_cuda_stub"}


def rule_of(path):
    """The tests of the longest prefix of a path in RULES; headers have those of their library."""
    paths = (path, path.replace("include/sattn/", "lib/", 1))
    return RULES[max((prefix for prefix in RULES if any(path.startswith(prefix) for path in paths)), key=len, default=".")]


def own_test(path):
    """(suite, argument) of a file that is a test by itself."""
    if path.startswith("test/python/") and Path(path).name.startswith("test_"):
        for suite in ("torch-cuda", "torch", "python"):
            if Path(path).parent == Path(FOLDERS[suite]):
                return suite, Path(path).stem.removeprefix("test_")
    parts = Path(path).parts
    if parts[0] == "test" and parts[1] in ("Codegen", "Conversion", "Dialect", "Pipelines", "Target", "Tools"):
        return "lit", str(Path(*parts[1:] if Path(path).suffix in (".mlir", ".test") else parts[1:-1]))
    return None


def tests_of(paths):
    """The suites of ./dev test, each with the names of its tests."""
    found = {}
    for path in paths:
        own = own_test(path)
        if own:
            found.setdefault(own[0], set()).add(own[1])
            continue
        for part in rule_of(path).split(";"):
            suite, _, names = part.strip().partition(":")
            found.setdefault(suite, set()).update(names.split() or ["."])
    return found


def arguments_of(suite, names, build):
    """The arguments by which the suite's runner selects the tests."""
    if suite == "unit":
        return ["-R", "|".join(sorted(names))]
    if suite == "lit":
        folders = sorted(names)
        return [str(build / "test" / name) for name in folders
                if not any(name.startswith(f"{folder}/") for folder in folders)]
    folder = ROOT / FOLDERS[suite]
    if "." in names:
        return [str(folder)]
    return [str(folder / f"test_{name}.py") for name in sorted(names) if (folder / f"test_{name}.py").exists()]


def main(build):
    paths = [path for path in sys.stdin.read().split("\0") if path]
    for suite, names in sorted(tests_of(paths).items()):
        arguments = arguments_of(suite, names, Path(build))
        if arguments:
            print(suite, *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
