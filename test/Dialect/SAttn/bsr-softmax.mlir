// What an op prints is what it parses.
// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK: sattn.bsr_softmax ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>) outs(%{{.*}} : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
func.func @plain(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// Batches of values that share their indices, blocks of any size, parameters.
// CHECK-LABEL: func @batches(
// CHECK: sattn.bsr_softmax ins({{.*}} : tensor<1x?xi64>, tensor<?xi64>, tensor<2x?x12x15xf32>)
// CHECK-SAME: outs({{.*}}) {meta = #sattn.meta<tile = [6, 16, 16], warps = 4>} -> tensor<2x?x12x15xf32>
func.func @batches(%crow: tensor<1x?xi64>, %col: tensor<?xi64>, %values: tensor<2x?x12x15xf32>,
    %out: tensor<2x?x12x15xf32>) -> tensor<2x?x12x15xf32> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<1x?xi64>, tensor<?xi64>, tensor<2x?x12x15xf32>)
      outs(%out : tensor<2x?x12x15xf32>) {meta = #sattn.meta<tile = [6, 16, 16], warps = 4>} -> tensor<2x?x12x15xf32>
  return %0 : tensor<2x?x12x15xf32>
}
