//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CONVERSION_PASSES_TD
#define SATTN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertVectorToWGTile
    : Pass<"convert-vector-to-wgtile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels on whole-tile vectors to tile programs";
  let description = [{
    Vectors of one or two dimensions become register tiles, contractions
    `wgtile.mma`, reads that feed one `wgtile.load`, other reads `wgtile.read`,
    writes `wgtile.store`. Views of memory are resolved to the kernel's
    arguments. A read or write that is not in bounds is clipped by the argument's
    own end. Where a view ends elsewhere, so does a view of the argument, for what
    goes to registers or comes from them; for `wgtile.load` it is refused. A matrix
    whose dimensions are not the last ones of the argument is one of a transposed
    view.

    Before:
    ```mlir
    %l = vector.transfer_read %values[%p, %c0, %c0], %zero : vector<64x64xbf16>
    %r = vector.transfer_read %view[%c0, %c0], %zero
        {in_bounds = [true, false]} : vector<64x128xbf16>
    %d = vector.contract ... %l, %r, %acc : ... into vector<64x128xf32>
    ```
    After:
    ```mlir
    %l = wgtile.load %values[%p, %c0, %c0] : ... -> !wgtile.shared<64x64xbf16>
    %r = wgtile.load %b[%k, %j] : ... -> !wgtile.shared<64x128xbf16>
    %d = wgtile.mma %l, %r, %acc : ... -> tensor<64x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect",
                           "::wgtile::WGTileDialect"];
}

def ConvertSAttnPlanToGPU : Pass<"convert-sattn-plan-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Convert plans to kernels";
  let description = [{
    `sattn.plan` on memrefs becomes two kernels in the GPU module `kernels` and
    their launches. The first chooses the block rows of each row-block group, with a
    CTA for each window of at most 64 block rows; the second writes the
    steps, with a CTA for each row-block group. A `sattn.merge` becomes one,
    in which a thread makes the steps of a group of lists. The kernels are `memref`,
    `scf`, `arith` and `gpu`, with their tables in shared memory (address space 3).

    Before:
    ```mlir
    sattn.plan groups(2) columns(%n) ins(%crow, %col : ...) outs(%p, %s : ...)
    ```
    After:
    ```mlir
    %size = memref.dim %crow, %c0 : memref<?xi32>
    %rows = arith.subi %size, %c1 : index
    %windows = arith.ceildivsi %rows, %c64 : index
    wgtile.launch @kernels::@f_group grid(%windows) args(%crow, %col, %p)
        preprocess : ...
    %count = memref.dim %p, %c0 : memref<?x4xi32>
    wgtile.launch @kernels::@f_plan grid(%count) args(%crow, %col, %p, %s, %n)
        preprocess : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::wgtile::WGTileDialect"];
}

def ConvertWGTileToNVVM
    : Pass<"convert-wgtile-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower a tile program to the code of one thread";
  let description = [{
    Register tiles become scalars (32-bit elements) and vectors of two (16-bit
    elements, two neighboring columns), one for each register of a thread; `arith`
    ops on tiles become ops on these. Loads become TMA copies, MMAs become `wgmma` or
    `mma.sync`, reads and stores become accesses of single elements or pairs.
    `scf`, `memref`, `gpu` and scalar `arith` remain.

    A `wgtile.load` is synchronous: a barrier precedes it, so that no thread still
    reads the tile that it overwrites, and every thread waits for it. A synchronous
    `wgmma` is a fence, the instructions, a commit and a wait for all, in one block
    of inline assembly. (nvvm's wait has no register operands, so LLVM would see no
    dependence.)

    Before:
    ```mlir
    %d = wgtile.mma %a, %b, %c : ... -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
    ```
    After:
    ```mlir
    %d:64 = llvm.inline_asm "wgmma.fence... wgmma.mma_async... wgmma.wait_group..."
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelToLLVM
    : Pass<"convert-kernel-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower what remains of a kernel to the LLVM and NVVM dialects";
  let description = [{
    Converts kernels and their `arith`, `cf`, `memref`, `gpu` and `vector` ops.
    Memrefs are passed field by field, like upstream's descriptors; tensor maps by
    value, as grid constants. Maxima stay single instructions; divisions that round
    up or down are expanded. The pass replaces upstream's `convert-gpu-to-nvvm`,
    which leaves `cf` ops and turns maxnumf and math into calls of libdevice.

    Before:
    ```mlir
    gpu.func @f(%map: !wgtile.tensor_map<...>, %out: memref<?x?xf32>) kernel
    ```
    After:
    ```mlir
    llvm.func @f(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>,
                     llvm.align = 64 : i64, nvvm.grid_constant},
                 %out: !llvm.ptr, %aligned: !llvm.ptr, %offset: i64, ...)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // SATTN_CONVERSION_PASSES_TD
