// RUN: sparse-opt %s --sattn-allow-inlining | FileCheck %s
// RUN: sparse-opt %s --sattn-allow-inlining --inline --symbol-dce | FileCheck %s --check-prefix=INLINED

// CHECK-NOT: no_inline
// CHECK:     call @g
// CHECK-NOT: no_inline

// INLINED-NOT: call
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%a) {no_inline} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  return %a : tensor<4xf32>
}
