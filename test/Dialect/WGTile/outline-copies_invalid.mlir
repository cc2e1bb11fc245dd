// RUN: sparse-opt %s --wgtile-outline-copies --verify-diagnostics

func.func @host(%a: memref<f32>, %b: memref<f32>) {
  // expected-error @below {{expected memory of a known rank of at least 1}}
  memref.copy %a, %b : memref<f32> to memref<f32>
  return
}
