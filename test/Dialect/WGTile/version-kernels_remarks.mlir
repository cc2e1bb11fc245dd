// RUN: sparse-opt %s --wgtile-version-kernels | FileCheck %s
// RUN: sparse-opt %s --wgtile-version-kernels --remarks-filter=wgtile-version-kernels --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Launches say which version they are of, and why there is none but the generic
// one, for sattn.explain. Whoever asks for remarks is told when compiling.

// REMARK-DAG: GenericVersion{{.*}}only the generic specialization of kernel '{{.*}}view{{.*}}can run: {{.*}}it takes tiles of a transposed or reshaped view
// REMARK-DAG: GenericVersion{{.*}}only the generic specialization of kernel '{{.*}}scratch{{.*}}can run: {{.*}}rows of what the program computes have 37 elements, and TMA takes multiples of 16 bytes
// REMARK-DAG: GenericVersion{{.*}}only the generic specialization of kernel '{{.*}}odd{{.*}}can run: {{.*}}rows of what it stores have 37 elements, and TMA stores multiples of 16 bytes

// CHECK-LABEL: func.func @host(
// CHECK:         wgtile.launch @kernels::@scratch {{.*}} {wgtile.reason = "rows of what the program computes have 37 elements, {{.*}}", wgtile.version = "generic"}
// CHECK:         wgtile.launch @kernels::@view {{.*}} {wgtile.reason = "it takes tiles of {{.*}}", wgtile.version = "generic"}
// CHECK-NOT:     scf.if
// CHECK:         wgtile.launch @kernels::@odd {{.*}} {wgtile.reason = "rows of what it stores have 37 elements, {{.*}}", wgtile.version = "generic"}
gpu.module @kernels {
  gpu.func @scratch(%b: memref<?x37xbf16>, %out: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %b[%c0, %c0] : memref<?x37xbf16> -> !wgtile.shared<64x64xbf16>
    gpu.return
  }
  gpu.func @view(%b: memref<?x?xbf16>, %out: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %view = memref.transpose %b (i, j) -> (j, i) : memref<?x?xbf16> to memref<?x?xbf16, strided<[1, ?]>>
    %0 = wgtile.load %view[%c0, %c0] : memref<?x?xbf16, strided<[1, ?]>> -> !wgtile.shared<64x64xbf16>
    gpu.return
  }
  gpu.func @odd(%b: memref<?x?xbf16>, %out: memref<?x37xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<0.0> : tensor<64x64xbf16>
    %0 = wgtile.load %b[%c0, %c0] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, false]
        : tensor<64x64xbf16>, memref<?x37xbf16>
    gpu.return
  }
}
func.func @host(%b: memref<?x?xbf16>, %out: memref<?x?xbf16>, %odd: memref<?x37xbf16>, %n: index) {
  %alloc = memref.alloc(%n) : memref<?x37xbf16>
  wgtile.launch @kernels::@scratch grid(%n) args(%alloc, %out) : memref<?x37xbf16>, memref<?x?xbf16>
  wgtile.launch @kernels::@view grid(%n) args(%b, %out) : memref<?x?xbf16>, memref<?x?xbf16>
  wgtile.launch @kernels::@odd grid(%n) args(%b, %odd) : memref<?x?xbf16>, memref<?x37xbf16>
  return
}
