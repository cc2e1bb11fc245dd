// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-defer-reductions))' --remarks-filter=wgtile-defer-reductions -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=remark:

!tile = tensor<64x128xf32>
!rows = tensor<64xf32>

gpu.module @kernels {
  gpu.func @kernel(%n: index, %p: !tile, %old: !rows, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %old, %b = %zeros, %c = %zeros, %d = %zeros, %e = %zeros)
        -> (!rows, !rows, !rows, !rows, !rows) {
      %s0 = wgtile.row_reduce addf %p : !tile -> !rows
      // CHECK: [[@LINE+1]]:16: remark: {{.*}}DeferReductions{{.*}}threads combine a row's sum in each iteration: it does not start at zero
      %next0 = arith.addf %a, %s0 : !rows
      %s1 = wgtile.row_reduce addf %p : !tile -> !rows
      // CHECK: [[@LINE+1]]:16: remark: {{.*}}the loop uses it for something else too
      %next1 = arith.addf %s1, %b : !rows
      wgtile.store %b, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
      %s2 = wgtile.row_reduce addf %p : !tile -> !rows
      %negative = arith.negf %c : !rows
      // CHECK: [[@LINE+1]]:16: remark: {{.*}}it is more than scaled between two iterations
      %next2 = arith.addf %negative, %s2 : !rows
      // Deferred; and no sum.
      %s3 = wgtile.row_reduce addf %p : !tile -> !rows
      %next3 = arith.addf %d, %s3 : !rows
      %s4 = wgtile.row_reduce maximumf %p : !tile -> !rows
      %next4 = arith.addf %e, %s4 : !rows
      scf.yield %next0, %next1, %next2, %next3, %next4 : !rows, !rows, !rows, !rows, !rows
    } {wgtile.block_loop}
    %x = arith.addf %r#0, %r#1 : !rows
    %y = arith.addf %r#2, %r#3 : !rows
    %z = arith.addf %x, %y : !rows
    %sum = arith.addf %z, %r#4 : !rows
    wgtile.store %sum, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }
}
