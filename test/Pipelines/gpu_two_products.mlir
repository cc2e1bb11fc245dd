// An op that no pass knows goes the whole way: two products in a chain, the
// second one's left operand in registers, two results, one kernel.
// RUN: sattn-test-opt %s --sattn-to-ptx=schedule=plain --mlir-disable-threading --mlir-print-ir-after=convert-sattn-to-wgtile -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --verify-each --chip=sm_80 --schedule=plain %s -o /dev/null %}
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
