// RUN: sparse-opt %s --sattn-approximate-math=keep-afn | FileCheck %s
// RUN: sparse-opt %s --sattn-approximate-math | FileCheck %s --check-prefix=ALL

// What the target has an instruction for stays, where approximations are allowed.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK-NEXT:    math.log2 %{{.*}} fastmath<afn> : f32
// CHECK-NEXT:    math.tanh %{{.*}} fastmath<fast> : f32
// CHECK-NEXT:    math.exp2 %{{.*}} fastmath<afn> : vector<8xf32>
// CHECK-NEXT:    return
// ALL-LABEL: func.func @kept(
// ALL-NOT:     math.exp2
// ALL-NOT:     math.log2
// ALL-NOT:     math.tanh
// ALL:         return
func.func @kept(%x: f32, %v: vector<8xf32>) -> (f32, f32, f32, vector<8xf32>) {
  %0 = math.exp2 %x fastmath<afn> : f32
  %1 = math.log2 %x fastmath<afn> : f32
  %2 = math.tanh %x fastmath<fast> : f32
  %3 = math.exp2 %v fastmath<afn> : vector<8xf32>
  return %0, %1, %2, %3 : f32, f32, f32, vector<8xf32>
}

// Other functions, and these without the flag, become polynomials.
// CHECK-LABEL: func.func @replaced(
// CHECK-NOT:     math.erf
// CHECK-NOT:     math.exp2
// CHECK-NOT:     math.tanh
// CHECK:         return
func.func @replaced(%x: f32) -> (f32, f32, f32) {
  %0 = math.erf %x fastmath<afn> : f32
  %1 = math.exp2 %x : f32
  %2 = math.tanh %x fastmath<nnan> : f32
  return %0, %1, %2 : f32, f32, f32
}
