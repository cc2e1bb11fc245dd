// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

// Programs that the analysis cannot follow are refused.

// Memory that threads share without a tile or a ring.
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op expected shared memory in rings and tiles of wgtile, or in arrays of the module, but got an argument of type 'memref<256xf32, #gpu.address_space<workgroup>>'}}
  gpu.func @k(%out: memref<?xf32>, %n: index) workgroup(%buf : memref<256xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %v = memref.load %out[%t] : memref<?xf32>
    memref.store %v, %buf[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    %u = arith.addi %t, %c1 : index
    %w = memref.load %buf[%u] : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }
}

// -----

// Not all threads of the block run a role.
gpu.module @kernels {
  gpu.func @barrier() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
      // expected-error @below {{'gpu.barrier' op expected no role around a barrier of the CTA}}
      gpu.barrier
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

// Assembly may be anything.
gpu.module @kernels {
  gpu.func @assembly() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{'llvm.inline_asm' op expected an op whose effects on shared memory and threads are known (SyncOpInterface)}}
    llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    gpu.return
  }
}

// -----

// A call may do anything, here to a ring.
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels {
  func.func private @h(%ring: !ring, %map: !map) {
    %c0 = arith.constant 0 : index
    %s = wgtile.producer_acquire %ring : !ring
    wgtile.tma_load %ring[%s] 0, %map[%c0, %c0] : !ring, !map
    return
  }
  gpu.func @k(%map: !map, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = wgtile.ring : !ring
    // expected-error @below {{'func.call' op expected an op whose effects on shared memory and threads are known (SyncOpInterface)}}
    func.call @h(%ring, %map) : (!ring, !map) -> ()
    gpu.return
  }
}

// -----

// A tile that is chosen has no place.
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
gpu.module @kernels {
  gpu.func @chosen(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %first: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = wgtile.load %map[%c0, %c0] : !map -> !a
    %b = wgtile.load %map[%c0, %c0] : !map -> !a
    // expected-error @below {{'arith.select' op expected an op whose effects on shared memory and threads are known (SyncOpInterface)}}
    %c = arith.select %first, %a, %b : !a
    %d = wgtile.mma %c, %c, %zero : !a, !a -> !acc
    wgtile.store %d, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Threads that are past the branch never arrive.
gpu.module @kernels {
  gpu.func @k(%out: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c = arith.cmpi slt, %t, %n : index
    // expected-note @below {{the branch or loop}}
    scf.if %c {
      // expected-error @below {{'wgtile.block_barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      wgtile.block_barrier
    }
    gpu.return
  }
}

// -----

// Threads arrive as often as their numbers say.
gpu.module @kernels {
  gpu.func @k(%src: memref<?x?xbf16>, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{the branch or loop}}
    scf.for %i = %c0 to %t step %c1 {
      // expected-error @below {{'wgtile.block_barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      wgtile.block_barrier
    }
    gpu.return
  }
}

// -----

// Warps exchange their parts of a number.
gpu.module @kernels {
  gpu.func @k(%f: tensor<64x64xf32, #wgtile.mma<warps = 4>>, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c = arith.cmpi slt, %t, %n : index
    // expected-note @below {{the branch or loop}}
    scf.if %c {
      // expected-error @below {{'wgtile.tile_reduce' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      %x = wgtile.tile_reduce addf %f {offset = 0 : i64} : tensor<64x64xf32, #wgtile.mma<warps = 4>> -> f32
      memref.store %x, %out[%t] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

// A number from memory that other threads write depends on who is faster.
gpu.module @kernels {
  gpu.func @race(%flags: memref<?xi1>, %flag: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    memref.store %flag, %flags[%c0] : memref<?xi1>
    %c = memref.load %flags[%c0] : memref<?xi1>
    // expected-note @below {{the branch or loop}}
    scf.if %c {
      // expected-error @below {{'wgtile.block_barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      wgtile.block_barrier
    }
    gpu.return
  }
}

// -----

// A value that a loop carries is the thread's in a later iteration.
gpu.module @kernels {
  gpu.func @carried(%n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %c = arith.cmpi slt, %x, %n : index
      // expected-note @below {{the branch or loop}}
      scf.if %c {
        // expected-error @below {{'wgtile.block_barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
        wgtile.block_barrier
      }
      scf.yield %t : index
    }
    gpu.return
  }
}

// -----

// The first MMA clears rows of the tile and reads it while the second one clears it.
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @k(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %n: index, %r: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = wgtile.load %map[%c0, %c0] : !map -> !a
    %b = wgtile.load %map[%n, %c0] : !map -> !a
    %d = wgtile.mma_async %a, %b, %zero rows %r : !a, !a -> !acc
    // expected-error @below {{'wgtile.mma_async' op expected a wait for the product that uses the tile before its rows are cleared}}
    %e = wgtile.mma_async %b, %b, %d rows %r : !a, !a -> !acc
    %w = wgtile.warpgroup_mma_wait %e pending 0 : !acc
    wgtile.store %w, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Other warps may still be clearing the rows that this MMA reads as its left tile.
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @k(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %n: index, %r: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = wgtile.load %map[%c0, %c0] : !map -> !a
    %b = wgtile.load %map[%n, %c0] : !map -> !a
    %d = wgtile.mma_async %a, %b, %zero rows %r : !a, !a -> !acc
    %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
    // expected-error @below {{'wgtile.mma' op expected a barrier of the block between the clearing of the tile's rows and this access}}
    %e = wgtile.mma %b, %a, %w : !a, !a -> !acc
        wgtile.store %e, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A stage is filled under one condition and read under another.
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
gpu.module @kernels {
  gpu.func @k(%src: memref<?x?xbf16>, %zero: !acc, %t: !t, %out: memref<?x?xf32>, %n: index, %x: memref<?xi1>, %y: memref<?xi1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring : !ring
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      %cx = memref.load %x[%p] : memref<?xi1>
      %cy = memref.load %y[%p] : memref<?xi1>
      %s = wgtile.producer_acquire %ring : !ring
      scf.if %cx {
        wgtile.async_copy %ring[%s] 0, %src[%c0, %c0] : !ring, memref<?x?xbf16>
      }
      // expected-note @below {{where it is committed after copies under another condition}}
      wgtile.producer_commit %ring[%s] : !ring
      // expected-error @below {{'wgtile.consumer_wait' op expected copies into the stage that is taken, always or if the loop has the iteration that takes it}}
      %f = wgtile.consumer_wait %ring pending 0 : !ring
      %next = scf.if %cy -> (!acc) {
        %a = wgtile.ring_tile %ring[%f] 0 : !ring -> !a
        %d = wgtile.mma %t, %a, %acc mma_sync : !t, !a -> !acc
        scf.yield %d : !acc
      } else {
        scf.yield %acc : !acc
      }
      wgtile.consumer_release %ring[%f] : !ring
      scf.yield %next : !acc
    }
    wgtile.producer_tail %ring : !ring
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The condition is that of the iteration after the one that takes the stage.
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
gpu.module @kernels {
  gpu.func @k(%src: memref<?x?xbf16>, %zero: !acc, %t: !t, %out: memref<?x?xf32>, %n: index, %x: memref<?xi1>, %y: memref<?xi1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring : !ring
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      %next_p = arith.addi %p, %c1 : index
      %cx = arith.cmpi slt, %next_p, %n : index
      %cy = memref.load %y[%p] : memref<?xi1>
      %s = wgtile.producer_acquire %ring : !ring
      scf.if %cx {
        wgtile.async_copy %ring[%s] 0, %src[%c0, %c0] : !ring, memref<?x?xbf16>
      }
      // expected-note @below {{where it is committed after copies under another condition}}
      wgtile.producer_commit %ring[%s] : !ring
      // expected-error @below {{'wgtile.consumer_wait' op expected copies into the stage that is taken, always or if the loop has the iteration that takes it}}
      %f = wgtile.consumer_wait %ring pending 0 : !ring
      %next = scf.if %cy -> (!acc) {
        %a = wgtile.ring_tile %ring[%f] 0 : !ring -> !a
        %d = wgtile.mma %t, %a, %acc mma_sync : !t, !a -> !acc
        scf.yield %d : !acc
      } else {
        scf.yield %acc : !acc
      }
      wgtile.consumer_release %ring[%f] : !ring
      scf.yield %next : !acc
    }
    wgtile.producer_tail %ring : !ring
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Layouts come first.
!a = !wgtile.shared<64x64xbf16>
gpu.module @kernels {
  gpu.func @k(%src: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'wgtile.load' op expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
    %a = wgtile.load %src[%c0, %c0] : memref<?x?xbf16> -> !a
    gpu.return
  }
}

// -----

// A cluster of CTAs meets, whatever the number of each.
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
gpu.module @kernels {
  gpu.func @cluster(%tile: !acc, %out: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %rank = gpu.cluster_block_id x
    %first = arith.cmpi eq, %rank, %c0 : index
    // expected-note @below {{the loop or branch}}
    scf.if %first {
      // expected-error @below {{'wgtile.cluster_reduce' op expected no loop or branch around it: all CTAs of the cluster, and all their roles, meet}}
      %sum = wgtile.cluster_reduce %tile {offset = 0 : i64} : !acc
      wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
