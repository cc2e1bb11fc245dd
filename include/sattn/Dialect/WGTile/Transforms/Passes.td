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

def WGTileRequireUnitStrides
    : Pass<"wgtile-require-unit-strides", "::mlir::ModuleOp"> {
  let summary = "Require rows without gaps where register tiles are read or stored";
  let description = [{
    Gives every kernel argument that is read into or stored from registers an
    innermost stride of 1 in its type, by a `memref.cast` on the host, which the
    manifest turns into a check: the elements of a row are then at constant
    offsets from its first, instead of one address each.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%n) args(%out)
        : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    ```
    After:
    ```mlir
    %0 = memref.cast %out : memref<?x?xbf16, strided<[?, ?], offset: ?>>
        to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    wgtile.launch @kernels::@f grid(%n) args(%0)
        : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def WGTileSliceStores
    : Pass<"wgtile-slice-stores", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute and store tiles a few columns at a time";
  let description = [{
    Cuts a store of a wide tile into stores of `columns` columns, and with it the
    elementwise ops, broadcasts, reads and branches that the tile is computed
    from, so that few of the values that are read are in registers at one time.

    Reads move behind stores of other columns. That changes nothing where they
    read what is stored, element for element, or memory that the store does not
    touch; different arguments of a kernel overlap in no other way.

    Before:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x128xbf16>
    %e = arith.extf %c : tensor<64x128xbf16> to tensor<64x128xf32>
    %s = arith.addf %e, %acc : tensor<64x128xf32>
    wgtile.store %s, %d[%i, %j] ...
    ```
    After:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x32xbf16>
    %e = arith.extf %c : tensor<64x32xbf16> to tensor<64x32xf32>
    %a = wgtile.extract_columns %acc from 0 : tensor<64x128xf32> -> tensor<64x32xf32>
    %s = arith.addf %e, %a : tensor<64x32xf32>
    wgtile.store %s, %d[%i, %j] ...
    ...
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", /*default=*/"32",
           "Columns of a slice, a multiple of 8">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
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

def WGTilePlaceWaits
    : Pass<"wgtile-place-waits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make products asynchronous and wait where they are used";
  let description = [{
    A product whose result only becomes the accumulator of the same product in
    the loop's next turn is issued asynchronously; `wgtile.wait_mma` before the
    first use of the loop's result waits for all. Every other product stays
    synchronous.

    Before:
    ```mlir
    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : ...
      scf.yield %d
    }
    ```
    After:
    ```mlir
    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc async : ...
      scf.yield %d
    }
    %w = wgtile.wait_mma %r pending 0 : tensor<64x128xf32>
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileSpecialize
    : Pass<"wgtile-specialize", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Split a tile program into a producer and consumers";
  let description = [{
    Clones the kernel's tile loop into two roles that meet in a ring of shared
    memory. The producer keeps the loads, as copies into the ring's stages, and
    what their addresses need. The consumers keep everything else and take the
    tiles from the ring; a stage is given back after the wait that retires the
    last product that reads it. Where that product is still running at the end of
    the loop's turn, a wait for all but the products of this turn is placed after
    it, and the stage of the turn before is given back.

    The loads of one block share a stage. There are as many stages as fit in
    `max-shared-bytes`, at most `max-stages`. Registers go from the producer's
    warps to the consumers'. A kernel without loads is left alone; one whose loads
    depend on what a product computed, or lie in a branch, is refused.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      scf.for ... {
        %a = wgtile.load %values[%p, %c0, %c0] : ...
        %b = wgtile.load %map[%k, %j] : ...
        %d = wgtile.mma %a, %b, %acc async : ...
      }
      wgtile.store ...
    }
    ```
    After:
    ```mlir
    %ring = wgtile.ring warps 8 : !wgtile.ring<4, [...]>
    wgtile.roles producer 40 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        scf.for ... {
          wgtile.ring_acquire %ring
          wgtile.ring_copy %ring 0, %values[%p, %c0, %c0]
          wgtile.ring_copy %ring 1, %map[%k, %j]
          wgtile.ring_commit %ring
        }
      }
    } consumer 232 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        scf.for ... {
          %a, %b = wgtile.ring_take %ring
          %d = wgtile.mma %a, %b, %acc async : ...
          %w = wgtile.wait_mma %d pending 1
          wgtile.ring_release %ring held 1
        }
        ...
    ```
  }];
  let options = [
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t", /*default=*/"232448",
           "Shared memory of a thread block in bytes (227 KB on sm_90)">,
    Option<"maxStages", "max-stages", "int64_t", /*default=*/"8",
           "Most stages of a ring">,
    Option<"blocks", "blocks", "int64_t", /*default=*/"0",
           "Thread blocks that share a multiprocessor; 0: two where one "
           "warpgroup consumes, else one">
  ];
  let dependentDialects = ["::mlir::ub::UBDialect", "::wgtile::WGTileDialect"];
}

def WGTilePersist : Pass<"wgtile-persist", "::mlir::ModuleOp"> {
  let summary = "Let each thread block walk many tiles";
  let description = [{
    Launches at most as many thread blocks as run at one time (one a
    multiprocessor, or the kernel's `nvvm.minctasm`) and makes every
    `wgtile.for_each_tile` of the kernel persistent, `columns` columns of tiles
    at a time. Kernels of fewer than two loops are left alone.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%tiles) args(...)
    ```
    After:
    ```mlir
    %n = wgtile.multiprocessors
    %grid = arith.minsi %tiles, %n : index
    wgtile.launch @kernels::@f grid(%grid) args(...)
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", /*default=*/"4",
           "Columns of tiles that are walked together">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileAllocateShared
    : Pass<"wgtile-allocate-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Place tiles and barriers in shared memory";
  let description = [{
    Gives every `wgtile.load` the offset of its tile and of its barrier, every
    `wgtile.ring` those of its stages and barriers, and the kernel the number of bytes it needs (`wgtile.shared_bytes`). A kernel that
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
