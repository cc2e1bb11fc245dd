// RUN: sparse-opt %s --remarks-filter='wgtile-schedule' --wgtile-schedule 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err

!q = !wgtile.shared<128x128xbf16, swizzle = 128>
!k = !wgtile.shared<128x128xbf16, swizzle = 128>
!half = !wgtile.shared<64x128xbf16, swizzle = 128>
!large = !wgtile.shared<128x512xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<128x128xf32, #wgtile.mma<warps = 8>>
!left = tensor<128x128xbf16, #wgtile.mma<warps = 8>>
!acc64 = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!left64 = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // The MMAs of a chain share a tile, which the rotated loop carries; its ring
  // has a stage for either iteration.
  // CHECK-LABEL: gpu.func @carried(
  // CHECK-SAME:    stages = 7, {{.*}}overlap = true, order_warpgroups = true
  gpu.func @carried(%map: !map, %q: !q, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %zero64 = arith.constant dense<0.0> : !acc64
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %c0] : !map -> !half
        %v = wgtile.load %map[%p, %c1] : !map -> !half
        %s = wgtile.mma %q, %b, %zero64 transpose_b : !q, !half -> !acc64
        %t = wgtile.mma %q, %v, %zero64 transpose_b : !q, !half -> !acc64
        %u = arith.mulf %s, %t : !acc64
        %w = arith.truncf %u : !acc64 to !left64
        %d = wgtile.mma %w, %b, %x : !left64, !half -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // Two tiles and the sum, of 64 registers each, and an operand of 32 are live
  // where the next iteration's MMAs run beside this one's last. One after the
  // other they take 32 less.
  // REMARK: remark: {{.*}}two MMAs in a chain do not overlap: tiles of both iterations take 224 of a thread's 232 registers
  // CHECK-LABEL: gpu.func @registers(
  // CHECK-SAME:    consumer_registers = 232, overlap = false, order_warpgroups = false
  gpu.func @registers(%map: !map, %q: !q, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %c0] : !map -> !k
        %s = wgtile.mma %q, %b, %zero : !q, !k -> !acc
        %t = wgtile.mma %q, %b, %zero transpose_b : !q, !k -> !acc
        %u = arith.mulf %s, %t : !acc
        %w = arith.truncf %u : !acc to !left
        %d = wgtile.mma %w, %b, %x : !left, !k -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // A stage of 160 KB has no second one beside it.
  // REMARK: remark: {{.*}}two MMAs in a chain do not overlap: the loop would carry a tile, but its rings have one stage
  // CHECK-LABEL: gpu.func @one_stage(
  // CHECK-SAME:    stages = 1, {{.*}}overlap = false, order_warpgroups = false
  gpu.func @one_stage(%map: !map, %q: !q, %large: !large, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero) -> (!acc) {
        %a = wgtile.load %map[%p, %c0] : !map -> !large
        %b = wgtile.load %map[%p, %c1] : !map -> !k
        %s = wgtile.mma %large, %a, %zero transpose_b : !large, !large -> !acc
        %t = wgtile.mma %q, %b, %s : !q, !k -> !acc
        %w = arith.truncf %t : !acc to !left
        %d = wgtile.mma %w, %b, %x : !left, !k -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
