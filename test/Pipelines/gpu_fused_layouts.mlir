// RUN: rm -rf %t && split-file %s %t

// Bias along M, ReLU and a residual are in the kernel of the product, whichever of b
// and out lie transposed: one kernel runs beside those of the order of tiles and of
// operands that TMA does not take.
// RUN: sparse-opt %t/layouts.mlir --sattn-to-nvvm="versions=tma" | FileCheck %s
// RUN: sparse-opt %t/layouts.mlir --sattn-to-nvvm="chip=sm_80" | FileCheck %s

// The same where a transpose of the result precedes the epilogue, as torch-mlir
// writes it.
// RUN: sparse-opt %t/transposes.mlir --sattn-to-nvvm="versions=tma" | FileCheck %s
// RUN: sparse-opt %t/transposes.mlir --sattn-to-nvvm="chip=sm_80" | FileCheck %s

// Or where it follows, as it does in a product of the weight by x's transpose.
// RUN: sparse-opt %t/after.mlir --sattn-to-nvvm="versions=tma" | FileCheck %s
// RUN: sparse-opt %t/after.mlir --sattn-to-nvvm="chip=sm_80" | FileCheck %s

// CHECK-LABEL:   func.func @upright
// CHECK-COUNT-1: wgtile.version = "aligned"
// CHECK-NOT:     wgtile.version = "aligned"
// CHECK-NOT:     wgtile.reason
// CHECK-LABEL:   func.func @turned
// CHECK-COUNT-1: wgtile.version = "aligned"
// CHECK-NOT:     wgtile.version = "aligned"
// CHECK-NOT:     wgtile.reason

//--- layouts.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @upright(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %x: tensor<?x512xbf16>,
    %bias: tensor<512xbf16>, %old: tensor<512x?xbf16>, %out: tensor<512x?xbf16>) -> tensor<512x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %out, %c1 : tensor<512x?xbf16>
  %empty = tensor.empty(%n) : tensor<512x?xbf16>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x512xbf16>)
      outs(%empty : tensor<512x?xbf16>) {transpose_b} -> tensor<512x?xbf16>
  %1 = linalg.generic {indexing_maps = [#ij, #i, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %old : tensor<512x?xbf16>, tensor<512xbf16>, tensor<512x?xbf16>) outs(%out : tensor<512x?xbf16>) {
  ^bb0(%in: bf16, %b: bf16, %r: bf16, %o: bf16):
    %2 = arith.addf %in, %b : bf16
    %3 = arith.maximumf %2, %none : bf16
    %4 = arith.addf %3, %r : bf16
    linalg.yield %4 : bf16
  } -> tensor<512x?xbf16>
  return %1 : tensor<512x?xbf16>
}
func.func @turned(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %b: tensor<512x?xbf16>,
    %bias: tensor<128xbf16>, %old: tensor<?x128xbf16>, %out: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %out, %c0 : tensor<?x128xbf16>
  %empty = tensor.empty(%n) : tensor<?x128xbf16>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<512x?xbf16>)
      outs(%empty : tensor<?x128xbf16>) {transpose_out} -> tensor<?x128xbf16>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %old : tensor<?x128xbf16>, tensor<128xbf16>, tensor<?x128xbf16>) outs(%out : tensor<?x128xbf16>) {
  ^bb0(%in: bf16, %a: bf16, %r: bf16, %o: bf16):
    %2 = arith.addf %in, %a : bf16
    %3 = arith.maximumf %2, %none : bf16
    %4 = arith.addf %3, %r : bf16
    linalg.yield %4 : bf16
  } -> tensor<?x128xbf16>
  return %1 : tensor<?x128xbf16>
}

//--- transposes.mlir
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @upright(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %x: tensor<?x512xbf16>,
    %out: tensor<128x?xbf16>) -> tensor<128x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %empty = tensor.empty(%n) : tensor<512x?xbf16>
  %t = linalg.transpose ins(%x : tensor<?x512xbf16>) outs(%empty : tensor<512x?xbf16>) permutation = [1, 0]
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %t : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<512x?xbf16>)
      outs(%out : tensor<128x?xbf16>) -> tensor<128x?xbf16>
  return %0 : tensor<128x?xbf16>
}
func.func @turned(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %x: tensor<?x512xbf16>,
    %bias: tensor<512xbf16>, %old: tensor<?x512xbf16>, %out: tensor<?x512xbf16>) -> tensor<?x512xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %empty = tensor.empty(%n) : tensor<512x?xbf16>
  %t = linalg.transpose ins(%x : tensor<?x512xbf16>) outs(%empty : tensor<512x?xbf16>) permutation = [1, 0]
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %t : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<512x?xbf16>)
      outs(%empty : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  %turned = tensor.empty(%n) : tensor<?x512xbf16>
  %1 = linalg.transpose ins(%0 : tensor<512x?xbf16>) outs(%turned : tensor<?x512xbf16>) permutation = [1, 0]
  %2 = linalg.generic {indexing_maps = [#ij, #j, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias, %old : tensor<?x512xbf16>, tensor<512xbf16>, tensor<?x512xbf16>) outs(%out : tensor<?x512xbf16>) {
  ^bb0(%in: bf16, %a: bf16, %r: bf16, %o: bf16):
    %3 = arith.addf %in, %a : bf16
    %4 = arith.maximumf %3, %none : bf16
    %5 = arith.addf %4, %r : bf16
    linalg.yield %5 : bf16
  } -> tensor<?x512xbf16>
  return %2 : tensor<?x512xbf16>
}

//--- after.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
func.func @upright(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %x: tensor<512x?xbf16>,
    %bias: tensor<128xbf16>, %out: tensor<128x?xbf16>) -> tensor<128x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<512x?xbf16>
  %empty = tensor.empty(%n) : tensor<128x?xbf16>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<512x?xbf16>)
      outs(%empty : tensor<128x?xbf16>) -> tensor<128x?xbf16>
  %1 = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<128x?xbf16>, tensor<128xbf16>) outs(%out : tensor<128x?xbf16>) {
  ^bb0(%in: bf16, %a: bf16, %o: bf16):
    %2 = arith.addf %in, %a : bf16
    linalg.yield %2 : bf16
  } -> tensor<128x?xbf16>
  return %1 : tensor<128x?xbf16>
}
func.func @turned(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %x: tensor<?x512xbf16>,
    %bias: tensor<512xbf16>, %old: tensor<?x512xbf16>, %out: tensor<?x512xbf16>) -> tensor<?x512xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %empty = tensor.empty(%n) : tensor<512x?xbf16>
  %t = linalg.transpose ins(%x : tensor<?x512xbf16>) outs(%empty : tensor<512x?xbf16>) permutation = [1, 0]
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %t : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<512x?xbf16>)
      outs(%empty : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  %r = linalg.transpose ins(%old : tensor<?x512xbf16>) outs(%empty : tensor<512x?xbf16>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#ij, #i, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %r : tensor<512x?xbf16>, tensor<512xbf16>, tensor<512x?xbf16>) outs(%empty : tensor<512x?xbf16>) {
  ^bb0(%in: bf16, %a: bf16, %o: bf16, %e: bf16):
    %2 = arith.addf %in, %a : bf16
    %3 = arith.maximumf %2, %none : bf16
    %4 = arith.addf %3, %o : bf16
    linalg.yield %4 : bf16
  } -> tensor<512x?xbf16>
  %5 = linalg.transpose ins(%1 : tensor<512x?xbf16>) outs(%out : tensor<?x512xbf16>) permutation = [1, 0]
  return %5 : tensor<?x512xbf16>
}
