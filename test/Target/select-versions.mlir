// RUN: sparse-opt %s --wgtile-version-kernels=max-padding=0 --sattn-select-versions=versions=tma | FileCheck %s --check-prefixes=CHECK,TMA
// RUN: sparse-opt %s --wgtile-version-kernels=max-padding=0 --sattn-select-versions=versions=generic | FileCheck %s --check-prefixes=CHECK,GENERIC

// With TMA's versions alone, a call that needs the generic one is refused, unless
// it launches nothing.
// TMA-LABEL: gpu.module @kernels
// TMA:         gpu.func @copy({{.*}}) kernel attributes {wgtile.tma}
// TMA:         gpu.func @copy_register_loads({{.*}}) kernel attributes {wgtile.tma, wgtile.version_of = @copy}
// TMA-NOT:     @copy_generic
// TMA-LABEL: func.func @host(
// TMA-SAME:    %[[B:[^:]*]]: {{[^%]*}}, %[[IN:[^:]*]]: {{[^%]*}}, %[[OUT:[^:]*]]: {{[^%]*}}, %[[ODD:[^:]*]]: {{[^%]*}}, %[[N:[^:]*]]: index
// TMA:         scf.if
// TMA-NEXT:      scf.if
// TMA:             wgtile.launch @kernels::@copy grid(%[[N]]) {{.*}} wgtile.version = "aligned"
// TMA-NEXT:      } else {
// TMA:             wgtile.launch @kernels::@copy_register_loads {{.*}} wgtile.version = "register_reads"
// TMA:         } else {
// TMA-NEXT:      %[[ZERO:.*]] = arith.constant 0 : index
// TMA-NEXT:      %[[EMPTY:.*]] = arith.cmpi eq, %[[N]], %[[ZERO]]
// TMA-NEXT:      cf.assert %[[EMPTY]], "copy_generic" {wgtile.tuning = {origin = "here", parameters = "tile"}, wgtile.version = "generic"}

// The generic specialization alone takes all arguments.
// GENERIC-LABEL: gpu.module @kernels
// GENERIC-NOT:     gpu.func @copy(
// GENERIC:         gpu.func @copy_generic(
// GENERIC-NOT:     wgtile.tma
// GENERIC:         gpu.func @odd(
// GENERIC-NOT:     gpu.func
// GENERIC-LABEL: func.func @host(
// GENERIC-NOT:     scf.if
// GENERIC:         wgtile.launch @kernels::@copy_generic {{.*}} wgtile.version = "generic"

// A kernel that has no other version has it under its own name.
// CHECK:           wgtile.launch @kernels::@odd {{.*}} {wgtile.reason = "rows of what it stores have 37 elements, and TMA stores multiples of 16 bytes", wgtile.version = "generic"}
!matrix = memref<?x?xbf16, strided<[?, ?], offset: ?>>
gpu.module @kernels {
  gpu.func @copy(%b: !matrix, %in: !matrix, %out: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %b[%c0, %c0] : !matrix -> !wgtile.shared<64x64xbf16>
    %1 = wgtile.read %in[%c0, %c0] in_bounds [true, true]
        : !matrix -> tensor<64x64xbf16>
    wgtile.store %1, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xbf16>, !matrix
    gpu.return
  }
  gpu.func @odd(%b: !matrix, %out: memref<?x37xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<0.0> : tensor<64x64xbf16>
    %0 = wgtile.load %b[%c0, %c0] : !matrix -> !wgtile.shared<64x64xbf16>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, false]
        : tensor<64x64xbf16>, memref<?x37xbf16>
    gpu.return
  }
}
func.func @host(%b: !matrix, %in: !matrix, %out: !matrix, %odd: memref<?x37xbf16>, %n: index) {
  wgtile.launch @kernels::@copy grid(%n) args(%b, %in, %out)
      {wgtile.tuning = {origin = "here", parameters = "tile"}} : !matrix, !matrix, !matrix
  wgtile.launch @kernels::@odd grid(%n) args(%b, %odd) : !matrix, memref<?x37xbf16>
  return
}
