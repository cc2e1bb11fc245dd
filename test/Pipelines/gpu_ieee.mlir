// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx %s -o - | FileCheck %s
// RUN: sparse-translate --to=ptx --schedule=plain %s -o - | FileCheck %s
// RUN: sparse-translate --to=ptx --chip=sm_80 %s -o - | FileCheck %s

// f32 without precision "tf32": no MMA, which would round its operands.

// CHECK-NOT: mma
// CHECK-LABEL: .entry product(
// CHECK-NOT: mma
// CHECK:     ld.shared.v4.{{[bf]}}32
// CHECK-NOT: mma
// CHECK:     fma.rn.f32
// CHECK-NOT: mma
func.func @product(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xf32>,
                   %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry sampled(
// CHECK-NOT: mma
// CHECK:     fma.rn.f32
// CHECK-NOT: mma
func.func @sampled(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %mat1: tensor<?x?xf32>,
                   %mat2: tensor<?x?xf32>, %out: tensor<?x16x24xf32>)
    -> tensor<?x16x24xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x16x24xf32>) {transpose_mat2} -> tensor<?x16x24xf32>
  return %0 : tensor<?x16x24xf32>
}
