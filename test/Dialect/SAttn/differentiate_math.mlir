// RUN: sparse-opt %s --sattn-differentiate --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @fma_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32, f32) {
// CHECK:         %[[V0:.*]] = arith.mulf %[[D]], %[[Y]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[X]] : f32
// CHECK:         return %[[V0]], %[[V1]], %[[D]] : f32, f32, f32
func.func @fma(%x: f32, %y: f32, %z: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1, 2>} {
  %r = math.fma %x, %y, %z : f32
  return %r : f32
}

// CHECK-LABEL: func.func @powf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V2:.*]] = math.powf %[[X]], %[[Y]] : f32
// CHECK:         %[[V3:.*]] = arith.subf %[[Y]], %[[V0]] : f32
// CHECK:         %[[V4:.*]] = math.powf %[[X]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[Y]], %[[V4]] : f32
// CHECK:         %[[V6:.*]] = arith.cmpf oeq, %[[Y]], %[[V1]] : f32
// CHECK:         %[[V7:.*]] = arith.select %[[V6]], %[[V1]], %[[V5]] : f32
// CHECK:         %[[V8:.*]] = arith.mulf %[[D]], %[[V7]] : f32
// CHECK:         %[[V9:.*]] = arith.cmpf oeq, %[[X]], %[[V1]] : f32
// CHECK:         %[[V10:.*]] = arith.cmpf oge, %[[Y]], %[[V1]] : f32
// CHECK:         %[[V11:.*]] = arith.andi %[[V9]], %[[V10]] : i1
// CHECK:         %[[V12:.*]] = math.log %[[X]] : f32
// CHECK:         %[[V13:.*]] = arith.mulf %[[V2]], %[[V12]] : f32
// CHECK:         %[[V14:.*]] = arith.select %[[V11]], %[[V1]], %[[V13]] : f32
// CHECK:         %[[V15:.*]] = arith.mulf %[[D]], %[[V14]] : f32
// CHECK:         return %[[V8]], %[[V15]] : f32, f32
func.func @powf(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = math.powf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @atan2_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[Y]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf oeq, %[[V4]], %[[V1]] : f32
// CHECK:         %[[V6:.*]] = arith.divf %[[V0]], %[[V4]] : f32
// CHECK:         %[[V7:.*]] = arith.select %[[V5]], %[[V1]], %[[V6]] : f32
// CHECK:         %[[V8:.*]] = arith.mulf %[[Y]], %[[V7]] : f32
// CHECK:         %[[V9:.*]] = arith.mulf %[[D]], %[[V8]] : f32
// CHECK:         %[[V10:.*]] = arith.negf %[[X]] : f32
// CHECK:         %[[V11:.*]] = arith.mulf %[[V10]], %[[V7]] : f32
// CHECK:         %[[V12:.*]] = arith.mulf %[[D]], %[[V11]] : f32
// CHECK:         return %[[V9]], %[[V12]] : f32, f32
func.func @atan2(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = math.atan2 %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @copysign_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32) {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V2:.*]] = math.copysign %[[V1]], %[[X]] : f32
// CHECK:         %[[V3:.*]] = math.copysign %[[V1]], %[[Y]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[V2]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.cmpf oeq, %[[X]], %[[V0]] : f32
// CHECK:         %[[V6:.*]] = arith.select %[[V5]], %[[V0]], %[[V4]] : f32
// CHECK:         %[[V7:.*]] = arith.mulf %[[D]], %[[V6]] : f32
// CHECK:         return %[[V7]], %[[V0]] : f32, f32
func.func @copysign(%x: f32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %r = math.copysign %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @fpowi_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG:     %[[V1:.*]] = arith.constant 2 : i32
// CHECK:         %[[V2:.*]] = math.fpowi %[[X]], %[[V1]] : f32, i32
// CHECK:         %[[V3:.*]] = arith.mulf %[[V2]], %[[V0]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[D]], %[[V3]] : f32
// CHECK:         return %[[V4]] : f32
func.func @fpowi(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r0 = arith.constant 3 : i32
  %r = math.fpowi %x, %r0 : f32, i32
  return %r : f32
}

// CHECK-LABEL: func.func @fpowi_0_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[V0]] : f32
// CHECK:         return %[[V1]] : f32
func.func @fpowi_0(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r0 = arith.constant 0 : i32
  %r = math.fpowi %x, %r0 : f32, i32
  return %r : f32
}

// CHECK-LABEL: func.func @absf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.cmpf olt, %[[X]], %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.negf %[[D]] : f32
// CHECK:         %[[V3:.*]] = arith.select %[[V1]], %[[V2]], %[[V0]] : f32
// CHECK:         %[[V4:.*]] = arith.cmpf ogt, %[[X]], %[[V0]] : f32
// CHECK:         %[[V5:.*]] = arith.select %[[V4]], %[[D]], %[[V3]] : f32
// CHECK:         return %[[V5]] : f32
func.func @absf(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.absf %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @acos_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.subf %[[V0]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = math.sqrt %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[V0]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.negf %[[V4]] : f32
// CHECK:         %[[V6:.*]] = arith.mulf %[[D]], %[[V5]] : f32
// CHECK:         return %[[V6]] : f32
func.func @acos(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.acos %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @acosh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.subf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = math.sqrt %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[V0]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[D]], %[[V4]] : f32
// CHECK:         return %[[V5]] : f32
func.func @acosh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.acosh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @asin_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.subf %[[V0]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = math.sqrt %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[V0]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[D]], %[[V4]] : f32
// CHECK:         return %[[V5]] : f32
func.func @asin(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.asin %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @asinh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.addf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = math.sqrt %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[V0]], %[[V3]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[D]], %[[V4]] : f32
// CHECK:         return %[[V5]] : f32
func.func @asinh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.asinh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @atan_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.addf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.divf %[[D]], %[[V2]] : f32
// CHECK:         return %[[V3]] : f32
func.func @atan(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.atan %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @atanh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.subf %[[V0]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.divf %[[D]], %[[V2]] : f32
// CHECK:         return %[[V3]] : f32
func.func @atanh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.atanh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @cbrt_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 3.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.cbrt %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[V2]], %[[V0]] : f32
// CHECK:         %[[V4:.*]] = arith.divf %[[D]], %[[V3]] : f32
// CHECK:         return %[[V4]] : f32
func.func @cbrt(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.cbrt %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @ceil_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         return %[[V0]] : f32
func.func @ceil(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.ceil %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @cos_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = math.sin %[[X]] : f32
// CHECK:         %[[V1:.*]] = arith.negf %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[D]], %[[V1]] : f32
// CHECK:         return %[[V2]] : f32
func.func @cos(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.cos %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @cosh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = math.sinh %[[X]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[V0]] : f32
// CHECK:         return %[[V1]] : f32
func.func @cosh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.cosh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @erf_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.12837923 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.negf %[[V1]] : f32
// CHECK:         %[[V3:.*]] = math.exp %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[V3]], %[[V0]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[D]], %[[V4]] : f32
// CHECK:         return %[[V5]] : f32
func.func @erf(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.erf %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @erfc_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.12837923 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.negf %[[V1]] : f32
// CHECK:         %[[V3:.*]] = math.exp %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[V3]], %[[V0]] : f32
// CHECK:         %[[V5:.*]] = arith.negf %[[V4]] : f32
// CHECK:         %[[V6:.*]] = arith.mulf %[[D]], %[[V5]] : f32
// CHECK:         return %[[V6]] : f32
func.func @erfc(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.erfc %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @exp_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = math.exp %[[X]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[V0]] : f32
// CHECK:         return %[[V1]] : f32
func.func @exp(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.exp %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @exp2_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.693147182 : f32
// CHECK:         %[[V1:.*]] = math.exp2 %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[D]], %[[V2]] : f32
// CHECK:         return %[[V3]] : f32
func.func @exp2(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.exp2 %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @expm1_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.expm1 %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.addf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[D]], %[[V2]] : f32
// CHECK:         return %[[V3]] : f32
func.func @expm1(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.expm1 %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @floor_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         return %[[V0]] : f32
func.func @floor(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.floor %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @log_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = arith.divf %[[D]], %[[X]] : f32
// CHECK:         return %[[V0]] : f32
func.func @log(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.log %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @log10_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 2.30258512 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.divf %[[D]], %[[V1]] : f32
// CHECK:         return %[[V2]] : f32
func.func @log10(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.log10 %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @log1p_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = arith.addf %[[X]], %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.divf %[[D]], %[[V1]] : f32
// CHECK:         return %[[V2]] : f32
func.func @log1p(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.log1p %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @log2_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.693147182 : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[X]], %[[V0]] : f32
// CHECK:         %[[V2:.*]] = arith.divf %[[D]], %[[V1]] : f32
// CHECK:         return %[[V2]] : f32
func.func @log2(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.log2 %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @round_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         return %[[V0]] : f32
func.func @round(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.round %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @roundeven_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         return %[[V0]] : f32
func.func @roundeven(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.roundeven %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @rsqrt_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant -5.000000e-01 : f32
// CHECK:         %[[V1:.*]] = math.rsqrt %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[V3]], %[[V0]] : f32
// CHECK:         %[[V5:.*]] = arith.mulf %[[D]], %[[V4]] : f32
// CHECK:         return %[[V5]] : f32
func.func @rsqrt(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.rsqrt %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @sin_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = math.cos %[[X]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[V0]] : f32
// CHECK:         return %[[V1]] : f32
func.func @sin(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.sin %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @sinh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[V0:.*]] = math.cosh %[[X]] : f32
// CHECK:         %[[V1:.*]] = arith.mulf %[[D]], %[[V0]] : f32
// CHECK:         return %[[V1]] : f32
func.func @sinh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.sinh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @sqrt_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.sqrt %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V0]] : f32
// CHECK:         %[[V3:.*]] = arith.divf %[[D]], %[[V2]] : f32
// CHECK:         return %[[V3]] : f32
func.func @sqrt(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.sqrt %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @tan_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.tan %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.addf %[[V2]], %[[V0]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[D]], %[[V3]] : f32
// CHECK:         return %[[V4]] : f32
func.func @tan(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.tan %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @tanh_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V1:.*]] = math.tanh %[[X]] : f32
// CHECK:         %[[V2:.*]] = arith.mulf %[[V1]], %[[V1]] : f32
// CHECK:         %[[V3:.*]] = arith.subf %[[V0]], %[[V2]] : f32
// CHECK:         %[[V4:.*]] = arith.mulf %[[D]], %[[V3]] : f32
// CHECK:         return %[[V4]] : f32
func.func @tanh(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.tanh %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @trunc_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-DAG:     %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         return %[[V0]] : f32
func.func @trunc(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %r = math.trunc %x : f32
  return %r : f32
}
