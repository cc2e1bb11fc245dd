//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD
#define SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "sattn/Dialect/SAttn/Transforms/CPUPasses.td"

def SAttnRecordContracts
    : Pass<"sattn-record-contracts", "::mlir::ModuleOp"> {
  let summary = "Record which arguments of a function are operands of which op";
  let description = [{
    Puts the attribute `sattn.contracts` on every function that has a
    `sattn.bsr_addmm` whose operands are arguments of the function (scalars may
    be constants), so that callers can check shapes and index contents before
    they run the compiled code, and compute the same with the Reference. A number
    of type i64 is the position of an argument, a number of type f32 a constant.

    Before:
    ```mlir
    func.func @f(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, ...) {
      %0 = sattn.bsr_addmm alpha(%alpha) beta(%zero) ins(%crow, %col, ...)
    ```
    After:
    ```mlir
    func.func @f(...) attributes {sattn.contracts = [{op = "bsr_addmm",
        block = array<i64: 64, 64>, alpha = 0 : i64, beta = 0.0 : f32,
        crow = 1 : i64, col = 2 : i64, ...} ] }
    ```
  }];
}

def SAttnInjectMeta : Pass<"sattn-inject-meta", "::mlir::ModuleOp"> {
  let summary = "Attach tile parameters to ops that have none";
  let description = [{
    Attaches `#sattn.meta` to every op that can be tiled and has none; an
    explicit attribute wins. The computed default takes one block row, the
    block's columns (at most 64 a step), and as many columns of the result as
    the accumulators of one warpgroup's registers allow: 128 for blocks of up to
    64 rows, 64 above; less where N is known to be smaller, in multiples of
    `column-multiple`. A remark says what was chosen.

    Before:
    ```mlir
    %0 = sattn.bsr_addmm ... ins(... : ..., tensor<?x64x64xbf16>, ...) ...
    ```
    After:
    ```mlir
    %0 = sattn.bsr_addmm ... {meta = #sattn.meta<tile = [64, 128, 64]>}
    ```
  }];
  let options = [
    Option<"columnMultiple", "column-multiple", "int64_t", /*default=*/"8",
           "What the target needs the columns of a tile to be a multiple of">
  ];
}

def SAttnTile : Pass<"sattn-tile", "::mlir::func::FuncOp"> {
  let summary = "Tile ops and write the sequential program of a tile";
  let description = [{
    Tiles every op of the `sattn` dialect by its `#sattn.meta`, through
    `TilingInterface`, to an `scf.forall` over output tiles, and replaces the
    tile-sized op by its tile program (`TileProgramOpInterface`): a loop over
    stored blocks and an epilogue, in `linalg` and `tensor` ops on static tiles.
    Ragged edges are pads. The same form serves the GPU and the CPU.

    Before:
    ```mlir
    %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b)
      outs(%out) {meta = #sattn.meta<tile = [64, 128, 64]>}
    ```
    After:
    ```mlir
    %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128)
        shared_outs(%o = %out) -> (tensor<?x?xbf16>) {
      %acc = scf.for %p = %begin to %end step %c1 iter_args(%a = %zeros)
          -> (tensor<64x128xf32>) {
        %left = tensor.extract_slice %values[%p, 0, 0] [1, 64, 64] [1, 1, 1]
        %right = tensor.pad (tensor.extract_slice %b[%k, %j] [64, %w] [1, 1])
        %next = linalg.matmul ins(%left, %right) outs(%a)
        scf.yield %next
      } {sattn.block_loop}
      ...
    } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SAttnVectorizeTiles : Pass<"sattn-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "Vectorize whole tiles, for targets whose registers hold them";
  let description = [{
    Upstream's vectorization of every linalg op on static tiles inside an
    `scf.forall`, one vector a tile; pads become reads that are not in bounds,
    tiles carried by the block loop become vectors, and the clipped result
    becomes one write that is not in bounds. What remains are vectors between
    reads and writes of the function's tensors, so that bufferization allocates
    nothing.

    Before:
    ```mlir
    %padded = tensor.pad %slice low[0, 0] high[0, %h] { ... }
    %next = linalg.matmul ins(%left, %padded) outs(%acc)
    ```
    After:
    ```mlir
    %l = vector.transfer_read %left[%c0, %c0], %zero {in_bounds = [true, true]}
    %r = vector.transfer_read %slice[%c0, %c0], %zero {in_bounds = [true, false]}
    %next = vector.contract ... %l, %r, %acc
        : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD
