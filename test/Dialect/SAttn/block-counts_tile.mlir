// The program of a tile of sattn.block_counts: what is proved is not counted.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @causal
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[R:.+]], %[[C:.+]]) = (0, 0, 0, 0) to (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) step (1, 1, 16, 16)
// CHECK: %[[TILE:.+]] = tensor.extract_slice
// Of the whole tile:
// CHECK: %[[ALL:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK: %[[SOME:.+]] = arith.select %[[ANY:.+]], %c-1_i32, %c0_i32
// CHECK: %[[OF_TILE:.+]] = arith.select %[[ALL]], %c8192_i32, %[[SOME]]
// CHECK: %[[FIRST:.+]] = linalg.fill ins(%[[OF_TILE]]
// CHECK: %[[NOT_ALL:.+]] = arith.xori %[[ALL]], %true : i1
// CHECK: %[[MIXED:.+]] = arith.andi %[[ANY]], %[[NOT_ALL]] : i1
// Of each block:
// CHECK: %[[RESULT:.+]] = scf.if %[[MIXED]] -> (tensor<16x16xi32>)
// CHECK:   linalg.generic
// CHECK:   linalg.index 1
// CHECK:   linalg.index 0
// CHECK:   arith.cmpi sle, {{.*}} : i64
// What is left:
// CHECK:   linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]}
// CHECK:   %[[LEFT:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK:   %[[COUNTS:.+]] = scf.for %{{.+}} = %c0 to %[[LEFT]] step %c1 iter_args(%{{.+}} = %{{.+}}) -> (tensor<16x16xi32>)
// CHECK:     arith.minsi
// CHECK:     %[[SUMS:.+]] = scf.for %{{.+}} = %c0 to %c32 step %c1 iter_args(%[[FORMER:.+]] = %{{.+}}) -> (tensor<16x16xi32>)
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[FORMER]] : tensor<16x16xi32>)
// CHECK:         arith.cmpi sge
// CHECK:     } {sattn.block_loop}
// CHECK:     linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]} ins(%[[SUMS]] : tensor<16x16xi32>)
// CHECK:   scf.yield %[[COUNTS]]
// CHECK: } else {
// CHECK:   scf.yield %[[FIRST]]
// CHECK: %[[CLIP:.+]] = tensor.extract_slice %[[RESULT]]
// CHECK: tensor.insert_slice %[[CLIP]] into %[[TILE]]
func.func @causal(%out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return %0 : tensor<?x?x?x?xi32>
}

// Elements from all over an undecided block; all of them where these are alike.
// CHECK-LABEL: func.func @approximate
// CHECK: scf.for
// CHECK:   arith.minui %{{.+}}, %c7_i32
// CHECK:   arith.muli %{{.+}}, %c8_i32
// CHECK:   arith.minui %{{.+}}, %c3_i32
// CHECK:   arith.muli %{{.+}}, %c4_i32
// CHECK:   %[[SEEN:.+]] = tensor.extract
// CHECK:   %[[SOME:.+]] = arith.cmpi sgt, %[[SEEN]], %c0_i32
// CHECK:   %[[NOT_ALL:.+]] = arith.cmpi slt, %[[SEEN]], %c256_i32
// CHECK:   %[[MIXED:.+]] = arith.andi %[[SOME]], %[[NOT_ALL]]
// CHECK:   %[[END:.+]] = arith.select %[[MIXED]], %c0, %c32
// CHECK:   scf.for %{{.+}} = %c0 to %[[END]]
// CHECK:   arith.select %[[MIXED]], %c1_i32, %{{.+}}
func.func @approximate(%out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {approximate, block_size = array<i64: 128, 64>}
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
// CHECK: scf.for {{.*}} -> (tensor<16x16xi32>) {
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32>) {
// CHECK:     scf.for {{.*}} -> (tensor<16x16xi32>, tensor<16x16xi32>)
// CHECK: scf.for {{.*}} -> (tensor<16x16xi32>) {
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32>) {
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
