// The gradient of a softmax: a row of two arrays, whose first steps are read once and kept. Two loops are over what is
// longer, the second of which stores what it reads again.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-place-waits -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 --schedule=plain %s -o /dev/null %}

// 32 blocks of both arrays are read before one is used, by two warps, half of the columns each; those that the row does
// not have are 0. A loop of what is longer reads 16 at a time. Threads keep their parts of the sum up to the end.
// CHECK-LABEL: gpu.func @blocks64(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>, {{.*}}warps = 2, ctas_per_sm = 12, {{.*}}persistent = false, programmatic_launch = true
// CHECK-COUNT-4: wgtile.read {{.*}} in_bounds [false, true] aligned : memref{{.*}} -> tensor<16x64xbf16, #wgtile.mma<warps = 2, column_warps = 2, run = 8>>
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for %{{.*}} = %c2 to %{{.*}} step %c1 iter_args({{.*}}) -> (f32)
// CHECK-COUNT-2:   wgtile.read {{.*}} in_bounds [false, true] aligned : memref{{.*}} -> tensor<16x64xbf16,
// CHECK-NOT:       wgtile.read
// CHECK:           arith.mulf {{.*}} : tensor<16x64xf32,
// CHECK-NEXT:      wgtile.tile_reduce addf %{{.*}} partial
// CHECK-NOT:       wgtile.tile
// CHECK:         } {wgtile.block_loop}
// CHECK-COUNT-2: wgtile.tile_reduce addf %{{.*}} partial
// CHECK-NOT:     wgtile.tile_reduce
// CHECK:         wgtile.tile_combine addf
// CHECK-NOT:     wgtile.tile
// CHECK-NOT:     wgtile.read
// CHECK-COUNT-2: wgtile.store
// CHECK-NOT:     wgtile.store
// CHECK:         scf.for %{{.*}} = %c2 to %{{.*}} step %c1 {
// CHECK-COUNT-2:   wgtile.read
// CHECK-NOT:       wgtile.tile
// CHECK:           wgtile.store {{.*}} in_bounds [false, true]
// CHECK-NOT:       wgtile.store
// CHECK:         } {wgtile.block_loop}
// CHECK-NOT:     memref.alloc
func.func @blocks64(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xbf16>, %grad_out: tensor<?x64x64xbf16>,
    %grad_in: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>)
      outs(%grad_in : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// Narrow blocks: 32 of a row are a step, of which each of two warps has 16.
// CHECK-LABEL: gpu.func @blocks16(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-COUNT-10: wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<32x16xbf16, #wgtile.mma<warps = 2, run = 4>>
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for %{{.*}} = %c5 to %{{.*}} step %c1 iter_args
// CHECK-COUNT-2:   wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<32x16xbf16,
// CHECK-NOT:       wgtile.read
// CHECK:         } {wgtile.block_loop}
// CHECK-COUNT-5: wgtile.store
// CHECK:         scf.for %{{.*}} step %c1 {
// CHECK-COUNT-2:   wgtile.read
// CHECK:           wgtile.store
// CHECK-NOT:       wgtile.store
// CHECK:         } {wgtile.block_loop}
func.func @blocks16(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x16x16xbf16>, %grad_out: tensor<?x16x16xbf16>,
    %grad_in: tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x16x16xbf16>)
      outs(%grad_in : tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}

// A block whose columns are no whole fragments: 0 beyond them, which is not stored. Two parts of a step are one sum.
// CHECK-LABEL: gpu.func @blocks15(
// CHECK-COUNT-4: wgtile.read {{.*}} in_bounds [false, false] aligned : memref{{.*}} -> tensor<16x16xf16,
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-COUNT-4:   wgtile.read
// CHECK:           math.fma
// CHECK:           wgtile.tile_reduce
// CHECK-NOT:       wgtile.tile
// CHECK:         } {wgtile.block_loop}
// CHECK:         wgtile.store {{.*}} in_bounds [false, false]
func.func @blocks15(%crow: tensor<?x?xi64>, %col: tensor<?x?xi64>, %output: tensor<?x?x15x15xf16>, %grad_out: tensor<?x?x15x15xf16>,
    %grad_in: tensor<?x?x15x15xf16>) -> tensor<?x?x15x15xf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?x15x15xf16>, tensor<?x?x15x15xf16>)
      outs(%grad_in : tensor<?x?x15x15xf16>) -> tensor<?x?x15x15xf16>
  return %0 : tensor<?x?x15x15xf16>
}

// Wide blocks in parts, the last of which is clipped. A quarter of a block stays in registers.
// CHECK-LABEL: gpu.func @blocks200(
// CHECK-COUNT-2: wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<16x56xf32,
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for
// CHECK-COUNT-2:   wgtile.read {{.*}} in_bounds [false, false] {{.*}} -> tensor<16x56xf32,
// CHECK:         } {wgtile.block_loop}
func.func @blocks200(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x200xf32>, %grad_out: tensor<?x64x200xf32>,
    %grad_in: tensor<?x64x200xf32>) -> tensor<?x64x200xf32> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x200xf32>, tensor<?x64x200xf32>)
      outs(%grad_in : tensor<?x64x200xf32>) -> tensor<?x64x200xf32>
  return %0 : tensor<?x64x200xf32>
}

// One step stays in registers, of twice the bytes.
// CHECK-LABEL: gpu.func @wide64(
// CHECK-COUNT-2: wgtile.read {{.*}} -> tensor<16x64xf32,
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for %{{.*}} = %c1 to
func.func @wide64(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xf32>, %grad_out: tensor<?x64x64xf32>,
    %grad_in: tensor<?x64x64xf32>) -> tensor<?x64x64xf32> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x64x64xf32>)
      outs(%grad_in : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  return %0 : tensor<?x64x64xf32>
}

// CHECK-LABEL: gpu.func @blocks1(
// CHECK:         wgtile.read {{.*}} in_bounds [false, false] {{.*}} -> tensor<16x8xbf16,
func.func @blocks1(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x1x1xbf16>, %grad_out: tensor<?x1x1xbf16>,
    %grad_in: tensor<?x1x1xbf16>) -> tensor<?x1x1xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x1x1xbf16>, tensor<?x1x1xbf16>)
      outs(%grad_in : tensor<?x1x1xbf16>) -> tensor<?x1x1xbf16>
  return %0 : tensor<?x1x1xbf16>
}

// Rows of f16 stay narrow in registers.
func.func @half64(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xf16>, %grad_out: tensor<?x64x64xf16>,
    %grad_in: tensor<?x64x64xf16>) -> tensor<?x64x64xf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<?x64x64xf16>)
      outs(%grad_in : tensor<?x64x64xf16>) -> tensor<?x64x64xf16>
  return %0 : tensor<?x64x64xf16>
}

func.func @half8(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x8xf16>, %grad_out: tensor<?x8x8xf16>,
    %grad_in: tensor<?x8x8xf16>) -> tensor<?x8x8xf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf16>, tensor<?x8x8xf16>)
      outs(%grad_in : tensor<?x8x8xf16>) -> tensor<?x8x8xf16>
  return %0 : tensor<?x8x8xf16>
}
