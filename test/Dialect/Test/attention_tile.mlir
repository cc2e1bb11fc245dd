// Loops over tiles of queries and over heads, in them the program of one tile.
// RUN: sattn-test-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[QUERIES:.+]] = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
// CHECK-DAG: #[[END:.+]] = affine_map<(d0)[s0, s1] -> (s0 ceildiv 32, (d0 + s1 + 64) ceildiv 32)>
// CHECK-DAG: #[[WHOLE:.+]] = affine_map<(d0)[s0, s1] -> (s0 floordiv 32, (d0 + s1) floordiv 32)>

// CHECK-LABEL: func.func @causal
// CHECK-SAME: %[[SCALE:.+]]: f32, %[[FIRST:.+]]: index, %[[Q:.+]]: tensor<?x?x16xbf16>, %[[K:.+]]: tensor<?x?x16xbf16>, %[[V:.+]]: tensor<?x?x24xbf16>, %[[O:.+]]: tensor<?x?x24xbf16>)
// CHECK: scf.forall (%[[I:.+]], %[[H:.+]]) = (0, 0) to (%{{.+}}, %{{.+}}) step (64, 1) shared_outs(%[[OUT:.+]] = %[[O]])
// CHECK:   %[[ROWS:.+]] = affine.min #[[QUERIES]](%[[I]])
// CHECK:   %[[QSLICE:.+]] = tensor.extract_slice %[[Q]][%[[H]], %[[I]], 0]
// CHECK:   %[[QTILE:.+]] = tensor.pad %[[QSLICE]]
// CHECK:   tensor<?x16xbf16> to tensor<64x16xbf16>
// CHECK:   %[[STOP:.+]] = affine.min #[[END]]
// CHECK:   %[[FULL:.+]] = affine.min #[[WHOLE]]
// CHECK:   %[[BOUND:.+]] = arith.subi %[[STOP]], %[[FULL]]
// CHECK:   %[[LOOP:.+]]:3 = scf.for %[[T:.+]] = %{{.+}} to %[[STOP]] step %{{.+}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[M:.+]] = %{{.+}}, %[[L:.+]] = %{{.+}})
// CHECK:     %[[KTILE:.+]] = tensor.pad
// CHECK:     %[[VTILE:.+]] = tensor.pad
// CHECK:     linalg.matmul indexing_maps = {{.+}} ins(%[[QTILE]], %[[KTILE]]
// CHECK:     %[[ISMASKED:.+]] = arith.cmpi slt, %[[T]], %[[BOUND]]
// CHECK:     scf.if %[[ISMASKED]]
// CHECK:     math.exp2
// CHECK:     %[[P:.+]] = linalg.generic
// CHECK:       math.exp2
// CHECK:     linalg.generic {{.+}} outs(%[[L]]
// CHECK:     %[[SCALED:.+]] = linalg.generic {{.+}} outs(%[[ACC]]
// CHECK:     %[[SUM:.+]] = linalg.matmul ins(%{{.+}}, %[[VTILE]] {{.+}} outs(%[[SCALED]]
// CHECK:     %[[MAX:.+]] = linalg.generic {{.+}} outs(%[[M]]
// CHECK:     scf.yield %[[SUM]], %[[MAX]], %{{.+}}
// CHECK:   } {sattn.block_loop}
// CHECK:   tensor.parallel_insert_slice {{.+}} into %[[OUT]][%[[H]], %[[I]], 0] [1, %[[ROWS]], 24]
func.func @causal(%scale: f32, %first: index, %q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>,
    %v: tensor<?x?x24xbf16>, %o: tensor<?x?x24xbf16>) -> tensor<?x?x24xbf16> {
  %0 = sattn_test.attention causal scale(%scale) first(%first) tile(64, 32)
      ins(%q, %k, %v : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>, tensor<?x?x24xbf16>)
      outs(%o : tensor<?x?x24xbf16>) -> tensor<?x?x24xbf16>
  return %0 : tensor<?x?x24xbf16>
}

// Without a mask nothing is compared: every query sees all keys, which are whole
// blocks.
// CHECK-LABEL: func.func @dense
// CHECK-NOT: scf.if
// CHECK-NOT: linalg.index
// CHECK: return
func.func @dense(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>,
    %v: tensor<?x96x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn_test.attention scale(%scale) first(%first) tile(64, 32)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}
