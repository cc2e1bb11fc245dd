// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize))' | FileCheck %s
// RUN: sed 's/attributes {known_block_size = array<i32: [0-9]*, 1, 1>}/&  /; s/, 1, 1>}  /, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 3, ctas_per_sm = 1>}/' %s \
// RUN:   | sparse-opt --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize))' | FileCheck %s --check-prefix=STAGES

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>

// One warpgroup consumes, so two CTAs share the SM: half of
// its shared memory holds 4 stages of 24 KB. The producer loads a turn's column
// in the turn before it, the first one's before the loop, if there is one.
// CHECK-LABEL: gpu.func @product
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME:    nvvm.maxnreg = 128 : i32, nvvm.minctasm = 2 : i32
// CHECK:         %[[RING:.*]] = wgtile.ring warps 4 : !wgtile.ring<4, [
// CHECK:         wgtile.roles producer warps 4 registers 56 {
// CHECK:           wgtile.for_each_tile
// CHECK:             %[[SOME:.*]] = arith.cmpi slt, %[[BEGIN:.*]], %[[END:.*]] : index
// CHECK:             %[[LAST:.*]] = arith.subi %[[END]], %{{.*}} : index
// CHECK:             %[[FIRST:.*]] = scf.if %[[SOME]] -> (i32) {
// CHECK-NEXT:          memref.load %{{.*}}[%[[BEGIN]]]
// CHECK:             scf.for %[[P:.*]] = %[[BEGIN]] to %[[END]] {{.*}} iter_args(%[[COL:.*]] = %[[FIRST]]) -> (i32)
// CHECK-NEXT:          %[[NEXT:.*]] = arith.addi %[[P]]
// CHECK-NEXT:          %[[CLAMPED:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK-NEXT:          %[[AHEAD:.*]] = memref.load %{{.*}}[%[[CLAMPED]]]
// CHECK-NEXT:          %[[X:.*]] = arith.index_cast %[[COL]]
// CHECK-NEXT:          wgtile.producer_acquire %[[RING]]
// CHECK:               wgtile.tma_load %[[RING]][%{{.*}}] 0, %{{.*}}[%[[P]], %{{.*}}, %{{.*}}]
// CHECK:               wgtile.tma_load %[[RING]][%{{.*}}] 1, %{{.*}}[%[[X]], %{{.*}}]
// CHECK:               wgtile.producer_commit %[[RING]]
// CHECK:               scf.yield %[[AHEAD]]
// CHECK-NOT:         wgtile.store
// CHECK:         }, consumer warps 4 registers 200 consumer_groups 1 {
// CHECK:           wgtile.for_each_tile
// CHECK-NOT:         memref.load
// CHECK:             %[[NONE:.*]] = wgtile.no_stage
// CHECK:             %[[R:.*]]:2 = scf.for {{.*}}, %[[LAST:.*]] = %[[NONE]])
// CHECK:               %[[S:.*]] = wgtile.consumer_wait %[[RING]]
// CHECK:               %[[A:.*]] = wgtile.ring_tile %[[RING]][%[[S]]] 0
// CHECK:               %[[B:.*]] = wgtile.ring_tile %[[RING]][%[[S]]] 1
// CHECK:               %[[D:.*]] = wgtile.mma_async %[[A]], %[[B]], %{{.*}}
// CHECK:               %[[W:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 1
// CHECK:               wgtile.consumer_release %[[RING]][%[[LAST]]]
// CHECK:               scf.yield %[[W]], %[[S]]
// CHECK:             wgtile.warpgroup_mma_wait %[[R]]#0 pending 0
// CHECK:             wgtile.consumer_release %[[RING]][%[[R]]#1]
// CHECK:             wgtile.store
// STAGES-LABEL: gpu.func @product
// STAGES-SAME:    nvvm.minctasm = 1 : i32
// STAGES:         wgtile.ring warps 4 : !wgtile.ring<3, [
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @product(%ma: !ma, %mb: !mb, %col: memref<?xi32>, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = memref.load %col[%p] : memref<?xi32>
        %x = arith.index_cast %k : i32 to index
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%x, %j] : !mb -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// A kernel that loads nothing has one role.
// CHECK-LABEL: gpu.func @no_loads
// CHECK-NOT:     wgtile.roles
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_loads(%n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// What a tile loads once has a ring of two stages, given back behind the loop
// that reads it. Loads of equal tiles before a loop and in it share a ring.
// CHECK-LABEL: gpu.func @loaded_once
// CHECK:         %[[ONCE:.*]] = wgtile.ring warps 4 : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[RING:.*]] = wgtile.ring warps 4 : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_acquire %[[ONCE]]
// CHECK:           wgtile.producer_commit %[[ONCE]]
// CHECK:           scf.if
// CHECK:             wgtile.producer_acquire %[[RING]]
// CHECK:             wgtile.producer_commit %[[RING]]
// CHECK:             scf.for
// CHECK:               wgtile.producer_acquire %[[RING]]
// CHECK:               wgtile.producer_commit %[[RING]]
// CHECK:         }, consumer
// CHECK:           wgtile.consumer_wait %[[ONCE]]
// CHECK:           scf.if
// CHECK:             wgtile.consumer_wait %[[RING]]
// CHECK:             wgtile.mma
// CHECK:             wgtile.consumer_release %[[RING]][%{{.*}}]
// CHECK:             scf.for
// CHECK:               wgtile.consumer_wait %[[RING]]
// CHECK:               wgtile.mma
// CHECK:               wgtile.mma
// CHECK:               wgtile.consumer_release %[[RING]][%{{.*}}]
// CHECK-NOT:     wgtile.consumer_release
// CHECK:           } else {
// CHECK:           }
// CHECK-NEXT:      wgtile.consumer_release %[[ONCE]][%{{.*}}]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @loaded_once(%ma: !ma, %out: memref<?x?xf32>, %n: index, %c: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %ma[%i, %c0] : !ma -> !a
      %r = scf.if %c -> !acc {
        %a0 = wgtile.load %ma[%i, %j] : !ma -> !a
        %b0 = wgtile.load %ma[%j, %i] : !ma -> !a
        %s0 = wgtile.mma %a0, %b0, %zero : !a, !a -> !acc
        %l = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %s0) -> (!acc) {
          %a = wgtile.load %ma[%p, %j] : !ma -> !a
          %b = wgtile.load %ma[%j, %p] : !ma -> !a
          %s = wgtile.mma %a, %q, %acc : !a, !a -> !acc
          %d = wgtile.mma %a, %b, %s : !a, !a -> !acc
          scf.yield %d : !acc
        }
        scf.yield %l : !acc
      } else {
        scf.yield %zero : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x16xbf16, swizzle = 32>
!b = !wgtile.shared<16x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<16x16xbf16, swizzle = 32>
!mb = !wgtile.tensor_map<16x64xbf16, swizzle = 128>
!acc = tensor<16x64xf32, #wgtile.mma<warps = 2, column_warps = 2>>

// A product by mma.sync is over when the next op runs, and gives the stage back
// without a wait. Less than a warpgroup keeps the registers of the start. Stages
// are as many as max-stages.
// CHECK-LABEL: gpu.func @mma_sync
// CHECK-SAME:    known_block_size = array<i32: 96, 1, 1>
// CHECK:         wgtile.ring warps 2 : !wgtile.ring<16, [
// CHECK:         wgtile.roles producer warps 1 registers 0 {
// CHECK:         }, consumer warps 2 registers 0 consumer_groups 1 {
// CHECK:             scf.for
// CHECK:               wgtile.consumer_wait
// CHECK:               %[[D:.*]] = wgtile.mma {{.*}} mma_sync
// CHECK-NEXT:          wgtile.consumer_release %{{.*}}[%{{.*}}]
// CHECK-NEXT:          scf.yield %[[D]]
// CHECK:             }
// CHECK-NEXT:        wgtile.store
// STAGES-LABEL: gpu.func @mma_sync
// STAGES:         wgtile.ring warps 2 : !wgtile.ring<3, [
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @mma_sync(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%i, %p] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma %a, %b, %acc mma_sync : !a, !b -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x16xbf16, swizzle = 32>
!b = !wgtile.shared<16x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x16x16xbf16, swizzle = 32>
!mb = !wgtile.tensor_map<16x64xbf16, swizzle = 128>
!acc = tensor<16x64xf32, #wgtile.mma<warps = 1>>

// Two tiles a CTA, which share b. A product by mma.sync stays in its
// branch: a group that has none in a turn gives the stage back at once. What is
// read for a tile's store is read under the condition that there is such a tile.
// CHECK-LABEL: gpu.func @groups
// CHECK-SAME:    known_block_size = array<i32: 96, 1, 1>
// CHECK:         %[[RING:.*]] = wgtile.ring warps 2 : !wgtile.ring<16, [{{.*}}], instances = [1, 2]>
// CHECK:         wgtile.roles producer warps 1 registers 0 {
// CHECK:             scf.for
// CHECK:               %[[NEXT0:.*]] = memref.load
// CHECK:               %[[NEXT1:.*]] = memref.load
// CHECK:               wgtile.producer_acquire
// CHECK:               wgtile.tma_load %[[RING]][%{{.*}}] 0,
// CHECK:               scf.if
// CHECK:                 wgtile.tma_load %[[RING]][%{{.*}}] 1,
// CHECK:               scf.if
// CHECK:                 wgtile.tma_load %[[RING]][%{{.*}}] 1 instance 1,
// CHECK:               wgtile.producer_commit
// CHECK:               scf.yield %[[NEXT0]], %[[NEXT1]]
// CHECK:         }, consumer warps 2 registers 0 consumer_groups 2 {
// CHECK:           wgtile.for_each_tile (%[[I:.*]], %{{.*}}) in (%[[N:.*]], %{{.*}}) attributes {consumer_groups
// CHECK-NOT:         memref.load %{{.*}}[%[[I]]]
// CHECK:             scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[BLOCK:.*]] = %{{.*}}) ->
// CHECK:               wgtile.consumer_wait %[[RING]]
// CHECK-NEXT:          wgtile.ring_tile %[[RING]][%{{.*}}] 0
// CHECK-NEXT:          %[[PRESENT:.*]] = arith.cmpi sge, %[[BLOCK]]
// CHECK-NEXT:          %[[D:.*]] = scf.if %[[PRESENT]]
// CHECK:                 wgtile.ring_tile %[[RING]][%{{.*}}] 1 instance
// CHECK-NEXT:            wgtile.mma
// CHECK-NEXT:            scf.yield
// CHECK:               } else {
// CHECK-NEXT:            scf.yield %[[ACC]]
// CHECK-NEXT:          }
// CHECK-NEXT:          wgtile.consumer_release %[[RING]][%{{.*}}]
// CHECK-NOT:         consumer_drain
// CHECK:             %[[EXISTS:.*]] = arith.cmpi ult, %[[I]], %[[N]]
// CHECK-NEXT:        scf.if %[[EXISTS]] {
// CHECK-NEXT:          memref.load %{{.*}}[%[[I]]]
// CHECK:               wgtile.store
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @groups(%ma: !ma, %mb: !mb, %steps: memref<?x2xi32>, %scale: memref<?xf32>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2, 1>} {
      %g = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
      %s = memref.load %scale[%i] : memref<?xf32>
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %block = memref.load %steps[%p, %g] : memref<?x2xi32>
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %present = arith.cmpi sge, %block, %none : i32
        %d = scf.if %present -> (!acc) {
          %x = arith.index_cast %block : i32 to index
          %a = wgtile.load %ma[%x, %c0, %c0] : !ma -> !a
          %d0 = wgtile.mma %a, %b, %acc mma_sync : !a, !b -> !acc
          scf.yield %d0 : !acc
        } else {
          scf.yield %acc : !acc
        }
        scf.yield %d : !acc
      }
      %all = tensor.splat %s : !acc
      %scaled = arith.mulf %r, %all : !acc
      wgtile.store %scaled, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>

// As many stages as the loop asks for, whatever the option says; two at least,
// since a stage is given back when the next one is there, and at most what fits.
// CHECK-LABEL: gpu.func @three_stages
// CHECK:         wgtile.ring warps 4 : !wgtile.ring<3, [
// CHECK-LABEL: gpu.func @one_stage
// CHECK:         wgtile.ring warps 4 : !wgtile.ring<2, [
// CHECK-LABEL: gpu.func @many_stages
// CHECK:         wgtile.ring warps 4 : !wgtile.ring<4, [
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @three_stages(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 3>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @one_stage(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @many_stages(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 50>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!c = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Tiles that are read behind the loop go through its ring, a stage each, which
// is given back as soon as it is read; the one in a branch is taken there, by
// both roles. The loop's last stage goes back before: the wait for its product
// moves up.
// CHECK-LABEL: gpu.func @reads
// CHECK:         %[[RING:.*]] = wgtile.ring warps 4 : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           scf.for
// CHECK:             wgtile.producer_commit %[[RING]]
// CHECK:           }
// CHECK:           wgtile.producer_acquire %[[RING]]
// CHECK-NEXT:      wgtile.tma_load %[[RING]][%{{.*}}] 0, %[[C:[a-z0-9]+]][%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]]
// CHECK-NEXT:      wgtile.producer_commit %[[RING]]
// CHECK-NEXT:      scf.if %[[YES:.*]] {
// CHECK-NEXT:        wgtile.producer_acquire %[[RING]]
// CHECK-NEXT:        wgtile.tma_load %[[RING]][%{{.*}}] 0, %[[C]][%[[J]], %[[I]]]
// CHECK-NEXT:        wgtile.producer_commit %[[RING]]
// CHECK:         }, consumer
// CHECK:           %[[NONE:.*]] = wgtile.no_stage
// CHECK-NEXT:      %[[R:.*]]:2 = scf.for {{.*}}, %[[LAST:.*]] = %[[NONE]])
// CHECK:             wgtile.consumer_release %[[RING]][%[[LAST]]]
// CHECK:           }
// CHECK-NEXT:      %[[W:.*]] = wgtile.warpgroup_mma_wait %[[R]]#0 pending 0
// CHECK-NEXT:      wgtile.consumer_release %[[RING]][%[[R]]#1]
// CHECK-NEXT:      %[[S:.*]] = wgtile.consumer_wait %[[RING]]
// CHECK-NEXT:      %[[TILE:.*]] = wgtile.ring_tile %[[RING]][%[[S]]] 0
// CHECK-NEXT:      wgtile.read_shared %[[TILE]]
// CHECK-NEXT:      wgtile.consumer_release %[[RING]][%[[S]]]
// CHECK:           scf.if %[[YES]]
// CHECK-NEXT:        wgtile.consumer_wait %[[RING]]
// CHECK-NEXT:        %[[OTHER:.*]] = wgtile.ring_tile %[[RING]][%{{.*}}] 0
// CHECK-NEXT:        wgtile.read_shared %[[OTHER]]
// CHECK-NEXT:        wgtile.consumer_release %[[RING]][%{{.*}}]
// CHECK:           wgtile.extract_columns %[[W]]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @reads(%m: !m, %mc: !m, %out: memref<?x?xbf16>, %n: index, %yes: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %none = arith.constant dense<0.0> : !c
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %m[%i, %p] : !m -> !a
        %b = wgtile.load %m[%p, %j] : !m -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %s0 = wgtile.load %mc[%i, %j] : !m -> !a
      %0 = wgtile.read_shared %s0 : !a -> !c
      %1 = scf.if %yes -> (!c) {
        %s1 = wgtile.load %mc[%j, %i] : !m -> !a
        %2 = wgtile.read_shared %s1 : !a -> !c
        scf.yield %2 : !c
      } else {
        scf.yield %none : !c
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      %3 = wgtile.extract_columns %w from 0 : !acc -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
      %4 = arith.truncf %3 : tensor<64x64xf32, #wgtile.mma<warps = 4>> to !c
      %5 = arith.addf %0, %4 : !c
      %6 = arith.addf %1, %5 : !c
      wgtile.store %6, %out[%i, %j] in_bounds [true, true] : !c, memref<?x?xbf16>
    }
    gpu.return
  }
}
