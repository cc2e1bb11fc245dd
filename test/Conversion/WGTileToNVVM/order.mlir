// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// A warpgroup waits at its own named barrier, from 8 on, and arrives at the next
// one's; two warpgroups meet at each. The first one arrives at its own barrier
// for the last one at the start. The producer's warpgroup is not counted.
// CHECK-LABEL: gpu.func @two
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : i32
// CHECK:         nvvm.setmaxregister increase
// CHECK:         %[[THREAD:.*]] = arith.subi %{{.*}}, %[[C128]]
// CHECK:         %[[WARPGROUP:.*]] = arith.divui %[[THREAD]], %[[C128]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "{\0A.reg .pred p;\0Asetp.eq.u32 p, $0, 0;\0A@p bar.arrive 8, 256;\0A}", "r,~{memory}" %[[WARPGROUP]]
// CHECK:         %[[OWN:.*]] = arith.addi %[[WARPGROUP]], %[[C8]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "bar.sync $0, 256;", "r,~{memory}" %[[OWN]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[WARPGROUP]], %[[C1]]
// CHECK:         %[[AROUND:.*]] = arith.remui %[[NEXT]], %[[C2]]
// CHECK:         %[[NEXTS:.*]] = arith.addi %[[AROUND]], %[[C8]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "bar.arrive $0, 256;", "r,~{memory}" %[[NEXTS]]
// CHECK-NOT:     wgtile.order
gpu.module @kernels {
  gpu.func @two() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
      wgtile.order_arrive warpgroups 2
    }
    gpu.return
  }
}

// -----

// After the third warpgroup comes the first. Still two meet at a barrier.
// CHECK-LABEL: gpu.func @three
// CHECK:         %[[C3:.*]] = arith.constant 3 : i32
// CHECK:         arith.remui %{{.*}}, %[[C3]]
// CHECK:         "bar.arrive $0, 256;"
gpu.module @kernels {
  gpu.func @three() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 12 registers 160 consumer_groups 1 {
      wgtile.order_arrive warpgroups 3
    }
    gpu.return
  }
}
