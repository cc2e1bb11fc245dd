// What several kernels, or none, refer to is defined once.
// RUN: sparse-opt %s --split-input-file --sattn-serialize-kernels | tr '\\' '\n' | FileCheck %s
// RUN: %if ptxas %{ sparse-opt %s --split-input-file --sattn-serialize-kernels=format=cubin | FileCheck %s --check-prefix=CUBIN %}

// CUBIN-COUNT-3: gpu.binary

// Two kernels use `counter`.
// CHECK:     .version
// CHECK:     counter;
// CHECK-NOT: counter;
// CHECK:     .entry writes(
// CHECK-NOT: counter;
// CHECK:     .entry reads(
gpu.module @used_twice {
  llvm.mlir.global external @counter() {addr_space = 1 : i32} : i32 {
    %0 = llvm.mlir.zero : i32
    llvm.return %0 : i32
  }
  llvm.func @writes(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @counter : !llvm.ptr<1>
    llvm.store volatile %x, %0 : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @reads(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @counter : !llvm.ptr<1>
    %1 = llvm.load volatile %0 : !llvm.ptr<1> -> i32
    llvm.store %1, %out : i32, !llvm.ptr
    llvm.return
  }
}

// -----

// One of them uses it by another global's initializer.
// CHECK:     .version
// CHECK:     .global {{.*}} data = 7;
// CHECK-NOT: data = 7;
// CHECK:     .entry direct(
// CHECK-NOT: data = 7;
// CHECK:     .entry indirect(
gpu.module @used_by_initializer {
  llvm.mlir.global external @data(7 : i32) {addr_space = 1 : i32} : i32
  llvm.mlir.global external @table() {addr_space = 1 : i32} : !llvm.ptr<1> {
    %0 = llvm.mlir.addressof @data : !llvm.ptr<1>
    llvm.return %0 : !llvm.ptr<1>
  }
  llvm.func @direct(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @data : !llvm.ptr<1>
    llvm.store volatile %x, %0 : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @indirect(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @table : !llvm.ptr<1>
    %1 = llvm.load volatile %0 : !llvm.ptr<1> -> !llvm.ptr<1>
    llvm.store volatile %x, %1 : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// The host may set what no kernel uses.
// CHECK: .version
// CHECK: .visible .global {{.*}} unused
// CHECK: .entry first(
// CHECK: .entry second(
gpu.module @used_by_none {
  llvm.mlir.global external @unused(7 : i32) {addr_space = 1 : i32} : i32
  llvm.func @first() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
  llvm.func @second() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
