// RUN: sparse-opt %s --split-input-file --remarks-filter='wgtile-schedule' --wgtile-schedule 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.err

!acc = tensor<64x16xf32, #wgtile.mma<warps = 4>>
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<16x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<16x64xbf16, swizzle = 128>

module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // The next lower power of two, at most 8; not persistent, and several CTAs an SM.
    // CHECK-LABEL: gpu.func @shared
    // CHECK-SAME:      ctas_per_sm = 4,
    // CHECK-SAME:      split_k = 4,
    // CHECK-SAME:      persistent = false, programmatic_launch = true>
    gpu.func @shared(%ma: !ma, %mb: !mb, %n: index, %out: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<split_k = 7>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
          %b = wgtile.load %mb[%c0, %p] : !mb -> !b
          %d = wgtile.mma %a, %b, %acc transpose_b : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }

    // CHECK-LABEL: gpu.func @scaled
    // CHECK-NOT:       split_k
    // CHECK:         gpu.return
    gpu.func @scaled(%ma: !ma, %mb: !mb, %n: index, %out: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<split_k = 2>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      %half = arith.constant dense<0.5> : !acc
      // REMARK: remark: {{.*}}a tile's reduction is not shared: the loop over blocks does more than add MMAs to zeros
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
          %b = wgtile.load %mb[%c0, %p] : !mb -> !b
          %s = arith.mulf %acc, %half : !acc
          %d = wgtile.mma %a, %b, %s transpose_b : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
  }
  func.func @host(%ma: !ma, %mb: !mb, %n: index, %out: memref<?x?xf32>) {
    wgtile.launch @kernels::@shared grid(%n) args(%ma, %mb, %n, %out) : !ma, !mb, index, memref<?x?xf32>
    wgtile.launch @kernels::@scaled grid(%n) args(%ma, %mb, %n, %out) : !ma, !mb, index, memref<?x?xf32>
    return
  }
}

// -----

!acc = tensor<64x16xf32, #wgtile.mma<warps = 4>>
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<16x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<16x64xbf16, swizzle = 128>

module attributes {gpu.container_module} {
  // TMA alone is not enough.
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", clusters = false>} {
    // CHECK-LABEL: gpu.func @no_clusters
    // CHECK-NOT:       split_k
    // CHECK:         gpu.return
    gpu.func @no_clusters(%ma: !ma, %mb: !mb, %n: index, %out: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<split_k = 2>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      // REMARK: remark: {{.*}}a tile's reduction is not shared: the chip has no clusters
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
          %b = wgtile.load %mb[%c0, %p] : !mb -> !b
          %d = wgtile.mma %a, %b, %acc transpose_b : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
  }
}
