// RUN: sparse-translate --to=ptx --chip=sm_80 %s | FileCheck %s
// RUN: sparse-translate --to=ptx --chip=sm_90a %s | FileCheck %s --check-prefix=HOPPER
// RUN: sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o %t.sm_80.cubin
// RUN: sparse-translate --to=cubin --refuse-spills --chip=sm_86 %s -o %t.sm_86.cubin
// RUN: sparse-translate --to=cubin --refuse-spills --chip=sm_90a %s -o %t.sm_90a.cubin
// REQUIRES: ptxas

// Products by mma.sync, loads by all threads some turns ahead: every chip before
// Hopper, and there what wgmma cannot multiply. TMA loads tiles
// into a ring. What is left of a depth by 16 is a product of 8. A cubin says that
// nothing spills.

// HOPPER-LABEL: .entry blocks_of_8(
// HOPPER: .minnctapersm 4
// HOPPER: cp.async.bulk.tensor.3d.shared
// HOPPER-NOT: m16n8k16
// CHECK: .entry blocks_of_8(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK-NOT: m16n8k16
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
func.func @blocks_of_8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x8x8xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [8, 128, 8]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// HOPPER-LABEL: .entry blocks_of_16(
// HOPPER: cp.async.bulk.tensor.2d.shared
// HOPPER: ldmatrix
// HOPPER: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// HOPPER: mbarrier.arrive
// HOPPER-LABEL: .entry blocks_of_16_generic(
// HOPPER-NOT: cp.async.bulk.tensor
// HOPPER: .entry blocks_of_32(
// CHECK: .entry blocks_of_16(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @blocks_of_16(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x16x16xf16>,
    %b: tensor<?x?xf16>, %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>)
      {meta = #sattn.meta<tile = [16, 128, 16]>} -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK: .entry blocks_of_32(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @blocks_of_32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x32x32xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x32x32xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [32, 128, 32]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: .entry blocks_of_24x40(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
func.func @blocks_of_24x40(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x24x40xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x24x40xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [24, 128, 40]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: .entry blocks_of_16x128(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @blocks_of_16x128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x16x128xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [16, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: .entry tf32(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @tf32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xf32>,
    %b: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 32]>, precision = "tf32"} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK: .entry blocks_of_64(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @blocks_of_64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: .entry blocks_of_128(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @blocks_of_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// More batch dimensions than a tensor map has.
func.func @four_batches(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %b: tensor<2x2x2x2x?x?xbf16>, %out: tensor<2x2x2x2x?x?xbf16>) -> tensor<2x2x2x2x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<2x2x2x2x?x?xbf16>)
      outs(%out : tensor<2x2x2x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<2x2x2x2x?x?xbf16>
  return %0 : tensor<2x2x2x2x?x?xbf16>
}

// Three stages fit sm_86's shared memory but for the work-tile pipeline, which needs
// its part.
// CHECK: .entry blocks_of_72(
func.func @blocks_of_72(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x72x72xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x72x72xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [72, 128, 72]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// One matrix of 8 x 8 a load: eight columns of a depth of eight, and what is left
// of 40 by 16.
// CHECK: .entry columns_of_8(
// CHECK: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
func.func @columns_of_8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 8, 8]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: .entry rest_of_40(
// CHECK: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
func.func @rest_of_40(%alpha: f32, %beta: f32, %crow: tensor<?x?xi64>,
    %col: tensor<?x?xi64>, %values: tensor<?x?x40x40xf16>,
    %b: tensor<?x?x136xf16>, %out: tensor<?x?x136xf16>) -> tensor<?x?x136xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x?xi64>, tensor<?x?xi64>,
          tensor<?x?x40x40xf16>, tensor<?x?x136xf16>)
      outs(%out : tensor<?x?x136xf16>)
      {meta = #sattn.meta<tile = [120, 8, 40]>} -> tensor<?x?x136xf16>
  return %0 : tensor<?x?x136xf16>
}
