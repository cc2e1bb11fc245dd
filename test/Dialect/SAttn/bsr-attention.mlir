// What an op prints is what it parses.
// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK: sattn.bsr_attention scale(%{{.*}}) ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<9xi32>, tensor<?xi32>, tensor<512x128xbf16>, tensor<?x128xbf16>, tensor<?x64xbf16>)
// CHECK-SAME: outs(%{{.*}} : tensor<512x64xbf16>) {block_size = array<i64: 64, 32>} -> tensor<512x64xbf16>
func.func @plain(%scale: f32, %crow: tensor<9xi32>, %col: tensor<?xi32>, %q: tensor<512x128xbf16>,
    %k: tensor<?x128xbf16>, %v: tensor<?x64xbf16>, %out: tensor<512x64xbf16>) -> tensor<512x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<9xi32>, tensor<?xi32>, tensor<512x128xbf16>, tensor<?x128xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<512x64xbf16>) {block_size = array<i64: 64, 32>} -> tensor<512x64xbf16>
  return %0 : tensor<512x64xbf16>
}

// Heads that share their mask and keys, dropout, parameters.
// CHECK-LABEL: func @heads(
// CHECK: dropout(%{{.*}}, %{{.*}} : tensor<2xi64>)
// CHECK-SAME: {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 128, 64], stages = 2>, precision = "tf32"}
func.func @heads(%scale: f32, %crow: tensor<1x?xi64>, %col: tensor<?xi64>, %q: tensor<2x16x?x128xf32>,
    %k: tensor<?x1x?x128xf32>, %v: tensor<?x128xf32>, %p: f32, %random: tensor<2xi64>,
    %out: tensor<2x16x?x128xf32>) -> tensor<2x16x?x128xf32> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<1x?xi64>, tensor<?xi64>, tensor<2x16x?x128xf32>, tensor<?x1x?x128xf32>, tensor<?x128xf32>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<2x16x?x128xf32>)
      {block_size = array<i64: 64, 64>, precision = "tf32", meta = #sattn.meta<tile = [64, 128, 64], stages = 2>}
      -> tensor<2x16x?x128xf32>
  return %0 : tensor<2x16x?x128xf32>
}

// CHECK-LABEL: func @tile(
// CHECK: origin(%{{.*}}, %{{.*}})
func.func @tile(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<3x?x32xf16>, %k: tensor<3x?x32xf16>,
    %v: tensor<3x?x32xf16>, %h: index, %i: index, %out: tensor<1x16x32xf16>) -> tensor<1x16x32xf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<3x?x32xf16>, tensor<3x?x32xf16>, tensor<3x?x32xf16>)
      origin(%h, %i) outs(%out : tensor<1x16x32xf16>)
      {block_size = array<i64: 16, 16>, meta = #sattn.meta<tile = [16, 32, 16]>} -> tensor<1x16x32xf16>
  return %0 : tensor<1x16x32xf16>
}

// Long block rows in parts: a whole problem, and a tile.
// CHECK-LABEL: func @parts(
// CHECK: %{{.*}}:3 = sattn.bsr_attention
// CHECK-SAME: outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>) {block_size = array<i64: 64, 64>} -> tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>
func.func @parts(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<16x?x128xbf16>, %k: tensor<16x?x128xbf16>,
    %v: tensor<16x?x128xbf16>, %out: tensor<16x?x128xbf16>, %partial: tensor<16x?x128xf32>, %lse: tensor<16x?xf32>)
    -> (tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>) {
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<16x?x128xbf16>, tensor<16x?x128xbf16>, tensor<16x?x128xbf16>)
      outs(%out, %partial, %lse : tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>)
      {block_size = array<i64: 64, 64>} -> tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>
  return %0#0, %0#1, %0#2 : tensor<16x?x128xbf16>, tensor<16x?x128xf32>, tensor<16x?xf32>
}

// CHECK-LABEL: func @part(
// CHECK: origin(%{{.*}}, %{{.*}}, %{{.*}})
func.func @part(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x32xf16>, %k: tensor<?x32xf16>,
    %v: tensor<?x32xf16>, %row: index, %first: index, %count: index, %out: tensor<?x32xf16>, %partial: tensor<?x32xf32>,
    %lse: tensor<?xf32>) -> tensor<?x32xf16> {
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x32xf16>, tensor<?x32xf16>, tensor<?x32xf16>)
      origin(%row, %first, %count) outs(%out, %partial, %lse : tensor<?x32xf16>, tensor<?x32xf32>, tensor<?xf32>)
      {block_size = array<i64: 16, 16>, meta = #sattn.meta<tile = [16, 32, 16]>}
      -> tensor<?x32xf16>, tensor<?x32xf32>, tensor<?xf32>
  return %0#0 : tensor<?x32xf16>
}

// CHECK-LABEL: @with_lse
// CHECK: sattn.bsr_attention {{.*}} outs(%{{.*}}, %{{.*}} : tensor<3x?x64xbf16>, tensor<3x?xf32>) {{.*}} -> tensor<3x?x64xbf16>, tensor<3x?xf32>
func.func @with_lse(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %lse: tensor<3x?xf32>) -> (tensor<3x?x64xbf16>, tensor<3x?xf32>) {
  %0:2 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %lse : tensor<3x?x64xbf16>, tensor<3x?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<3x?xf32>
  return %0#0, %0#1 : tensor<3x?x64xbf16>, tensor<3x?xf32>
}
