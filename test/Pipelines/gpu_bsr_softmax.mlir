// A row of stored blocks: what begins it is read once and kept. Two loops are
// over what is longer, the second of which stores what it reads again. Two warps
// share a row, unless blocks are odd.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-place-waits -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 --schedule=plain %s -o /dev/null %}

// 80 blocks of a row are read before one is used, by two warps, half of the columns each; they stay in registers, those
// that the row does not have are -inf. A loop of what is longer reads 16 at a time. The largest is found in bf16. Threads
// keep their parts of the sum up to the end.
// CHECK-LABEL: gpu.func @blocks64(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>, {{.*}}warps = 2, ctas_per_sm = 14, {{.*}}persistent = false, programmatic_launch = true
// CHECK-COUNT-5: wgtile.read {{.*}} in_bounds [false, true] aligned padding 0xFF80 : bf16 {{.*}} -> tensor<16x64xbf16, #wgtile.mma<warps = 2, column_warps = 2, run = 8>>
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for %{{.*}} = %c5 to %{{.*}} step %c1 iter_args({{.*}}) -> (f32, f32)
// CHECK:           wgtile.read {{.*}} in_bounds [false, true] aligned padding 0xFF80 : bf16 {{.*}} -> tensor<16x64xbf16,
// CHECK-NOT:       wgtile.read
// CHECK:           wgtile.tile_reduce maxnumf {{.*}} -> bf16
// CHECK:           wgtile.tile_reduce addf %{{.*}} partial
// CHECK-NOT:       wgtile.tile
// CHECK:         } {wgtile.block_loop}
// CHECK-COUNT-4: arith.maxnumf {{.*}} : tensor<16x64xbf16,
// CHECK-NEXT:    wgtile.tile_reduce maxnumf {{.*}} -> bf16
// CHECK-COUNT-5: wgtile.tile_reduce addf %{{.*}} partial
// CHECK-NOT:     wgtile.tile_reduce
// CHECK:         wgtile.tile_combine addf
// CHECK-NOT:     wgtile.tile
// CHECK-NOT:     wgtile.read
// CHECK-COUNT-5: wgtile.store
// CHECK-NOT:     wgtile.store
// CHECK:         scf.for %{{.*}} = %c5 to %{{.*}} step %c1 {
// CHECK:           wgtile.read
// CHECK-NOT:       wgtile.tile
// CHECK:           wgtile.store {{.*}} in_bounds [false, true]
// CHECK-NOT:       wgtile.store
// CHECK:         } {wgtile.block_loop}
// CHECK-NOT:     memref.alloc
func.func @blocks64(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// Narrow blocks: 64 of a row are a step, 32 of them a matrix, of which each of two warps has 16.
// CHECK-LABEL: gpu.func @blocks16(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-COUNT-10: wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<32x16xbf16, #wgtile.mma<warps = 2, run = 4>>
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for %{{.*}} = %c10 to %{{.*}} step %c2 iter_args
// CHECK-COUNT-2:   wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<32x16xbf16,
// CHECK-NOT:       wgtile.read
// CHECK:         } {wgtile.block_loop}
// CHECK-COUNT-10: wgtile.store
// CHECK:         scf.for %{{.*}} step %c2 {
// CHECK-COUNT-2:   wgtile.read
// CHECK-COUNT-2:   wgtile.store
// CHECK-NOT:       wgtile.store
// CHECK:         } {wgtile.block_loop}
func.func @blocks16(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
    %out: tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>)
      outs(%out : tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}

// A block whose columns are no whole fragments: -inf beyond them, which is not stored.
// CHECK-LABEL: gpu.func @blocks15(
// CHECK:         wgtile.read {{.*}} in_bounds [false, false] {{.*}}padding 0xFC00 : f16 {{.*}} -> tensor<16x16xf16,
// CHECK-NOT:     memref.alloc
// CHECK:         wgtile.store {{.*}} in_bounds [false, false]
func.func @blocks15(%crow: tensor<?x?xi64>, %col: tensor<?x?xi64>, %values: tensor<?x?x15x15xf16>,
    %out: tensor<?x?x15x15xf16>) -> tensor<?x?x15x15xf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?x15x15xf16>)
      outs(%out : tensor<?x?x15x15xf16>) -> tensor<?x?x15x15xf16>
  return %0 : tensor<?x?x15x15xf16>
}

// Wide blocks in parts, the last of which is clipped. The first half of a block stays in registers.
// CHECK-LABEL: gpu.func @blocks200(
// CHECK-COUNT-2: wgtile.read {{.*}} in_bounds [false, true] {{.*}} -> tensor<16x56xf32,
// CHECK-NOT:     wgtile.read
// CHECK:         scf.for
// CHECK:           wgtile.read {{.*}} in_bounds [false, false] {{.*}} -> tensor<16x56xf32,
// CHECK:         } {wgtile.block_loop}
func.func @blocks200(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x200xf32>,
    %out: tensor<?x64x200xf32>) -> tensor<?x64x200xf32> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x200xf32>)
      outs(%out : tensor<?x64x200xf32>) -> tensor<?x64x200xf32>
  return %0 : tensor<?x64x200xf32>
}

// CHECK-LABEL: gpu.func @blocks1(
// CHECK:         wgtile.read {{.*}} in_bounds [false, false] {{.*}} -> tensor<16x8xbf16,
func.func @blocks1(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x1x1xbf16>,
    %out: tensor<?x1x1xbf16>) -> tensor<?x1x1xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x1x1xbf16>)
      outs(%out : tensor<?x1x1xbf16>) -> tensor<?x1x1xbf16>
  return %0 : tensor<?x1x1xbf16>
}
