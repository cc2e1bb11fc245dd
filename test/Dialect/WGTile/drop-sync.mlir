// Every wait, fence, barrier, acquire, copy, commit, take and release of the
// pipelines is needed, and once, and every place in shared memory is as it has to
// be: wgtile-verify-sync refuses each mutant.

// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.specialized.mlir
// RUN: grep -c read_shared %t.specialized.mlir
// RUN: sattn-test-opt %t.specialized.mlir --test-wgtile-drop-sync -o /dev/null > %t.specialized.txt 2>&1
// RUN: FileCheck %s --input-file=%t.specialized.txt --implicit-check-not="error:" --implicit-check-not="no error"

// RUN: sparse-opt %s --sattn-to-nvvm='chip=sm_80' --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.pipelined.mlir
// RUN: sattn-test-opt %t.pipelined.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80 --implicit-check-not="no error" --implicit-check-not="error:"

// RUN: sparse-opt %s --sattn-to-nvvm='schedule=plain' --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.plain.mlir
// RUN: sattn-test-opt %t.plain.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not="no error" --implicit-check-not="error:"

// CHECK-DAG: remark: wgtile.producer_acquire without it: 'wgtile.tma_load' op expected the token of an acquired stage
// CHECK-DAG: remark: wgtile.producer_acquire with it twice: 'wgtile.producer_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: wgtile.tma_load without it: 'wgtile.ring_tile' op expected a tile that the producer copies into the stage
// CHECK-DAG: remark: wgtile.tma_load with it twice: 'wgtile.tma_load' op expected at most one copy into each tile of a stage
// CHECK-DAG: remark: wgtile.producer_commit without it: 'scf.yield' op expected the stage of a token to be committed
// CHECK-DAG: remark: wgtile.producer_commit with it twice: 'wgtile.producer_commit' op expected a stage to be acquired
// CHECK-DAG: remark: wgtile.consumer_wait without it: 'wgtile.ring_tile' op expected the token of a held stage, but got that of wgtile.no_stage
// CHECK-DAG: remark: wgtile.consumer_wait without it: 'scf.while' op expected a loop whose first value runs through the range of the producer's loop
// CHECK-DAG: remark: wgtile.consumer_wait with it twice: 'scf.yield' op expected the stage of a token to be given back
// CHECK-DAG: remark: wgtile.warpgroup_mma_wait without it: 'wgtile.consumer_release' op expected a wait for the product
// CHECK-DAG: remark: wgtile.consumer_release without it: 'scf.yield' op expected the stage of a token to be given back
// CHECK-DAG: remark: wgtile.consumer_release with it twice: 'wgtile.consumer_release' op expected a stage that is held, but it was given back before
// CHECK-DAG: remark: wgtile.consumer_drain with it twice: 'wgtile.consumer_drain' op expected a stage that is held
// CHECK-DAG: remark: wgtile.consumer_drain without it: 'wgtile.consumer_wait' op expected a release
// CHECK-DAG: remark: wgtile.fence_proxy_async without it: 'wgtile.consumer_release' op expected a fence between the threads' reads
// CHECK-DAG: remark: wgtile.warp_barrier without it: 'wgtile.consumer_release' op expected the warp's threads to meet
// CHECK-DAG: remark: wgtile.producer_acquire without it: 'wgtile.ring_store' op expected the token of an acquired stage
// CHECK-DAG: remark: wgtile.ring_store without it: 'wgtile.for_each_tile' op expected the producer's next tile
// CHECK-DAG: remark: wgtile.ring_store with it twice: 'wgtile.ring_store' op expected at most one copy into each tile of a stage
// CHECK-DAG: remark: wgtile.producer_commit without it: 'wgtile.end' op expected the stage of a token to be committed
// CHECK-DAG: remark: wgtile.consumer_wait without it: 'wgtile.ring_load' op expected the token of a held stage
// CHECK-DAG: remark: wgtile.consumer_release without it: 'wgtile.end' op expected the stage of a token to be given back
// CHECK-DAG: remark: wgtile.fence_proxy_async without it: 'wgtile.tma_store' op expected a fence
// CHECK-DAG: remark: wgtile.named_barrier without it: 'wgtile.tma_store' op expected a barrier
// CHECK-DAG: remark: wgtile.producer_acquire without it: 'wgtile.ring_store' op expected the token of an acquired stage, but got that of wgtile.no_stage
// CHECK-DAG: remark: wgtile.producer_commit without it: 'wgtile.producer_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: wgtile.producer_tail without it: 'gpu.return' op expected a wait for the store that uses shared memory
// CHECK-DAG: remark: wgtile.ring with its place on another: 'wgtile.ring' op expected a place of its own

// SM80-DAG: remark: wgtile.producer_acquire without it: 'wgtile.async_copy' op expected the token of an acquired stage
// SM80-DAG: remark: wgtile.producer_acquire with it twice: 'wgtile.producer_acquire' op expected the stage that was acquired to be committed
// SM80-DAG: remark: wgtile.async_copy without it: 'wgtile.producer_commit' op expected copies into all tiles of a stage, or none
// SM80-DAG: remark: wgtile.async_copy with it twice: 'wgtile.async_copy' op expected at most one copy into each tile of a stage
// SM80-DAG: remark: wgtile.producer_commit without it: 'wgtile.producer_acquire' op expected the stage that was acquired to be committed
// SM80-DAG: remark: wgtile.producer_commit with it twice: 'wgtile.producer_commit' op expected a stage to be acquired
// SM80-DAG: remark: wgtile.consumer_wait without it: 'wgtile.ring_tile' op expected the token of a held stage
// SM80-DAG: remark: wgtile.consumer_release without it: 'scf.yield' op expected the stage of a token to be given back
// SM80-DAG: remark: wgtile.consumer_release with it twice: 'wgtile.consumer_release' op expected a stage that is held, but it was given back before
// SM80-DAG: remark: wgtile.producer_tail without it: 'wgtile.ring' op expected a wait for all copies
// SM80-DAG: remark: wgtile.ring_store without it: 'wgtile.consumer_wait' op expected copies into the stage
// SM80-DAG: remark: wgtile.ring with its place on another: 'wgtile.ring' op expected a place for

// PLAIN-DAG: remark: wgtile.fence_proxy_async without it: 'wgtile.load' op expected a fence between the threads' reads of the tile and this asynchronous write
// PLAIN-DAG: remark: wgtile.load with its place on another: 'wgtile.load' op expected a place of its own

func.func @bs64(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>, %beta: f32) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @bs128(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Two groups of consumers, which pass over iterations without an MMA.
func.func @groups(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// MMAs by mma.sync, under a condition, in four groups.
func.func @small(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [64, 128, 16]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
