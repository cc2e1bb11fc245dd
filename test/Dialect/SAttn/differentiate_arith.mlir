// RUN: sparse-opt %s --sattn-differentiate --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @addf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK:         return %[[D]], %[[D]] : f32, f32
func.func @addf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.addf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @subf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK:         %[[V0:.*]] = arith.negf %[[D]] : f32
// CHECK:         return %[[D]], %[[V0]] : f32, f32
func.func @subf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.subf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @mulf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK:         %[[V0:.*]] = arith.mulf %[[D]], %[[Y]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[X]] : f32
// CHECK:         return %[[V0]], %[[V1]] : f32, f32
func.func @mulf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.mulf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @divf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK:         %[[V0:.*]] = arith.divf %[[X]], %[[Y]] : f32
// CHECK:         %[[V1:.*]] = arith.divf %[[D]], %[[Y]] : f32
// CHECK:         %[[V2:.*]] = arith.divf %[[V0]], %[[Y]] : f32
// CHECK:         %[[V3:.*]] = arith.negf %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[D]], %[[V3]] : f32
// CHECK:         return %[[V1]], %[[V4]] : f32, f32
func.func @divf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.divf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @remf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK:         %[[V0:.*]] = arith.divf %[[X]], %[[Y]] : f32
// CHECK:         %[[V1:.*]] = math.trunc %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.negf %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[D]], %[[V2]] : f32
// CHECK:         return %[[D]], %[[V3]] : f32, f32
func.func @remf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.remf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @negf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = arith.negf %[[D]] : f32
// CHECK:         return %[[V0]] : f32
func.func @negf(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = arith.negf %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @maximumf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[D]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.cmpf oeq, %[[X]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.select %[[V3]], %[[V2]], %[[D]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf uge, %[[X]], %[[Y]] : f32
// CHECK:         %[[V6:.*]] = arith.select %[[V5]], %[[V4]], %[[V0]] : f32
// CHECK:         %[[V7:.*]] = arith.cmpf ule, %[[X]], %[[Y]] : f32
// CHECK:         %[[V8:.*]] = arith.select %[[V7]], %[[V4]], %[[V0]] : f32
// CHECK:         return %[[V6]], %[[V8]] : f32, f32
func.func @maximumf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.maximumf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @minimumf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[D]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.cmpf oeq, %[[X]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.select %[[V3]], %[[V2]], %[[D]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf ule, %[[X]], %[[Y]] : f32
// CHECK:         %[[V6:.*]] = arith.select %[[V5]], %[[V4]], %[[V0]] : f32
// CHECK:         %[[V7:.*]] = arith.cmpf uge, %[[X]], %[[Y]] : f32
// CHECK:         %[[V8:.*]] = arith.select %[[V7]], %[[V4]], %[[V0]] : f32
// CHECK:         return %[[V6]], %[[V8]] : f32, f32
func.func @minimumf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.minimumf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @maxnumf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[D]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.cmpf oeq, %[[X]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.select %[[V3]], %[[V2]], %[[D]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf uno, %[[Y]], %[[Y]] : f32
// CHECK:         %[[V6:.*]] = arith.cmpf oge, %[[X]], %[[Y]] : f32
// CHECK:         %[[V7:.*]] = arith.ori %[[V6]], %[[V5]] : i1
// CHECK:         %[[V8:.*]] = arith.select %[[V7]], %[[V4]], %[[V0]] : f32
// CHECK:         %[[V9:.*]] = arith.cmpf ord, %[[Y]], %[[Y]] : f32
// CHECK:         %[[V10:.*]] = arith.cmpf ule, %[[X]], %[[Y]] : f32
// CHECK:         %[[V11:.*]] = arith.andi %[[V10]], %[[V9]] : i1
// CHECK:         %[[V12:.*]] = arith.select %[[V11]], %[[V4]], %[[V0]] : f32
// CHECK:         return %[[V8]], %[[V12]] : f32, f32
func.func @maxnumf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.maxnumf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @minnumf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[D]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.cmpf oeq, %[[X]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.select %[[V3]], %[[V2]], %[[D]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf uno, %[[Y]], %[[Y]] : f32
// CHECK:         %[[V6:.*]] = arith.cmpf ole, %[[X]], %[[Y]] : f32
// CHECK:         %[[V7:.*]] = arith.ori %[[V6]], %[[V5]] : i1
// CHECK:         %[[V8:.*]] = arith.select %[[V7]], %[[V4]], %[[V0]] : f32
// CHECK:         %[[V9:.*]] = arith.cmpf ord, %[[Y]], %[[Y]] : f32
// CHECK:         %[[V10:.*]] = arith.cmpf uge, %[[X]], %[[Y]] : f32
// CHECK:         %[[V11:.*]] = arith.andi %[[V10]], %[[V9]] : i1
// CHECK:         %[[V12:.*]] = arith.select %[[V11]], %[[V4]], %[[V0]] : f32
// CHECK:         return %[[V8]], %[[V12]] : f32, f32
func.func @minnumf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = arith.minnumf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @select_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.cmpf olt, %[[X]], %[[Y]] : f32
// CHECK:         %[[V2:.*]] = arith.select %[[V1]], %[[D]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.select %[[V1]], %[[V0]], %[[D]] : f32
// CHECK:         return %[[V2]], %[[V3]] : f32, f32
func.func @select(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r0 = arith.cmpf olt, %x, %y : f32
  %r = arith.select %r0, %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @sigmoid_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.exp %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.addf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.divf %[[V0]], %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.subf %[[V0]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.negf %[[V3]] : f32
// CHECK:         %[[V6:.*]] = arith.mulf %[[V5]], %[[V4]] : f32
// CHECK:         %[[V7:.*]] = arith.mulf %[[D]], %[[V6]] : f32
// CHECK:         return %[[V7]] : f32
func.func @sigmoid(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r0 = math.exp %x : f32
  %r1 = arith.constant 1.0 : f32
  %r2 = arith.addf %r0, %r1 : f32
  %r = arith.divf %r1, %r2 : f32
  return %r : f32
}

// CHECK-LABEL: func.func @sigmoid_2_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.693147182 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V2:.*]] = math.exp2 %[[X]] : f32
// CHECK:         %[[V3:.*]] = arith.addf %[[V2]], %[[V1]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[Y]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.divf %[[D]], %[[V3]] : f32
// CHECK:         %[[V6:.*]] = arith.divf %[[V1]], %[[V3]] : f32
// CHECK:         %[[V7:.*]] = arith.subf %[[V1]], %[[V6]] : f32
// CHECK:         %[[V8:.*]] = arith.negf %[[V4]] : f32
// CHECK:         %[[V9:.*]] = arith.mulf %[[V8]], %[[V7]] : f32
// CHECK:         %[[V10:.*]] = arith.mulf %[[V9]], %[[V0]] : f32
// CHECK:         %[[V11:.*]] = arith.mulf %[[D]], %[[V10]] : f32
// CHECK:         return %[[V11]], %[[V5]] : f32, f32
func.func @sigmoid_2(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r0 = math.exp2 %x : f32
  %r1 = arith.constant 1.0 : f32
  %r2 = arith.addf %r1, %r0 : f32
  %r = arith.divf %y, %r2 : f32
  return %r : f32
}
