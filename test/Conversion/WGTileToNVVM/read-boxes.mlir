// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-assign-stages,convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

// A tile of two boxes is read box after box: columns 64 and on are 64 rows of 128
// bytes behind the first.
!ring = !wgtile.ring<1, [!wgtile.shared<64x128xbf16, swizzle = 128>]>
// CHECK-LABEL: gpu.func @read
// CHECK:         xor.b32 %a, $4, 0;{{.*}}ldmatrix{{.*}}[%a+0];
// CHECK:         xor.b32 %a, $4, 96;{{.*}}ldmatrix{{.*}}[%a+0];
// CHECK:         xor.b32 %a, $4, 0;{{.*}}ldmatrix{{.*}}[%a+8192];
// CHECK:         xor.b32 %a, $4, 96;{{.*}}ldmatrix{{.*}}[%a+8192];
// CHECK-NOT:     ldmatrix
gpu.module @tiles {
  gpu.func @read(%out: memref<?x?xbf16>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = wgtile.ring {offset = 0 : i64} : !ring
    %p = wgtile.consumer_wait %ring pending 0 : !ring
    %s = wgtile.ring_tile %ring[%p] 0 : !ring -> !wgtile.shared<64x128xbf16, swizzle = 128>
    %t = wgtile.read_shared %s : !wgtile.shared<64x128xbf16, swizzle = 128>
        -> tensor<64x128xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %t, %out[%i, %i] in_bounds [true, true]
        : tensor<64x128xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
}
