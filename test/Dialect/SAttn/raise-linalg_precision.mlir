// RUN: sparse-opt %s --sattn-raise-linalg=precision=tf32 | FileCheck %s
// RUN: not sparse-opt %s --sattn-raise-linalg=precision=half 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: expected 'precision' to be "ieee" or "tf32", but got "half"

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>

// CHECK-LABEL: func.func @f32(
// CHECK:         sattn.bsr_addmm {{.*}} {precision = "tf32"}
func.func @f32(%a: tensor<512x256xf32, #bsr>, %b: tensor<256x?xf32>, %c: tensor<512x?xf32>) -> tensor<512x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<512x256xf32, #bsr>, tensor<256x?xf32>) outs(%c : tensor<512x?xf32>) -> tensor<512x?xf32>
  return %0 : tensor<512x?xf32>
}

// CHECK-LABEL: func.func @f16(
// CHECK:         sattn.bsr_addmm
// CHECK-NOT:     tf32
func.func @f16(%a: tensor<512x256xf16, #bsr>, %b: tensor<256x?xf16>, %c: tensor<512x?xf32>) -> tensor<512x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<512x256xf16, #bsr>, tensor<256x?xf16>) outs(%c : tensor<512x?xf32>) -> tensor<512x?xf32>
  return %0 : tensor<512x?xf32>
}
