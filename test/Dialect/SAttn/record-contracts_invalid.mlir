// RUN: sparse-opt %s --sattn-record-contracts --split-input-file --verify-diagnostics

func.func @index_of_data(%x: tensor<?xf32>, %y: tensor<i32>) -> f32 {
  %0 = tensor.extract %y[] : tensor<i32>
  // expected-note @below {{known only when the program has begun to run}}
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @below {{expected sizes and indices that are in bounds whenever the extents of the function's arguments are as the program needs them}}
  %2 = tensor.extract %x[%1] : tensor<?xf32>
  return %2 : f32
}

// -----

func.func @size_of_data(%y: tensor<index>, %out: tensor<?xf32>) -> tensor<?xf32> {
  // expected-note @below {{known only when the program has begun to run}}
  %0 = tensor.extract %y[] : tensor<index>
  // expected-error @below {{expected sizes and indices that are in bounds}}
  %1 = tensor.empty(%0) : tensor<?xf32>
  %2 = linalg.copy ins(%1 : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

func.func @never(%x: tensor<4xf32>) -> f32 {
  %c4 = arith.constant 4 : index
  // expected-error @below {{are as the program needs them, but got 4 and 5}}
  %0 = tensor.extract %x[%c4] : tensor<4xf32>
  return %0 : f32
}

// -----

// A negative stride leaves the tensor on its other side.
func.func @backwards(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{are as the program needs them, but got -1 and 0}}
  %0 = tensor.extract_slice %x[8] [4] [-1] : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @store_outside(%x: memref<4xf32>, %value: f32) {
  %c4 = arith.constant 4 : index
  // expected-error @below {{are as the program needs them, but got 4 and 5}}
  memref.store %value, %x[%c4] : memref<4xf32>
  return
}

// -----

func.func @shape_of_data(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  // expected-error @below {{expected an op whose requirements on extents and indices are known (ExtentConstraintOpInterface)}}
  %0 = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @gather(%x: tensor<?x4xf32>, %indices: tensor<3x1xindex>) -> tensor<3x4xf32> {
  // expected-error @below {{expected an op whose requirements on extents and indices}}
  %0 = tensor.gather %x[%indices] gather_dims([0]) : (tensor<?x4xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func private @elsewhere(%x: tensor<?xf32>) -> tensor<?xf32>
func.func @call(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a call of a function of the module that has one block and does not call itself}}
  %0 = call @elsewhere(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Memory that a loop carries must keep its extents.
func.func @growing(%x: tensor<?xf32>, %y: tensor<index>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{expected sizes and indices that are in bounds}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%all = %x) -> (tensor<?xf32>) {
    %1 = tensor.pad %all low[%c0] high[%c1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
