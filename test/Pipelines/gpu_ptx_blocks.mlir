// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// Every size of block that wgmma can take: a consumer warpgroup for 64 rows and a
// producer. (With refuse-spills sattn-to-cubin refuses both itself.)

// CHECK-LABEL: .entry blocks_64x64(
// CHECK: .reqntid 256, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_64x64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_64x64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
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

// Two steps of 64 to a block, and one of 128.
// CHECK-LABEL: .entry blocks_64x128(
// CHECK: .reqntid 256, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_64x128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_64x128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x128xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_64x128_whole(
// CHECK: .reqntid 256, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_64x128_whole: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_64x128_whole(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                               %col: tensor<?xi32>,
                               %values: tensor<?x64x128xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 128]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_128x64(
// CHECK: .reqntid 384, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_128x64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_128x64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x128x64xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 64, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_128x128(
// CHECK: .reqntid 384, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_128x128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_128x128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_128x128_whole(
// CHECK: .reqntid 384, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_128x128_whole: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_128x128_whole(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                                %col: tensor<?xi32>,
                                %values: tensor<?x128x128xbf16>,
                                %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 64, 128]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_192x64(
// CHECK: .reqntid 512, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_192x64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_192x64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x192x64xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x192x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [192, 64, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry blocks_256x256(
// CHECK: .reqntid 640, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_256x256: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_256x256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x256x256xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x256x256xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 64, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// The tiles that sattn-inject-meta chooses.
// CHECK-LABEL: .entry default_64x64(
// CHECK: .reqntid 384, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}default_64x64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @default_64x64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry default_128x128(
// CHECK: .reqntid 384, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}default_128x128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @default_128x128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
