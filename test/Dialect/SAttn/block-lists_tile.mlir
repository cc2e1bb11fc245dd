// The program of a list of sattn.block_lists: its length, and then where each
// block comes.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @separate
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}, %[[R:.+]]) in (2, 1, 1, %{{.+}})
// CHECK: %[[COUNTS:.+]] = tensor.extract_slice %arg0[0, 0, %[[R]], 0] [1, 1, 1, %[[C:.+]]] [1, 1, 1, 1] : tensor<1x1x?x?xi32> to tensor<?xi32>
// CHECK: %[[HEIGHT:.+]] = tensor.extract %arg1[%[[R]]]
// CHECK: %[[FULL:.+]] = arith.cmpi ne, %{{.+}}, %c0_i32
// CHECK: %[[SUMS:.+]] = scf.for %{{.+}} = %c0 to %[[C]] step %c256 iter_args(%{{.+}} = %{{.+}}) -> (tensor<16x16xi32>)
// CHECK:   %[[SIZE:.+]] = arith.muli %{{.+}}, %[[HEIGHT]]
// CHECK:   %[[IS_FULL:.+]] = arith.cmpi sge, %{{.+}}, %[[SIZE]]
// CHECK:   arith.cmpi eq, %[[IS_FULL]], %[[FULL]]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]} ins(%[[SUMS]]
// CHECK: %[[NUMBER:.+]] = tensor.extract
// CHECK: scf.for %{{.+}} = %c0 to %[[C]] step %c256 iter_args(%[[BEFORE:.+]] = %c0_i32, %[[LIST:.+]] = %{{.+}}) -> (i32, tensor<1x1x1x1x?xi32>)
// CHECK:   vector.broadcast %[[BEFORE]]
// CHECK:   vector.scan <add>, %{{.+}}, %{{.+}} {inclusive = false
// CHECK:   arith.addi %{{.+}}, %[[NUMBER]]
// CHECK:   vector.scatter %[[LIST]]
// CHECK: tensor.insert %[[NUMBER]]
func.func @separate(%counts: tensor<1x1x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                    %numbers: tensor<2x1x1x?xi32>, %columns: tensor<2x1x1x?x?xi32>)
    -> (tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32>) {
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%numbers, %columns : tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32>)
      -> tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32> {separate}
  return %0#0, %0#1 : tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32>
}

// All blocks that are seen: sizes do not matter.
// CHECK-LABEL: func.func @together
// CHECK: arith.cmpi sgt
// CHECK-NOT: arith.cmpi sge
func.func @together(%counts: tensor<?x?x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                    %numbers: tensor<1x?x?x?xi32>, %columns: tensor<1x?x?x?x?xi32>)
    -> (tensor<1x?x?x?xi32>, tensor<1x?x?x?x?xi32>) {
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<?x?x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%numbers, %columns : tensor<1x?x?x?xi32>, tensor<1x?x?x?x?xi32>)
      -> tensor<1x?x?x?xi32>, tensor<1x?x?x?x?xi32>
  return %0#0, %0#1 : tensor<1x?x?x?xi32>, tensor<1x?x?x?x?xi32>
}
