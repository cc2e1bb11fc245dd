// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

// What ops require of the arguments' extents.

// CHECK-LABEL: func.func @copy
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2, s3] -> (s2, s0)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2, s3] -> (s3, s1)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 1, 1>]}
func.func @copy(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.copy ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What is always so needs no check.
// CHECK-LABEL: func.func @always
// CHECK-NOT:     sattn.extent_checks
// CHECK:         return
func.func @always(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.copy ins(%x : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = tensor.extract_slice %0[0, 4] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %2 = tensor.insert_slice %1 into %x[0, 2] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// A constant in a map, and one of two loops.
// CHECK-LABEL: func.func @maps
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0, s1, s2, s3] -> (s0, 4, -s3, 0, -s2, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1, s2, s3] -> (s1 - s2 * 2 - s3 + 2, 0, -s3, 0, -s2, 0)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 2, 0>]}
func.func @maps(%x: tensor<?x?xf32>, %k: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (3, i + j * 2)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A slice from the end, and one of a run-time size.
// CHECK-LABEL: func.func @slices
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0, s1] -> (s0 - 5, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1] -> (s0, s1 * 2 - 1, -s1, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1] -> (s1, 5)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>]}
func.func @slices(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %out, %c0 : tensor<?xf32>
  %first = arith.subi %n, %c5 : index
  %0 = tensor.extract_slice %x[%first] [5] [1] : tensor<?xf32> to tensor<5xf32>
  %1 = tensor.extract_slice %x[0] [%m] [2] : tensor<?xf32> to tensor<?xf32>
  %2 = tensor.insert_slice %0 into %1[0] [5] [1] : tensor<5xf32> into tensor<?xf32>
  return %2 : tensor<?xf32>
}

// Products and quotients of extents.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2] -> (s2, s0 * s1)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2] -> (s2, (s2 floordiv 8) * 8)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 0, 1>, array<i64: 1, 0>]}
func.func @reshapes(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %rows = arith.floordivsi %n, %c8 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %0 = linalg.copy ins(%flat : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%rows, 8] : tensor<?xf32> into tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// Tiles that end with the tensor need nothing, those of another need as much.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0, s1] -> (s0 - ((s0 - 1) floordiv 16) * 16, 0, ((s0 - 1) floordiv 16) * -16 - 1, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1] -> (s1 - ((s0 - 1) floordiv 16) * 16 - 16, 0, ((s0 - 1) floordiv 16) * -16 - 1, 0, -s0 + s1, 0, -s0, 0)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>]}
func.func @tiles(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%all = %x) -> (tensor<?xf32>) {
    %size = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%i)[%n]
    %1 = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %2 = tensor.insert_slice %1 into %all[%i] [%size] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// One of two tensors.
// CHECK-LABEL: func.func @choice
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2] -> (s2, s1)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2] -> (s2, s0)>}],
// CHECK-SAME:      extents = [array<i64: 1, 0>, array<i64: 2, 0>, array<i64: 3, 0>]}
func.func @choice(%which: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.extract %which[] : tensor<i1>
  %1 = arith.select %0, %x, %y : tensor<?xf32>
  %2 = linalg.copy ins(%1 : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// What either branch yields.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2] -> (s2, s1)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2] -> (s2, s0)>}],
// CHECK-SAME:      extents = [array<i64: 1, 0>, array<i64: 2, 0>, array<i64: 3, 0>]}
func.func @branches(%which: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.extract %which[] : tensor<i1>
  %1 = scf.if %0 -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %2 = linalg.copy ins(%1 : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// What a called function requires.
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.copy ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2] -> (s1, s0)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2] -> (s2, s1)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>, array<i64: 2, 0>]}
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @callee(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = call @callee(%0, %z) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A product whose b is computed.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7] -> (s6, s0 * 8 - 8)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7] -> (s4, s7)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7] -> (s5, s6)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7] -> (s3 mod 16, 0)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7] -> (s1, s2)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>, array<i64: 2, 0>, array<i64: 3, 0>, array<i64: 3, 1>, array<i64: 4, 0>, array<i64: 5, 0>, array<i64: 5, 1>]}
func.func @product(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x16xf32>, %x: tensor<?x?xf32>,
                   %left: tensor<?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %b = linalg.fill ins(%one : f32) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x16xf32>, tensor<?x?xf32>)
      left(%left : tensor<?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What a program asserts itself, and no division by zero.
// CHECK-LABEL: func.func @asserted
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0, s1] -> (s0, s1)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1] -> (s1, 1)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>]}
func.func @asserted(%x: tensor<?xf32>, %y: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi sge, %n, %m : index
  cf.assert %same, "expected x to be as long as y"
  %0 = arith.divsi %n, %m : index
  return %0 : index
}

// Indices and sizes of memory, and a copy.
// CHECK-LABEL: func.func @memory
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0, s1] -> (s0 - 1, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0, s1] -> (s1, 4)>},
// CHECK-SAME:      {equal = affine_map<()[s0, s1] -> (s0 - 1, s1)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 0>]}
func.func @memory(%x: memref<?x4xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %last = arith.subi %n, %c1 : index
  %0 = memref.load %x[%last, %c3] : memref<?x4xf32>
  memref.store %0, %y[%c3] : memref<?xf32>
  %own = memref.alloc(%last) : memref<?xf32>
  memref.copy %y, %own : memref<?xf32> to memref<?xf32>
  memref.dealloc %own : memref<?xf32>
  return
}

// Windows at multiples of a computed extent that might be negative.
// CHECK-LABEL: func.func @windows
// CHECK-SAME:    sattn.extent_checks = {checks = [{at_least = affine_map<()[s0] -> ((s0 - 1) floordiv 3, 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0] -> (((s0 - 1) floordiv 3) * 2, 0, -((s0 - 1) floordiv 3), 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0] -> (s0 - (s0 - 1) floordiv 3, 0, -((s0 - 1) floordiv 3), 0)>},
// CHECK-SAME:      {at_least = affine_map<()[s0] -> (s0 - ((s0 - 1) floordiv 3) * 3, 0, -((s0 - 1) floordiv 3), 0)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>]}
func.func @windows(%x: tensor<?xf32>) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %width = arith.floordivsi %last, %c3 : index
  %0 = tensor.generate %width {
  ^bb0(%i: index, %j: index):
    %at = affine.apply affine_map<(d0, d1)[s0] -> (d1 + d0 * ((s0 - 1) floordiv 3))>(%i, %j)[%n]
    %1 = tensor.extract %x[%at] : tensor<?xf32>
    tensor.yield %1 : f32
  } : tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// A row that a loop over tiles inserts has fewer dimensions than its
// destination.
// CHECK-LABEL: func.func @parallel_rows
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1] -> (s0, s1)>}],
// CHECK-SAME:      extents = [array<i64: 0, 0>, array<i64: 1, 1>]}
func.func @parallel_rows(%row: tensor<?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %out, %c0 : tensor<?x?xf32>
  %n = tensor.dim %out, %c1 : tensor<?x?xf32>
  %0 = scf.forall (%i) in (%m) shared_outs(%o = %out) -> (tensor<?x?xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
    }
  }
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @unchecked
// CHECK-NOT:     sattn.extent_checks
// CHECK:         return
func.func @unchecked(%x: tensor<?xf32>, %at: index) -> f32 attributes {sattn.unchecked} {
  %0 = tensor.extract %x[%at] : tensor<?xf32>
  return %0 : f32
}
