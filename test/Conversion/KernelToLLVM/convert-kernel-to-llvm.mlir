// RUN: sparse-opt %s --convert-kernel-to-llvm | FileCheck %s

// A tensor map is passed by value, in constant memory; a memref field by field.
// CHECK-LABEL: llvm.func @arguments(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[ALIGNED:[a-z0-9]*]]: !llvm.ptr, %{{.*}}: i64, %[[SIZE0:[a-z0-9]*]]: i64, %[[SIZE1:[a-z0-9]*]]: i64, %[[STRIDE0:[a-z0-9]*]]: i64, %[[STRIDE1:[a-z0-9]*]]: i64,
// CHECK-SAME:    %[[X:[a-z0-9]*]]: f32, %{{.*}}: i64)
// CHECK-SAME:    attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, wgtile.shared_bytes = 8200 : i64}
// CHECK:         nvvm.prefetch tensormap
// CHECK:         llvm.store %[[X]], %{{.*}} : f32, !llvm.ptr
// CHECK:         llvm.return
gpu.module @kernels {
  gpu.func @arguments(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                      %out: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                      %x: f32, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.shared_bytes = 8200 : i64} {
    %pointer = builtin.unrealized_conversion_cast %map
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128> to !llvm.ptr
    nvvm.prefetch tensormap, %pointer : !llvm.ptr
    memref.store %x, %out[%i, %i] : memref<?x?xf32, strided<[?, ?], offset: ?>>
    gpu.return
  }

  // What remains of the gpu dialect; cf is converted with the rest.
  // CHECK-LABEL: llvm.func @ops
  // CHECK-SAME:    attributes {gpu.kernel, nvvm.kernel}
  // CHECK:         %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK:         llvm.zext %[[BLOCK]] : i32 to i64
  // CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK:         llvm.zext %[[THREAD]] : i32 to i64
  // CHECK:         nvvm.barrier
  // CHECK:         llvm.cond_br %{{.*}}, ^bb1, ^bb2
  // CHECK:       ^bb1:
  // CHECK:         llvm.store
  // CHECK:         llvm.br ^bb2
  // CHECK:       ^bb2:
  // CHECK:         llvm.return
  // CHECK-NOT:     gpu.return
  gpu.func @ops(%out: memref<?xindex>) kernel {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    gpu.barrier
    %first = arith.cmpi eq, %thread, %block : index
    cf.cond_br %first, ^store, ^exit
  ^store:
    memref.store %block, %out[%thread] : memref<?xindex>
    cf.br ^exit
  ^exit:
    gpu.return
  }

  // A maximum stays an op: no call of libdevice, no comparison.
  // CHECK-LABEL: llvm.func @math
  // CHECK:         llvm.intr.maximum
  // CHECK:         llvm.intr.maxnum
  // CHECK:         vector<2xf32>
  // CHECK:         llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK-NOT:     llvm.call
  gpu.func @math(%x: f32, %y: f32, %out: memref<2xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.maximumf %x, %y : f32
    %0 = arith.maxnumf %z, %y : f32
    %1 = vector.from_elements %0, %x : vector<2xf32>
    %2 = arith.truncf %1 : vector<2xf32> to vector<2xbf16>
    %3 = vector.extract %2[0] : bf16 from vector<2xbf16>
    memref.store %3, %out[%c0] : memref<2xbf16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @divisions
  // CHECK:         llvm.sdiv
  // CHECK:         llvm.sdiv
  gpu.func @divisions(%i: index, %j: index, %out: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %0 = arith.ceildivsi %i, %j : index
    %1 = arith.floordivsi %0, %j : index
    memref.store %1, %out[%c0] : memref<?xindex>
    gpu.return
  }
}
