// RUN: sparse-opt %s --sattn-differentiate --split-input-file | FileCheck %s

// The derivative stands after its function, which loses the attribute. What it does
// not read is not computed again.
// CHECK-LABEL: func.func private @softcap(%{{.*}}: f32) -> f32 {
// CHECK-NEXT:    math.tanh
// CHECK-NEXT:    math.floor
// CHECK-LABEL: func.func private @softcap_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[D:.*]]: f32) -> f32 {
// CHECK-NEXT:    %[[Y:.*]] = math.tanh %[[X]] fastmath<nnan,afn>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0
// CHECK-DAG:     %[[SQUARE:.*]] = arith.mulf %[[Y]], %[[Y]] fastmath<afn>
// CHECK-NEXT:    %[[SLOPE:.*]] = arith.subf %[[ONE]], %[[SQUARE]] fastmath<afn>
// CHECK-NEXT:    %[[DX:.*]] = arith.mulf %[[D]], %[[SLOPE]] fastmath<afn>
// CHECK-NEXT:    return %[[DX]] : f32
func.func private @softcap(%score: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %0 = math.tanh %score fastmath<afn, nnan> : f32
  %1 = math.floor %score : f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// -----

// A cotangent for each element that is read; nothing goes through an index.
// CHECK-LABEL: func.func @captures_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[H:.*]]: i32, %[[T:.*]]: tensor<?xbf16>, %[[C:.*]]: f32, %[[D:.*]]: f32) -> (f32, f32, f32) {
// CHECK:         %[[FIRST:.*]] = tensor.extract %[[T]]
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[FIRST]] : bf16 to f32
// CHECK-NEXT:    %[[DFIRST:.*]] = arith.mulf %[[D]], %[[X]]
// CHECK-NEXT:    %[[DX:.*]] = arith.mulf %[[D]], %[[WIDE]]
// CHECK-NEXT:    return %[[DX]], %[[DFIRST]], %[[D]] : f32, f32, f32
func.func @captures(%x: f32, %h: i32, %t: tensor<?xbf16>, %c: f32) -> f32
    attributes {sattn.differentiate = array<i64: 0, 2>} {
  %head = arith.index_cast %h : i32 to index
  %first = tensor.extract %t[%head] : tensor<?xbf16>
  %place = arith.fptosi %c : f32 to i32
  %next = arith.index_cast %place : i32 to index
  %second = tensor.extract %t[%next] : tensor<?xbf16>
  %0 = arith.extf %first : bf16 to f32
  %1 = arith.extf %second : bf16 to f32
  %2 = arith.mulf %0, %x : f32
  %3 = arith.addf %2, %1 : f32
  return %3 : f32
}

// -----

// Uses add up, and an argument without one has 0.
// CHECK-LABEL: func.func @uses_vjp(
// CHECK-SAME:    %[[X:.*]]: f64, %{{.*}}: f16, %[[D:.*]]: f64) -> (f64, f32) {
// CHECK-NEXT:    %[[DX0:.*]] = arith.mulf %[[D]], %[[X]] : f64
// CHECK-NEXT:    %[[DX1:.*]] = arith.mulf %[[D]], %[[X]] : f64
// CHECK-NEXT:    %[[DX2:.*]] = arith.addf %[[DX0]], %[[DX1]] : f64
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:    return %[[DX2]], %[[ZERO]] : f64, f32
func.func @uses(%x: f64, %y: f16) -> f64 attributes {sattn.differentiate = array<i64: 0, 1>} {
  %0 = arith.mulf %x, %x : f64
  return %0 : f64
}

// -----

// Cotangents of narrow types are f32, and operands are widened.
// CHECK-LABEL: func.func @narrow_vjp(
// CHECK-SAME:    %[[X:.*]]: f16, %[[Y:.*]]: f16, %[[D:.*]]: f32) -> f32 {
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT:    %[[DX:.*]] = arith.mulf %[[D]], %[[WIDE]] : f32
// CHECK-NEXT:    return %[[DX]] : f32
func.func @narrow(%x: f16, %y: f16) -> f16 attributes {sattn.differentiate = array<i64: 0>} {
  %0 = arith.mulf %x, %y : f16
  return %0 : f16
}

// -----

// Behind a select a product with 0 is 0; a finite factor needs no care.
// CHECK-LABEL: func.func @unpicked_vjp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[IS:.*]]: i1, %[[D:.*]]: f32) -> f32 {
// CHECK:         %[[TWICE:.*]] = arith.mulf
// CHECK:         %[[PICKED:.*]] = arith.select %[[IS]], %[[D]],
// CHECK-NEXT:    %[[SLOPE:.*]] = arith.divf %[[PICKED]], %[[TWICE]]
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:    %[[IS0:.*]] = arith.cmpf oeq, %[[PICKED]], %[[ZERO]]
// CHECK-NEXT:    %[[DLOG:.*]] = arith.select %[[IS0]], %[[ZERO]], %[[SLOPE]]
// CHECK-NEXT:    %[[DX:.*]] = arith.mulf %[[DLOG]], %{{.*}}
// CHECK-NEXT:    return %[[DX]]
func.func @unpicked(%x: f32, %is: i1) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = arith.mulf %x, %two : f32
  %1 = math.log %0 : f32
  %2 = arith.select %is, %1, %zero : f32
  return %2 : f32
}

// -----

// CHECK-LABEL: func.func @taken(
// CHECK:       func.func @taken_vjp_0(
// CHECK:       func.func private @taken_vjp(f32)
func.func @taken(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  return %x : f32
}
func.func private @taken_vjp(f32)
