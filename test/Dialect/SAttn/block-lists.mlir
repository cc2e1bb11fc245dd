// RUN: sparse-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @separate
// CHECK: %{{.+}}:4 = sattn.block_lists ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>) outs(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>) -> tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
func.func @separate(%counts: tensor<1x1x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                    %a: tensor<1x1x?xi32>, %b: tensor<1x1x?x?xi32>, %c: tensor<1x1x?xi32>, %d: tensor<1x1x?x?xi32>)
    -> (tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>) {
  %0:4 = sattn.block_lists ins(%counts, %heights, %widths : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%a, %b, %c, %d : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>)
      -> tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
}

// CHECK-LABEL: func.func @tile
// CHECK: %{{.+}}:2 = sattn.block_lists origin(%{{.+}}, %{{.+}}, %{{.+}}) ins(
func.func @tile(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
                %numbers: tensor<1x1x1xi32>, %columns: tensor<1x1x1x5xi32>)
    -> (tensor<1x1x1xi32>, tensor<1x1x1x5xi32>) {
  %0:2 = sattn.block_lists origin(%p, %p, %p)
      ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<1x1x1xi32>, tensor<1x1x1x5xi32>) -> tensor<1x1x1xi32>, tensor<1x1x1x5xi32>
  return %0#0, %0#1 : tensor<1x1x1xi32>, tensor<1x1x1x5xi32>
}
