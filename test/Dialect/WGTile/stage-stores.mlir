// RUN: sparse-opt %s --wgtile-stage-stores | FileCheck %s
// RUN: sparse-opt %s --wgtile-stage-stores --remarks-filter=wgtile-stage-stores -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

!pair = tensor<128x64xbf16, #wgtile.mma<warps = 8>>
!words = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// Two staging tiles of a type take turns. With three stores the first tile is
// the last store's of the tile before: nothing may be pending; the second one's
// copy has two newer ones behind it.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[N:.*]]: index, %[[MAP:.*]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>
// CHECK:         %[[S0:.*]] = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:         %[[S1:.*]] = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK-NOT:     wgtile.staging
// CHECK:         wgtile.for_each_tile (%[[I:.*]]) in
// CHECK:           wgtile.tma_store_wait pending 0 read
// CHECK-NEXT:      wgtile.store_shared %[[T:.*]], %[[S0]]
// CHECK-NEXT:      wgtile.tma_store %[[S0]], %[[MAP]][%[[I]], %{{.*}}] warpgroups 2
// CHECK:           wgtile.tma_store_wait pending 2 read
// CHECK:           wgtile.store_shared %[[T]], %[[S1]]
// CHECK:           wgtile.tma_store_wait pending 1 read
// CHECK:           wgtile.store_shared %[[T]], %[[S0]]
// CHECK-NOT:       wgtile.store {{%}}
// CHECK:         }
// CHECK-NEXT:    wgtile.tma_store_wait pending 0 read{{$}}
// CHECK-LABEL: gpu.func @batch
// CHECK:         %[[S:.*]] = wgtile.staging : !wgtile.shared<64x32xf32, swizzle = 128>
// CHECK:         wgtile.tma_store_wait pending 0 read
// CHECK:         wgtile.tma_store %[[S]], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] warpgroups 1 : !wgtile.shared<64x32xf32, swizzle = 128>, !wgtile.tensor_map<1x64x32xf32, swizzle = 128>
// A transposed tile: the warpgroups' rows are columns of staging, words in two
// boxes; any multiple of 8 columns will do.
// CHECK-LABEL: gpu.func @transposed
// CHECK-DAG:     %[[S:.*]] = wgtile.staging : !wgtile.shared<24x64xbf16, swizzle = 128>
// CHECK-DAG:     %[[W:.*]] = wgtile.staging : !wgtile.shared<32x64xf32, swizzle = 128>
// CHECK:         wgtile.store_shared %{{.*}}, %[[S]] transposed : tensor<128x24xbf16, #{{.*}}>, !wgtile.shared<24x64xbf16, swizzle = 128>
// CHECK-NEXT:    wgtile.tma_store %[[S]], %{{.*}}[%{{.*}}, %{{.*}}] warpgroups 2 transposed : !wgtile.shared<24x64xbf16, swizzle = 128>, !wgtile.tensor_map<24x64xbf16, swizzle = 128>
// CHECK:         wgtile.tma_store %[[W]], %{{.*}} warpgroups 1 transposed : !wgtile.shared<32x64xf32, swizzle = 128>, !wgtile.tensor_map<32x32xf32, swizzle = 128>
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
}
func.func @host(%out: memref<?x?xbf16>, %out3: memref<?x?x?xf32>, %wide: memref<?x?xf32>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%out, %n)
      : memref<?x?xbf16>, index
  wgtile.launch @kernels::@batch grid(%n) args(%out3, %n)
      : memref<?x?x?xf32>, index
  wgtile.launch @kernels::@transposed grid(%n) args(%out, %wide, %n)
      : memref<?x?xbf16>, memref<?x?xf32>, index
  return
}

// What stays: a store to an argument that nothing is known of, in a branch, and
// of a tile that is no row of the swizzle.
// CHECK-LABEL: gpu.func @unstaged
// CHECK-NOT:     wgtile.staging
// CHECK-NOT:     wgtile.tma_store_wait
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
        // REMARK: [[@LINE+1]]:9: remark: {{.*}}StageStores{{.*}}threads store a tile themselves: it is stored in a branch or a loop
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
