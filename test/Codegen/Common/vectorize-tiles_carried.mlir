// RUN: sparse-opt %s --sattn-vectorize-tiles | FileCheck %s

// A loop carries a tensor, of which each iteration writes a part: the clipped
// tile goes straight there, not in bounds where it was clipped.
// CHECK-LABEL: func @clipped
// CHECK:         scf.for %[[I:.*]] = {{.*}} iter_args(%[[OUT:.*]] =
// CHECK-NOT:       tensor.empty
// CHECK:           %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0, 0] [1, 16, %[[WIDTH:.*]]] [1, 1, 1] : tensor<?x16x20xbf16> to tensor<16x?xbf16>
// CHECK:           %[[WRITTEN:.*]] = vector.transfer_write %{{.*}}, %[[PLACE]][%{{.*}}, %{{.*}}] {in_bounds = [true, false]} : vector<16x16xbf16>, tensor<16x?xbf16>
// CHECK:           %[[NEXT:.*]] = tensor.insert_slice %[[WRITTEN]] into %[[OUT]][%[[I]], 0, 0] [1, 16, %[[WIDTH]]]
// CHECK:           scf.yield %[[NEXT]]
func.func @clipped(%tile: vector<16x16xbf16>, %out: tensor<?x16x20xbf16>, %width: index, %end: index) -> tensor<?x16x20xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %end step %c1 iter_args(%o = %out) -> (tensor<?x16x20xbf16>) {
    %empty = tensor.empty() : tensor<16x16xbf16>
    %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xbf16>, tensor<16x16xbf16>
    %clipped = tensor.extract_slice %written[0, 0] [16, %width] [1, 1] : tensor<16x16xbf16> to tensor<16x?xbf16>
    %next = tensor.insert_slice %clipped into %o[%i, 0, 0] [1, 16, %width] [1, 1, 1] : tensor<16x?xbf16> into tensor<?x16x20xbf16>
    scf.yield %next : tensor<?x16x20xbf16>
  }
  return %0 : tensor<?x16x20xbf16>
}

// A whole tile, in bounds.
// CHECK-LABEL: func @whole
// CHECK:         scf.for
// CHECK-NOT:       tensor.empty
// CHECK:           tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [1, 16, 16]
// CHECK:           vector.transfer_write {{.*}} {in_bounds = [true, true]} : vector<16x16xbf16>, tensor<16x16xbf16>
func.func @whole(%tile: vector<16x16xbf16>, %out: tensor<?x16x16xbf16>, %end: index) -> tensor<?x16x16xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %end step %c1 iter_args(%o = %out) -> (tensor<?x16x16xbf16>) {
    %empty = tensor.empty() : tensor<16x16xbf16>
    %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xbf16>, tensor<16x16xbf16>
    %next = tensor.insert_slice %written into %o[%i, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<16x16xbf16> into tensor<?x16x16xbf16>
    scf.yield %next : tensor<?x16x16xbf16>
  }
  return %0 : tensor<?x16x16xbf16>
}

// Where no loop carries it, the tile stays.
// CHECK-LABEL: func @outside
// CHECK:         tensor.empty
// CHECK:         tensor.insert_slice
func.func @outside(%tile: vector<16x16xbf16>, %out: tensor<?x16x16xbf16>, %i: index) -> tensor<?x16x16xbf16> {
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<16x16xbf16>
  %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xbf16>, tensor<16x16xbf16>
  %next = tensor.insert_slice %written into %out[%i, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<16x16xbf16> into tensor<?x16x16xbf16>
  return %next : tensor<?x16x16xbf16>
}

// Parts of a tile of a loop over tiles are written one by one, before loops and
// in branches.
// CHECK-LABEL: func @parts
// CHECK:         scf.forall
// CHECK:           %[[MINE:.*]] = tensor.extract_slice
// CHECK-NOT:       tensor.empty
// CHECK:           %[[PLACE:.*]] = tensor.extract_slice %[[MINE]][0, 0, 0] [%{{.*}}, 1, 16]
// CHECK:           %[[WRITTEN:.*]] = vector.transfer_write %{{.*}}, %[[PLACE]]{{.*}} {in_bounds = [false, true]}
// CHECK:           %[[FIRST:.*]] = tensor.insert_slice %[[WRITTEN]] into %[[MINE]]
// CHECK:           scf.if
// CHECK-NOT:         tensor.empty
// CHECK:             tensor.extract_slice %[[FIRST]][16, 0, 0]
// CHECK:             vector.transfer_write
// CHECK:             tensor.insert_slice
func.func @parts(%tile: vector<16x16xbf16>, %out: tensor<?x4x16xbf16>, %rows: index, %more: i1) -> tensor<?x4x16xbf16> {
  %c0 = arith.constant 0 : index
  %0 = scf.forall (%i) in (4) shared_outs(%o = %out) -> (tensor<?x4x16xbf16>) {
    %mine = tensor.extract_slice %o[0, %i, 0] [%rows, 1, 16] [1, 1, 1] : tensor<?x4x16xbf16> to tensor<?x1x16xbf16>
    %empty = tensor.empty() : tensor<16x16xbf16>
    %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xbf16>, tensor<16x16xbf16>
    %clipped = tensor.extract_slice %written[0, 0] [%rows, 16] [1, 1] : tensor<16x16xbf16> to tensor<?x16xbf16>
    %first = tensor.insert_slice %clipped into %mine[0, 0, 0] [%rows, 1, 16] [1, 1, 1] : tensor<?x16xbf16> into tensor<?x1x16xbf16>
    %next = scf.if %more -> (tensor<?x1x16xbf16>) {
      %second = tensor.insert_slice %clipped into %first[16, 0, 0] [%rows, 1, 16] [1, 1, 1] : tensor<?x16xbf16> into tensor<?x1x16xbf16>
      scf.yield %second : tensor<?x1x16xbf16>
    } else {
      scf.yield %first : tensor<?x1x16xbf16>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %next into %o[0, %i, 0] [%rows, 1, 16] [1, 1, 1] : tensor<?x1x16xbf16> into tensor<?x4x16xbf16>
    }
  }
  return %0 : tensor<?x4x16xbf16>
}
