// The program of a row of sattn.block_lists: where each block comes that is
// listed, and then what is left of the lists.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @separate
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %[[R:.+]]) in (1, 1, %{{.+}})
// CHECK: %[[COUNTS:.+]] = tensor.extract_slice %arg0[0, 0, %[[R]], 0] [1, 1, 1, %[[C:.+]]] [1, 1, 1, 1] : tensor<1x1x?x?xi32> to tensor<?xi32>
// CHECK: %[[HEIGHT:.+]] = tensor.extract %arg1[%[[R]]]
// CHECK: %[[LISTS:.+]]:4 = scf.for %{{.+}} = %c0 to %[[C]] step %c256 iter_args(%[[BEFORE:.+]] = %c0_i32, %[[LIST:.+]] = %{{.+}}, %[[FULL_BEFORE:.+]] = %c0_i32, %[[FULL:.+]] = %{{.+}}) -> (i32, tensor<1x1x1x?xi32>, i32, tensor<1x1x1x?xi32>)
// CHECK:   %[[SIZE:.+]] = arith.muli %{{.+}}, %[[HEIGHT]]
// CHECK:   %[[IS_FULL:.+]] = arith.cmpi sge, %{{.+}}, %[[SIZE]]
// CHECK:   arith.select %[[IS_FULL]], %c65536_i32, %c1_i32
// CHECK:   %[[SUM:.+]] = tensor.extract
// None, all of one kind, or some:
// CHECK:   %[[NONE:.+]] = arith.cmpi eq, %[[SUM]], %c0_i32
// CHECK:   scf.if %[[NONE]]
// CHECK:     scf.yield %[[BEFORE]], %[[LIST]], %[[FULL_BEFORE]], %[[FULL]]
// CHECK:     %[[ALL:.+]] = arith.cmpi eq, %[[SUM]], %c256_i32
// CHECK:     scf.if %[[ALL]]
// CHECK:       vector.scatter %[[LIST]]
// CHECK:       arith.addi %[[BEFORE]], %c256_i32
// CHECK:       %[[ALL_FULL:.+]] = arith.cmpi eq, %[[SUM]], %c16777216_i32
// CHECK:       scf.if %[[ALL_FULL]]
// CHECK:         vector.scatter %[[FULL]]
// CHECK:         arith.addi %[[FULL_BEFORE]], %c256_i32
// CHECK:         vector.scan <add>, %{{.+}}, %{{.+}} {inclusive = false
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]}
// CHECK:         vector.scatter %[[LIST]]
// CHECK:         arith.shrui %{{.+}}, %c16_i32
// CHECK:         vector.scatter %[[FULL]]
// CHECK: tensor.insert %[[LISTS]]#0
// CHECK: %[[BEGIN:.+]] = arith.index_cast %[[LISTS]]#0
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[C]] step %c256 iter_args(%[[REST:.+]] = %[[LISTS]]#1)
// CHECK:   vector.scatter %[[REST]]
// CHECK: tensor.insert %[[LISTS]]#2
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[LISTS]]#3)
func.func @separate(%counts: tensor<1x1x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                    %a: tensor<1x1x?xi32>, %b: tensor<1x1x?x?xi32>, %c: tensor<1x1x?xi32>, %d: tensor<1x1x?x?xi32>)
    -> (tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>) {
  %0:4 = sattn.block_lists ins(%counts, %heights, %widths : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%a, %b, %c, %d : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>)
      -> tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
}

// All blocks that are seen: sizes do not matter.
// CHECK-LABEL: func.func @together
// CHECK: arith.cmpi sgt
// CHECK-NOT: arith.cmpi sge
func.func @together(%counts: tensor<?x?x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                    %numbers: tensor<?x?x?xi32>, %columns: tensor<?x?x?x?xi32>) -> (tensor<?x?x?xi32>, tensor<?x?x?x?xi32>) {
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<?x?x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%numbers, %columns : tensor<?x?x?xi32>, tensor<?x?x?x?xi32>) -> tensor<?x?x?xi32>, tensor<?x?x?x?xi32>
  return %0#0, %0#1 : tensor<?x?x?xi32>, tensor<?x?x?x?xi32>
}
