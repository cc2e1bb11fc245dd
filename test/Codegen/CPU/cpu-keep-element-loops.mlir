// RUN: sparse-opt %s --pass-pipeline='builtin.module(llvm.func(sattn-cpu-keep-element-loops))' | FileCheck %s
// RUN: sparse-opt %s --pass-pipeline='builtin.module(llvm.func(sattn-cpu-keep-element-loops))' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// LLVM: !"llvm.loop.unroll.disable"

// The innermost loop of an element whose position is not constant.
// CHECK-LABEL: llvm.func @insert
// CHECK:         llvm.br ^bb1(%{{.*}} : i64, vector<4xf32>){{$}}
// CHECK:         llvm.insertelement
// CHECK:         llvm.br ^bb1(%{{.*}} : i64, vector<4xf32>) {loop_annotation = #[[LOOP]]}
llvm.func @insert(%x: f32, %v: vector<4xf32>, %n: i64) -> vector<4xf32> {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^bb1(%zero, %v : i64, vector<4xf32>)
^bb1(%i: i64, %w: vector<4xf32>):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^bb2, ^bb3
^bb2:
  %next = llvm.insertelement %x, %w[%i : i64] : vector<4xf32>
  %j = llvm.add %i, %one : i64
  llvm.br ^bb1(%j, %next : i64, vector<4xf32>)
^bb3:
  llvm.return %w : vector<4xf32>
}

// Of two loops the inner one; the element may be in a branch.
// CHECK-LABEL: llvm.func @extract
// CHECK:         llvm.extractelement
// CHECK:         llvm.br ^bb2(%{{.*}} : i64) {loop_annotation = #[[LOOP]]}
// CHECK:         llvm.br ^bb1(%{{.*}} : i64){{$}}
llvm.func @extract(%p: !llvm.ptr, %v: vector<4xf32>, %n: i64, %c: i1) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^bb1(%zero : i64)
^bb1(%i: i64):
  %outer = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %outer, ^bb2(%zero : i64), ^bb7
^bb2(%j: i64):
  %inner = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %inner, ^bb3, ^bb6
^bb3:
  llvm.cond_br %c, ^bb4, ^bb5
^bb4:
  %x = llvm.extractelement %v[%j : i64] : vector<4xf32>
  llvm.store %x, %p : f32, !llvm.ptr
  llvm.br ^bb5
^bb5:
  %j1 = llvm.add %j, %one : i64
  llvm.br ^bb2(%j1 : i64)
^bb6:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^bb1(%i1 : i64)
^bb7:
  llvm.return
}

// Other loops are LLVM's to unroll.
// CHECK-LABEL: llvm.func @constant
// CHECK-NOT:     loop_annotation
llvm.func @constant(%x: f32, %v: vector<4xf32>, %n: i64) -> vector<4xf32> {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^bb1(%zero, %v : i64, vector<4xf32>)
^bb1(%i: i64, %w: vector<4xf32>):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^bb2, ^bb3
^bb2:
  %next = llvm.insertelement %x, %w[%zero : i64] : vector<4xf32>
  %j = llvm.add %i, %one : i64
  llvm.br ^bb1(%j, %next : i64, vector<4xf32>)
^bb3:
  llvm.return %w : vector<4xf32>
}

// Loops of threads.
// CHECK-LABEL: llvm.func @threads
// CHECK:         omp.parallel
// CHECK:         llvm.br ^bb1(%{{.*}} : i64, vector<4xf32>) {loop_annotation = #[[LOOP]]}
llvm.func @threads(%x: f32, %v: vector<4xf32>, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  omp.parallel {
    llvm.br ^bb1(%zero, %v : i64, vector<4xf32>)
  ^bb1(%i: i64, %w: vector<4xf32>):
    %more = llvm.icmp "slt" %i, %n : i64
    llvm.cond_br %more, ^bb2, ^bb3
  ^bb2:
    %next = llvm.insertelement %x, %w[%i : i64] : vector<4xf32>
    %j = llvm.add %i, %one : i64
    llvm.br ^bb1(%j, %next : i64, vector<4xf32>)
  ^bb3:
    omp.terminator
  }
  llvm.return
}
