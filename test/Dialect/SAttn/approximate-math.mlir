// RUN: sparse-opt %s --sattn-approximate-math | FileCheck %s

// CHECK-LABEL: func.func @scalars(
// CHECK-NOT:     math.erf
// CHECK-NOT:     math.tanh
// CHECK:         math.fma {{.*}} : f32
func.func @scalars(%x: f32) -> (f32, f32) {
  %0 = math.erf %x : f32
  %1 = math.tanh %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @vectors(
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<8xf32>
func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Others stay as they are.
// CHECK-LABEL: func.func @wide(
// CHECK:         math.erf {{.*}} : f64
func.func @wide(%x: f64) -> f64 {
  %0 = math.erf %x : f64
  return %0 : f64
}
