// RUN: sparse-opt %s --wgtile-stage-stores | FileCheck %s
// RUN: sparse-opt %s --wgtile-stage-stores --remarks-filter=wgtile-stage-stores -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

!pair = tensor<128x64xbf16, #wgtile.mma<warps = 8>>
!words = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// A ring for the stores of a type. It has three stages, so that each of the three
// stores has the same stage in every tile.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[N:.*]]: index, %[[MAP:.*]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>
// CHECK:         %[[RING:.*]] = wgtile.ring : !wgtile.ring<3, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK-NOT:     wgtile.ring :
// CHECK:         wgtile.for_each_tile (%[[I:.*]]) in
// CHECK:           %[[S0:.*]] = wgtile.producer_acquire %[[RING]]
// CHECK-NEXT:      wgtile.ring_store %[[T:.*]], %[[RING]][%[[S0]]] 0
// CHECK-NEXT:      wgtile.tma_store %[[RING]][%[[S0]]] 0, %[[MAP]][%[[I]], %{{.*}}] warpgroups 2
// CHECK-NEXT:      wgtile.producer_commit %[[RING]][%[[S0]]]
// CHECK:           %[[S1:.*]] = wgtile.producer_acquire %[[RING]]
// CHECK:           wgtile.ring_store %[[T]], %[[RING]][%[[S1]]] 0
// CHECK:           %[[S2:.*]] = wgtile.producer_acquire %[[RING]]
// CHECK:           wgtile.ring_store %[[T]], %[[RING]][%[[S2]]] 0
// CHECK-NOT:       wgtile.store {{%}}
// CHECK:         }
// CHECK-NEXT:    wgtile.producer_tail %[[RING]]
// One store of a tile needs one stage; an even number has two, as has one that
// neither two nor three stages divide.
// CHECK-LABEL: gpu.func @batch
// CHECK:         %[[RING:.*]] = wgtile.ring : !wgtile.ring<1, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 1>
// CHECK:         wgtile.tma_store %[[RING]][%{{.*}}] 0, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] warpgroups 1 : !wgtile.ring<{{.*}}>, !wgtile.tensor_map<1x64x32xf32, swizzle = 128>
// A transposed tile: the warpgroups' rows are columns of staging, words in two
// boxes; any multiple of 8 columns will do.
// CHECK-LABEL: gpu.func @transposed
// CHECK-DAG:     %[[S:.*]] = wgtile.ring : !wgtile.ring<1, [!wgtile.shared<24x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK-DAG:     %[[W:.*]] = wgtile.ring : !wgtile.ring<1, [!wgtile.shared<32x64xf32, swizzle = 128>], warpgroups = 1>
// CHECK:         wgtile.ring_store %{{.*}}, %[[S]][%{{.*}}] 0 transposed : tensor<128x24xbf16, #{{.*}}>, !wgtile.ring
// CHECK-NEXT:    wgtile.tma_store %[[S]][%{{.*}}] 0, %{{.*}}[%{{.*}}, %{{.*}}] warpgroups 2 transposed : !wgtile.ring<{{.*}}>, !wgtile.tensor_map<24x64xbf16, swizzle = 128>
// CHECK:         wgtile.tma_store %[[W]][%{{.*}}] 0, %{{.*}} warpgroups 1 transposed : !wgtile.ring<{{.*}}>, !wgtile.tensor_map<32x32xf32, swizzle = 128>
// CHECK:         wgtile.producer_tail %[[S]]
// CHECK-NEXT:    wgtile.producer_tail %[[W]]
// The consumer groups' warpgroups have instances of their own.
// CHECK-LABEL: gpu.func @counts
// CHECK:         wgtile.ring : !wgtile.ring<2, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 1>
// CHECK:         wgtile.ring : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// The last columns of a tile whose others fill the swizzle's rows are staged in a
// narrower one.
// CHECK-LABEL: gpu.func @last_columns
// CHECK:         %[[WHOLE:.*]] = wgtile.ring : !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK:         %[[LAST:.*]] = wgtile.ring : !wgtile.ring<1, [!wgtile.shared<64x16xbf16, swizzle = 32>], warpgroups = 2>
// CHECK:         wgtile.tma_store %[[WHOLE]][
// CHECK:         wgtile.ring_store %{{.*}}, %[[LAST]][%{{.*}}] 0 : tensor<128x16xbf16
// CHECK-NEXT:    wgtile.tma_store %[[LAST]][%{{.*}}] 0, %{{.*}} warpgroups 2 : {{.*}}, !wgtile.tensor_map<64x16xbf16, swizzle = 32>
// CHECK-LABEL: gpu.func @groups
// CHECK:         wgtile.ring : !wgtile.ring<1, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 2>
// A store in a loop is staged, too: while TMA reads one tile, the next is written.
// CHECK-LABEL: gpu.func @loop
// CHECK:         %[[RING:.*]] = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 1>
// CHECK:         scf.for
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[S:.*]] = wgtile.producer_acquire %[[RING]]
// CHECK:             wgtile.tma_store %[[RING]][%[[S]]] 0, %{{.*}}[%{{.*}}, %[[J]]]
// CHECK-NEXT:        wgtile.producer_commit %[[RING]][%[[S]]]
// CHECK:         wgtile.producer_tail %[[RING]]
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?xbf16>
// CHECK:         %[[MAP:.*]] = wgtile.tensor_map %[[OUT]]
// CHECK:         wgtile.launch @kernels::@kernel {{.*}} args(%[[OUT]], %{{.*}}, %[[MAP]])
gpu.module @kernels {
  gpu.func @kernel(%out: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !pair
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %t, %out[%i, %c0] in_bounds [true, true]
          : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %n] in_bounds [true, true]
          : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %i] in_bounds [true, false]
          : !pair, memref<?x?xbf16>
    }
    %m = memref.dim %out, %c0 : memref<?x?xbf16>
    gpu.return
  }
  gpu.func @batch(%out: memref<?x?x?xf32> {wgtile.tma_compatible}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !words
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %t, %out[%i, %c0, %c0] in_bounds [true, true]
          : !words, memref<?x?x?xf32>
    }
    gpu.return
  }
  gpu.func @transposed(%out: memref<?x?xbf16> {wgtile.tma_compatible},
                       %wide: memref<?x?xf32> {wgtile.tma_compatible}, %n: index) kernel {
    %t = arith.constant dense<1.0> : tensor<128x24xbf16, #wgtile.mma<warps = 8>>
    %w = arith.constant dense<1.0> : !words
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %t, %out[%i, %n] in_bounds [true, false] transposed
          : tensor<128x24xbf16, #wgtile.mma<warps = 8>>, memref<?x?xbf16>
      wgtile.store %w, %wide[%i, %n] in_bounds [true, false] transposed
          : !words, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @counts(%out: memref<?x?xbf16> {wgtile.tma_compatible},
                   %wide: memref<?x?xf32> {wgtile.tma_compatible}, %n: index) kernel {
    %t = arith.constant dense<1.0> : !pair
    %w = arith.constant dense<1.0> : !words
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %w, %wide[%i, %n] in_bounds [true, true] : !words, memref<?x?xf32>
      wgtile.store %w, %wide[%i, %i] in_bounds [true, true] : !words, memref<?x?xf32>
      wgtile.store %t, %out[%i, %i] in_bounds [true, true] : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %n] in_bounds [true, true] : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %i] in_bounds [true, true] : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %n] in_bounds [true, true] : !pair, memref<?x?xbf16>
      wgtile.store %t, %out[%i, %i] in_bounds [true, true] : !pair, memref<?x?xbf16>
    }
    gpu.return
  }
  gpu.func @last_columns(%out: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index) kernel {
    %t = arith.constant dense<1.0> : !pair
    %last = arith.constant dense<1.0> : tensor<128x16xbf16, #wgtile.mma<warps = 8>>
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %t, %out[%i, %i] in_bounds [true, true] : !pair, memref<?x?xbf16>
      wgtile.store %last, %out[%i, %n] in_bounds [true, true]
          : tensor<128x16xbf16, #wgtile.mma<warps = 8>>, memref<?x?xbf16>
    }
    gpu.return
  }
  gpu.func @groups(%out: memref<?x?xf32> {wgtile.tma_compatible}, %n: index) kernel {
    %t = arith.constant dense<1.0> : !words
    wgtile.for_each_tile (%i) in (%n) attributes {consumer_groups = array<i64: 2>} {
      wgtile.store %t, %out[%i, %n] in_bounds [true, true] : !words, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @loop(%out: memref<?x?xf32> {wgtile.tma_compatible}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : !words
    wgtile.for_each_tile (%i) in (%n) {
      scf.for %k = %c0 to %n step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          wgtile.store %t, %out[%i, %j] in_bounds [true, true] : !words, memref<?x?xf32>
        }
      }
    }
    gpu.return
  }
}
func.func @host(%out: memref<?x?xbf16>, %out3: memref<?x?x?xf32>, %wide: memref<?x?xf32>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%out, %n)
      : memref<?x?xbf16>, index
  wgtile.launch @kernels::@batch grid(%n) args(%out3, %n)
      : memref<?x?x?xf32>, index
  wgtile.launch @kernels::@transposed grid(%n) args(%out, %wide, %n)
      : memref<?x?xbf16>, memref<?x?xf32>, index
  wgtile.launch @kernels::@counts grid(%n) args(%out, %wide, %n)
      : memref<?x?xbf16>, memref<?x?xf32>, index
  wgtile.launch @kernels::@last_columns grid(%n) args(%out, %n)
      : memref<?x?xbf16>, index
  wgtile.launch @kernels::@groups grid(%n) args(%wide, %n)
      : memref<?x?xf32>, index
  wgtile.launch @kernels::@loop grid(%n) args(%wide, %n)
      : memref<?x?xf32>, index
  return
}

// What stays: a store to an argument that nothing is known of, in a branch, and
// of a tile that is no row of the swizzle.
// CHECK-LABEL: gpu.func @unstaged
// CHECK-NOT:     wgtile.ring
// CHECK-NOT:     wgtile.producer_tail
// CHECK-COUNT-3: wgtile.store {{%}}
gpu.module @others {
  gpu.func @unstaged(%any: memref<?x?xbf16>,
                     %out: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index,
                     %c: i1) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !pair
    %narrow = arith.constant dense<1.0>
        : tensor<128x32xbf16, #wgtile.mma<warps = 8>>
    wgtile.for_each_tile (%i) in (%n) {
      wgtile.store %t, %any[%i, %c0] in_bounds [true, true]
          : !pair, memref<?x?xbf16>
      scf.if %c {
        // REMARK: [[@LINE+1]]:9: remark: {{.*}}StageStores{{.*}}threads store a tile themselves: it is stored in a branch
        wgtile.store %t, %out[%i, %c0] in_bounds [true, true]
            : !pair, memref<?x?xbf16>
      }
      // REMARK: [[@LINE+1]]:7: remark: {{.*}}StageStores{{.*}}threads store a tile themselves: its rows are not rows of the swizzle
      wgtile.store %narrow, %out[%i, %c0] in_bounds [true, true]
          : tensor<128x32xbf16, #wgtile.mma<warps = 8>>, memref<?x?xbf16>
    }
    gpu.return
  }
}
func.func @others_host(%any: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                       %n: index, %c: i1) {
  wgtile.launch @others::@unstaged grid(%n) args(%any, %out, %n, %c)
      : memref<?x?xbf16>, memref<?x?xbf16>, index, i1
  return
}
