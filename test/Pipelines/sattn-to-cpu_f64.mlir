// RUN: sparse-opt %s --sattn-to-cpu | FileCheck %s
// RUN: sparse-opt %s --sattn-to-cpu=vector-bits=256 | FileCheck %s --check-prefix=AVX

// Nothing is rounded to f32 in between; vectors have half of f32's elements, and
// exponentials are polynomials.

// CHECK-NOT:   {{[ x<]f32}}
// CHECK:       llvm.func @bsr_addmm(
// CHECK:         llvm.intr.fmuladd{{.*}} vector<32xf64>
// CHECK-NOT:     {{[ x<]f32}}
// CHECK:       llvm.func @_mlir_ciface_bsr_addmm(%{{.*}}: f64, %{{.*}}: f64, %{{.*}}: !llvm.ptr
// CHECK-NOT:   {{[ x<]f32}}

// AVX-LABEL:   llvm.func @bsr_addmm(
// AVX-NOT:       vector<32xf64>
// AVX:           llvm.intr.fmuladd{{.*}} vector<8xf64>
func.func @bsr_addmm(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xf64>, %b: tensor<?x?xf64>, %out: tensor<?x?xf64>)
    -> tensor<?x?xf64> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// CHECK:       llvm.func @bsr_attention(
// CHECK-NOT:     {{[ x<]f32|llvm.intr.exp|llvm.call @exp}}
// CHECK:       llvm.func @_mlir_ciface_bsr_attention(
// CHECK-NOT:   {{[ x<]f32}}
func.func @bsr_attention(%scale: f64, %p: f64, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x64xf64>, %k: tensor<?x64xf64>, %v: tensor<?x64xf64>, %out: tensor<?x64xf64>) -> tensor<?x64xf64> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x64xf64>) {block_size = array<i64: 64, 64>} -> tensor<?x64xf64>
  return %0 : tensor<?x64xf64>
}

// CHECK:       llvm.func @others(
// CHECK-NOT:     {{[ x<]f32|llvm.intr.exp|llvm.call @exp}}
// CHECK:       llvm.func @_mlir_ciface_others(
// CHECK-NOT:   {{[ x<]f32}}
func.func @others(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %a: tensor<?x?xf64>,
    %b: tensor<?x?xf64>, %p: tensor<?xi32>, %others: tensor<?x64x16xf64>, %sums: tensor<?x64x16xf64>,
    %out: tensor<?x64x64xf64>) -> (tensor<?x64x64xf64>, tensor<?x64x16xf64>) {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %a, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x64x64xf64>) -> tensor<?x64x64xf64>
  %1 = sattn.bsr_softmax ins(%crow, %col, %0 : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>)
      outs(%out : tensor<?x64x64xf64>) -> tensor<?x64x64xf64>
  %2 = sattn.scatter_mm
      ins(%crow, %col, %1, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x64x16xf64>)
      p(%p : tensor<?xi32>) outs(%sums : tensor<?x64x16xf64>) -> tensor<?x64x16xf64>
  return %1, %2 : tensor<?x64x64xf64>, tensor<?x64x16xf64>
}
