// The op reads and prints what it is, in both forms.
// RUN: sattn-test-opt %s | sattn-test-opt | FileCheck %s
// RUN: sattn-test-opt %s --mlir-print-op-generic | sattn-test-opt | FileCheck %s

// CHECK-LABEL: func.func @dense
// CHECK: sattn_test.attention scale(%{{.+}}) first(%{{.+}}) tile(128, 64)
// CHECK-SAME: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x64xbf16>)
// CHECK-SAME: outs(%{{.+}} : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16>
func.func @dense(%scale: f32, %first: index, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>,
    %v: tensor<?x?x64xbf16>, %o: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %0 = sattn_test.attention scale(%scale) first(%first) tile(128, 64)
      ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x64xbf16>)
      outs(%o : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16>
  return %0 : tensor<?x?x64xbf16>
}

// CHECK-LABEL: func.func @causal
// CHECK: sattn_test.attention causal scale
func.func @causal(%scale: f32, %first: index, %q: tensor<2x32x16xf32>, %k: tensor<2x48x16xf32>,
    %v: tensor<2x48x16xf32>, %o: tensor<2x32x16xf32>) -> tensor<2x32x16xf32> {
  %0 = sattn_test.attention causal scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<2x32x16xf32>, tensor<2x48x16xf32>, tensor<2x48x16xf32>)
      outs(%o : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  return %0 : tensor<2x32x16xf32>
}
