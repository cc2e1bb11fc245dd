// RUN: sparse-opt %s --wgtile-schedule | FileCheck %s

// The bound of a loop is clamped by selections, each of which compares the one
// before it: each is looked at once, not once for each path to it.

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @clamped
    // CHECK-SAME:      tile_order = sorted
    gpu.func @clamped(%map: !map, %crow: memref<?xi32>, %out: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %length = memref.load %crow[%i] : memref<?xi32>
        %v0 = arith.index_cast %length : i32 to index
        %k0 = arith.cmpi slt, %v0, %n : index
        %v1 = arith.select %k0, %v0, %n : index
        %k1 = arith.cmpi slt, %v1, %n : index
        %v2 = arith.select %k1, %v1, %n : index
        %k2 = arith.cmpi slt, %v2, %n : index
        %v3 = arith.select %k2, %v2, %n : index
        %k3 = arith.cmpi slt, %v3, %n : index
        %v4 = arith.select %k3, %v3, %n : index
        %k4 = arith.cmpi slt, %v4, %n : index
        %v5 = arith.select %k4, %v4, %n : index
        %k5 = arith.cmpi slt, %v5, %n : index
        %v6 = arith.select %k5, %v5, %n : index
        %k6 = arith.cmpi slt, %v6, %n : index
        %v7 = arith.select %k6, %v6, %n : index
        %k7 = arith.cmpi slt, %v7, %n : index
        %v8 = arith.select %k7, %v7, %n : index
        %k8 = arith.cmpi slt, %v8, %n : index
        %v9 = arith.select %k8, %v8, %n : index
        %k9 = arith.cmpi slt, %v9, %n : index
        %v10 = arith.select %k9, %v9, %n : index
        %k10 = arith.cmpi slt, %v10, %n : index
        %v11 = arith.select %k10, %v10, %n : index
        %k11 = arith.cmpi slt, %v11, %n : index
        %v12 = arith.select %k11, %v11, %n : index
        %k12 = arith.cmpi slt, %v12, %n : index
        %v13 = arith.select %k12, %v12, %n : index
        %k13 = arith.cmpi slt, %v13, %n : index
        %v14 = arith.select %k13, %v13, %n : index
        %k14 = arith.cmpi slt, %v14, %n : index
        %v15 = arith.select %k14, %v14, %n : index
        %k15 = arith.cmpi slt, %v15, %n : index
        %v16 = arith.select %k15, %v15, %n : index
        %k16 = arith.cmpi slt, %v16, %n : index
        %v17 = arith.select %k16, %v16, %n : index
        %k17 = arith.cmpi slt, %v17, %n : index
        %v18 = arith.select %k17, %v17, %n : index
        %k18 = arith.cmpi slt, %v18, %n : index
        %v19 = arith.select %k18, %v18, %n : index
        %k19 = arith.cmpi slt, %v19, %n : index
        %v20 = arith.select %k19, %v19, %n : index
        %k20 = arith.cmpi slt, %v20, %n : index
        %v21 = arith.select %k20, %v20, %n : index
        %k21 = arith.cmpi slt, %v21, %n : index
        %v22 = arith.select %k21, %v21, %n : index
        %k22 = arith.cmpi slt, %v22, %n : index
        %v23 = arith.select %k22, %v22, %n : index
        %k23 = arith.cmpi slt, %v23, %n : index
        %v24 = arith.select %k23, %v23, %n : index
        %k24 = arith.cmpi slt, %v24, %n : index
        %v25 = arith.select %k24, %v24, %n : index
        %k25 = arith.cmpi slt, %v25, %n : index
        %v26 = arith.select %k25, %v25, %n : index
        %k26 = arith.cmpi slt, %v26, %n : index
        %v27 = arith.select %k26, %v26, %n : index
        %k27 = arith.cmpi slt, %v27, %n : index
        %v28 = arith.select %k27, %v27, %n : index
        %k28 = arith.cmpi slt, %v28, %n : index
        %v29 = arith.select %k28, %v28, %n : index
        %k29 = arith.cmpi slt, %v29, %n : index
        %v30 = arith.select %k29, %v29, %n : index
        %k30 = arith.cmpi slt, %v30, %n : index
        %v31 = arith.select %k30, %v30, %n : index
        %k31 = arith.cmpi slt, %v31, %n : index
        %v32 = arith.select %k31, %v31, %n : index
        %r = scf.for %p = %c0 to %v32 step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %map[%i, %p] : !map -> !a
          %b = wgtile.load %map[%p, %j] : !map -> !a
          %d = wgtile.mma %a, %b, %acc : !a, !a -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
  }
  func.func @host(%map: !map, %crow: memref<?xi32>, %out: memref<?x?xf32>, %n: index) {
    wgtile.launch @kernels::@clamped grid(%n) args(%map, %crow, %out, %n) : !map, memref<?xi32>, memref<?x?xf32>, index
    return
  }
}
