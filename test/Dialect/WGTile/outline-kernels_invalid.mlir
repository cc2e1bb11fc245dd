// RUN: sparse-opt %s --wgtile-outline-kernels --split-input-file \
// RUN:   --verify-diagnostics

func.func @results(%out: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{expected a loop on memrefs, but it has results}}
  %0 = scf.forall (%i) in (%n) shared_outs(%o = %out) -> (tensor<?xf32>) {
    scf.forall.in_parallel {
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<?xf32>
}

// -----

func.func @nested(%out: memref<?xf32>, %n: index, %x: f32, %c: i1) {
  scf.if %c {
    // expected-error @below {{expected a loop that is not nested in another op}}
    scf.forall (%i) in (%n) {
      memref.store %x, %out[%i] : memref<?xf32>
    } {mapping = [#gpu.block<linear_dim_0>]}
  }
  return
}

// -----

func.func @memory(%out: memref<?xf32>, %sizes: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{see this value}}
  %x = memref.load %sizes[%c0] : memref<?xf32>
  // expected-error @below {{expected values computed from the function's arguments only}}
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// -----

func.func @result(%out: memref<?xf32>, %n: index, %x: f32) -> index {
  %c0 = arith.constant 0 : index
  %size = memref.dim %out, %c0 : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  // expected-error @below {{expected results that are arguments of the function, but got a value computed on the host}}
  return %size : index
}
