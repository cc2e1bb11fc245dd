// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

// Stages that are committed and stages that are taken, and where they lie.

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A stage is committed once more than it is taken.
gpu.module @kernels {
  gpu.func @committed_twice(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
        %filled1 = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled1] 0, %map[%i, %c0] : !ring, !map
        // expected-error @below {{'wgtile.producer_commit' op expected the consumers to take each stage that is committed}}
        wgtile.producer_commit %ring[%filled1] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A stage is taken that the producer does not commit.
gpu.module @kernels {
  gpu.func @taken_twice(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full] : !ring
        // expected-error @below {{'wgtile.consumer_wait' op expected the producer to commit a stage for each that is taken}}
        %full1 = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full1] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The loops have different ranges.
gpu.module @kernels {
  gpu.func @other_range(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-note @below {{the producer's program}}
        scf.for %p = %c0 to %n step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-error @below {{'scf.for' op expected the range of the producer's loop}}
        scf.for %p = %c1 to %n step %c1 {
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// The conditions differ.
gpu.module @kernels {
  gpu.func @other_condition(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %yes = arith.cmpi slt, %i, %n : index
        // expected-note @below {{the producer's program}}
        scf.if %yes {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %yes = arith.cmpi sle, %i, %n : index
        // expected-error @below {{'scf.if' op expected the producer's condition}}
        scf.if %yes {
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A length that the kernel writes may be another when it is read again.
gpu.module @kernels {
  gpu.func @written_length(%map: !map, %m: index, %n: index, %lengths: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %l = memref.load %lengths[%i] : memref<?xindex>
        // expected-note @below {{the producer's program}}
        scf.for %p = %c0 to %l step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %l = memref.load %lengths[%i] : memref<?xindex>
        // expected-error @below {{'scf.for' op expected the range of the producer's loop}}
        scf.for %p = %c0 to %l step %c1 {
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
        }
        memref.store %c0, %lengths[%i] : memref<?xindex>
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Of two rings, the stages are taken in another order: each role would wait for the
// other.
gpu.module @kernels {
  gpu.func @other_order(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    %other = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        // expected-note @below {{the producer's program}}
        wgtile.producer_commit %ring[%filled] : !ring
        %filled1 = wgtile.producer_acquire %other : !ring
        wgtile.tma_load %other[%filled1] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %other[%filled1] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-error @below {{'wgtile.consumer_wait' op expected stages to be taken in the order in which they are committed}}
        %full = wgtile.consumer_wait %other : !ring
        wgtile.consumer_release %other[%full] : !ring
        %full1 = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full1] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A stage of another ring is acquired in between.
gpu.module @kernels {
  gpu.func @interleaved(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    %other = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        // expected-error @below {{'wgtile.producer_acquire' op expected the stage of another ring that was acquired to be committed before this one is acquired}}
        %filled1 = wgtile.producer_acquire %other : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.tma_load %other[%filled1] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
        wgtile.producer_commit %other[%filled1] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full] : !ring
        %full1 = wgtile.consumer_wait %other : !ring
        wgtile.consumer_release %other[%full1] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A tile is copied twice: the stage is full before the second copy is there.
gpu.module @kernels {
  gpu.func @copied_twice(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        // expected-error @below {{'wgtile.tma_load' op expected at most one copy into each tile of a stage}}
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A tile is read that was not copied.
gpu.module @kernels {
  gpu.func @not_copied(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        // expected-note @below {{the producer's program}}
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        // expected-error @below {{'wgtile.ring_tile' op expected a tile that the producer copies into the stage before its commit}}
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A copy that some of the tiles lack, whose tile is read in all.
gpu.module @kernels {
  gpu.func @not_always_copied(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %yes = arith.cmpi slt, %i, %n : index
        %filled = wgtile.producer_acquire %ring : !ring
        scf.if %yes {
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        }
        // expected-note @below {{the producer's program}}
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        // expected-error @below {{'wgtile.ring_tile' op expected a condition, since the producer copies the tile under one}}
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A loop that takes two steps at once.
gpu.module @kernels {
  gpu.func @two_steps(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-note @below {{the producer's program}}
        scf.for %p = %c0 to %n step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %c2 = arith.constant 2 : index
        // expected-error @below {{'scf.while' op expected a loop whose first value runs through the range of the producer's loop}}
        %end = scf.while (%s = %c0) : (index) -> index {
          %inside = arith.cmpi slt, %s, %n : index
          scf.condition(%inside) %s : index
        } do {
        ^bb0(%s: index):
          %next = arith.addi %s, %c2 : index
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
          scf.yield %next : index
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A loop that may end before the range does.
gpu.module @kernels {
  gpu.func @early_end(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-note @below {{the producer's program}}
        scf.for %p = %c0 to %n step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        // expected-error @below {{'scf.while' op expected a loop whose first value runs through the range of the producer's loop}}
        %end = scf.while (%s = %c0) : (index) -> index {
          %inside = arith.cmpi ult, %s, %n : index
          scf.condition(%inside) %s : index
        } do {
        ^bb0(%s: index):
          %next = arith.addi %s, %c1 : index
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
          scf.yield %next : index
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Different walks over tiles.
gpu.module @kernels {
  gpu.func @other_tiles(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      // expected-note @below {{the producer's program}}
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      // expected-error @below {{'wgtile.for_each_tile' op expected as many tiles as the producer's}}
      wgtile.for_each_tile (%i) in (%n) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A ring that nobody fills.
gpu.module @kernels {
  gpu.func @no_producer() kernel {
    %ring = wgtile.ring warps 4 : !ring
    // expected-error @below {{'wgtile.consumer_wait' op expected a ring without warps outside of roles}}
    %full = wgtile.consumer_wait %ring : !ring
    wgtile.consumer_release %ring[%full] : !ring
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>

// Two places that overlap.
gpu.module @kernels {
  gpu.func @overlapping_places() kernel attributes {wgtile.shared_bytes = 32768 : i64} {
    // expected-note @below {{which has bytes 0 to 16384}}
    %ring = wgtile.ring warps 4 {offset = 0 : i64, barriers = 32736 : i64} : !ring
    // expected-error @below {{'wgtile.ring' op expected a place of its own in shared memory, but 15360 lies in another}}
    %s = wgtile.ring {offset = 15360 : i64} : !staging
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// A place beyond the kernel's memory.
gpu.module @kernels {
  gpu.func @place_outside() kernel attributes {wgtile.shared_bytes = 16384 : i64} {
    // expected-error @below {{'wgtile.ring' op expected a place for 16384 bytes in the kernel's 16384 bytes of shared memory, at a multiple of 1024, but got 1024}}
    %ring = wgtile.ring warps 4 {offset = 1024 : i64} : !ring
    gpu.return
  }
}

// -----


// A consumer that goes on with a tile of its own.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @other_tile(%m: index, %counter: memref<?xi32>, %x: i32) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      // expected-note @below {{the producer's program}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      // expected-error @below {{'wgtile.for_each_tile' op expected the producer's next tile}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %x : i32
      }
    }
    gpu.return
  }
}

// -----

// The number that is read is not the one that the producer goes on with.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @other_number(%m: index, %counter: memref<?xi32>, %x: i32) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      // expected-note @below {{the producer's program}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %x, %tiles[%p] 0 : i32, !tiles
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

// The number is stored on some paths only.
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @number_under_condition(%m: index, %counter: memref<?xi32>, %b: i1) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      // expected-note @below {{the producer's program}}
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        scf.if %b {
          wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        }
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

// The order of warpgroups is passed on twice.
gpu.module @kernels {
  gpu.func @order_passed_twice() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 8 registers 0 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
      wgtile.order_arrive warpgroups 2
      // expected-error @below {{'wgtile.order_arrive' op expected an order of warpgroups that is initialized once, and then waited for and passed on in turn}}
      wgtile.order_arrive warpgroups 2
    }
    gpu.return
  }
}

// -----

// The order of warpgroups is not passed on.
gpu.module @kernels {
  gpu.func @order_kept() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 8 registers 0 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
    }
    // expected-error @below {{'gpu.return' op expected every turn in the order of warpgroups to be passed on, but the program may end before}}
    gpu.return
  }
}

// -----

// An order of other than all warpgroups that consume.
gpu.module @kernels {
  gpu.func @order_of_some() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 12 registers 0 consumer_groups 1 {
      // expected-error @below {{'wgtile.order_init' op expected as many warpgroups as consume, 3, but got 2}}
      wgtile.order_init warpgroups 2
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// A stage that is committed without copies.
gpu.module @kernels {
  gpu.func @empty_stage(%in: memref<?x?xbf16>) kernel {
    %ring = wgtile.ring : !ring
    %p = wgtile.producer_acquire %ring : !ring
    // expected-note @below {{where it is committed without any}}
    wgtile.producer_commit %ring[%p] : !ring
    // expected-error @below {{'wgtile.consumer_wait' op expected copies into the stage that is taken}}
    %c = wgtile.consumer_wait %ring pending 0 : !ring
    wgtile.consumer_release %ring[%c] : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// The copies into the stage may be in flight.
gpu.module @kernels {
  gpu.func @too_few_waited_for(%in: memref<?x?xbf16>, %i: index) kernel {
    %ring = wgtile.ring : !ring
    %p = wgtile.producer_acquire %ring : !ring
    wgtile.async_copy %ring[%p] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    wgtile.producer_commit %ring[%p] : !ring
    // expected-error @below {{'wgtile.consumer_wait' op expected a wait for the copies into the stage before its tiles are used}}
    %c = wgtile.consumer_wait %ring pending 1 : !ring
    wgtile.consumer_release %ring[%c] : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Another thread may still read the stage.
gpu.module @kernels {
  gpu.func @no_barrier_after_release(%in: memref<?x?xbf16>, %i: index) kernel {
    %ring = wgtile.ring : !ring
    %p = wgtile.producer_acquire %ring : !ring
    wgtile.async_copy %ring[%p] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    wgtile.producer_commit %ring[%p] : !ring
    %c = wgtile.consumer_wait %ring pending 0 : !ring
    wgtile.consumer_release %ring[%c] : !ring
    %p1 = wgtile.producer_acquire %ring : !ring
    wgtile.async_copy %ring[%p1] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    wgtile.producer_commit %ring[%p1] : !ring
    // expected-error @below {{'wgtile.producer_acquire' op expected a barrier between the last reads of the stage and its next use}}
    %p2 = wgtile.producer_acquire %ring : !ring
    wgtile.producer_commit %ring[%p2] : !ring
    wgtile.producer_tail %ring : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<3, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Stages come round in order: a younger one that was released does not count.
gpu.module @kernels {
  gpu.func @older_is_held(%in: memref<?x?xbf16>, %i: index) kernel {
    %ring = wgtile.ring : !ring
    %p = wgtile.producer_acquire %ring : !ring
    wgtile.async_copy %ring[%p] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    wgtile.producer_commit %ring[%p] : !ring
    %p1 = wgtile.producer_acquire %ring : !ring
    wgtile.async_copy %ring[%p1] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    wgtile.producer_commit %ring[%p1] : !ring
    %c = wgtile.consumer_wait %ring pending 0 : !ring
    %c1 = wgtile.consumer_wait %ring pending 0 : !ring
    wgtile.consumer_release %ring[%c1] : !ring
    wgtile.block_barrier
    %p2 = wgtile.producer_acquire %ring : !ring
    wgtile.producer_commit %ring[%p2] : !ring
    // expected-error @below {{'wgtile.producer_acquire' op expected a barrier between the last reads of the stage and its next use}}
    %p3 = wgtile.producer_acquire %ring : !ring
    wgtile.producer_commit %ring[%p3] : !ring
    wgtile.consumer_release %ring[%c] : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// A ring of roles in none.
gpu.module @kernels {
  gpu.func @warps_without_roles() kernel {
    %ring = wgtile.ring warps 4 : !ring
    // expected-error @below {{'wgtile.producer_acquire' op expected a ring without warps outside of roles}}
    %p = wgtile.producer_acquire %ring : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// A role that fills and reads.
gpu.module @kernels {
  gpu.func @roles_without_warps(%in: memref<?x?xbf16>, %i: index) kernel {
    %ring = wgtile.ring : !ring
    wgtile.roles producer warps 4 registers 0 {
      // expected-error @below {{'wgtile.producer_acquire' op expected a ring with warps in a role}}
      %p = wgtile.producer_acquire %ring : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Nothing would complete the copy's barrier.
gpu.module @kernels {
  gpu.func @tma_without_roles(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %i: index) kernel {
    %ring = wgtile.ring : !ring
    %p = wgtile.producer_acquire %ring : !ring
    // expected-error @below {{'wgtile.tma_load' op expected a role around a copy by TMA into a ring}}
    wgtile.tma_load %ring[%p] 0, %map[%i, %i] : !ring, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @copy_in_role(%in: memref<?x?xbf16>, %i: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 0 {
      %p = wgtile.producer_acquire %ring : !ring
      // expected-error @below {{'wgtile.async_copy' op expected no role around it}}
      wgtile.async_copy %ring[%p] 0, %in[%i, %i] : !ring, memref<?x?xbf16>
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [i32]>

gpu.module @kernels {
  gpu.func @pending_of_numbers() kernel {
    %ring = wgtile.ring : !ring
    // expected-error @below {{'wgtile.consumer_wait' op expected 'pending' for a ring of shared tiles without roles, and for no other}}
    %c = wgtile.consumer_wait %ring pending 0 : !ring
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Each role would fill the stages that the other one fills.
gpu.module @kernels {
  gpu.func @two_roles_fill() kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles first warps 2 registers 0 {
      %filled = wgtile.producer_acquire %ring : !ring
      // expected-note @below {{another one}}
      wgtile.producer_commit %ring[%filled] : !ring
    }, second warps 2 registers 0 {
      %filled = wgtile.producer_acquire %ring : !ring
      // expected-error @below {{'wgtile.producer_commit' op expected one role that fills the ring}}
      wgtile.producer_commit %ring[%filled] : !ring
    }, consumer warps 4 registers 0 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @two_roles_read() kernel {
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 0 {
      %filled = wgtile.producer_acquire %ring : !ring
      wgtile.producer_commit %ring[%filled] : !ring
    }, first warps 4 registers 0 consumer_groups 1 {
      // expected-note @below {{another one}}
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }, second warps 4 registers 0 consumer_groups 1 {
      // expected-error @below {{'wgtile.consumer_wait' op expected one role that reads the ring}}
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Each role waits for a stage of the one before, and the first for the last.
gpu.module @kernels {
  gpu.func @circle() kernel {
    %one = wgtile.ring warps 4 : !ring
    %two = wgtile.ring warps 4 : !ring
    %three = wgtile.ring warps 4 : !ring
    wgtile.roles a warps 4 registers 0 {
      %full = wgtile.consumer_wait %three : !ring
      wgtile.consumer_release %three[%full] : !ring
      %filled = wgtile.producer_acquire %one : !ring
      wgtile.producer_commit %one[%filled] : !ring
    }, b warps 4 registers 0 {
      %full = wgtile.consumer_wait %one : !ring
      wgtile.consumer_release %one[%full] : !ring
      %filled = wgtile.producer_acquire %two : !ring
      wgtile.producer_commit %two[%filled] : !ring
    }, c warps 4 registers 0 {
      // expected-error @below {{'wgtile.consumer_wait' op expected no cycle of roles that wait for each other, but its ring closes one}}
      %full = wgtile.consumer_wait %two : !ring
      wgtile.consumer_release %two[%full] : !ring
      %filled = wgtile.producer_acquire %three : !ring
      wgtile.producer_commit %three[%filled] : !ring
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// The ranges are equal in the first iteration alone: what %y is depends on %z,
// which is another value in the second.
gpu.module @kernels {
  gpu.func @carried_range(%map: !map, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %r = %c0 to %n step %c1 iter_args(%x = %c1, %z = %n) -> (index, index) {
          // expected-note @below {{the producer's program}}
          scf.for %p = %c0 to %x step %c1 {
            %filled = wgtile.producer_acquire %ring : !ring
            wgtile.tma_load %ring[%filled] 0, %map[%i, %p] : !ring, !map
            wgtile.producer_commit %ring[%filled] : !ring
          }
          %y = arith.addi %x, %z : index
          scf.yield %y, %c1 : index, index
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %r = %c0 to %n step %c1 iter_args(%x = %c1, %z = %n) -> (index, index) {
          // expected-error @below {{'scf.for' op expected the range of the producer's loop}}
          scf.for %p = %c0 to %x step %c1 {
            %full = wgtile.consumer_wait %ring : !ring
            wgtile.consumer_release %ring[%full] : !ring
          }
          %y = arith.addi %x, %z : index
          scf.yield %y, %c0 : index, index
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// One of two instances, the second of which is never copied.
gpu.module @kernels {
  gpu.func @second_not_copied(%map: !map, %m: index, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        // expected-note @below {{the producer's program}}
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        %which = arith.select %yes, %c0, %c1 : index
        // expected-error @below {{'wgtile.ring_tile' op expected a tile that the producer copies into the stage before its commit}}
        %a = wgtile.ring_tile %ring[%full] 0 instance %which : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// One of two instances, the first of which some of the tiles lack.
gpu.module @kernels {
  gpu.func @first_not_always_copied(%map: !map, %m: index, %n: index, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %some = arith.cmpi slt, %i, %n : index
        %filled = wgtile.producer_acquire %ring : !ring
        scf.if %some {
          wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        }
        wgtile.tma_load %ring[%filled] 0 instance 1, %map[%i, %c0] : !ring, !map
        // expected-note @below {{the producer's program}}
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        %which = arith.select %yes, %c0, %c1 : index
        // expected-error @below {{'wgtile.ring_tile' op expected a condition, since the producer copies the tile under one}}
        %a = wgtile.ring_tile %ring[%full] 0 instance %which : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// An instance that is neither the group's nor one of two.
gpu.module @kernels {
  gpu.func @any_instance(%map: !map, %m: index, %n: index, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%i, %c0] : !ring, !map
        wgtile.tma_load %ring[%filled] 0 instance 1, %map[%i, %c0] : !ring, !map
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        %which = arith.select %yes, %c0, %n : index
        // expected-error @below {{'wgtile.ring_tile' op expected an instance that depends on the consumers' group alone, or one of two}}
        %a = wgtile.ring_tile %ring[%full] 0 instance %which : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}
