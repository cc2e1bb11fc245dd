// RUN: sparse-opt %s --pass-pipeline='builtin.module(llvm.func(sattn-cpu-bfloat16-bits))' | FileCheck %s

// CHECK-LABEL: llvm.func @load
// CHECK:         %[[PASS:.*]] = llvm.mlir.constant(dense<16256> : vector<16xi16>) : vector<16xi16>
// CHECK:         %[[P:.*]] = llvm.getelementptr %{{.*}}[4] : (!llvm.ptr) -> !llvm.ptr, i16
// CHECK:         %[[V:.*]] = llvm.intr.masked.load %[[P]], %{{.*}}, %[[PASS]] {{.*}} -> vector<16xi16>
// CHECK-NEXT:    llvm.zext %[[V]] : vector<16xi16> to vector<16xi32>
// CHECK-NOT:     bf16
// CHECK:         llvm.return
llvm.func @load(%p: !llvm.ptr, %mask: vector<16xi1>) -> vector<16xi32> {
  %one = llvm.mlir.constant(dense<1.0> : vector<16xbf16>) : vector<16xbf16>
  %q = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, bf16
  %v = llvm.intr.masked.load %q, %mask, %one {alignment = 2 : i32}
      : (!llvm.ptr, vector<16xi1>, vector<16xbf16>) -> vector<16xbf16>
  %b = llvm.bitcast %v : vector<16xbf16> to vector<16xi16>
  %w = llvm.zext %b : vector<16xi16> to vector<16xi32>
  llvm.return %w : vector<16xi32>
}

// CHECK-LABEL: llvm.func @scalar
// CHECK:         %[[X:.*]] = llvm.mlir.constant(-16384 : i16) : i16
// CHECK:         llvm.store %[[X]], %{{.*}} : i16, !llvm.ptr
llvm.func @scalar(%p: !llvm.ptr) {
  %x = llvm.mlir.constant(-2.0 : bf16) : bf16
  llvm.store %x, %p : bf16, !llvm.ptr
  llvm.return
}

// What computes in the type keeps it.
// CHECK-LABEL: llvm.func @computes
// CHECK:         llvm.fadd {{.*}} : bf16
llvm.func @computes(%p: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> bf16
  %y = llvm.fadd %x, %x : bf16
  llvm.store %y, %p : bf16, !llvm.ptr
  llvm.return
}

// So does what callers know by it.
// CHECK-LABEL: llvm.func @signature(%{{.*}}: bf16
llvm.func @signature(%x: bf16, %p: !llvm.ptr) {
  llvm.store %x, %p : bf16, !llvm.ptr
  llvm.return
}
