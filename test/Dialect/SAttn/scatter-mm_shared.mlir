// RUN: sparse-opt %s --sattn-plan-row-block-groups --sattn-tile --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not sparse-opt %s --sattn-tile --split-input-file 2>&1 | FileCheck %s --check-prefix=NONE

// Entries that share a tile: their lists are merged before, and a tile goes over
// the steps of all, each at the place of that element of the lists.

// NONE: expected a tile of one entry, but got 2 (sattn-plan-row-block-groups merges their lists)

// CHECK-LABEL: func.func @compressed
// CHECK-SAME:    %[[OFFSETS:.*]]: tensor<?xi32>, %[[Q:.*]]: tensor<?xi32>, %[[BLOCKS:.*]]: tensor<?x64x64xbf16>, %[[OTHERS:.*]]: tensor<?x?x64x256xbf16>, %[[R:.*]]: tensor<?xi32>, %[[OUT:.*]]: tensor<?x?x64x256xbf16>
// CHECK:         %[[ENTRIES:.*]] = tensor.dim %[[R]]
// CHECK:         %[[GROUPS:.*]] = affine.apply #{{.*}}()[%[[ENTRIES]]]
// CHECK:         tensor.empty(%[[GROUPS]]) : tensor<?xi32>
// CHECK:         %[[MERGED:.*]]:2 = sattn.merge lists(2) grid(64, %{{.*}}, %{{.*}}) ins(%[[OFFSETS]], %[[Q]] : {{.*}}) r(%[[R]] : {{.*}})
// CHECK:         scf.forall (%[[I:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to (%[[ENTRIES]], 64, 256) step (1, 64, 256)
// The last entry stands for one past the last.
// CHECK:           %[[LAST:.*]] = affine.apply #{{.*}}()[%[[ENTRIES]]]
// CHECK:           %[[OWN:.*]] = arith.minsi %[[I]], %[[LAST]]
// CHECK:           tensor.extract %[[R]][%[[OWN]]]
// CHECK:           %[[FIRST:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           arith.minsi %[[FIRST]], %[[LAST]]
// CHECK:           %[[SECOND:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           arith.minsi %[[SECOND]], %[[LAST]]
// CHECK:           %[[GROUP:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           %[[STEPS32:.*]] = tensor.extract %[[MERGED]]#0[%[[GROUP]]]
// CHECK:           %[[STEPS:.*]] = arith.index_cast %[[STEPS32]]
// CHECK:           scf.for %[[S:.*]] = %{{.*}} to %[[STEPS]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64x256xf32>) {
// CHECK:             %[[PLACE:.*]] = arith.select
// CHECK:             tensor.extract %[[MERGED]]#1[%[[PLACE]], %{{.*}}]
// CHECK:             %[[RIGHT:.*]] = tensor.extract_slice %[[OTHERS]]
// CHECK:             %[[MEMBER:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:             %[[BLOCK32:.*]] = tensor.extract %[[MERGED]]#1[%[[PLACE]], %[[MEMBER]]]
// CHECK:             %[[BLOCK:.*]] = arith.index_cast %[[BLOCK32]]
// CHECK:             %[[IS_PRESENT:.*]] = arith.cmpi sge, %[[BLOCK]]
// CHECK:             scf.if %[[IS_PRESENT]]
// CHECK:               %[[LEFT:.*]] = tensor.extract_slice %[[BLOCKS]][%[[BLOCK]], 0, 0] [1, 64, 64]
// CHECK:               linalg.matmul ins(%[[LEFT]], %[[RIGHT]] : {{.*}}) outs(%[[SUM]]
// CHECK:             } else {
// CHECK:               scf.yield %[[SUM]]
// CHECK:           } {sattn.block_loop}
// CHECK:         } {{{.*}}sattn.consumer_groups = array<i64: 2, 1, 1>
func.func @compressed(%offsets: tensor<?xi32>, %q: tensor<?xi32>,
                      %blocks: tensor<?x64x64xbf16>,
                      %others: tensor<?x?x64x256xbf16>, %r: tensor<?xi32>,
                      %out: tensor<?x?x64x256xbf16>)
    -> tensor<?x?x64x256xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?x64x256xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x256xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?x64x256xbf16>
  return %0 : tensor<?x?x64x256xbf16>
}

// -----

// Numbers of matrices, of four entries; steps are as wide as the lists.
// CHECK-LABEL: func.func @matrices
// CHECK:         sattn.merge lists(4) grid(16, {{.*}} p(%{{.*}} : tensor<?xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?x5xi64>)
// CHECK:         scf.forall
// CHECK-NOT:       arith.divui
// CHECK:           tensor.extract %{{.*}} : tensor<?x5xi64>
func.func @matrices(%offsets: tensor<?xi32>, %q: tensor<?xi32>,
                    %blocks: tensor<?x16x16xf16>, %others: tensor<?x16x?xf16>,
                    %p: tensor<?xi64>, %out: tensor<?x16x?xf32>)
    -> tensor<?x16x?xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xf16>, tensor<?x16x?xf16>) p(%p : tensor<?xi64>)
      outs(%out : tensor<?x16x?xf32>)
      {meta = #sattn.meta<tile = [64, 64, 16]>} -> tensor<?x16x?xf32>
  return %0 : tensor<?x16x?xf32>
}
