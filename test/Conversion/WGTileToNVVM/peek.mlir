// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

// A number is read by a relaxed load at the nearest index inside, if there is any;
// each thread prefetches a box of its own.
// CHECK-LABEL: gpu.func @guess
// CHECK-SAME:      %[[MEMREF:.*]]: memref<?xi32, strided<[?], offset: ?>>, %[[MAP:.*]]: !wgtile.tensor_map<{{.*}}>, %[[I:.*]]: index
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %[[SIZE:.*]], %[[STRIDE:.*]] = memref.extract_strided_metadata %[[MEMREF]]
// CHECK:         %[[NONE:.*]] = arith.cmpi sle, %[[SIZE]], %c0
// CHECK:         %[[LAST:.*]] = arith.subi %[[SIZE]], %c1
// CHECK:         %[[LEAST:.*]] = arith.maxsi %[[I]], %c0
// CHECK:         %[[INSIDE:.*]] = arith.minsi %[[LEAST]], %[[LAST]]
// CHECK:         %[[STEP:.*]] = arith.muli %[[INSIDE]], %[[STRIDE]]
// CHECK:         %[[PLACE:.*]] = arith.addi %[[OFFSET]], %[[STEP]]
// CHECK:         %[[BYTES:.*]] = arith.muli %[[PLACE]], %c4
// CHECK:         %[[VALUE:.*]] = scf.if %[[NONE]] -> (i32) {
// CHECK-NEXT:      scf.yield %c0_i32
// CHECK:           llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK:         nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%[[VALUE]], %{{.*}}]
gpu.module @kernels {
  gpu.func @guess(%m: memref<?xi32, strided<[?], offset: ?>>,
                  %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.peek %m[%i] : memref<?xi32, strided<[?], offset: ?>>
    %j = arith.index_cast %0 : i32 to index
    wgtile.prefetch %map[%i, %j] : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @scalar
  // CHECK-NOT:     scf.if
  // CHECK:         llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  gpu.func @scalar(%m: memref<i64>, %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.peek %m[] : memref<i64>
    %j = arith.index_cast %0 : i64 to index
    wgtile.prefetch %map[%j, %j] : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    gpu.return
  }
}
