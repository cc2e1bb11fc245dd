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

// Powers of two by a polynomial of this project's.
// CHECK-LABEL: func.func @exp2_scalar(
// CHECK-NOT:     math.exp2
// CHECK:         math.fma {{.*}} : f32
// CHECK:         arith.bitcast {{.*}} : f32 to i32
func.func @exp2_scalar(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @exp2_vector(
// CHECK-NOT:     math.exp2
// CHECK-COUNT-6: math.fma {{.*}} : vector<16xf32>
// CHECK:         arith.bitcast {{.*}} : vector<16xf32> to vector<16xi32>
func.func @exp2_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @exp2_others(
// CHECK-COUNT-2: math.exp2
func.func @exp2_others(%x: f64, %y: vector<[4]xf32>) -> (f64, vector<[4]xf32>) {
  %0 = math.exp2 %x : f64
  %1 = math.exp2 %y : vector<[4]xf32>
  return %0, %1 : f64, vector<[4]xf32>
}

// The exponential of f64 by a polynomial of this project's; two powers of two.
// CHECK-LABEL: func.func @exp_f64(
// CHECK-NOT:     math.exp
// CHECK-COUNT-17: math.fma {{.*}} : vector<4xf64>
// CHECK-COUNT-2: arith.bitcast {{.*}} : vector<4xi64> to vector<4xf64>
func.func @exp_f64(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = math.exp %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// CHECK-LABEL: func.func @exp_f64_others(
// CHECK:         math.exp {{.*}} : vector<[2]xf64>
func.func @exp_f64_others(%x: vector<[2]xf64>) -> vector<[2]xf64> {
  %0 = math.exp %x : vector<[2]xf64>
  return %0 : vector<[2]xf64>
}

// In f64, with the special cases of C.
// CHECK-LABEL: func.func @power(
// CHECK-NOT:     math.powf
// CHECK:         arith.extf {{.*}} : f32 to f64
// CHECK:         math.fma {{.*}} : f64
// CHECK:         arith.truncf {{.*}} : f64 to f32
func.func @power(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @remainder(
// CHECK-NOT:     arith.remf
// CHECK:         math.floor {{.*}} : vector<4xf64>
// CHECK:         arith.truncf {{.*}} : vector<4xf64> to vector<4xf32>
func.func @remainder(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %0 = arith.remf %x, %y : vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @sines(
// CHECK-NOT:     math.{{sin|cos|tan|sinh}} 
// CHECK:         return
func.func @sines(%x: f32) -> (f32, f32, f32, f32) {
  %0 = math.sin %x : f32
  %1 = math.cos %x : f32
  %2 = math.tan %x : f32
  %3 = math.sinh %x : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @inverses(
// CHECK-NOT:     math.{{log10|asinh|acosh|atanh|clampf|fpowi}} 
// CHECK:         return
func.func @inverses(%x: f32, %y: vector<4xf32>) -> (f32, vector<4xf32>, f32, f32, f32, f32) {
  %c3 = arith.constant 3 : i32
  %0 = math.log10 %x : f32
  %1 = math.log10 %y : vector<4xf32>
  %2 = math.asinh %x : f32
  %3 = math.acosh %x : f32
  %4 = math.clampf %2 to [%0, %3] : f32
  %5 = math.fpowi %x, %c3 : f32, i32
  return %0, %1, %2, %3, %4, %5 : f32, vector<4xf32>, f32, f32, f32, f32
}

// Other remainders stay.
// CHECK-LABEL: func.func @wide_remainder(
// CHECK:         arith.remf {{.*}} : f64
func.func @wide_remainder(%x: f64, %y: f64) -> f64 {
  %0 = arith.remf %x, %y : f64
  return %0 : f64
}
