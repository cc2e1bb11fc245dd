// The op reads and prints what it is, in both forms.
// RUN: sattn-test-opt %s | sattn-test-opt | FileCheck %s
// RUN: sattn-test-opt %s --mlir-print-op-generic | sattn-test-opt | FileCheck %s

// CHECK-LABEL: func.func @two_products
// CHECK: sattn_test.two_products
// CHECK-SAME: ins(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
// CHECK-SAME: outs(%{{.+}}, %{{.+}} : tensor<?x128xbf16>, tensor<?xf32>) -> tensor<?x128xbf16>, tensor<?xf32>
func.func @two_products(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// CHECK-LABEL: func.func @static
// CHECK: sattn_test.two_products
func.func @static(%crow: tensor<3xi64>, %col: tensor<5xi64>,
    %values: tensor<5x64x32xf16>, %b: tensor<96x128xf16>, %d: tensor<128x256xf16>,
    %o: tensor<128x256xf32>, %m: tensor<128xf32>) -> (tensor<128x256xf32>, tensor<128xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<3xi64>, tensor<5xi64>,
          tensor<5x64x32xf16>, tensor<96x128xf16>, tensor<128x256xf16>)
      outs(%o, %m : tensor<128x256xf32>, tensor<128xf32>)
      -> tensor<128x256xf32>, tensor<128xf32>
  return %0#0, %0#1 : tensor<128x256xf32>, tensor<128xf32>
}
