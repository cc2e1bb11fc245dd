// RUN: sparse-opt %s --sattn-cpu-approximate-exp2 | FileCheck %s

// CHECK-LABEL: func.func @scalar(
// CHECK-NOT:     math.exp2
// CHECK:         math.fma {{.*}} : f32
// CHECK:         arith.bitcast {{.*}} : f32 to i32
func.func @scalar(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @vector(
// CHECK-NOT:     math.exp2
// CHECK-COUNT-6: math.fma {{.*}} : vector<16xf32>
// CHECK:         arith.bitcast {{.*}} : vector<16xf32> to vector<16xi32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Others stay as they are.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: math.exp2
func.func @others(%x: f64, %y: vector<[4]xf32>) -> (f64, vector<[4]xf32>) {
  %0 = math.exp2 %x : f64
  %1 = math.exp2 %y : vector<[4]xf32>
  return %0, %1 : f64, vector<[4]xf32>
}
