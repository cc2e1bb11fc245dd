// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// f32 in IEEE precision: threads multiply, in a loop over chunks of four of K.

!a = !wgtile.shared<64x32xf32, swizzle = 128>
!b = !wgtile.shared<32x64xf32, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4, column_warps = 2>>

// A thread has four rows and four pairs of columns: four loads of a chunk of A,
// and for each pair four of B, one for each of K.
// CHECK-LABEL: gpu.func @rows
// CHECK-NOT:     nvvm.mma
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c8_i32 step %{{.*}} iter_args
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-32:  llvm.intr.fma
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-32:  llvm.intr.fma
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-32:  llvm.intr.fma
// CHECK-COUNT-4:   llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-32:  llvm.intr.fma
// CHECK-NOT:       llvm.intr.fma
// CHECK:           scf.yield
gpu.module @kernels {
  gpu.func @rows(%ma: !wgtile.tensor_map<64x32xf32, swizzle = 128>,
                 %mb: !wgtile.tensor_map<32x32xf32, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x32xf32, swizzle = 128> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x32xf32, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %zero mma_sync ieee : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x32xf32, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Columns of a transposed B are rows of its tile, and four of K are one load.
// CHECK-LABEL: gpu.func @transposed
// CHECK:         scf.for
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-16:  llvm.intr.fma
// CHECK-NOT:       alignment = 8 : i64
// CHECK:           scf.yield
gpu.module @kernels {
  gpu.func @transposed(%ma: !wgtile.tensor_map<64x32xf32, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x32xf32, swizzle = 128> -> !a
    %b = wgtile.load %ma[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<64x32xf32, swizzle = 128> -> !a
    %s = wgtile.mma %a, %b, %zero mma_sync ieee transpose_b : !a, !a -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!b = !wgtile.shared<16x16xf32, swizzle = 64>
!left = tensor<64x16xf32, #wgtile.mma<warps = 4>>

// A left tile in registers: each of its columns is with one of a row's four
// lanes, whose number is known. No loop: registers have no index.
// CHECK-LABEL: gpu.func @registers
// CHECK-NOT:     scf.for
// CHECK:         %[[QUAD:.*]] = arith.andi %{{.*}}, %c28_i32
// CHECK-COUNT-2: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[QUAD]], %{{.*}} : f32 -> f32
// CHECK:         %[[NEXT:.*]] = arith.ori %[[QUAD]], %c1_i32
// CHECK-COUNT-2: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[NEXT]], %{{.*}} : f32 -> f32
// CHECK-COUNT-32: llvm.intr.fma
gpu.module @kernels {
  gpu.func @registers(%mb: !wgtile.tensor_map<16x16xf32, swizzle = 64>, %in: memref<?x?xf32>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !left
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<16x16xf32, swizzle = 64> -> !b
    %a = wgtile.read %in[%c0, %c0] in_bounds [true, true] : memref<?x?xf32> -> !left
    %s = wgtile.mma %a, %b, %zero mma_sync ieee : !left, !b -> !left
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !left, memref<?x?xf32>
    gpu.return
  }
}
