// RUN: rm -rf %t && split-file %s %t

// Matrices in upstream's encoding, passed through a call, on both targets.
// RUN: %python %S/../Tools/sparse-run/Inputs/make_arrays.py %t/bf16
// RUN: sparse-run --check %t/call.mlir 1.5 0.5 %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/b.npy %t/bf16/c.npy
// RUN: sparse-translate --to=manifest %t/call.mlir | FileCheck %s --check-prefix=MANIFEST
// MANIFEST: "contracts":[{"batches":"out","checks":[{"check":"multiple",{{.*}}"operands":[{"argument":0,"name":"alpha"},
// MANIFEST-SAME: "launch":"main"

// Whatever the callee says: the runtime makes no calls.
// RUN: sed 's/%c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {/%c: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {no_inline} {/' %t/call.mlir > %t/no_inline.mlir
// RUN: grep -c no_inline %t/no_inline.mlir
// RUN: sparse-run --check %t/no_inline.mlir 1.5 0.5 %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/b.npy %t/bf16/c.npy
// RUN: sparse-translate --to=manifest %t/no_inline.mlir | FileCheck %s --check-prefix=MANIFEST

// 64-bit positions, f32, blocks that are not square.
// RUN: %python %S/../Tools/sparse-run/Inputs/make_arrays.py %t/f32 dtype=f32 block=24x40 n=37 index=i64
// RUN: sparse-run --check %t/native.mlir %t/f32/crow.npy %t/f32/col.npy %t/f32/values.npy %t/f32/b.npy nan

// A sampled product, as upstream writes it: the matrix is read and written in
// place. With zeros for what is stored it is the product alone. Nothing is copied
// but what is packed, in f32.
// RUN: sparse-run --check %t/sampled.mlir %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/c.npy %t/bf16/b.npy
// RUN: sparse-run --check %t/zeroed.mlir %t/f32/crow.npy %t/f32/col.npy nan %t/f32/c.npy %t/f32/b.npy
// RUN: sparse-opt %t/sampled.mlir --sattn-to-cpu -o /dev/null --mlir-print-ir-after=one-shot-bufferize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAMPLED --implicit-check-not="memref.alloc({{.*}}bf16"
// SAMPLED: func.func @main(%[[CROW:[a-z0-9]+]]: memref<4xi32, {{.*}}, %[[COL:[a-z0-9]+]]: memref<?xi32, {{.*}}, %[[VALUES:[a-z0-9]+]]: memref<?x64x64xbf16,
// SAMPLED:   scf.forall
// SAMPLED:   return %[[CROW]], %[[COL]], %[[VALUES]] :
// RUN: not sparse-run %t/sampled.mlir %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/b.npy %t/bf16/b.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ROWS
// ROWS: sparse-run: error: argument 'crow': expected dimension 0 (offsets) to be 5 (M / 64 + 1), but got 4

// Batches of one matrix: levels of type dense need no copy of the offsets.
// RUN: sparse-opt %t/stacked.mlir --sattn-to-nvvm --mlir-print-ir-before=wgtile-outline-kernels -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STACKED --implicit-check-not=memref.alloc --implicit-check-not=tensor.
// RUN: sparse-opt %t/stacked.mlir --sattn-to-cpu -o /dev/null --mlir-print-ir-after=one-shot-bufferize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STACKED
// STACKED: func.func @main(%[[POS:[a-z0-9]+]]: memref<?xi32, strided<[?], offset: ?>>,
// STACKED:   scf.forall
// STACKED-COUNT-2: memref.load %[[POS]]

// A call of what the module does not have is refused: nobody knows what it requires.
// RUN: not sparse-translate --to=manifest %t/external.mlir 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: external.mlir:3:{{.*}} error: {{.*}}expected a call of a function of the module that has one block

// Ops on the result, which the reference computes, too.
// RUN: sparse-run %t/relu.mlir %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/b.npy nan --out=%t/relu.npy
// RUN: %python -c "import numpy as np; x = np.load('%t/relu.npy'); assert x.shape == (192, 72) and (x >= 0).all() and x.any()"
// RUN: sparse-run --check %t/relu.mlir %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/b.npy nan
// RUN: not sparse-run %t/relu.mlir %t/bf16/crow.npy %t/bf16/col.npy %t/bf16/values.npy %t/bf16/c.npy nan 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CONTENTS
// CONTENTS: sparse-run: error: argument 'col': expected block columns in [0, 3), but got 3

//--- relu.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
#ij = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<192x256xbf16, #bsr>, %b: tensor<256x72xbf16>) -> tensor<192x72xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<192x72xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<192x72xf32>) -> tensor<192x72xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<192x256xbf16, #bsr>, tensor<256x72xbf16>) outs(%1 : tensor<192x72xf32>) -> tensor<192x72xf32>
  %3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<192x72xf32>) outs(%0 : tensor<192x72xf32>) {
  ^bb0(%x: f32, %z: f32):
    %4 = arith.maximumf %x, %zero : f32
    linalg.yield %4 : f32
  } -> tensor<192x72xf32>
  return %3 : tensor<192x72xf32>
}

//--- call.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
func.func @main(%alpha: f32, %beta: f32, %a: tensor<?x256xbf16, #bsr>, %b: tensor<256x?xbf16>,
                %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = func.call @layer(%alpha, %beta, %a, %b, %c)
      : (f32, f32, tensor<?x256xbf16, #bsr>, tensor<256x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func private @layer(%alpha: f32, %beta: f32, %a: tensor<?x256xbf16, #bsr>, %b: tensor<256x?xbf16>,
                         %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%a, %b : tensor<?x256xbf16, #bsr>, tensor<256x?xbf16>)
      outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

//--- native.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 24 : dense, j floordiv 40 : compressed, i mod 24 : dense, j mod 40 : dense)}>
func.func @main(%a: tensor<?x?xf32, #bsr>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%a, %b : tensor<?x?xf32, #bsr>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- sampled.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @main(%c: tensor<192x256xbf16, #bsr>, %ma: tensor<192x72xbf16>, %mb: tensor<256x72xbf16>) -> tensor<192x256xbf16, #bsr> {
  %zero = arith.constant 0.0 : bf16
  %alpha = arith.constant 1.5 : bf16
  %0 = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<192x72xbf16>, tensor<256x72xbf16>) outs(%c : tensor<192x256xbf16, #bsr>) {
  ^bb0(%a: bf16, %b: bf16, %s: bf16):
    %u = sparse_tensor.unary %s : bf16 to bf16
      present = {
      ^bb0(%p: bf16):
        %1 = arith.mulf %a, %b : bf16
        %2 = arith.mulf %1, %alpha : bf16
        sparse_tensor.yield %2 : bf16
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : bf16 {
    ^bb0(%x: bf16, %y: bf16):
      %1 = arith.addf %x, %y : bf16
      sparse_tensor.yield %1 : bf16
    }
    linalg.yield %r : bf16
  } -> tensor<192x256xbf16, #bsr>
  return %0 : tensor<192x256xbf16, #bsr>
}

//--- zeroed.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 24 : dense, j floordiv 40 : compressed, i mod 24 : dense, j mod 40 : dense)}>
#id = affine_map<(i, j) -> (i, j)>
#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @main(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        sparse_tensor.yield %zero : f32
      }
      absent = {}
    linalg.yield %u : f32
  } -> tensor<?x?xf32, #bsr>
  %0 = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %1 = arith.addf %x, %y : f32
      sparse_tensor.yield %1 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

//--- stacked.mlir
#stacked = #sparse_tensor.encoding<{map = (n, i, j) -> (n : dense, i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
func.func @main(%a: tensor<3x?x256xbf16, #stacked>, %b: tensor<256x72xbf16>, %c: tensor<3x?x72xbf16>) -> tensor<3x?x72xbf16> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<3x?x256xbf16, #stacked>, tensor<256x72xbf16>)
      outs(%c : tensor<3x?x72xbf16>) -> tensor<3x?x72xbf16>
  return %0 : tensor<3x?x72xbf16>
}

//--- external.mlir
func.func private @other(%c: tensor<?x?xbf16>) -> tensor<?x?xbf16>
func.func @main(%c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = func.call @other(%c) : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
