// One loop over block rows, in it the program of one.
// RUN: sattn-test-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @tile
// CHECK-SAME: %[[CROW:.+]]: tensor<?xi32>, %[[COL:.+]]: tensor<?xi32>, %[[VALUES:.+]]: tensor<?x64x64xbf16>, %[[B:.+]]: tensor<?x128xbf16>, %[[D:.+]]: tensor<128x128xbf16>, %[[O:.+]]: tensor<?x128xbf16>, %[[M:.+]]: tensor<?xf32>)
// CHECK: scf.forall (%[[I:.+]]) in (%{{.+}}) shared_outs(%[[OUT:.+]] = %[[O]], %[[MAX:.+]] = %[[M]])
// CHECK:   tensor.extract_slice %[[CROW]][%[[I]]] [2] [1]
// CHECK:   %[[LOOP:.+]]:2 = scf.for %[[P:.+]] = %{{.+}} to %{{.+}} step %c1 iter_args(%[[ACC:.+]] = %{{.+}}, %[[MROW:.+]] = %{{.+}})
// CHECK-DAG: tensor.extract %[[COL]][%[[P]]]
// CHECK-DAG: %[[BLOCK:.+]] = tensor.extract_slice %[[VALUES]][%[[P]], 0, 0] [1, 64, 64]
// CHECK-DAG: %[[ROWS:.+]] = tensor.extract_slice %[[B]][%{{.+}}, 0] [64, 128]
// CHECK:     %[[WIDE:.+]] = linalg.matmul ins(%[[BLOCK]], %[[ROWS]]
// CHECK:     %[[T:.+]] = linalg.generic {{.+}} ins(%[[WIDE]]
// CHECK:       arith.truncf
// CHECK:     %[[SUM:.+]] = linalg.matmul ins(%[[T]], %[[D]] {{.+}} outs(%[[ACC]]
// CHECK:     %[[NEW:.+]] = linalg.generic {{.+}} ins(%[[T]] {{.+}} outs(%[[MROW]]
// CHECK:       arith.maximumf
// CHECK:     scf.yield %[[SUM]], %[[NEW]]
// CHECK:   } {sattn.block_loop}
// CHECK:   linalg.generic
// CHECK:     arith.addf
// CHECK:   tensor.parallel_insert_slice {{.+}} into %[[OUT]]
// CHECK:   tensor.parallel_insert_slice %[[LOOP]]#1 into %[[MAX]]
func.func @tile(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}
