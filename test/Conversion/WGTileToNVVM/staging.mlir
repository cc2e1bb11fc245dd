// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

// A row of a staging tile is 128 bytes, a warpgroup's tile 8192; four matrices
// go at a time, 32 bytes of a row, which the swizzle moves by an exclusive or.
// One register names the thread's place in every tile. What is constant in the
// column is added beside the copy.
// CHECK-LABEL: gpu.func @kernel
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:         nvvm.barrier id = %[[ID:.*]] number_of_threads = %{{.*}}
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+2048], {$1, $2, $3, $4}{{.*}} %[[PLACE:.*]], %[[T:.*]], %[[T]], %[[T]], %[[T]] :
// CHECK:         xor.b32 %a, $0, 32;
// CHECK:         xor.b32 %a, $0, 64;{{.*}}stmatrix
// CHECK:         xor.b32 %a, $0, 96;{{.*}}stmatrix
// CHECK-NOT:     stmatrix
// Two columns of a row, and of the row eight below.
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+18432]
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+19456]
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 32;{{.*}}st.shared.v2.b32 [%a+18432]
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:         nvvm.barrier id = %[[ID]]
// CHECK:         llvm.inline_asm {{.*}}and.b32 %t, %t, 127;{{.*}}add.s32 %c, $1, 64;{{.*}}@%p cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {%c, $2}], [$3+2048];{{.*}}@%p cp.async.bulk.commit_group;{{.*}} %[[MAP:.*]], %[[COLUMN:.*]], %[[ROW:.*]], %[[PLACE]] :
// CHECK:         nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK:         llvm.inline_asm {{.*}}@%p cp.async.bulk.prefetch.tensor.2d.L2.global [$0, {%c, $2}];{{.*}} %[[MAP]], %[[COLUMN]], %[[ROW]] :
gpu.module @kernels {
  gpu.func @kernel(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                   %i: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %f = arith.constant dense<1.0> : tensor<128x32xf32, #wgtile.mma<warps = 8>>
    %s = wgtile.staging {offset = 2048 : i64}
        : !wgtile.shared<64x64xbf16, swizzle = 128>
    %w = wgtile.staging {offset = 18432 : i64}
        : !wgtile.shared<64x32xf32, swizzle = 128>
    %j = affine.apply affine_map<(d0) -> (d0 * 128 + 64)>(%i)
    wgtile.wait_store pending 1 read
    wgtile.group_barrier
    wgtile.store_shared %t, %s : tensor<128x64xbf16, #wgtile.mma<warps = 8>>,
        !wgtile.shared<64x64xbf16, swizzle = 128>
    wgtile.store_shared %f, %w : tensor<128x32xf32, #wgtile.mma<warps = 8>>,
        !wgtile.shared<64x32xf32, swizzle = 128>
    wgtile.fence_async
    wgtile.group_barrier
    wgtile.store_async %s, %map[%i, %j] warpgroups 2
        : !wgtile.shared<64x64xbf16, swizzle = 128>,
          !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    wgtile.wait_store pending 0
    wgtile.prefetch %map[%i, %j] warpgroups 2
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    gpu.return
  }
}

// Two neighbouring elements of an aligned row are one read; the last one of an
// odd number is read alone. No register is written under a predicate that was
// not written before: such a one would be live all around the loop over tiles.
// CHECK-LABEL: gpu.func @aligned
// CHECK-COUNT-8: llvm.inline_asm {{.*}}"{\0A.reg .pred %p, %q;\0Amov.b32 $0, 0;\0A{{.*}}@%q ld.global.b32 $0, [$1+{{.*}}@%q ld.global.u16 $0, [$1+
// CHECK-NOT:     ld.global
gpu.module @reads {
  gpu.func @aligned(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                    %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [true, false] aligned
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, false]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
}
