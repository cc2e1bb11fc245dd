// RUN: sparse-opt %s --sattn-emit-manifests=target=cpu | FileCheck %s

// The function's names win; "" and what has none is named by what it is.
// CHECK: sattn.manifest = "
// CHECK-SAME: \22name\22:\22left_alpha\22,\22rank\22:1}
// CHECK-SAME: \22name\22:\22arg1\22,\22rank\22:1}
// CHECK-SAME: \22name\22:\22arg2\22,\22rank\22:1}
// CHECK-SAME: argument 'left_alpha': expected dimension 0 to be 4
func.func @f(%x: memref<4xf32>, %y: memref<?xf32>, %z: memref<?xf32>)
    attributes {sattn.names = ["left_alpha", ""]} {
  return
}
