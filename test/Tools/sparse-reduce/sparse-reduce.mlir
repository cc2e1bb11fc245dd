// What the fault does not need goes: other functions, ops without users.
//
// RUN: sparse-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/interesting.sh' | FileCheck %s

// CHECK-NOT: math
// CHECK: func.func @product
// CHECK-NEXT: sattn.bsr_addmm
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @product(%s: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>,
                   %values: tensor<?x16x16xf32>, %b: tensor<32x8xf32>,
                   %out: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %0 = math.exp %b : tensor<32x8xf32>
  %1 = math.tanh %0 : tensor<32x8xf32>
  %2 = sattn.bsr_addmm alpha(%s) beta(%s)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x16x16xf32>, tensor<32x8xf32>)
      outs(%out : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %2 : tensor<32x8xf32>
}
