//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on tiles of linalg, tensor and vector ops. They know no op of a dialect
// of this project.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CODEGEN_PASSES_TD
#define SATTN_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "sattn/Codegen/CPUPasses.td"

def SAttnTileLinalg : Pass<"sattn-tile-linalg", "::mlir::func::FuncOp"> {
  let summary = "Tile linalg ops beside ops of sattn";
  let description = [{
    Tiles each `linalg` op on tensors that is in no loop over tiles to an
    `scf.forall` of its own, as `sattn-tile` does with ops of `sattn`: elementwise
    ops, transposes, broadcasts and fills, and contractions, which accumulate their
    tiles in f32: matrix products, and sums of products along rows, rowsum(A * B), of
    tensors of any rank. Tiles have up to 64 rows and columns along the last two
    dimensions of the result, and one element along the others; ragged edges are
    pads.

    Contractions of f32 have the option's `precision`, like ops of `sattn`.

    Elementwise ops may be of i32, too, use their index and extract elements of any
    tensors; what is the same for all of a tile, or follows from elements of tensors
    alone, is computed once, in its loop. Other reductions stay as they are.

    Before:
    ```mlir
    %0 = linalg.transpose ins(%x : tensor<?x?xbf16>) outs(%init : tensor<?x?xbf16>)
        permutation = [1, 0]
    ```
    After:
    ```mlir
    %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 64)
        shared_outs(%o = %init) -> (tensor<?x?xbf16>) {
      %padded = tensor.pad (tensor.extract_slice %x[%j, %i] [%w, %h] [1, 1])
      %tile = linalg.generic ... ins(%padded : tensor<64x64xbf16>) ...
      ...
    } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"ieee\"",
           "Precision of contractions of f32: ieee or tf32">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SAttnApproximateMath : Pass<"sattn-approximate-math"> {
  let summary = "Approximate math functions by polynomials";
  let description = [{
    `math.erf`, `math.exp`, `math.tanh` and similar functions of f32 scalars and
    vectors become upstream's approximations in `arith` and `math.fma`, whose
    errors are a few units in the last place: neither target has a library of these
    functions. Functions of narrower types are widened before
    (`math-extend-to-supported-types`).

    Upstream has no polynomial of `math.exp2`; this pass has one, whose error is
    below 2 units in the last place. Powers below 2^-125 may be 0. Of functions of
    f64 it has `math.exp` alone, with an error below 1 unit in the last place; others
    stay, for the library of the CPU.

    `math.powf`, `math.sin`, `math.cos` and `arith.remf` of f32 are computed in f64:
    powers and sines with an error below 0.6 units in the last place, remainders
    exactly. Sines of numbers beyond 2^64 are NaN. `math.tan`, `math.log10` of f32,
    hyperbolic functions, their inverses and `math.clampf` become expressions of
    other functions, `math.fpowi` by a constant products.

    With `keep-afn` a `math.exp2`, `math.log2` or `math.tanh` of f32 whose
    fast-math flags allow approximations (`afn`) stays: NVIDIA's GPUs have
    instructions for them.
  }];
  let options = [
    Option<"keepAfn", "keep-afn", "bool", /*default=*/"false",
           "Leave functions that the target approximates and afn allows it to">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SAttnVectorizeTiles : Pass<"sattn-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "Vectorize whole tiles, for targets whose registers hold them";
  let description = [{
    Upstream's vectorization of every linalg op on static tiles inside an
    `scf.forall`, one vector per tile. Pads become reads that are not in bounds,
    tiles carried by the block loop become vectors; the clipped result, or the part
    that an iteration stores, becomes one write that is not in bounds. Only vectors
    between accesses of tensors remain, so bufferization allocates nothing.

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

#endif // SATTN_CODEGEN_PASSES_TD
