// RUN: sparse-opt %s --sattn-cpu-expand-scans --canonicalize --split-input-file | FileCheck %s

// A scan of a tile between two casts keeps the tile's rows.
// CHECK-LABEL: func.func @of_tile
// CHECK-SAME:    %[[TILE:.+]]: tensor<2x3xi32>, %[[FIRST:.+]]: i32
// CHECK: %[[RESULT:.+]]:2 = scf.for %[[I:.+]] = %c0 to %c2 step %c1 iter_args
// CHECK:   scf.for %[[J:.+]] = %c0 to %c3 step %c1 iter_args(%[[OUT:.+]] = %{{.+}}, %[[BEFORE:.+]] = %{{.+}}) -> (tensor<2x3xi32>, i32)
// CHECK:     %[[ELEMENT:.+]] = tensor.extract %[[TILE]][%[[I]], %[[J]]]
// CHECK:     %[[NEXT:.+]] = arith.addi %[[BEFORE]], %[[ELEMENT]]
// CHECK:     %[[INSERTED:.+]] = tensor.insert %[[BEFORE]] into %[[OUT]][%[[I]], %[[J]]]
// CHECK:     scf.yield %[[INSERTED]], %[[NEXT]]
// CHECK: vector.transfer_read %[[RESULT]]#0
// CHECK-NOT: vector.scan
func.func @of_tile(%tile: tensor<2x3xi32>, %first: i32) -> vector<2x3xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %v = vector.transfer_read %tile[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<2x3xi32>, vector<2x3xi32>
  %flat = vector.shape_cast %v : vector<2x3xi32> to vector<6xi32>
  %initial = vector.broadcast %first : i32 to vector<i32>
  %scan, %sum = vector.scan <add>, %flat, %initial {inclusive = false, reduction_dim = 0 : i64} : vector<6xi32>, vector<i32>
  %r = vector.shape_cast %scan : vector<6xi32> to vector<2x3xi32>
  return %r : vector<2x3xi32>
}

// -----

// CHECK-LABEL: func.func @inclusive
// CHECK: vector.transfer_write %arg0
// CHECK: %[[RESULT:.+]]:2 = scf.for
// CHECK:   %[[NEXT:.+]] = arith.maxsi
// CHECK:   tensor.insert %[[NEXT]]
// CHECK: vector.broadcast %[[RESULT]]#1 : i32 to vector<i32>
func.func @inclusive(%v: vector<4xi32>, %initial: vector<i32>) -> (vector<4xi32>, vector<i32>) {
  %scan, %last = vector.scan <maxsi>, %v, %initial {inclusive = true, reduction_dim = 0 : i64} : vector<4xi32>, vector<i32>
  return %scan, %last : vector<4xi32>, vector<i32>
}

// -----

// Memory has a byte for an element of i1.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    %[[ROW:.+]]: tensor<?xi32>, %[[TILE:.+]]: tensor<2x3xi32>
// CHECK: %[[BYTES:.+]] = arith.extui %arg3 : vector<2x3xi1> to vector<2x3xi8>
// CHECK: %[[MASK:.+]] = vector.transfer_write %[[BYTES]], %{{.+}} : vector<2x3xi8>, tensor<2x3xi8>
// CHECK: scf.for %[[I:.+]] = %c0
// CHECK:   scf.for %[[J:.+]] = %c0 {{.*}} iter_args(%[[OUT:.+]] = %{{.+}}) -> (tensor<?xi32>)
// CHECK:     %[[BIT:.+]] = tensor.extract %[[MASK]][%[[I]], %[[J]]]
// CHECK:     %[[IS_STORED:.+]] = arith.cmpi ne, %[[BIT]]
// CHECK:     scf.if %[[IS_STORED]] -> (tensor<?xi32>)
// CHECK:       %[[VALUE:.+]] = tensor.extract %[[TILE]][%[[I]], %[[J]]]
// CHECK:       tensor.insert %[[VALUE]] into %[[OUT]]
// CHECK:     } else {
// CHECK:       scf.yield %[[OUT]]
func.func @scatter(%row: tensor<?xi32>, %tile: tensor<2x3xi32>, %places: vector<2x3xi32>, %mask: vector<2x3xi1>)
    -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %v = vector.transfer_read %tile[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<2x3xi32>, vector<2x3xi32>
  %0 = vector.scatter %row[%c0][%places], %mask, %v
      : tensor<?xi32>, vector<2x3xi32>, vector<2x3xi1>, vector<2x3xi32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// Places count from an offset.
// CHECK-LABEL: func.func @scatter_from
// CHECK-SAME:    %[[ROW:.+]]: tensor<?xi32>, %[[FROM:.+]]: index
// CHECK:     scf.if
// CHECK:       %[[INDEX:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK:       %[[PLACE:.+]] = arith.addi %[[FROM]], %[[INDEX]] : index
// CHECK:       tensor.insert %{{.+}} into %{{.+}}[%[[PLACE]]]
func.func @scatter_from(%row: tensor<?xi32>, %from: index, %values: vector<4xi32>, %places: vector<4xi32>, %mask: vector<4xi1>)
    -> tensor<?xi32> {
  %0 = vector.scatter %row[%from][%places], %mask, %values
      : tensor<?xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
