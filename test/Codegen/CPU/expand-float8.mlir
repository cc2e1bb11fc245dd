// RUN: sparse-opt %s --sattn-cpu-expand-float8 | FileCheck %s

// The exponent moves to f32's place and gets f32's bias: 127 - 7 for e4m3. Numbers
// below the smallest exponent are multiples of 2^-9, and the pattern of all ones is
// a NaN.
// CHECK-LABEL: func.func @e4m3(
// CHECK-SAME:    %[[X:.*]]: vector<16xf8E4M3FN>
// CHECK-DAG:     %[[REBIAS:.*]] = arith.constant dense<1006632960> : vector<16xi32>
// CHECK-DAG:     %[[PLACE:.*]] = arith.constant dense<20> : vector<16xi32>
// CHECK-DAG:     %[[UNIT:.*]] = arith.constant dense<0.001953125> : vector<16xf32>
// CHECK-DAG:     %[[SPECIAL:.*]] = arith.constant dense<2139095040> : vector<16xi32>
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : vector<16xf8E4M3FN> to vector<16xi8>
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BITS]] : vector<16xi8> to vector<16xi32>
// CHECK:         %[[MAGNITUDE:.*]] = arith.andi %[[WIDE]]
// CHECK:         %[[SHIFTED:.*]] = arith.shli %[[MAGNITUDE]], %[[PLACE]]
// CHECK:         arith.addi %[[SHIFTED]], %[[REBIAS]]
// CHECK:         arith.ori %[[SHIFTED]], %[[SPECIAL]]
// CHECK:         arith.mulf %{{.*}}, %[[UNIT]] : vector<16xf32>
// CHECK:         %[[SUM:.*]] = arith.ori
// CHECK:         arith.bitcast %[[SUM]] : vector<16xi32> to vector<16xf32>
// CHECK-NOT:     arith.extf
func.func @e4m3(%x: vector<16xf8E4M3FN>) -> vector<16xf32> {
  %0 = arith.extf %x : vector<16xf8E4M3FN> to vector<16xf32>
  return %0 : vector<16xf32>
}

// 127 - 15 for e5m2, of which all patterns from 0x7C on are infinity or NaN.
// CHECK-LABEL: func.func @e5m2(
// CHECK-DAG:     arith.constant 939524096 : i32
// CHECK-DAG:     arith.constant 21 : i32
// CHECK-DAG:     arith.constant 124 : i32
// CHECK-NOT:     arith.extf
func.func @e5m2(%x: f8E5M2) -> f32 {
  %0 = arith.extf %x : f8E5M2 to f32
  return %0 : f32
}

// Other types stay.
// CHECK-LABEL: func.func @f16(
// CHECK:         arith.extf
func.func @f16(%x: f16) -> f32 {
  %0 = arith.extf %x : f16 to f32
  return %0 : f32
}
