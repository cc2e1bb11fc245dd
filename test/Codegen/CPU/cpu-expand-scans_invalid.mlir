// RUN: sparse-opt %s --sattn-cpu-expand-scans --split-input-file --verify-diagnostics

func.func @two_dimensions(%v: vector<4x4xi32>, %initial: vector<4xi32>) -> vector<4x4xi32> {
  // expected-error @below {{expected a scan of a vector of one dimension and static size}}
  %scan, %last = vector.scan <add>, %v, %initial {inclusive = false, reduction_dim = 0 : i64} : vector<4x4xi32>, vector<4xi32>
  return %scan : vector<4x4xi32>
}

// -----

func.func @accumulated(%v: vector<4xi32>, %initial: vector<i32>) -> vector<i32> {
  // expected-error @below {{expected an inclusive scan, or an accumulated value without uses}}
  %scan, %last = vector.scan <add>, %v, %initial {inclusive = false, reduction_dim = 0 : i64} : vector<4xi32>, vector<i32>
  return %last : vector<i32>
}

// -----

func.func @matrix(%matrix: tensor<4x4xi32>, %v: vector<4xi32>, %mask: vector<4xi1>) -> tensor<4x4xi32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a scatter of a vector of static size to a tensor whose dimensions but the last are 1}}
  %0 = vector.scatter %matrix[%c0, %c0][%v], %mask, %v
      : tensor<4x4xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
