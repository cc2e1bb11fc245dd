// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize))'

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 20000>} {
  gpu.func @in_a_region(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      scf.execute_region {
        // expected-error @below {{expected a load in loops and branches only}}
        %a = wgtile.load %ma[%i, %j] : !ma -> !a
        scf.yield
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 16000>} {
  // expected-error @below {{expected at most 15960 bytes of shared memory, but one stage needs 16400; choose smaller tiles}}
  gpu.func @too_large(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!r = !wgtile.shared<16x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<16x64xf32, #wgtile.mma<warps = 1>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 20000>} {
  gpu.func @part_of_a_warpgroup(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
      %q = wgtile.load %ma[%i, %j] : !ma -> !r
      // expected-error @below {{expected whole warpgroups, but got 32 threads}}
      %d = wgtile.mma %q, %a, %zero : !r, !a -> !acc
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 20000>} {
  // expected-error @below {{expected a tile for at most 1024 threads, with registers for M x N, but got one for 1152 threads}}
  gpu.func @threads(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 20000>} {
  gpu.func @no_swizzle(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      // expected-error @below {{expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a", shared_bytes = 20000>} {
  // expected-error @below {{expected structured control flow}}
  gpu.func @blocks(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
    }
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @carried(%ma: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2, 1>} {
      // expected-error @below {{expected the same range and carried values for all tiles of a group, or loops in which nothing is loaded}}
      scf.for %p = %c0 to %n step %c1 iter_args(%row = %j) -> (index) {
        %a = wgtile.load %ma[%row, %j] : !ma -> !a
        %next = arith.addi %row, %i : index
        scf.yield %next : index
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @swapped(%map: !ma, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %map[%i, %c0] : !ma -> !a
      %b = wgtile.load %map[%i, %c1] : !ma -> !a
      // expected-error @below {{expected tiles of the same place in stages of one ring in all iterations}}
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (!a, !a) {
        %d = wgtile.mma %x, %y, %zero : !a, !a -> !acc
        %e = wgtile.load %map[%p, %c0] : !ma -> !a
        %f = wgtile.load %map[%p, %c1] : !ma -> !a
        scf.yield %f, %e : !a, !a
      }
    }
    gpu.return
  }
}
