// The program of a tile of sattn.block_counts: what is proved is not counted.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @causal
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[R:.+]], %[[C:.+]]) = (0, 0, 0, 0) to (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) step (1, 1, 1, 256)
// Of the whole tile:
// CHECK: %[[ALL:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK: %[[NOT_ALL:.+]] = arith.xori %[[ALL]], %true : i1
// CHECK: %[[MIXED:.+]] = arith.andi %[[ANY:.+]], %[[NOT_ALL]] : i1
// CHECK: scf.for %[[FIRST:.+]] = %c0 to %{{.+}} step %c16 iter_args(%[[OUT:.+]] = %{{.+}}) -> (tensor<1x1x1x?xi32>)
// Of a group:
// CHECK:   %[[BLOCKS:.+]] = affine.min
// CHECK:   %[[GROUP:.+]]:2 = scf.if %[[MIXED]] -> (i1, i1)
// CHECK:   } else {
// CHECK:     scf.yield %[[ANY]], %[[ALL]]
// CHECK:   %[[NOT_ALL_OF_GROUP:.+]] = arith.xori %[[GROUP]]#1, %true
// CHECK:   %[[MIXED_GROUP:.+]] = arith.andi %[[GROUP]]#0, %[[NOT_ALL_OF_GROUP]]
// CHECK:   %[[END:.+]] = arith.select %[[MIXED_GROUP]], %[[BLOCKS]], %c0
// CHECK:   %[[COUNTS:.+]] = scf.for %[[BLOCK:.+]] = %c0 to %[[END]] step %c1 iter_args(%{{.+}} = %{{.+}}) -> (tensor<16xi32>)
// Of a block:
// CHECK:     %[[ALL_OF_BLOCK:.+]] = arith.andi
// CHECK:     %[[MIXED_BLOCK:.+]] = arith.andi
// CHECK:     %[[ELEMENTS:.+]] = arith.select %[[MIXED_BLOCK]], %c32, %c0
// CHECK:     %[[SUMS:.+]] = scf.for %{{.+}} = %c0 to %[[ELEMENTS]] step %c1 iter_args(%[[FORMER:.+]] = %{{.+}}) -> (tensor<16x16xi32>)
// CHECK:       linalg.generic
// CHECK-SAME:  outs(%[[FORMER]] : tensor<16x16xi32>)
// CHECK:         arith.cmpi sge
// CHECK:     } {sattn.block_loop}
// CHECK:     %[[SUM:.+]] = linalg.generic
// CHECK-SAME:  iterator_types = ["reduction", "reduction"]} ins(%[[SUMS]] : tensor<16x16xi32>)
// CHECK:     %[[NUMBER:.+]] = tensor.extract %[[SUM]][]
// CHECK:     %[[WHOLE:.+]] = arith.select %{{.+}}, %c8192_i32, %c0_i32
// CHECK:     arith.select %[[MIXED_BLOCK]], %[[NUMBER]], %[[WHOLE]]
// CHECK:   arith.select %[[GROUP]]#1, %c8192_i32, %c0_i32
// CHECK:   tensor.insert_slice %{{.+}} into %[[OUT]][0, 0, 0, %[[FIRST]]] [1, 1, 1, %[[BLOCKS]]]
func.func @causal(%out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return %0 : tensor<?x?x?x?xi32>
}

// The least and the greatest document of the tile's queries, once, and of the
// keys of the tile, of a group and of a block.
// CHECK-LABEL: func.func @document
// CHECK: scf.for {{.*}} step %c256 {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK:   arith.minui
// CHECK:   tensor.extract
// CHECK:   arith.minsi
// CHECK:   arith.maxsi
// CHECK: scf.for {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK: scf.for {{.*}} -> (tensor<1x1x1x?xi32>)
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK:   scf.for {{.*}} -> (tensor<16xi32>)
// CHECK:     scf.for {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK:     scf.for {{.*}} -> (tensor<16x16xi32>) {
// CHECK-NOT: -> (tensor<16x16xi32>, tensor<16x16xi32>)
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

// A block that is no multiple of what is evaluated at a time.
// CHECK-LABEL: func.func @odd
// CHECK: %[[END:.+]] = arith.select %{{.+}}, %c1, %c0
// CHECK: scf.for %{{.+}} = %c0 to %[[END]]
// CHECK: arith.cmpi slt, %{{.+}}, %c13_i32
// CHECK: arith.cmpi slt, %{{.+}}, %c9_i32
func.func @odd(%out: tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 9, 13>}
  return %0 : tensor<1x1x?x?xi32>
}
