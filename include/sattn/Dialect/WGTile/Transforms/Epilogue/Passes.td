//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_PASSES_TD
#define SATTN_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_PASSES_TD

include "mlir/Pass/PassBase.td"

def WGTileSubtileEpilogue
    : Pass<"wgtile-subtile-epilogue", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute and store tiles a few columns at a time";
  let description = [{
    Cuts a store of a wide tile into stores of subtiles whose rows are `bytes`
    bytes long, one row of the swizzle. The elementwise ops, broadcasts, reads and
    branches that the tile is computed from are cut too, so that few of the values
    read are in registers at one time. Subtiles of more than 192 rows that are not
    `aligned` are half as wide, but at least 32 columns: each of their elements has
    an address of its own.

    Reads move after stores of other columns. The result is the same if a read
    takes the stored elements themselves, element for element, or memory that the
    store does not touch; different arguments of a kernel overlap in no other way.

    Before:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x128xbf16>
    %e = arith.extf %c : tensor<64x128xbf16> to tensor<64x128xf32>
    %s = arith.addf %e, %acc : tensor<64x128xf32>
    %t = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xbf16>
    wgtile.store %t, %out[%i, %j] ...
    ```
    After:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x64xbf16>
    %e = arith.extf %c : tensor<64x64xbf16> to tensor<64x64xf32>
    %a = wgtile.extract_columns %acc from 0 : tensor<64x128xf32> -> tensor<64x64xf32>
    %s = arith.addf %e, %a : tensor<64x64xf32>
    %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    wgtile.store %t, %out[%i, %j] ...
    ...
    ```
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"128",
           "Bytes of a subtile's rows, a multiple of 64">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileStageEpilogueLoads : Pass<"wgtile-stage-epilogue-loads", "::mlir::ModuleOp"> {
  let summary = "Read tiles by TMA, through shared memory";
  let description = [{
    In the program of a tile, a read of a TMA-compatible argument (see
    `wgtile-version-kernels`) whose tile has the same type as a tile that the
    program's loop loads becomes a load of a shared tile and a read of that tile.
    `wgtile-specialize` gives the load a stage of the loop's ring: after the loop's
    last iteration the producer goes on to the loads after the loop, and they
    arrive while the last MMAs run.

    A read of an argument that the kernel stores to stays unless it reads the very
    tile that is stored. Reads in inner loops stay too.

    Before:
    ```mlir
    scf.for ... {
      %a = wgtile.load %values[%p, %c0, %k]
          : memref<?x128x128xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
      ...
    }
    %c = wgtile.read %out[%i, %j] in_bounds [true, false] aligned
        : memref<?x?xbf16> -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    ```
    After:
    ```mlir
    %s = wgtile.load %out[%i, %j] aligned
        : memref<?x?xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
    %c = wgtile.read_shared %s : !wgtile.shared<128x64xbf16, swizzle = 128>
        -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    ```
  }];
}

def WGTileStageStores
    : Pass<"wgtile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Store tiles by TMA, through shared memory";
  let description = [{
    In the program of a tile, a store to a TMA-compatible argument (see
    `wgtile-version-kernels`) of a tile whose rows are one row of the swizzle goes
    through a staging tile: each warpgroup writes its rows there, one of its
    threads starts the copy to global memory, and the program goes on. Two staging
    tiles of a type alternate. Before one is written again, the program waits for
    the copy that reads it, which may belong to the previous tile. At the kernel's
    end it waits for all copies. Stores in branches and inner loops stay.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      wgtile.store %t, %out[%r, %c] in_bounds [true, false]
          : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, memref<?x?xbf16>
    }
    ```
    After:
    ```mlir
    %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      wgtile.tma_store_wait pending 0 read
      wgtile.named_barrier
      wgtile.store_shared %t, %s : ...
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %s, %map[%r, %c] warpgroups 2 : ...
    }
    wgtile.tma_store_wait pending 0
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTilePrefetchEpilogueLoads
    : Pass<"wgtile-prefetch-epilogue-loads", "::mlir::ModuleOp"> {
  let summary = "Prefetch a tile program's reads into the L2 cache";
  let description = [{
    At the start of a tile's program, prefetches the tiles of TMA-compatible arguments
    (see `wgtile-version-kernels`) that the program reads into registers. Without
    the prefetch the program would wait for them after its MMAs. A prefetch is
    under the conditions of the branches around its read, as far as these follow
    from arithmetic alone. The read's indices must follow from arithmetic alone, or
    there is no prefetch. A tile that both arms of a branch read is prefetched once.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      %t = scf.if %c -> ... {
        %0 = wgtile.read %out[%r, %c] ...
    ```
    After:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      scf.if %c {
        wgtile.prefetch %map[%r, %c] warpgroups 2 : ...
      }
      ...
      %t = scf.if %c -> ... {
        %0 = wgtile.read %out[%r, %c] ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileHoistEpilogueLoads
    : Pass<"wgtile-hoist-epilogue-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Load the operands of the next epilogue subtile early";
  let description = [{
    Where the subtiles of a tile are stored through staging, one after the other
    (`wgtile-stage-stores`), a subtile's read of global memory moves up, before the
    wait for the staging tile of the previous subtile. The read then arrives while
    that subtile is computed and stored. A read in a branch moves with a branch of
    its own. A read stays if it may touch an element that a store in between writes.

    Before:
    ```mlir
    wgtile.tma_store_wait pending 1 read
    ...
    wgtile.tma_store %s0, %map[%i, %j]
    %c = wgtile.read %out[%i, %j1]
    ```
    After:
    ```mlir
    %c = wgtile.read %out[%i, %j1]
    wgtile.tma_store_wait pending 1 read
    ...
    wgtile.tma_store %s0, %map[%i, %j]
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_PASSES_TD
