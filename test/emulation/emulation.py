"""Runs the code of a kernel on the CPU: what its threads compute, without MMAs and TMA.

A kernel is lowered to LLVM's IR as for a GPU. There its shared memory becomes an array, the numbers of thread and block,
barriers and shuffles become functions of threads.c, inline PTX that of ptx.py, and the rest stays as it is. Such a test
proves indices and arithmetic where there is no GPU.
"""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import ptx

PIPELINE = ("builtin.module(gpu.module(convert-wgtile-to-nvvm,expand-strided-metadata,lower-affine,cse,convert-scf-to-cf,"
            "convert-kernel-to-llvm,convert-nvvm-to-llvm,reconcile-unrealized-casts))")
SHARED = "  llvm.mlir.global external @wgtile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>\n"


def run(*command, text=None):
    done = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def for_the_cpu(ir):
    """The kernel's IR, with functions of threads.c in the place of the GPU's."""
    ir = ptx.to_functions(ir)
    for gpu, cpu in [(" addrspace(3)", ""), (" addrspace(1)", ""), ("ptx_kernel ", ""), ("@wgtile_shared", "@emulated_shared"),
                     ("@llvm.nvvm.read.ptx.sreg.tid.x", "@emulated_thread_id"),
                     ("@llvm.nvvm.read.ptx.sreg.ctaid.x", "@emulated_block_id"),
                     ("@llvm.nvvm.read.ptx.sreg.nctaid.x", "@emulated_block_count"),
                     ("@llvm.nvvm.barrier.cta.sync.aligned.all", "@emulated_barrier"),
                     ("@llvm.nvvm.bar.warp.sync", "@emulated_warp_barrier"),
                     *((f"@llvm.nvvm.shfl.sync.{kind}.{element}", f"@emulated_shuffle_{kind}_{element}")
                       for kind in ("idx", "bfly") for element in ("f32", "i32")),
                     ("@llvm.nvvm.vote.ballot.sync", "@emulated_ballot"),
                     ("@llvm.nvvm.redux.sync.umax", "@emulated_most"), ("@llvm.nvvm.prmt", "@emulated_permute"),
                     ("@llvm.nvvm.ex2.approx.ftz.f", "@exp2f")]:
        ir = ir.replace(gpu, cpu)
    ir = re.sub(r"@llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(\d+)\.s\(", r"@emulated_copy_\1(", ir)
    # Copies end where they begin.
    ir = re.sub(r"^.*call void @llvm\.nvvm\.cp\.async\.(commit|wait)\.group.*\n", "", ir, flags=re.MULTILINE)
    # No other kernel runs.
    ir = re.sub(r"^.*call void @llvm\.nvvm\.griddepcontrol\..*\n", "", ir, flags=re.MULTILINE)
    # LLVM knows facts of intrinsics that it does not know of functions.
    ir = re.sub(r" range\([^)]*\)|, !range !\d+", "", ir)
    ir = re.sub(r"^(declare .*\)) #\d+$", r"\1", ir, flags=re.MULTILINE)
    return ir


class Kernel:
    """A kernel of the two functions below."""

    def __init__(self, shared, function, folder):
        """shared: globals of shared memory. function: an llvm.func named `kernel`. Both are text."""
        threads = int(re.search(r"nvvm\.reqntid = array<i32: (\d+)", function)[1])
        function = re.sub(r"(@kernel\([^)]*\)) attributes \{[^{}]*\}", r"\1", function)
        ir = for_the_cpu(run("mlir-translate", "--mlir-to-llvmir", "-", text=f"module {{\n{shared}{function}\n}}\n"))
        (folder / "kernel.ll").write_text(ir)
        run("clang-22", "-O1", "-mfma", "-mf16c", "-Wno-override-module", "-shared", "-fPIC", "-pthread", "-o", folder / "kernel.so",
            folder / "kernel.ll", Path(__file__).with_name("threads.c"), "-lm")
        self.library = ctypes.CDLL(str(folder / "kernel.so"))
        self.threads = threads
        self.shared = (ctypes.c_char * (1 << 18)).in_dll(self.library, "emulated_shared")

    def put(self, offset, tile, swizzle=128):
        """Writes a matrix of f32 to shared memory as TMA does, in boxes whose rows are `swizzle` bytes: SharedTile.h."""
        rows, columns = tile.shape
        row, column = np.indices(tile.shape)
        width = swizzle // 4
        chunk = column % width // 4 ^ (row * swizzle // 128) % (swizzle // 16)
        place = column // width * rows * swizzle + row * swizzle + chunk * 16 + column % 4 * 4
        memory = np.frombuffer(self.shared, np.float32)
        memory[(offset + place) // 4] = tile

    def __call__(self, blocks, *arguments):
        """Runs so many CTAs, one after the other. An argument is a number or an array."""
        words = []
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                words.append(argument)
                continue
            address, size = argument.ctypes.data, argument.itemsize
            words += [address, address, 0, *argument.shape, *(stride // size for stride in argument.strides)]
        assert len(words) <= 72
        for block in range(blocks):
            ran = self.library.run_block(block, blocks, self.threads, (ctypes.c_int64 * len(words))(*words), len(words))
            assert ran, "the threads of a block could not be made"


def kernel_of_tiles(tools, text, folder):
    """The kernel of gpu.func @kernel, of ops on tiles with layouts. Its shared tiles begin at numbers, cast from
    i32."""
    # The lowering of rings declares shared memory itself.
    declared = "" if "wgtile.ring" in text else SHARED
    module = f"gpu.module @kernels {{\n{declared}{text}\n}}\n"
    lowered = run(tools / "sparse-opt", f"--pass-pipeline={PIPELINE}", "-", text=module)
    return Kernel(SHARED, _function(lowered, "kernel"), folder)


def kernel_of_program(tools, text, name, folder, options=""):
    """One of those that the GPU pipeline makes of a program."""
    lowered = run(tools / "sparse-opt", f"--sattn-to-nvvm={options}", "-", text=text)
    shared = SHARED if "@wgtile_shared()" in lowered else ""
    shared += "".join(re.findall(r"^    llvm\.mlir\.global private @\w+\(\) \{addr_space = 3.*?^    \}\n", lowered,
                                re.MULTILINE | re.DOTALL))
    return Kernel(shared, _function(lowered, name).replace(f"@{name}(", "@kernel(", 1), folder)


def _function(lowered, name):
    """The text of an llvm.func in a gpu.module."""
    return re.search(rf"^    llvm\.func @{name}\(.*?^    \}}$", lowered, re.MULTILINE | re.DOTALL)[0]
