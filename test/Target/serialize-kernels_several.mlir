// Kernels are compiled apart from each other: the text has one head, declares
// what they share once, and defines what one of them uses once.
// RUN: sparse-opt %s --sattn-serialize-kernels | tr '\\' '\n' | FileCheck %s --implicit-check-not=.version --implicit-check-not=.extern
// RUN: %if ptxas %{ sparse-opt %s --sattn-serialize-kernels=format=cubin | FileCheck %s --check-prefix=CUBIN %}

// CHECK: .version
// CHECK: .extern .shared {{.*}}all[];
// CHECK: .entry first(
// CHECK: all
// CHECK: .entry second(
// CHECK: .shared {{.*}} counts[16];
// CHECK: .entry third(
// CHECK: all

// CUBIN:     gpu.binary
// CUBIN-DAG: .text.first
// CUBIN-DAG: .text.second
// CUBIN-DAG: .text.third
gpu.module @kernels {
  llvm.mlir.global external @all() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global private @counts() {addr_space = 3 : i32} : !llvm.array<4 x i32> {
    %0 = llvm.mlir.undef : !llvm.array<4 x i32>
    llvm.return %0 : !llvm.array<4 x i32>
  }
  llvm.func @first(%x: i32, %out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @all : !llvm.ptr<3>
    llvm.store volatile %x, %0 : i32, !llvm.ptr<3>
    %1 = llvm.load volatile %0 : !llvm.ptr<3> -> i32
    llvm.store %1, %out : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @second(%x: i32, %out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @counts : !llvm.ptr<3>
    llvm.store volatile %x, %0 : i32, !llvm.ptr<3>
    %1 = llvm.load volatile %0 : !llvm.ptr<3> -> i32
    llvm.store %1, %out : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @third(%x: i32, %out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.addressof @all : !llvm.ptr<3>
    llvm.store volatile %x, %0 : i32, !llvm.ptr<3>
    %1 = llvm.load volatile %0 : !llvm.ptr<3> -> i32
    llvm.store %1, %out : i32, !llvm.ptr
    llvm.return
  }
}
