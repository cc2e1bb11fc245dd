// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-translate --to=manifest --entry=linear %s | FileCheck %s --check-prefix=MANIFEST
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills chip=sm_80 ptxas=%ptxas" -o /dev/null

// b and out in the other layout have a TMA version: a transposed b is K-major for
// wgmma, and results are transposed on their way to shared memory, 8 x 8 elements
// of 16 bits at a time and words of 32 bits one by one.
// MANIFEST: "version":"aligned"

// CHECK-LABEL: .entry linear(
// CHECK:         cp.async.bulk.tensor.2d.shared
// CHECK-DAG:     wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}}, 0, 0;
// CHECK-DAG:     stmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-DAG:     cp.async.bulk.tensor.2d.global.shared
// PTXAS-DAG:   {{^}}linear: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @linear(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                  %x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%y : tensor<?x?xbf16>)
      {transpose_b, transpose_out, meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry x_alone(
// CHECK-DAG:     wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{.*}}, 0, 0;
// PTXAS-DAG:   {{^}}x_alone: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @x_alone(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %x: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {transpose_b, meta = #sattn.meta<tile = [64, 16, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry y_alone(
// CHECK:         st.shared.b32 [%a+
// CHECK:         cp.async.bulk.tensor.2d.global.shared
// CHECK-NEXT:    add.s32 %c, {{.*}}, 32;
// CHECK-NEXT:    {{.*}}cp.async.bulk.tensor.2d.global.shared
// CHECK:         wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, 0, 1;
// PTXAS-DAG:   {{^}}y_alone: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @y_alone(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%y : tensor<?x?xf32>) {transpose_out, meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A block row that no warpgroup holds is stored by threads; what is added is read
// where it lies.
// CHECK-LABEL: .entry small(
// CHECK:         cp.async.bulk.tensor.2d.shared
// CHECK:         ld.global.b16
// CHECK:         st.global.b16
// PTXAS-DAG:   {{^}}small: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @small(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>,
                 %x: tensor<?x?xf16>, %y: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<?x?xf16>)
      outs(%y : tensor<?x?xf16>)
      {transpose_b, transpose_out, meta = #sattn.meta<tile = [16, 64, 16]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
