// Every wait, fence, barrier, acquire, copy, commit, take and release of the
// pipelines is needed, and once, and every place in shared memory is as it has to
// be: wgtile-verify-sync refuses each mutant. A second release or drain right after
// the first is no error: where that one left more stages than may be held, it
// gives back another, which no MMA reads any more.

// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.specialized.mlir
// RUN: grep -c read_shared %t.specialized.mlir
// RUN: sattn-test-opt %t.specialized.mlir --test-wgtile-drop-sync -o /dev/null > %t.specialized.txt 2>&1
// RUN: FileCheck %s --input-file=%t.specialized.txt --implicit-check-not="error:"
// RUN: grep "no error" %t.specialized.txt | not grep -v -E "ring_(release|drain) with it twice"

// RUN: sparse-opt %s --sattn-to-nvvm='chip=sm_80' --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.pipelined.mlir
// RUN: sattn-test-opt %t.pipelined.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80 --implicit-check-not="no error" --implicit-check-not="error:"

// RUN: sparse-opt %s --sattn-to-nvvm='schedule=plain' --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.plain.mlir
// RUN: sattn-test-opt %t.plain.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not="no error" --implicit-check-not="error:"

// CHECK-DAG: remark: wgtile.ring_acquire without it: 'wgtile.ring_copy' op expected a stage to be acquired
// CHECK-DAG: remark: wgtile.ring_acquire with it twice: 'wgtile.ring_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: wgtile.ring_copy without it: 'wgtile.ring_tile' op expected a tile that the producer copies into the stage
// CHECK-DAG: remark: wgtile.ring_copy with it twice: 'wgtile.ring_copy' op expected at most one copy into each tile of a stage
// CHECK-DAG: remark: wgtile.ring_commit without it: 'wgtile.ring_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: wgtile.ring_commit with it twice: 'wgtile.ring_commit' op expected a stage to be acquired
// CHECK-DAG: remark: wgtile.ring_take without it: 'wgtile.ring_tile' op expected a stage to be held
// CHECK-DAG: remark: wgtile.ring_take without it: 'scf.while' op expected a loop whose first value runs through the range of the producer's loop
// CHECK-DAG: remark: wgtile.ring_take with it twice: 'wgtile.ring_take' op expected a release
// CHECK-DAG: remark: wgtile.wait_mma without it: 'wgtile.ring_release' op expected a wait for the product
// CHECK-DAG: remark: wgtile.ring_release without it: 'wgtile.ring_take' op expected a release
// CHECK-DAG: remark: wgtile.ring_drain without it: 'wgtile.ring_take' op expected a release
// CHECK-DAG: remark: wgtile.fence_async without it: 'wgtile.ring_release' op expected a fence between the threads' reads
// CHECK-DAG: remark: wgtile.warp_barrier without it: 'wgtile.ring_release' op expected the warp's threads to meet
// CHECK-DAG: remark: wgtile.queue_acquire without it: 'wgtile.queue_write' op expected a stage to be acquired
// CHECK-DAG: remark: wgtile.queue_write without it: 'wgtile.for_each_tile' op expected a turn of a producer
// CHECK-DAG: remark: wgtile.queue_commit without it: 'wgtile.ring_acquire' op expected the stage of another ring
// CHECK-DAG: remark: wgtile.queue_take without it: 'wgtile.queue_read' op expected a stage to be held
// CHECK-DAG: remark: wgtile.queue_release without it: 'wgtile.queue_take' op expected a release
// CHECK-DAG: remark: wgtile.fence_async without it: 'wgtile.store_async' op expected a fence
// CHECK-DAG: remark: wgtile.group_barrier without it: 'wgtile.store_async' op expected a barrier
// CHECK-DAG: remark: wgtile.wait_store without it: 'wgtile.store_shared' op expected a wait for the store
// CHECK-DAG: remark: wgtile.staging with its place on another: 'wgtile.ring' op expected a place of its own
// CHECK-DAG: remark: wgtile.for_each_tile with its place on another: 'wgtile.for_each_tile' op expected the queue at

// SM80-DAG: remark: wgtile.fill without it: 'wgtile.commit_fills' op expected copies into all tiles of a stage, or none
// SM80-DAG: remark: wgtile.fill without it: 'wgtile.stage' op expected copies into the stage that is read
// SM80-DAG: remark: wgtile.fill with it twice: 'wgtile.fill' op expected at most one copy into each tile of a stage
// SM80-DAG: remark: wgtile.commit_fills without it: 'wgtile.stage' op expected a wait for the copies
// SM80-DAG: remark: wgtile.commit_fills with it twice: 'wgtile.fill' op expected a barrier
// SM80-DAG: remark: wgtile.wait_fills without it: 'wgtile.stage' op expected a wait for the copies
// SM80-DAG: remark: wgtile.wait_fills without it: 'wgtile.stages' op expected a wait for all copies
// SM80-DAG: remark: wgtile.stages with its place on another: 'wgtile.stages' op expected a place for

// PLAIN-DAG: remark: wgtile.fence_async without it: 'wgtile.load' op expected a fence between the threads' reads of the tile and this asynchronous write
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
