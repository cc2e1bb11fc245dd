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
    bytes long, one row of the swizzle, and what is left into rows of powers of two.
    The elementwise ops, broadcasts, reads and
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

def WGTilePlaceEpilogueLoads
    : Pass<"wgtile-place-epilogue-loads", "::mlir::ModuleOp"> {
  let summary = "Decide how the epilogue's inputs arrive";
  let description = [{
    Chooses for every tile that a tile's program reads into registers, in this
    order:

    1. It is **staged**, if the kernel's loads are by TMA and the tile has the type
       of a tile that a loop of the program loads: the read becomes a load of a
       shared tile and a read of that tile. `wgtile-specialize` gives the load a
       stage of the loop's ring: after the loop's last iteration the producer goes on
       to the loads after the loop, and they arrive while the last MMAs run. A read
       of an argument that the kernel stores to qualifies if it reads the very tile
       that is stored.
    2. It is **prefetched** into L2 at the start of the tile's program, if TMA can
       take its argument (see `wgtile-version-kernels`) and its place follows from
       arithmetic alone. The prefetch is under the conditions of the branches
       around its read, as far as these follow from arithmetic alone. A tile that
       both arms of a branch read is prefetched once.

    A read that remains after a staged store (`wgtile-stage-stores`, which runs
    later) is **hoisted** before it: it then arrives while the subtile before it is
    stored. A read in a branch moves with a branch of its own. A read stays if it
    may touch an element that a store in between writes. One read moves before each
    store, since the accumulator leaves few registers.

    A remark says why a read is neither staged nor prefetched.

    Before:
    ```mlir
    scf.for ... {
      %a = wgtile.load %values[%p, %c0, %k]
          : memref<?x128x128xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
      ...
    }
    %c = wgtile.read %in[%i, %j] in_bounds [true, false] aligned
        : memref<?x?xbf16> -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %t0 = scf.if %has_beta -> ... {
      %0 = wgtile.read %out[%r, %c0] ...
    }
    wgtile.store %t0, %out[%r, %c0] ...
    %1 = wgtile.read %out[%r, %c1] ...
    wgtile.store %t1, %out[%r, %c1] ...
    ```
    After:
    ```mlir
    scf.if %has_beta {
      wgtile.prefetch %map[%r, %c0] warpgroups 2 : ...
    }
    wgtile.prefetch %map[%r, %c1] warpgroups 2 : ...
    scf.for ... {
      ...
    }
    %s = wgtile.load %in[%i, %j] aligned
        : memref<?x?xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
    %c = wgtile.read_shared %s : !wgtile.shared<128x64xbf16, swizzle = 128>
        -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %t0 = scf.if %has_beta -> ... {
      %0 = wgtile.read %out[%r, %c0] ...
    }
    %1 = wgtile.read %out[%r, %c1] ...
    wgtile.store %t0, %out[%r, %c0] ...
    wgtile.store %t1, %out[%r, %c1] ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileStageStores
    : Pass<"wgtile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Store tiles by TMA, through shared memory";
  let description = [{
    In the program of a tile, a store to a TMA-compatible argument (see
    `wgtile-version-kernels`) of a tile whose rows are one row of the swizzle goes
    through a stage of a ring: each warpgroup writes its rows there, one of its
    threads starts the copy to global memory, and the program goes on. The stores of
    a type share a ring of two stages, or of one if there is one store, in no loop.
    Acquiring a stage waits for the copy that reads it, which may belong to the
    previous tile. At the kernel's end the program waits for all copies. Stores in
    branches stay. Beside such a store others to the same argument may have rows of a
    narrower swizzle, of 64 or 32 bytes.

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
    %ring = wgtile.ring
        : !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      %s = wgtile.producer_acquire %ring : ...
      wgtile.ring_store %t, %ring[%s] 0 : ...
      wgtile.tma_store %ring[%s] 0, %map[%r, %c] warpgroups 2 : ...
      wgtile.producer_commit %ring[%s] : ...
    }
    wgtile.producer_tail %ring : ...
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_PASSES_TD
