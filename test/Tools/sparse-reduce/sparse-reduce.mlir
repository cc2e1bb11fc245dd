// What the fault does not need goes: other functions, ops without users.
//
// RUN: sparse-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/interesting.sh' 2>%t.errors | FileCheck %s
//
// Nothing is said of the smaller programs that were no programs; what is wrong
// with this one is.
// RUN: count 0 < %t.errors
// RUN: echo 'func.func @f() { return %x : f32 }' > %t.mlir
// RUN: not sparse-reduce %t.mlir --reduction-tree='traversal-mode=0 test=%S/Inputs/interesting.sh' 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: error: use of undeclared SSA value name

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
