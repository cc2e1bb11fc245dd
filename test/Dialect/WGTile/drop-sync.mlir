// Every wait, fence, barrier, acquire, take and release that the pipeline placed
// is needed: wgtile-verify-sync refuses the kernel without it.

// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.specialized.mlir
// RUN: grep -c read_shared %t.specialized.mlir
// RUN: sattn-test-opt %t.specialized.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="no error" --implicit-check-not="error:"

// RUN: sparse-opt %s --sattn-to-nvvm='chip=sm_80' --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.pipelined.mlir
// RUN: sattn-test-opt %t.pipelined.mlir --test-wgtile-drop-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80 --implicit-check-not="no error" --implicit-check-not="error:"

// CHECK-DAG: remark: without it: 'wgtile.ring_copy' op expected a stage to be acquired
// CHECK-DAG: remark: without it: 'wgtile.ring_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: without it: 'wgtile.ring_tile' op expected a stage to be held
// CHECK-DAG: remark: without it: 'wgtile.ring_release' op expected a wait for the product
// CHECK-DAG: remark: without it: 'wgtile.ring_take' op expected a release
// CHECK-DAG: remark: without it: 'wgtile.queue_write' op expected a stage to be acquired
// CHECK-DAG: remark: without it: 'wgtile.queue_acquire' op expected the stage that was acquired to be committed
// CHECK-DAG: remark: without it: 'wgtile.queue_read' op expected a stage to be held
// CHECK-DAG: remark: without it: 'wgtile.queue_take' op expected a release
// CHECK-DAG: remark: without it: 'wgtile.store_async' op expected a fence
// CHECK-DAG: remark: without it: 'wgtile.store_async' op expected a barrier
// CHECK-DAG: remark: without it: 'wgtile.store_shared' op expected a wait for the store

// SM80-DAG: remark: without it: 'wgtile.stage' op expected a wait for the copies
// SM80-DAG: remark: without it: 'wgtile.stages' op expected a wait for all copies

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
