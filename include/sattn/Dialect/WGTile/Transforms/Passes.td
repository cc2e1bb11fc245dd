//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD
#define SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WGTileOutlineKernels
    : Pass<"wgtile-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Make kernels of loops that are mapped to thread blocks";
  let description = [{
    Turns every `scf.forall` of a function that is mapped to thread blocks
    (`#gpu.block<...>`) into a `gpu.func` around a `wgtile.for_each_tile`, and
    puts a `wgtile.launch` of one thread block a tile in its place. Values that
    the loop uses and that are cheap to compute again (constants, sizes, integer
    arithmetic) are computed in the kernel; the rest must be arguments of the
    function. The function's result must be its argument, written in place; the
    host function has no results.

    Upstream's mapping and outlining passes refuse dynamic shapes.

    Before:
    ```mlir
    func.func @f(%out: memref<?x?xf32>) {
      scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) { ... }
        {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
    After:
    ```mlir
    gpu.module @kernels {
      gpu.func @f(%out: memref<?x?xf32>) kernel {
        wgtile.for_each_tile (%ti, %tj) in (%tm, %tn) { ... }
        gpu.return
      }
    }
    func.func @f(%out: memref<?x?xf32>) {
      %grid = arith.muli %tm, %tn : index
      wgtile.launch @kernels::@f grid(%grid) args(%out) : memref<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileAssignLayouts
    : Pass<"wgtile-assign-layouts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose the layout of every register and shared tile";
  let description = [{
    Register tiles get the accumulator's layout, one warp for 16 rows; vectors
    get the slice of it that their broadcast asks for; shared tiles get the
    128-byte swizzle. The kernel's number of threads follows. Tiles that wgmma
    cannot take are refused: rows must be a multiple of 64, columns of shared
    tiles a multiple of one row of the swizzle.

    Before:
    ```mlir
    %d = wgtile.mma %a, %b, %c : !wgtile.shared<64x64xbf16>,
        !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    ```
    After:
    ```mlir
    %d = wgtile.mma %a, %b, %c : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.shared<64x128xbf16, swizzle = 128>
        -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileCreateTensorMaps
    : Pass<"wgtile-create-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "Load tiles by tensor maps that the host encodes";
  let description = [{
    Gives every `wgtile.load` of a kernel's argument a tensor map as its source:
    a `wgtile.tensor_map` before the launch, and an argument of the kernel.
    Arguments that the kernel no longer uses are dropped.

    Before:
    ```mlir
    %a = wgtile.load %values[%p, %c0, %c0] : memref<?x64x64xbf16, ...>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    ```
    After:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0]
        : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileAllocateShared
    : Pass<"wgtile-allocate-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Place tiles and barriers in shared memory";
  let description = [{
    Gives every `wgtile.load` the offset of its tile and of its barrier, and the
    kernel the number of bytes it needs (`wgtile.shared_bytes`). A kernel that
    needs more than `max-shared-bytes` is refused with both numbers.

    Before:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0] : ...
    ```
    After:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0] {barrier = 24576 : i64, offset = 0 : i64}
    ```
  }];
  let options = [
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t", /*default=*/"232448",
           "Shared memory of a thread block in bytes (227 KB on sm_90)">
  ];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD
