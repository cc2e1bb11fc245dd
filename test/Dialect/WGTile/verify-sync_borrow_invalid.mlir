// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

// Rings in other rings: what is taken, written and given back in which order.

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The stage is given back while TMA may still read the results.
gpu.module @kernels {
  gpu.func @early_release(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        // expected-error @below {{expected the memory of the stage, which another ring has borrowed, to be returned before it is given back}}
        wgtile.consumer_release %loads[%lent] : !loads
        wgtile.stage_return %staging : !staging
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The stage is given back before its memory is borrowed.
gpu.module @kernels {
  gpu.func @released(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.consumer_release %loads[%lent] : !loads
        // expected-error @below {{expected a stage that is held, but it was given back before}}
        wgtile.stage_borrow %staging from %lent : !staging
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

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The next stage is taken while the memory of the one before is lent.
gpu.module @kernels {
  gpu.func @taken(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
        %lent1 = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent1] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        // expected-error @below {{expected the memory of the stage that was taken before, which another ring has borrowed, to be returned}}
        %more = wgtile.consumer_wait %loads : !loads
        wgtile.consumer_release %loads[%more] : !loads
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// Another stage was taken since.
gpu.module @kernels {
  gpu.func @older(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
        %lent1 = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent1] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        %more = wgtile.consumer_wait %loads : !loads
        wgtile.consumer_release %loads[%more] : !loads
        // expected-error @below {{expected the newest stage that was taken}}
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// A stage of the ring is acquired without memory.
gpu.module @kernels {
  gpu.func @no_memory(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        // expected-error @below {{expected the ring's memory to be borrowed before a stage is acquired}}
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The memory is returned before the results are stored.
gpu.module @kernels {
  gpu.func @unfenced(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.producer_commit %staging[%s] : !staging
        // expected-error @below {{expected a fence between the threads' writes of the ring and the return of its memory}}
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The memory is returned while a stage is acquired.
gpu.module @kernels {
  gpu.func @acquired(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        // expected-error @below {{expected the stage that was acquired to be committed before its memory is returned}}
        wgtile.stage_return %staging : !staging
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The memory is returned twice.
gpu.module @kernels {
  gpu.func @returned(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        // expected-error @below {{expected a ring that has borrowed memory}}
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The producer does not leave a stage empty.
gpu.module @kernels {
  gpu.func @not_lent(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        // expected-error @below {{expected the producer to commit a stage for each that is taken}}
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// The ring is elsewhere.
gpu.module @kernels {
  gpu.func @elsewhere(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{which is made here}}
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    // expected-error @below {{expected the place of the ring that it is in}}
    %staging = wgtile.ring in %loads of !loads {offset = 1024 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}
