// The program of a tile of sattn.block_counts: what is proved is not counted.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @causal
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[R:.+]], %[[C:.+]]) = (0, 0, 0, 0) to (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) step (1, 1, 1, 16)
// CHECK: %[[ALL:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK: %[[NOT_ALL:.+]] = arith.xori %[[ALL]], %true : i1
// CHECK: %[[MIXED:.+]] = arith.andi %{{.+}}, %[[NOT_ALL]] : i1
// CHECK: %[[END:.+]] = arith.select %[[MIXED]], %c1024, %c0
// CHECK: %[[COUNTS:.+]] = scf.for %{{.+}} = %c0 to %[[END]] step %c1 iter_args(%[[FORMER:.+]] = %{{.+}}) -> (tensor<16x8xi32>)
// CHECK:   linalg.generic
// CHECK-SAME: outs(%[[FORMER]] : tensor<16x8xi32>)
// CHECK:     arith.cmpi sge
// CHECK: } {sattn.block_loop}
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%[[COUNTS]] : tensor<16x8xi32>)
// CHECK: arith.select %[[ALL]], %c8192_i32, %c0_i32
func.func @causal(%out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return %0 : tensor<?x?x?x?xi32>
}

// The least and the greatest document of the tile's queries, and of its keys.
// CHECK-LABEL: func.func @document
// CHECK: scf.for {{.*}} -> (i64, i64)
// CHECK:   arith.minsi
// CHECK:   arith.maxsi
// CHECK: scf.for {{.*}} -> (i64, i64)
// CHECK: scf.for {{.*}} -> (tensor<16x8xi32>)
func.func @document(%doc: tensor<?xi32>, %out: tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> {
  %0 = sattn.block_counts captures(%doc : tensor<?xi32>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %query = arith.index_cast %i : i32 to index
        %key = arith.index_cast %j : i32 to index
        %x = tensor.extract %doc_in[%query] : tensor<?xi32>
        %y = tensor.extract %doc_in[%key] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 64, 64>}
  return %0 : tensor<1x1x?x?xi32>
}

// A block of queries that is no multiple of the lanes of a tile.
// CHECK-LABEL: func.func @odd
// CHECK: %[[END:.+]] = arith.select %{{.+}}, %c26, %c0
// CHECK: scf.for %{{.+}} = %c0 to %[[END]]
// CHECK: arith.cmpi slt
func.func @odd(%out: tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 9, 13>}
  return %0 : tensor<1x1x?x?xi32>
}
