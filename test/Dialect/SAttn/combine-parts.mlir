// What an op prints is what it parses.
// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func @heads(
// CHECK: sattn.combine_parts blocks(%{{.*}}) ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<16x?x128xf32>, tensor<16x?xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<16x?x128xbf16>) {block_rows = 64 : i64} -> tensor<16x?x128xbf16>
func.func @heads(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<16x?x128xf32>, %lse: tensor<16x?xf32>,
    %out: tensor<16x?x128xbf16>) -> tensor<16x?x128xbf16> {
  %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<16x?x128xf32>, tensor<16x?xf32>)
      outs(%out : tensor<16x?x128xbf16>) {block_rows = 64} -> tensor<16x?x128xbf16>
  return %0 : tensor<16x?x128xbf16>
}

// CHECK-LABEL: func @tile(
// CHECK: origin(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) outs
func.func @tile(%blocks: index, %crow: tensor<?xi64>, %partial: tensor<?x20xf32>, %lse: tensor<?xf32>, %first: index,
    %behind: index, %count: index, %column: index, %out: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi64>, tensor<?x20xf32>, tensor<?xf32>)
      origin(%first, %behind, %count, %column) outs(%out : tensor<?x4xf16>) {block_rows = 8} -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}
