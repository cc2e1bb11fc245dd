// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// The result is used while the product runs.
gpu.module @kernels {
  gpu.func @use_before_wait(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
      %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
      %d = wgtile.mma_async %a, %b, %zero : !a, !b -> !acc
      // expected-error @below {{'wgtile.store' op expected a wait for the asynchronous product before this use of its result}}
      wgtile.store %d, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// A wait that leaves the product pending.
gpu.module @kernels {
  gpu.func @pending_too_many(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
      %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
      %d = wgtile.mma_async %a, %b, %zero : !a, !b -> !acc
      %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
      // expected-error @below {{'arith.negf' op expected a wait for the asynchronous product}}
      %e = arith.negf %w : !acc
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// Another product was waited for: the registers of this one are not those that the
// wait passed on.
gpu.module @kernels {
  gpu.func @not_passed_on(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
      %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
      %d = wgtile.mma_async %a, %b, %zero : !a, !b -> !acc
      %e = wgtile.mma_async %a, %b, %zero : !a, !b -> !acc
      %w = wgtile.warpgroup_mma_wait %e pending 0 : !acc
      // expected-error @below {{'arith.negf' op expected a wait for the asynchronous product}}
      %f = arith.negf %d : !acc
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// Through the loop: the result of the last turn.
gpu.module @kernels {
  gpu.func @use_of_loop_result(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %prev = %none) -> (!acc, !wgtile.token) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
        wgtile.consumer_release %ring[%prev] : !ring
        scf.yield %w, %full : !acc, !wgtile.token
      }
      // expected-error @below {{'arith.negf' op expected a wait for the asynchronous product}}
      %e = arith.negf %r#0 : !acc
      wgtile.consumer_release %ring[%r#1] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// The product of the turn before still reads the stage.
gpu.module @kernels {
  gpu.func @release_before_wait(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %prev = %none) -> (!acc, !wgtile.token) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        // expected-error @below {{'wgtile.consumer_release' op expected a wait for the product that reads the stage before it is given back}}
        wgtile.consumer_release %ring[%prev] : !ring
        scf.yield %d, %full : !acc, !wgtile.token
      }
      %w0 = wgtile.warpgroup_mma_wait %r#0 pending 0 : !acc
      wgtile.consumer_release %ring[%r#1] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// In a turn without a product the wait retires one product less.
gpu.module @kernels {
  gpu.func @skipped_turn(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %yes = arith.cmpi eq, %n, %c1 : index
      %none = wgtile.no_stage
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %prev = %none) -> (!acc, !wgtile.token) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %s = scf.if %yes -> (!acc) {
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          scf.yield %d : !acc
        } else {
          scf.yield %acc : !acc
        }
        %w = wgtile.warpgroup_mma_wait %s pending 1 : !acc
        // expected-error @below {{'wgtile.consumer_release' op expected a wait for the product that reads the stage}}
        wgtile.consumer_release %ring[%prev] : !ring
        scf.yield %w, %full : !acc, !wgtile.token
      }
      %w0 = wgtile.warpgroup_mma_wait %r#0 pending 0 : !acc
      wgtile.consumer_release %ring[%r#1] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// The stage of a turn is neither given back nor passed on.
gpu.module @kernels {
  gpu.func @never_released(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
        // expected-error @below {{'scf.yield' op expected the stage of a token to be given back, or the token to be passed on, before the token is lost}}
        scf.yield %d : !acc
      }
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Two turns hold all stages.
gpu.module @kernels {
  gpu.func @passed_on_too_long(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%last = %none, %older = %none) -> (!wgtile.token, !wgtile.token) {
        // expected-error @below {{'wgtile.consumer_wait' op expected a release before this wait: the stage that it is for, of 2 of the ring, may still be held}}
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%older] : !ring
        scf.yield %full, %last : !wgtile.token, !wgtile.token
      }
      wgtile.consumer_release %ring[%r#0] : !ring
      wgtile.consumer_release %ring[%r#1] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @released_twice(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
      // expected-error @below {{'wgtile.consumer_release' op expected a stage that is held, but it was given back before}}
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// The token of the turn before, whose stage that turn gave back.
gpu.module @kernels {
  gpu.func @tile_of_released_stage(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %first = wgtile.consumer_wait %ring : !ring
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%stage = %first) -> (!wgtile.token) {
        // expected-error @below {{'wgtile.ring_tile' op expected a stage that is held, but it was given back before}}
        %a = wgtile.ring_tile %ring[%stage] 0 : !ring -> !a
        wgtile.consumer_release %ring[%stage] : !ring
        scf.yield %stage : !wgtile.token
      }
      // expected-error @below {{'wgtile.consumer_release' op expected a stage that is held, but it was given back before}}
      wgtile.consumer_release %ring[%r] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @token_of_another_ring(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %other = wgtile.ring warps 4 : !ring
      %full = wgtile.consumer_wait %ring : !ring
      // expected-error @below {{'wgtile.consumer_release' op expected a token of a stage of this ring}}
      wgtile.consumer_release %other[%full] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// The consumers' stage.
gpu.module @kernels {
  gpu.func @copy_into_taken_stage(%map: !map, %n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      // expected-error @below {{'wgtile.tma_load' op expected the token of a stage that was acquired}}
      wgtile.tma_load %ring[%full] 0, %map[%n, %n] : !ring, !map
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// The producer's.
gpu.module @kernels {
  gpu.func @release_of_acquired_stage(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %filled = wgtile.producer_acquire %ring : !ring
      // expected-error @below {{'wgtile.consumer_release' op expected the token of a stage that was taken}}
      wgtile.consumer_release %ring[%filled] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @copy_after_commit(%map: !map, %n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %filled = wgtile.producer_acquire %ring : !ring
      wgtile.producer_commit %ring[%filled] : !ring
      // expected-error @below {{'wgtile.tma_load' op expected a stage to be acquired before this, but it was committed before}}
      wgtile.tma_load %ring[%filled] 0, %map[%n, %n] : !ring, !map
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Tokens that are given by no op of the kernel.
gpu.module @kernels {
  gpu.func @unknown_token(%full: !wgtile.token) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      // expected-error @below {{'wgtile.consumer_release' op expected the token of a held stage, but got that of wgtile.no_stage}}
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// The last stage stays taken.
gpu.module @kernels {
  gpu.func @held_at_end(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    // expected-error @below {{'wgtile.end' op expected the stage of a token to be given back, or the token to be passed on, before the token is lost}}
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %prev = %none) -> (!acc, !wgtile.token) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
        wgtile.consumer_release %ring[%prev] : !ring
        scf.yield %d, %full : !acc, !wgtile.token
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// A tile of a stage that was given back.
gpu.module @kernels {
  gpu.func @use_after_release(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
      %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
      wgtile.consumer_release %ring[%full] : !ring
      // expected-error @below {{'wgtile.mma' op expected a tile of a stage that is held, but its stage was given back before}}
      %d = wgtile.mma %a, %b, %zero : !a, !b -> !acc
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// No stage is taken.
gpu.module @kernels {
  gpu.func @not_taken(%zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      // expected-error @below {{'wgtile.ring_tile' op expected the token of a held stage, but got that of wgtile.no_stage}}
      %a = wgtile.ring_tile %ring[%none] 0 : !ring -> !a
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @copy_without_acquire(%map: !map, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      // expected-error @below {{'wgtile.tma_load' op expected the token of an acquired stage, but got that of wgtile.no_stage}}
      wgtile.tma_load %ring[%none] 0, %map[%c0, %c0] : !ring, !map
      wgtile.producer_commit %ring[%none] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @commit_without_acquire(%map: !map, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      // expected-error @below {{'wgtile.producer_commit' op expected the token of an acquired stage, but got that of wgtile.no_stage}}
      wgtile.producer_commit %ring[%none] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @acquired_token_lost(%map: !map, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      scf.for %i = %c0 to %n step %c1 {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        // expected-error @below {{'scf.yield' op expected the stage of a token to be committed before the token is lost}}
        scf.yield
      }
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @acquire_twice(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %filled = wgtile.producer_acquire %ring : !ring
      // expected-error @below {{'wgtile.producer_acquire' op expected the stage that was acquired to be committed before the next is acquired}}
      %next = wgtile.producer_acquire %ring : !ring
      wgtile.producer_commit %ring[%filled] : !ring
      wgtile.producer_commit %ring[%next] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @never_committed(%map: !map, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    // expected-error @below {{'wgtile.end' op expected the stage of a token to be committed before the token is lost}}
    wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
      %filled = wgtile.producer_acquire %ring : !ring
      wgtile.tma_load %ring[%filled] 0, %map[%c0, %c0] : !ring, !map
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
// Eight warps consume.
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  gpu.func @arrivals(%map: !map, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'wgtile.ring' op expected as many warps as consume, 8, but got 4}}
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 8 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @warps_of_roles(%n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // expected-error @below {{'wgtile.roles' op expected the warps of the CTA, 12, but got 8}}
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @no_fence(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.named_barrier
    // expected-error @below {{'wgtile.tma_store' op expected a fence between the threads' writes of the tile and this asynchronous access}}
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @no_barrier(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    // expected-error @below {{'wgtile.tma_store' op expected a barrier between the threads' writes of the tile and this access}}
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The fence orders the writes of the thread that runs it: others have to meet it.
gpu.module @kernels {
  gpu.func @fence_after_barrier(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.fence_proxy_async
    // expected-error @below {{'wgtile.tma_store' op expected a barrier between the threads' writes}}
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The copy of the same stage is in flight.
gpu.module @kernels {
  gpu.func @write_after_store(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    // expected-error @below {{'wgtile.ring_store' op expected at most one copy into each tile of a stage}}
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The other threads do not know of the wait yet.
gpu.module @kernels {
  gpu.func @write_before_barrier(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    // expected-error @below {{'wgtile.ring_store' op expected a barrier between the last reads of the tile and this write}}
    wgtile.ring_store %t, %ring[%s1] 0 : !t, !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// One thread of the warpgroup waits: the others of its warp are not enough.
gpu.module @kernels {
  gpu.func @warps_meet(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    wgtile.warp_barrier
    // expected-error @below {{'wgtile.ring_store' op expected a barrier between the last reads of the tile and this write}}
    wgtile.ring_store %t, %ring[%s1] 0 : !t, !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// No copy was started from the second stage: the newest copy reads the first one,
// which comes round.
gpu.module @kernels {
  gpu.func @commit_without_copy(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    wgtile.producer_commit %ring[%s1] : !staging
    %s2 = wgtile.producer_acquire %ring : !staging
    wgtile.named_barrier
    // expected-error @below {{'wgtile.ring_store' op expected a wait for the store that reads the tile before this write}}
    wgtile.ring_store %t, %ring[%s2] 0 : !t, !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @end_before_wait(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    // expected-error @below {{'gpu.return' op expected a wait for the store that uses shared memory before the program ends}}
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @copy_after_commit(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.producer_commit %ring[%s] : !staging
    // expected-error @below {{'wgtile.tma_store' op expected a stage to be acquired before this, but it was committed before}}
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @acquired_twice(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    // expected-error @below {{'wgtile.producer_acquire' op expected the stage that was acquired to be committed before the next is acquired}}
    %s1 = wgtile.producer_acquire %ring : !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @lost_stage(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
      // expected-error @below {{'scf.yield' op expected the stage of a token to be committed before the token is lost}}
      scf.yield
    }
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The first stage comes first once.
gpu.module @kernels {
  gpu.func @ring_in_loop(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %ring = wgtile.ring : !staging
      // expected-error @below {{'wgtile.producer_acquire' op expected no loop or branch around a ring of warpgroups}}
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.producer_commit %ring[%s] : !staging
    }
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Two warpgroups would write one tile.
gpu.module @kernels {
  gpu.func @other_warpgroups(%map: !map, %t: !t, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'wgtile.ring' op expected as many warpgroups as hold register tiles, 2, but got 1}}
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.producer_commit %ring[%s] : !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @ring_of_warps(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring warps 4 : !staging
    // expected-error @below {{'wgtile.producer_acquire' op expected a ring of warpgroups without warps}}
    %s = wgtile.producer_acquire %ring : !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @wait_in_staging(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    // expected-error @below {{'wgtile.consumer_wait' op expected a ring that is not one of warpgroups}}
    %s = wgtile.consumer_wait %ring : !staging
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  gpu.func @staging_of_producer(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    wgtile.roles producer warps 4 registers 0 {
      // expected-error @below {{'wgtile.producer_acquire' op expected a role that holds register tiles}}
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.producer_commit %ring[%s] : !staging
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// The load of the next turn overwrites what a product still reads.
gpu.module @kernels {
  gpu.func @overwritten(%map: !map, %zero: !acc, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      // expected-error @below {{'wgtile.load' op expected a wait for the product that reads the tile before this write}}
      %a = wgtile.load %map[%c0, %p] : !map -> !a
      %d = wgtile.mma_async %a, %a, %acc : !a, !a -> !acc
      scf.yield %d : !acc
    }
    %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
    gpu.return
  }
}

// -----

!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x128xbf16, swizzle = 128>]>

// The left operand is used while the product may read it.
gpu.module @kernels {
  gpu.func @operand_used_before_wait(%v: !v, %zero: !acc, %t0: !left, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.negf %t0 : !left
    %d = wgtile.mma_async %t, %v, %zero : !left, !v -> !acc
    // expected-error @below {{'arith.extf' op expected a wait for the asynchronous product that reads the registers of this operand before this use}}
    %e = arith.extf %t : !left to !acc
    %w:2 = wgtile.warpgroup_mma_wait %d, %t pending 0 : !acc, !left
    gpu.return
  }
}

// -----

!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x128xbf16, swizzle = 128>]>

// The product is waited for, but nothing keeps the registers of its left operand
// until then: those of the next turn's may be the same.
gpu.module @kernels {
  gpu.func @operand_not_kept(%v: !v, %zero: !acc, %t0: !left, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %t0) -> (!acc, !left) {
      %d = wgtile.mma_async %t, %v, %acc : !left, !v -> !acc
      %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
      %next = arith.truncf %w : !acc to !left
      // expected-error @below {{'scf.yield' op expected a wait for the asynchronous product that reads the registers of a tile before the end of the tile's block}}
      scf.yield %w, %next : !acc, !left
    }
    gpu.return
  }
}

// -----

!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x128xbf16, swizzle = 128>]>

// The loop may change the registers that it takes over.
gpu.module @kernels {
  gpu.func @operand_of_branch(%v: !v, %zero: !acc, %t0: !left, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.negf %t0 : !left
    %d = wgtile.mma_async %t, %v, %zero : !left, !v -> !acc
    // expected-error @below {{'scf.for' op expected a wait for the asynchronous product that reads the registers of this operand before this use}}
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%u = %t) -> (!left) {
      %next = arith.negf %u : !left
      scf.yield %next : !left
    }
    %w:2 = wgtile.warpgroup_mma_wait %d, %t pending 0 : !acc, !left
    gpu.return
  }
}

// -----

!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x128xbf16, swizzle = 128>]>

// A wait that leaves the product pending does not keep its operand any longer.
gpu.module @kernels {
  gpu.func @operand_pending(%v: !v, %zero: !acc, %t0: !left, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.negf %t0 : !left
    %d = wgtile.mma_async %t, %v, %zero : !left, !v -> !acc
    // expected-error @below {{'wgtile.warpgroup_mma_wait' op expected a wait for the asynchronous product that reads the registers of the tile that is passed on}}
    %u = wgtile.warpgroup_mma_wait %t pending 1 : !left
    %w:2 = wgtile.warpgroup_mma_wait %d, %u pending 0 : !acc, !left
    gpu.return
  }
}

// -----

// The number of the next tile is read before it is there.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_without_take(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.no_stage
        // expected-error @below {{'wgtile.ring_load' op expected the token of a held stage, but got that of wgtile.no_stage}}
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// The producer would wait for its stage for ever.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_without_release(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        // expected-error @below {{'wgtile.end' op expected the stage of a token to be given back, or the token to be passed on, before the token is lost}}
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// The producer may have written the number again.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_read_after_release(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        // expected-error @below {{'wgtile.ring_load' op expected a stage that is held, but it was given back before}}
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// Consumers may still read the number.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_without_acquire(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.no_stage
        // expected-error @below {{'wgtile.ring_store' op expected the token of an acquired stage, but got that of wgtile.no_stage}}
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// Consumers would never hear of the tile.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_without_commit(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        // expected-error @below {{'wgtile.end' op expected the stage of a token to be committed before the token is lost}}
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// A consumer goes ahead of the producer by a tile in each iteration.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_taken_twice(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        // expected-error @below {{'wgtile.consumer_wait' op expected the producer to commit a stage for each that is taken}}
        %c2 = wgtile.consumer_wait %tiles : !tiles
        %other = wgtile.ring_load %tiles[%c2] 0 : !tiles
        wgtile.consumer_release %tiles[%c2] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// The producer waits for stages that no consumer gives back.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_filled_twice(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        %p2 = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p2] 0 : i32, !tiles
        // expected-error @below {{'wgtile.producer_commit' op expected the consumers to take each stage that is committed}}
        wgtile.producer_commit %tiles[%p2] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// A stage without a number.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_not_stored(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      // expected-note @below {{the producer's program}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      // expected-error @below {{'wgtile.for_each_tile' op expected the producer's next tile}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

// Two numbers are written over each other.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_stored_twice(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        // expected-error @below {{'wgtile.ring_store' op expected at most one copy into each tile of a stage}}
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

!tile = tensor<16x64xf32, #wgtile.mma<warps = 2, column_warps = 2>>

// Warps exchange parts of two numbers in one place.
gpu.module @kernels {
  gpu.func @one_place(%t: !tile, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, wgtile.shared_bytes = 32 : i64} {
    // expected-note @below {{which has bytes 0 to 16}}
    %a = wgtile.tile_reduce addf %t {offset = 0 : i64} : !tile -> f32
    // expected-error @below {{'wgtile.tile_combine' op expected a place of its own in shared memory, but 8 lies in another}}
    %b = wgtile.tile_combine addf %a {offset = 8 : i64} : f32
    memref.store %b, %out[] : memref<f32>
    gpu.return
  }
}
