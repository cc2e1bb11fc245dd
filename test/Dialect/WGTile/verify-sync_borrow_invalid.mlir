// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

// Rings in other rings: what is read, written and given back in which order.

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The stage is given back while TMA may still read the results.
gpu.module @kernels {
  gpu.func @early_release(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        // expected-error @below {{expected the memory of the stage, which another ring has borrowed, to be returned before it is given back}}
        wgtile.consumer_release %left[%tq] : !left
        wgtile.stage_return %staging : !staging
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The stage is given back before its memory is borrowed.
gpu.module @kernels {
  gpu.func @released(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.consumer_release %left[%tq] : !left
        // expected-error @below {{expected a stage that is held, but it was given back before}}
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// A product may still read the stage.
gpu.module @kernels {
  gpu.func @running(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          // expected-error @below {{expected a wait for the product that reads the stage before it is given back}}
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// A product that reads the stage runs until after its memory is borrowed.
gpu.module @kernels {
  gpu.func @late_wait(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
        %k1 = wgtile.producer_acquire %right : !right
        wgtile.tma_load %right[%k1] 0, %map[%c0, %c0] : !right, !map
        wgtile.producer_commit %right[%k1] : !right
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %tl = wgtile.consumer_wait %right : !right
        %kl = wgtile.ring_tile %right[%tl] 0 : !right -> !k
        %dl = wgtile.mma_async %q, %kl, %zero : !q, !k -> !acc
        %t = arith.truncf %r : !acc to !tile
        // expected-error @below {{expected a wait for the product that reads the stage before its memory is used}}
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
        %wl = wgtile.warpgroup_mma_wait %dl pending 0 : !acc
        wgtile.consumer_release %right[%tl] : !right
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The stage is read while its memory is lent.
gpu.module @kernels {
  gpu.func @read(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        %tl = wgtile.consumer_wait %right : !right
        %kl = wgtile.ring_tile %right[%tl] 0 : !right -> !k
        // expected-error @below {{expected no access to a stage whose memory is lent to another ring}}
        %dl = wgtile.mma_async %q, %kl, %zero : !q, !k -> !acc
        %wl = wgtile.warpgroup_mma_wait %dl pending 0 : !acc
        wgtile.consumer_release %right[%tl] : !right
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// A stage of the ring is acquired without memory.
gpu.module @kernels {
  gpu.func @no_memory(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        // expected-error @below {{expected the ring's memory to be borrowed before a stage is acquired}}
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The memory is returned before the results are stored.
gpu.module @kernels {
  gpu.func @unfenced(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.producer_commit %staging[%s] : !staging
        // expected-error @below {{expected a fence between the threads' writes of the ring and the return of its memory}}
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The memory is returned while a stage is acquired.
gpu.module @kernels {
  gpu.func @acquired(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        // expected-error @below {{expected the stage that was acquired to be committed before its memory is returned}}
        wgtile.stage_return %staging : !staging
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The ring is elsewhere.
gpu.module @kernels {
  gpu.func @elsewhere(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{which is made here}}
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    // expected-error @below {{expected the place of the ring that it is in}}
    %staging = wgtile.ring in %left of !left {offset = 1024 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}
