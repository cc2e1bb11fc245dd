// Programs of attention: warpgroups that take turns, a loop whose range is split, a
// chain of two MMAs. Each mutation of their synchronization is refused.

// RUN: %python %S/../python/attention_programs.py listcausal > %t.attention.mlir
// RUN: sparse-opt %t.attention.mlir --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.mlir
// RUN: sattn-test-opt %t.mlir --test-wgtile-drop-sync -o /dev/null > %t.txt 2>&1
// RUN: FileCheck %s --input-file=%t.txt --implicit-check-not="error:" --implicit-check-not="no error"
// RUN: sparse-opt %t.attention.mlir --sattn-to-nvvm=chip=sm_80 --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.sm80.mlir
// RUN: sattn-test-opt %t.sm80.mlir --test-wgtile-drop-sync -o /dev/null > %t.sm80.txt 2>&1
// RUN: not grep "no error" %t.sm80.txt
// RUN: sparse-opt %t.attention.mlir --sattn-to-nvvm=schedule=plain --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.plain.mlir
// RUN: sattn-test-opt %t.plain.mlir --test-wgtile-drop-sync -o /dev/null > %t.plain.txt 2>&1
// RUN: not grep "no error" %t.plain.txt

// CHECK-DAG: remark: wgtile.order_init without it: 'wgtile.order_wait' op expected an order of warpgroups
// CHECK-DAG: remark: wgtile.order_wait without it: 'wgtile.order_arrive' op expected an order of warpgroups
// CHECK-DAG: remark: wgtile.order_arrive without it: 'wgtile.order_wait' op expected an order of warpgroups
// CHECK-DAG: remark: wgtile.order_arrive with it twice: 'wgtile.order_arrive' op expected an order of warpgroups
// CHECK-DAG: remark: wgtile.consumer_wait without it
// CHECK-DAG: remark: wgtile.tma_load without it: 'wgtile.ring_tile' op expected a tile that the producer copies
