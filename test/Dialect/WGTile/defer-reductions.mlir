// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-defer-reductions))' | FileCheck %s

!tile = tensor<64x128xf32>
!rows = tensor<64xf32>

gpu.module @kernels {
  // Each thread adds what it holds; the loop's result is combined once, for all
  // that use it. The factor of a scaled sum may be either operand, and so may the
  // sum of the addition.
  // CHECK-LABEL: gpu.func @sums
  // CHECK:         %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  // CHECK:         %[[LOOP:.+]]:4 = scf.for {{.*}} iter_args(%[[A:.+]] = %[[ZEROS]], %[[B:.+]] = %[[ZEROS]], %[[C:.+]] = %[[ZEROS]], %{{.+}} = %{{.+}})
  // CHECK:           %[[SUM0:.+]] = wgtile.row_reduce addf %{{.+}} partial : tensor<64x128xf32> -> tensor<64xf32>
  // CHECK-NEXT:      arith.addf %[[A]], %[[SUM0]]
  // CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %[[B]], %{{.+}}
  // CHECK-NEXT:      %[[SUM1:.+]] = wgtile.row_reduce addf %{{.+}} partial
  // CHECK-NEXT:      arith.addf %[[SCALED]], %[[SUM1]]
  // CHECK-NEXT:      %[[SCALED2:.+]] = arith.mulf %{{.+}}, %[[C]]
  // CHECK-NEXT:      %[[SUM2:.+]] = wgtile.row_reduce addf %{{.+}} partial
  // CHECK-NEXT:      arith.addf %[[SUM2]], %[[SCALED2]]
  // A maximum is no sum.
  // CHECK-NEXT:      wgtile.row_reduce maximumf %{{.+}} : tensor
  // CHECK:         } {wgtile.block_loop}
  // CHECK-DAG:     %[[WHOLE0:.+]] = wgtile.row_combine addf %[[LOOP]]#0 : tensor<64xf32>
  // CHECK-DAG:     %[[WHOLE1:.+]] = wgtile.row_combine addf %[[LOOP]]#1
  // CHECK-DAG:     %[[WHOLE2:.+]] = wgtile.row_combine addf %[[LOOP]]#2
  // CHECK-NOT:     wgtile.row_combine
  // CHECK:         arith.mulf %[[WHOLE0]], %[[WHOLE0]]
  // CHECK:         arith.addf %[[WHOLE1]], %[[WHOLE2]]
  gpu.func @sums(%n: index, %p: !tile, %factor: !rows, %low: !rows, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros, %c = %zeros, %m = %low)
        -> (!rows, !rows, !rows, !rows) {
      %s0 = wgtile.row_reduce addf %p : !tile -> !rows
      %next0 = arith.addf %a, %s0 : !rows
      %scaled = arith.mulf %b, %factor : !rows
      %s1 = wgtile.row_reduce addf %p : !tile -> !rows
      %next1 = arith.addf %scaled, %s1 : !rows
      %scaled2 = arith.mulf %factor, %c : !rows
      %s2 = wgtile.row_reduce addf %p : !tile -> !rows
      %next2 = arith.addf %s2, %scaled2 : !rows
      %s3 = wgtile.row_reduce maximumf %p : !tile -> !rows
      %next3 = arith.maximumf %m, %s3 : !rows
      scf.yield %next0, %next1, %next2, %next3 : !rows, !rows, !rows, !rows
    } {wgtile.block_loop}
    %square = arith.mulf %r#0, %r#0 : !rows
    %both = arith.addf %r#1, %r#2 : !rows
    %all = arith.addf %square, %both : !rows
    %most = arith.addf %all, %r#3 : !rows
    wgtile.store %most, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }

  // The parts of one loop are not those of the next, which does not start at
  // zero; nor is a vector that holds something already a sum of parts.
  // CHECK-LABEL: gpu.func @starts
  // CHECK:         %[[FIRST:.+]] = scf.for
  // CHECK:           wgtile.row_reduce addf %{{.+}} partial
  // CHECK:         %[[WHOLE:.+]] = wgtile.row_combine addf %[[FIRST]]
  // CHECK:         scf.for {{.*}} iter_args(%{{.+}} = %[[WHOLE]])
  // CHECK:           wgtile.row_reduce addf %{{.+}} : tensor
  // CHECK:         scf.for
  // CHECK:           wgtile.row_reduce addf %{{.+}} : tensor
  // CHECK-NOT:     wgtile.row_combine
  gpu.func @starts(%n: index, %p: !tile, %old: !rows, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (!rows) {
      %s = wgtile.row_reduce addf %p : !tile -> !rows
      %next = arith.addf %a, %s : !rows
      scf.yield %next : !rows
    } {wgtile.block_loop}
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r) -> (!rows) {
      %s = wgtile.row_reduce addf %p : !tile -> !rows
      %next = arith.addf %a, %s : !rows
      scf.yield %next : !rows
    } {wgtile.block_loop}
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%a = %old) -> (!rows) {
      %s = wgtile.row_reduce addf %p : !tile -> !rows
      %next = arith.addf %a, %s : !rows
      scf.yield %next : !rows
    } {wgtile.block_loop}
    %all = arith.addf %q, %t : !rows
    wgtile.store %all, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }

  // Nothing else may see parts of a sum: the vector before, scaled, what is added,
  // and the sum after. A square is not linear.
  // CHECK-LABEL: gpu.func @other_uses
  // CHECK:         scf.for
  // CHECK-NOT:       partial
  // CHECK-NOT:     wgtile.row_combine
  // CHECK:         gpu.return
  gpu.func @other_uses(%n: index, %p: !tile, %factor: !rows, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros, %c = %zeros, %d = %zeros, %e = %zeros)
        -> (!rows, !rows, !rows, !rows, !rows) {
      %s0 = wgtile.row_reduce addf %p : !tile -> !rows
      %next0 = arith.addf %a, %s0 : !rows
      wgtile.store %a, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
      %s1 = wgtile.row_reduce addf %p : !tile -> !rows
      %scaled1 = arith.mulf %b, %factor : !rows
      %next1 = arith.addf %scaled1, %s1 : !rows
      wgtile.store %scaled1, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
      %s2 = wgtile.row_reduce addf %p : !tile -> !rows
      %next2 = arith.addf %c, %s2 : !rows
      wgtile.store %s2, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
      %s3 = wgtile.row_reduce addf %p : !tile -> !rows
      %next3 = arith.addf %d, %s3 : !rows
      wgtile.store %next3, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
      %s4 = wgtile.row_reduce addf %p : !tile -> !rows
      %square = arith.mulf %e, %e : !rows
      %next4 = arith.addf %square, %s4 : !rows
      scf.yield %next0, %next1, %next2, %next3, %next4 : !rows, !rows, !rows, !rows, !rows
    } {wgtile.block_loop}
    %all = arith.addf %r#0, %r#1 : !rows
    %most = arith.addf %r#2, %r#3 : !rows
    %both = arith.addf %all, %most : !rows
    %sum = arith.addf %both, %r#4 : !rows
    wgtile.store %sum, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }

  // The vector goes elsewhere: it is yielded in another's place, or added to what
  // is not carried. A difference is not a sum.
  // CHECK-LABEL: gpu.func @other_sums
  // CHECK:         scf.for
  // CHECK-NOT:       partial
  // CHECK-NOT:     wgtile.row_combine
  // CHECK:         gpu.return
  gpu.func @other_sums(%n: index, %p: !tile, %factor: !rows, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros, %c = %zeros, %d = %zeros)
        -> (!rows, !rows, !rows, !rows) {
      %s0 = wgtile.row_reduce addf %p : !tile -> !rows
      %next0 = arith.addf %b, %s0 : !rows
      %s1 = wgtile.row_reduce addf %p : !tile -> !rows
      %next1 = arith.addf %a, %s1 : !rows
      %s2 = wgtile.row_reduce addf %p : !tile -> !rows
      %next2 = arith.addf %factor, %s2 : !rows
      %s3 = wgtile.row_reduce addf %p : !tile -> !rows
      %next3 = arith.subf %d, %s3 : !rows
      scf.yield %next0, %next1, %next2, %next3 : !rows, !rows, !rows, !rows
    } {wgtile.block_loop}
    %all = arith.addf %r#0, %r#1 : !rows
    %most = arith.addf %r#2, %r#3 : !rows
    %both = arith.addf %all, %most : !rows
    wgtile.store %both, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }

  // A loop over something else.
  // CHECK-LABEL: gpu.func @other_loop
  // CHECK:         scf.for
  // CHECK-NOT:       partial
  // CHECK-NOT:     wgtile.row_combine
  // CHECK:         gpu.return
  gpu.func @other_loop(%n: index, %p: !tile, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (!rows) {
      %s = wgtile.row_reduce addf %p : !tile -> !rows
      %next = arith.addf %a, %s : !rows
      scf.yield %next : !rows
    }
    wgtile.store %r, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }

  // What is deferred stays so.
  // CHECK-LABEL: gpu.func @again
  // CHECK:         wgtile.row_reduce addf %{{.+}} partial
  // CHECK:         wgtile.row_combine
  // CHECK-NOT:     wgtile.row_combine
  // CHECK:         gpu.return
  gpu.func @again(%n: index, %p: !tile, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !rows
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (!rows) {
      %s = wgtile.row_reduce addf %p partial : !tile -> !rows
      %next = arith.addf %a, %s : !rows
      scf.yield %next : !rows
    } {wgtile.block_loop}
    %whole = wgtile.row_combine addf %r : !rows
    wgtile.store %whole, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }
}
