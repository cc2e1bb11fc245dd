// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize,wgtile-verify-sync))' | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Tiles that one op reads last travel in one stage, whatever reads them before:
// %a and %b. Those of another op have a ring of their own, and its stage is given
// back as soon as that op is over: %k.
// CHECK-LABEL: gpu.func @last_reader
// CHECK:         %[[K:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[AB:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_acquire %[[K]]
// CHECK-NEXT:      wgtile.tma_load %[[K]][%{{.*}}] 0, %[[MK:[a-z0-9]+]]
// CHECK-NEXT:      wgtile.producer_commit %[[K]]
// CHECK:           wgtile.producer_acquire %[[AB]]
// CHECK-NEXT:      wgtile.tma_load %[[AB]][%{{.*}}] 0
// CHECK-NEXT:      wgtile.tma_load %[[AB]][%{{.*}}] 1
// CHECK-NEXT:      wgtile.producer_commit %[[AB]]
// CHECK:         consumer
// CHECK:           wgtile.consumer_wait %[[K]]
// CHECK:           wgtile.consumer_wait %[[AB]]
// CHECK:           wgtile.mma
// CHECK-NEXT:      wgtile.consumer_release %[[K]][%{{.*}}]
// CHECK:           wgtile.mma
// CHECK-NEXT:      wgtile.consumer_release %[[AB]][%{{.*}}]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @last_reader(%mk: !ma, %ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %a = wgtile.load %ma[%p, %i] : !ma -> !a
        %b = wgtile.load %mb[%p, %i] : !ma -> !a
        %s = wgtile.mma %a, %k, %acc : !a, !a -> !acc
        %d = wgtile.mma %a, %b, %s : !a, !a -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Two loops, one after the other, as one that was cut: of two rings with equal
// tiles, the second loop goes on with the one of the same memory, in either order.
// CHECK-LABEL: gpu.func @same_source
// CHECK-SAME:    %[[MK:[a-z0-9]+]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %[[MV:[a-z0-9]+]]: !wgtile.tensor_map
// CHECK:         wgtile.ring warps
// CHECK:         wgtile.ring warps
// CHECK:         wgtile.ring warps
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           scf.for
// CHECK:             wgtile.tma_load %[[K:[a-z0-9]+]][%{{.*}}] 0, %[[MK]]
// CHECK:             wgtile.tma_load %[[V:[a-z0-9]+]][%{{.*}}] 0, %[[MV]]
// CHECK:           scf.for
// CHECK:             wgtile.tma_load %[[V]][%{{.*}}] 0, %[[MV]]
// CHECK:             wgtile.tma_load %[[K]][%{{.*}}] 0, %[[MK]]
// CHECK:         consumer
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @same_source(%mk: !ma, %mv: !ma, %mq: !ma, %out: memref<?x?xf32>, %n: index, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %j] : !ma -> !a
      %r = scf.for %p = %c0 to %m step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %v = wgtile.load %mv[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        scf.yield %sum : !acc
      }
      %t = scf.for %p = %m to %n step %c1 iter_args(%acc = %r) -> (!acc) {
        %v = wgtile.load %mv[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        scf.yield %sum : !acc
      }
      wgtile.store %t, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// An asynchronous product still reads its tile when the next one is loaded: the two
// have different rings. Once they are waited for, a third tile takes the first of
// these rings again.
// CHECK-LABEL: gpu.func @still_running
// CHECK:         %[[Q:.*]] = wgtile.ring warps
// CHECK:         %[[K:.*]] = wgtile.ring warps
// CHECK:         %[[V:.*]] = wgtile.ring warps
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_commit %[[Q]]
// CHECK:           wgtile.producer_commit %[[K]]
// CHECK:           wgtile.producer_commit %[[V]]
// CHECK:           wgtile.producer_commit %[[K]]
// CHECK:         consumer
// CHECK:           wgtile.consumer_wait %[[K]]
// CHECK:           wgtile.consumer_wait %[[V]]
// CHECK:           wgtile.warpgroup_mma_wait
// CHECK:           wgtile.consumer_wait %[[K]]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @still_running(%mk: !ma, %mq: !ma, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %j] : !ma -> !a
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %v = wgtile.load %mk[%p, %i] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        %u = wgtile.load %mk[%i, %p] : !ma -> !a
        %e = wgtile.mma %q, %u, %sum : !a, !a -> !acc
        scf.yield %e : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Four tiles a CTA, each of which reads one of two tiles of the first map:
// a stage has both, the second only where it is another one, and one of the second
// map for each group.
// CHECK-LABEL: gpu.func @choice
// CHECK-SAME:    %[[MA:[a-z0-9]+]]: !wgtile.tensor_map<{{[^>]*}}>, %[[MB:[a-z0-9]+]]: !wgtile.tensor_map
// CHECK:         %[[RING:.*]] = wgtile.ring warps 16 : !wgtile.ring<{{[0-9]+}}, [{{.*}}], instances = [2, 4]>
// CHECK:         wgtile.roles producer
// CHECK:           %[[U:.*]] = memref.load %[[ROWS:[a-z0-9]+]][%{{.*}}, %c0
// CHECK:           %[[V:.*]] = memref.load %[[ROWS]][%{{.*}}, %c1
// CHECK-NOT:       arith.select
// CHECK:           scf.for
// CHECK:             %[[IU:.*]] = affine.apply #{{.*}}(%[[U]])
// CHECK:             wgtile.tma_load %[[RING]][%{{.*}}] 0, %[[MA]][%[[IU]],
// CHECK:             %[[OTHER:.*]] = arith.cmpi ne, %[[U]], %[[V]]
// CHECK:             scf.if %[[OTHER]] {
// CHECK-NEXT:          %[[IV:.*]] = affine.apply #{{.*}}(%[[V]])
// CHECK-NEXT:          wgtile.tma_load %[[RING]][%{{.*}}] 0 instance 1, %[[MA]][%[[IV]],
// CHECK-NEXT:        }
// CHECK-COUNT-4:     wgtile.tma_load %[[RING]][%{{.*}}] 1{{.*}}, %[[MB]]
// CHECK-NOT:         wgtile.tma_load
// CHECK:         consumer
// CHECK:           %[[U:.*]] = memref.load
// CHECK:           %[[V:.*]] = memref.load
// CHECK:           %[[FIRST:.*]] = arith.cmpi slt
// CHECK:           %[[SAME:.*]] = arith.cmpi eq, %[[U]], %[[V]]
// CHECK:           %[[ZERO:.*]] = arith.ori %[[FIRST]], %[[SAME]]
// CHECK:           %[[INSTANCE:.*]] = arith.select %[[ZERO]], %c0{{.*}}, %c1
// CHECK:           scf.for
// CHECK:             wgtile.ring_tile %[[RING]][%{{.*}}] 0 instance %[[INSTANCE]]
// CHECK:             wgtile.ring_tile %[[RING]][%{{.*}}] 1 instance
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @choice(%ma: !ma, %mb: !ma, %rows: memref<?x2xindex>, %ends: memref<?xindex>,
                   %out: memref<?x?xf32>, %n: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %c1) attributes {consumer_groups = array<i64: 4, 1>} {
      %q = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
      %u = memref.load %rows[%q, %c0] : memref<?x2xindex>
      %v = memref.load %rows[%q, %c1] : memref<?x2xindex>
      %end = memref.load %ends[%q] : memref<?xindex>
      %first = arith.cmpi slt, %i, %end : index
      %row = arith.select %first, %u, %v : index
      %r = scf.for %p = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!acc) {
        %x = affine.apply affine_map<(d0) -> (d0 * 64)>(%row)
        %a = wgtile.load %ma[%x, %p] : !ma -> !a
        %b = wgtile.load %mb[%p, %i] : !ma -> !a
        %d = wgtile.mma %a, %b, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// No such choice: what is chosen from differs between groups, or two conditions
// choose. Each group then has its own
// tile.
// CHECK-LABEL: gpu.func @no_choice
// CHECK:         wgtile.ring warps 16 : !wgtile.ring<{{[0-9]+}}, [{{.*}}], instances = [4, 4]>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_choice(%ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %c1) attributes {consumer_groups = array<i64: 4, 1>} {
      %first = arith.cmpi slt, %i, %k : index
      %second = arith.cmpi eq, %i, %k : index
      %row = arith.select %first, %i, %n : index
      %x = arith.select %first, %k, %n : index
      %y = arith.select %second, %k, %n : index
      %r = scf.for %p = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%row, %p] : !ma -> !a
        %b = wgtile.load %mb[%x, %y] : !ma -> !a
        %d = wgtile.mma %a, %b, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Two groups keep an MMA running while they wait for the next stage: one is given
// back an iteration later. Of more groups each gives it back when its MMA is over.
// CHECK-LABEL: gpu.func @two_groups
// CHECK:         consumer warps 8
// CHECK:           %[[NONE:.*]] = wgtile.no_stage
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[LAST:.*]] = %[[NONE]])
// CHECK:             %[[STAGE:.*]] = wgtile.consumer_wait
// CHECK:             wgtile.mma_async
// CHECK-NEXT:        %[[D:.*]] = wgtile.warpgroup_mma_wait %{{.*}} pending 1
// CHECK-NEXT:        wgtile.consumer_release %{{.*}}[%[[LAST]]]
// CHECK-NEXT:        scf.yield %[[D]], %[[STAGE]]
// CHECK-LABEL: gpu.func @three_groups
// CHECK:         consumer warps 12
// CHECK-NOT:       wgtile.no_stage
// CHECK:           scf.for
// CHECK:             %[[STAGE:.*]] = wgtile.consumer_wait
// CHECK:             wgtile.mma_async
// CHECK-NEXT:        wgtile.warpgroup_mma_wait %{{.*}} pending 0
// CHECK-NEXT:        wgtile.consumer_release %{{.*}}[%[[STAGE]]]
// CHECK-NEXT:        scf.yield
// CHECK-NOT:       wgtile.consumer_release
// CHECK-LABEL: gpu.func @four_groups
// CHECK:         consumer warps 16
// CHECK-NOT:       wgtile.no_stage
// CHECK:           scf.for
// CHECK:             %[[STAGE:.*]] = wgtile.consumer_wait
// CHECK:             wgtile.mma_async
// CHECK-NEXT:        wgtile.warpgroup_mma_wait %{{.*}} pending 0
// CHECK-NEXT:        wgtile.consumer_release %{{.*}}[%[[STAGE]]]
// CHECK-NEXT:        scf.yield
// CHECK-NOT:       wgtile.consumer_release
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @two_groups(%ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %c1) attributes {consumer_groups = array<i64: 2, 1>} {
      %r = scf.for %p = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%i, %p] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %a, %b, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @three_groups(%ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %c1) attributes {consumer_groups = array<i64: 3, 1>} {
      %r = scf.for %p = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%i, %p] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %a, %b, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @four_groups(%ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %c1) attributes {consumer_groups = array<i64: 4, 1>} {
      %r = scf.for %p = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%i, %p] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %a, %b, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
