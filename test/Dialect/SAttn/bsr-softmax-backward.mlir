// The op parses what it prints.
// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK: sattn.bsr_softmax_backward ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>) outs(%{{.*}} : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
func.func @plain(%crow: tensor<9xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xbf16>, %grad_out: tensor<?x64x64xbf16>,
    %grad_in: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<9xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>)
      outs(%grad_in : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// Batches of arrays that share their indices, blocks of any size, parameters.
// CHECK-LABEL: func @batches(
// CHECK: sattn.bsr_softmax_backward ins({{.*}} : tensor<1x?xi64>, tensor<?xi64>, tensor<2x?x12x15xf32>, tensor<2x7x12x15xf32>)
// CHECK-SAME: outs({{.*}}) {meta = #sattn.meta<tile = [6, 16, 16], warps = 4>} -> tensor<2x?x12x15xf32>
func.func @batches(%crow: tensor<1x?xi64>, %col: tensor<?xi64>, %output: tensor<2x?x12x15xf32>, %grad_out: tensor<2x7x12x15xf32>,
    %grad_in: tensor<2x?x12x15xf32>) -> tensor<2x?x12x15xf32> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<1x?xi64>, tensor<?xi64>, tensor<2x?x12x15xf32>, tensor<2x7x12x15xf32>)
      outs(%grad_in : tensor<2x?x12x15xf32>) {meta = #sattn.meta<tile = [6, 16, 16], warps = 4>} -> tensor<2x?x12x15xf32>
  return %0 : tensor<2x?x12x15xf32>
}
