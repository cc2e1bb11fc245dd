// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s

// The format scatter_mm: lists of numbers.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME:    %[[OFFSETS:.*]]: tensor<?xi32>, %[[Q:.*]]: tensor<?xi64>, %[[BLOCKS:.*]]: tensor<?x2x3xbf16>, %[[OTHERS:.*]]: tensor<?x3x?xbf16>, %[[P:.*]]: tensor<?xi32>, %[[OUT:.*]]: tensor<?x2x?xbf16>
// CHECK:         sattn.scatter_mm ins(%[[OFFSETS]], %[[Q]], %[[BLOCKS]], %[[OTHERS]] : tensor<?xi32>, tensor<?xi64>, tensor<?x2x3xbf16>, tensor<?x3x?xbf16>) p(%[[P]] : tensor<?xi32>) outs(%[[OUT]] : tensor<?x2x?xbf16>) -> tensor<?x2x?xbf16>
func.func @matrices(%offsets: tensor<?xi32>, %q: tensor<?xi64>,
                    %blocks: tensor<?x2x3xbf16>, %others: tensor<?x3x?xbf16>,
                    %p: tensor<?xi32>, %out: tensor<?x2x?xbf16>)
    -> tensor<?x2x?xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi64>,
          tensor<?x2x3xbf16>, tensor<?x3x?xbf16>) p(%p : tensor<?xi32>)
      outs(%out : tensor<?x2x?xbf16>) -> tensor<?x2x?xbf16>
  return %0 : tensor<?x2x?xbf16>
}

// bsr_strided_mm: lists of offsets. Batches, static sizes, a wider result.
// CHECK-LABEL: func.func @strided
// CHECK:         ins({{.*}} : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<2x4x3x32x40xf16>) p(%{{.*}} : tensor<20xi32>) r(%{{.*}} : tensor<6xi64>) outs(%{{.*}} : tensor<2x2x3x16x40xf32>) {meta = #sattn.meta<tile = [8, 40, 32]>} -> tensor<2x2x3x16x40xf32>
func.func @strided(%offsets: tensor<7xi32>, %q: tensor<20xi32>,
                   %blocks: tensor<10x16x32xf16>,
                   %others: tensor<2x4x3x32x40xf16>, %p: tensor<20xi32>,
                   %r: tensor<6xi64>, %out: tensor<2x2x3x16x40xf32>)
    -> tensor<2x2x3x16x40xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>,
          tensor<10x16x32xf16>, tensor<2x4x3x32x40xf16>)
      p(%p : tensor<20xi32>) r(%r : tensor<6xi64>)
      outs(%out : tensor<2x2x3x16x40xf32>)
      {meta = #sattn.meta<tile = [8, 40, 32]>} -> tensor<2x2x3x16x40xf32>
  return %0 : tensor<2x2x3x16x40xf32>
}

// bsr_strided_mm_compressed, of a whole problem and of a tile.
// CHECK-LABEL: func.func @compressed
// CHECK:         sattn.scatter_mm ins({{.*}}) r(%{{.*}} : tensor<?xi32>) outs(%{{.*}} : tensor<?x?x16x40xf32>) {precision = "tf32"} -> tensor<?x?x16x40xf32>
// CHECK:         sattn.scatter_mm ins({{.*}}) r(%{{.*}} : tensor<?xi32>) origin(%{{.*}}, %{{.*}}, %{{.*}}) outs(%{{.*}} : tensor<1x1x8x40xf32>) {meta = #sattn.meta<tile = [8, 40, 32]>, precision = "tf32"} -> tensor<1x1x8x40xf32>
func.func @compressed(%offsets: tensor<?xi32>, %q: tensor<?xi32>,
                      %blocks: tensor<?x16x32xf32>,
                      %others: tensor<?x?x32x40xf32>, %r: tensor<?xi32>,
                      %i: index, %m: index, %n: index,
                      %out: tensor<?x?x16x40xf32>, %tile: tensor<1x1x8x40xf32>)
    -> (tensor<?x?x16x40xf32>, tensor<1x1x8x40xf32>) {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x32xf32>, tensor<?x?x32x40xf32>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x16x40xf32>) {precision = "tf32"}
      -> tensor<?x?x16x40xf32>
  %1 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x32xf32>, tensor<?x?x32x40xf32>) r(%r : tensor<?xi32>)
      origin(%i, %m, %n)
      outs(%tile : tensor<1x1x8x40xf32>)
      {meta = #sattn.meta<tile = [8, 40, 32]>, precision = "tf32"}
      -> tensor<1x1x8x40xf32>
  return %0, %1 : tensor<?x?x16x40xf32>, tensor<1x1x8x40xf32>
}
