// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// Every number of tile columns that wgmma can take, for both element types.

// CHECK-LABEL: .entry f16_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// PTXAS-DAG: {{^}}f16_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                  %b: tensor<?x?xf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: .entry f16_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTXAS-DAG: {{^}}f16_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                   %b: tensor<?x?xf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: .entry f16_192(
// CHECK: wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16
// PTXAS-DAG: {{^}}f16_192: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_192(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                   %b: tensor<?x?xf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [64, 192, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: .entry f16_256(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// PTXAS-DAG: {{^}}f16_256: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                   %b: tensor<?x?xf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: .entry f16_128x256(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// PTXAS-DAG: {{^}}f16_128x256: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_128x256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x128x128xf16>,
                       %b: tensor<?x?xf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: .entry bf16_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}bf16_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry bf16_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}bf16_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry bf16_192(
// CHECK: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}bf16_192: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_192(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 192, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry bf16_256(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}bf16_256: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry bf16_128x256(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}bf16_128x256: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_128x256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// The result's element type is its own.
// CHECK-LABEL: .entry f16_to_f32(
// CHECK: st.global.b32
// PTXAS-DAG: {{^}}f16_to_f32: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f16_to_f32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                      %b: tensor<?x?xf16>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry bf16_to_f16(
// CHECK: st.global.b16
// PTXAS-DAG: {{^}}bf16_to_f16: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @bf16_to_f16(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// Indices of 64 bits.
// CHECK-LABEL: .entry i64(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}i64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @i64(%alpha: f32, %beta: f32, %crow: tensor<?xi64>,
               %col: tensor<?xi64>, %values: tensor<?x64x64xbf16>,
               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi64>, tensor<?xi64>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
