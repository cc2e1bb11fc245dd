// RUN: sparse-opt %s --convert-sattn-plan-to-gpu | FileCheck %s
// RUN: %if ptxas %{ sparse-opt %s --pass-pipeline='builtin.module(convert-sattn-plan-to-gpu,gpu.module(arith-expand,canonicalize,cse,convert-scf-to-cf,convert-kernel-to-llvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),sattn-serialize-kernels{chip=sm_90a format=cubin ptxas=%ptxas})' | FileCheck %s --check-prefix=CUBIN %}

// CUBIN: gpu.binary @kernels

// A thread makes the steps of a group: the least of what its lists have left.
// CHECK:       gpu.module @kernels
// CHECK:         gpu.func @places_merge(
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 32, 1, 1>}
// CHECK:           %[[GROUP:.*]] = gpu.block_id x
// CHECK:           %[[STEPS:.*]]:3 = scf.while
// CHECK:             scf.condition
// CHECK:             scf.if
// CHECK:               memref.load %{{.*}} : memref<?xi32>
// CHECK:             scf.if
// CHECK:             arith.minsi
// CHECK-COUNT-3:     memref.store %{{.*}} : memref<?x3xi32>
// CHECK:           %[[COUNT:.*]] = arith.index_cast %[[STEPS]]#0 : index to i32
// CHECK:             memref.store %[[COUNT]], %{{.*}}[%[[GROUP]]] : memref<?xi32>
// CHECK:         gpu.func @pairs_merge(

// CHECK-LABEL: func.func @places
// CHECK:         %[[GROUPS:.*]] = memref.dim %[[COUNTS:.*]], %{{.*}} : memref<?xi32>
// CHECK:         wgtile.launch @kernels::@places_merge grid(%[[GROUPS]]) args(%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNTS]], %{{.*}}, %{{.*}}, %{{.*}}) preprocess
func.func @places(%width: index, %across: index, %offsets: memref<?xi32>,
                  %q: memref<?xi32>, %r: memref<?xi32>, %c: memref<?xi32>,
                  %s: memref<?x3xi32>) {
  sattn.merge lists(2) grid(64, %width, %across)
      ins(%offsets, %q : memref<?xi32>, memref<?xi32>) r(%r : memref<?xi32>)
      outs(%c, %s : memref<?xi32>, memref<?x3xi32>)
  return
}

func.func @pairs(%n: index, %offsets: memref<?xi32>, %q: memref<?xi64>,
                 %p: memref<?xi32>, %c: memref<?xi32>, %s: memref<?x5xi64>) {
  sattn.merge lists(4) grid(16, %n, %n)
      ins(%offsets, %q : memref<?xi32>, memref<?xi64>) p(%p : memref<?xi32>)
      outs(%c, %s : memref<?xi32>, memref<?x5xi64>)
  return
}
