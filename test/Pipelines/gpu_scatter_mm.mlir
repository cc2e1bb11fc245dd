// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS %}
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES

// Sums of products of listed pairs on GPUs, with the computed tiles. The
// producer alone finds the places of a pair's matrices. With blocks of 64 two
// entries share a tile: what they read of the others has one place in a stage,
// the blocks have one each.

// ROLES-LABEL: gpu.func @compressed_64(
// ROLES:         wgtile.ring {{.*}} : !wgtile.ring<{{.*}}[!wgtile.shared<64x256xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>], instances = [1, 2]>
// ROLES:         wgtile.roles producer
// ROLES:           scf.for
// ROLES:             arith.divui %{{.*}} : i32
// ROLES:             wgtile.tma_load %{{.*}} 0,
// ROLES-NOT:         wgtile.tma_load %{{.*}} 0
// ROLES:             wgtile.tma_load %{{.*}} 1,
// ROLES:             wgtile.tma_load %{{.*}} 1 instance 1,
// ROLES:         consumer

// CHECK-LABEL: .entry compressed_64(
// CHECK: cp.async.bulk.tensor.4d
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}compressed_64_merge: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}compressed_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @compressed_64(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xbf16>,
                         %others: tensor<?x?x64x256xbf16>, %r: tensor<?xi32>, %out: tensor<?x?x64x256xbf16>)
    -> tensor<?x?x64x256xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?x64x256xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x256xbf16>) -> tensor<?x?x64x256xbf16>
  return %0 : tensor<?x?x64x256xbf16>
}

// CHECK-LABEL: .entry strided_128(
// CHECK: cp.async.bulk.tensor.5d
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTXAS-DAG: {{^}}strided_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @strided_128(%offsets: tensor<?xi64>, %q: tensor<?xi64>, %blocks: tensor<?x128x128xf16>,
                       %others: tensor<?x?x?x128x128xf16>, %p: tensor<?xi64>, %r: tensor<?xi64>,
                       %out: tensor<?x?x?x128x128xf16>)
    -> tensor<?x?x?x128x128xf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi64>, tensor<?xi64>, tensor<?x128x128xf16>, tensor<?x?x?x128x128xf16>)
      p(%p : tensor<?xi64>) r(%r : tensor<?xi64>)
      outs(%out : tensor<?x?x?x128x128xf16>) -> tensor<?x?x?x128x128xf16>
  return %0 : tensor<?x?x?x128x128xf16>
}

// CHECK-LABEL: .entry matrices_64(
// CHECK: cp.async.bulk.tensor.3d
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}matrices_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @matrices_64(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xbf16>,
                       %others: tensor<?x64x64xbf16>, %p: tensor<?xi32>, %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>) p(%p : tensor<?xi32>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// What is overwritten is not read.
// CHECK-LABEL: .entry overwritten(
// CHECK-NOT: ld.global.v{{2|4}}
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK-NOT: ld.global.v{{2|4}}
// CHECK: .entry
// PTXAS-DAG: {{^}}overwritten: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @overwritten(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xbf16>,
                       %others: tensor<?x?x64x256xbf16>, %r: tensor<?xi32>, %out: tensor<?x?x64x256xbf16>)
    -> tensor<?x?x64x256xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?x64x256xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x256xbf16>) {overwrite} -> tensor<?x?x64x256xbf16>
  return %0 : tensor<?x?x64x256xbf16>
}

// Any columns, pairs of numbers, lists of both widths; four entries of blocks of
// 16 by mma.sync.
func.func @shared_64(%offsets: tensor<?xi64>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xf16>,
                     %others: tensor<?x64x?xf16>, %p: tensor<?xi64>, %out: tensor<?x64x?xf32>)
    -> tensor<?x64x?xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi64>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<?x64x?xf16>) p(%p : tensor<?xi64>)
      outs(%out : tensor<?x64x?xf32>) -> tensor<?x64x?xf32>
  return %0 : tensor<?x64x?xf32>
}

func.func @shared_16(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x16x16xbf16>,
                     %others: tensor<?x?x16x128xbf16>, %p: tensor<?xi32>, %r: tensor<?xi32>, %out: tensor<?x?x16x128xbf16>)
    -> tensor<?x?x16x128xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x?x16x128xbf16>) p(%p : tensor<?xi32>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x16x128xbf16>) {meta = #sattn.meta<tile = [64, 128, 16]>} -> tensor<?x?x16x128xbf16>
  return %0 : tensor<?x?x16x128xbf16>
}

func.func @any_columns_32(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x32x32xbf16>,
                          %others: tensor<?x?x32x?xbf16>, %r: tensor<?xi32>, %out: tensor<?x?x32x?xbf16>)
    -> tensor<?x?x32x?xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x32x32xbf16>, tensor<?x?x32x?xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x32x?xbf16>) -> tensor<?x?x32x?xbf16>
  return %0 : tensor<?x?x32x?xbf16>
}

func.func @blocks_16(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x16x16xbf16>,
                     %others: tensor<?x?x16x128xbf16>, %r: tensor<?xi32>, %out: tensor<?x?x16x128xbf16>)
    -> tensor<?x?x16x128xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x?x16x128xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x16x128xbf16>) -> tensor<?x?x16x128xbf16>
  return %0 : tensor<?x?x16x128xbf16>
}

// Sizes that no MMA has are padded; N is no multiple of 8.
func.func @blocks_15x30(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x15x30xbf16>,
                        %others: tensor<?x?x30x15xbf16>, %r: tensor<?xi32>, %out: tensor<?x?x15x15xbf16>)
    -> tensor<?x?x15x15xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x15x30xbf16>, tensor<?x?x30x15xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x15x15xbf16>) -> tensor<?x?x15x15xbf16>
  return %0 : tensor<?x?x15x15xbf16>
}

func.func @blocks_1(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x1x1xf16>,
                    %others: tensor<?x1x?xf16>, %p: tensor<?xi32>, %out: tensor<?x1x?xf32>)
    -> tensor<?x1x?xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x1x1xf16>, tensor<?x1x?xf16>) p(%p : tensor<?xi32>)
      outs(%out : tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
  return %0 : tensor<?x1x?xf32>
}

func.func @tf32(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xf32>,
                %others: tensor<?x?x64x128xf32>, %r: tensor<?xi32>, %out: tensor<?x?x64x128xf32>)
    -> tensor<?x?x64x128xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x?x64x128xf32>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x128xf32>) {precision = "tf32"} -> tensor<?x?x64x128xf32>
  return %0 : tensor<?x?x64x128xf32>
}
