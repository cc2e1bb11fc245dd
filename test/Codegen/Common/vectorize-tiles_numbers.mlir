// RUN: sparse-opt %s --sattn-vectorize-tiles --canonicalize | FileCheck %s

// A tile that is reduced to a number, which is then a number, without memory.
// CHECK-LABEL: func @sum
// CHECK:         scf.forall
// CHECK-NOT:       tensor.empty
// CHECK:           %[[SUM:.*]] = vector.multi_reduction <add>, %{{.*}}, %{{.*}} [0, 1] : vector<16x8xi32> to i32
// CHECK-NOT:       tensor.extract
// CHECK:           %[[END:.*]] = arith.index_cast %[[SUM]] : i32 to index
// CHECK:           scf.for {{.*}} to %[[END]]
func.func @sum(%a: tensor<?x16x8xi32>, %out: tensor<?x16x8xi32>) -> tensor<?x16x8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %a, %c0 : tensor<?x16x8xi32>
  %0 = scf.forall (%i) in (%n) shared_outs(%o = %out) -> (tensor<?x16x8xi32>) {
    %tile = tensor.extract_slice %a[%i, 0, 0] [1, 16, 8] [1, 1, 1] : tensor<?x16x8xi32> to tensor<16x8xi32>
    %number = tensor.empty() : tensor<i32>
    %init = linalg.fill ins(%zero : i32) outs(%number : tensor<i32>) -> tensor<i32>
    %reduced = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
        iterator_types = ["reduction", "reduction"]}
        ins(%tile : tensor<16x8xi32>) outs(%init : tensor<i32>) {
    ^bb0(%x: i32, %sum: i32):
      %next = arith.addi %x, %sum : i32
      linalg.yield %next : i32
    } -> tensor<i32>
    %sum = tensor.extract %reduced[] : tensor<i32>
    %end = arith.index_cast %sum : i32 to index
    %empty = tensor.empty() : tensor<16x8xi32>
    %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<16x8xi32>) -> tensor<16x8xi32>
    %doubled = scf.for %j = %c0 to %end step %c1 iter_args(%t = %zeros) -> (tensor<16x8xi32>) {
      %next = linalg.add ins(%t, %tile : tensor<16x8xi32>, tensor<16x8xi32>) outs(%t : tensor<16x8xi32>) -> tensor<16x8xi32>
      scf.yield %next : tensor<16x8xi32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %doubled into %o[%i, 0, 0] [1, 16, 8] [1, 1, 1] : tensor<16x8xi32> into tensor<?x16x8xi32>
    }
  }
  return %0 : tensor<?x16x8xi32>
}
