// An op that no pass knows goes the whole way: two products in a chain, the
// second one's left operand in registers, two results, one kernel.
// RUN: sattn-test-opt %s --sattn-to-ptx=schedule=plain --mlir-disable-threading --mlir-print-ir-after=convert-vector-to-wgtile -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=ptx %s -o %t.ptx && %check_ptx %t.ptx %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --chip=sm_80 --schedule=plain %s -o /dev/null %}
// RUN: sattn-test-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-place-waits -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: sattn-test-opt %s --sattn-to-nvvm=chip=sm_80 --mlir-disable-threading --mlir-print-ir-after=wgtile-place-waits -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: sattn-test-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.mlir
// RUN: sattn-test-opt %t.mlir --test-wgtile-drop-sync -o /dev/null > %t.txt 2>&1
// RUN: FileCheck %s --check-prefix=DROP --input-file=%t.txt --implicit-check-not="error:"
// RUN: grep "no error" %t.txt | not grep -v "consumer_release with it twice"
// RUN: sattn-test-opt %s --sattn-to-nvvm=chip=sm_80 --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.sm80.mlir
// RUN: sattn-test-opt %t.sm80.mlir --test-wgtile-drop-sync -o /dev/null > %t.sm80.txt 2>&1
// RUN: not grep "no error" %t.sm80.txt
// RUN: sattn-test-opt %s --sattn-to-nvvm=schedule=plain --mlir-disable-threading --mlir-print-ir-module-scope --mlir-print-ir-after=wgtile-verify-sync -o /dev/null 2> %t.plain.mlir
// RUN: sattn-test-opt %t.plain.mlir --test-wgtile-drop-sync -o /dev/null > %t.plain.txt 2>&1
// RUN: not grep "no error" %t.plain.txt
// RUN: sattn-test-translate --to=manifest %s | FileCheck %s --check-prefix=MANIFEST

// CHECK: gpu.func @two_products
// CHECK: wgtile.for_each_tile
// CHECK: %[[D:.+]] = wgtile.load
// CHECK: %[[OLD:.+]] = wgtile.read {{.+}} -> tensor<64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[M:.+]] = %[[OLD]])
// CHECK:   %[[A:.+]] = wgtile.load
// CHECK:   %[[B:.+]] = wgtile.load
// CHECK:   %[[S:.+]] = wgtile.mma %[[A]], %[[B]], %{{.+}} -> tensor<64x128xf32>
// CHECK:   %[[T:.+]] = arith.truncf %[[S]]
// CHECK:   %[[P:.+]] = wgtile.mma %[[T]], %[[D]], %[[ACC]] : tensor<64x128xbf16>
// CHECK:   %[[WIDE:.+]] = arith.extf %[[T]]
// CHECK:   %[[MAX:.+]] = wgtile.row_reduce maximumf %[[WIDE]]
// CHECK:   arith.maximumf %[[M]], %[[MAX]] : tensor<64xf32>
// CHECK: } {wgtile.block_loop}
// CHECK-DAG: wgtile.store {{.+}} : tensor<64xf32>
// CHECK-DAG: wgtile.store {{.+}} : tensor<64x128xbf16>

// The next block's first product is issued before this block's second one and
// waited for while that runs; the second one's left operand keeps its registers to
// the end of the turn.
// OVERLAP-LABEL: gpu.func @two_products(
// OVERLAP: scf.if
// OVERLAP:   %[[S0:.+]] = wgtile.mma {{.+}} async
// OVERLAP:   %[[W0:.+]] = wgtile.warpgroup_mma_wait %[[S0]] pending 0
// OVERLAP:   %[[T0:.+]] = arith.truncf %[[W0]]
// OVERLAP:   %[[LOOP:.+]]:3 = scf.for {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[T:.+]] = %[[T0]])
// OVERLAP:     %[[S:.+]] = wgtile.mma {{.+}} async
// OVERLAP:     %[[P:.+]] = wgtile.mma %[[T]], %{{.+}}, %[[ACC]] async
// OVERLAP:     %[[W:.+]] = wgtile.warpgroup_mma_wait %[[S]] pending 1
// OVERLAP:     arith.truncf %[[W]]
// OVERLAP:     wgtile.row_reduce
// OVERLAP:     wgtile.warpgroup_mma_wait %[[T]] pending 0
// OVERLAP-NEXT: scf.yield
// OVERLAP:   %[[LAST:.+]] = wgtile.mma %[[LOOP]]#2, %{{.+}}, %[[LOOP]]#0 async
// OVERLAP:   wgtile.warpgroup_mma_wait %[[LOOP]]#2 pending 0
// OVERLAP:   scf.yield %[[LAST]], %[[LOOP]]#1
// OVERLAP: wgtile.warpgroup_mma_wait {{.+}} pending 0
// OVERLAP: wgtile.store

// mma.sync has nothing to overlap.
// SM80-LABEL: gpu.func @two_products(
// SM80-NOT: scf.if
// SM80: scf.for
// SM80-NOT: async

// DROP-DAG: remark: wgtile.warpgroup_mma_wait without it: 'scf.yield' op expected a wait for the asynchronous product that reads the registers of a tile before the end

// MANIFEST: "two_products"
func.func @two_products(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>,
                        %d: tensor<128x128xbf16>, %o: tensor<?x128xbf16>,
                        %m: tensor<?xf32>)
    -> (tensor<?x128xbf16>, tensor<?xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}
