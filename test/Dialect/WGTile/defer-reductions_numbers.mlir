// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-defer-reductions))' | FileCheck %s

// Numbers that are sums of tiles' sums: threads keep their parts through loops,
// branches, sums and products with what all threads have, and combine them once
// before anything else uses the number.

!tile = tensor<16x64xf32>

gpu.module @kernels {
  // A loop scales what it carries; what branches add to its result, scaled once
  // more, belongs to the same number.
  // CHECK-LABEL: gpu.func @loop_and_branches
  // CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK:         %[[LOOP:.+]] = scf.for {{.*}} iter_args(%[[OLD:.+]] = %[[ZERO]]) -> (f32)
  // CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[OLD]]
  // CHECK-NEXT:      %[[SUM:.+]] = wgtile.tile_reduce addf %{{.+}} partial : tensor<16x64xf32> -> f32
  // CHECK-NEXT:      %[[NEXT:.+]] = arith.addf %[[SUM]], %[[SCALED]]
  // CHECK-NEXT:      scf.yield %[[NEXT]]
  // CHECK:         %[[START:.+]] = arith.mulf %[[LOOP]], %{{.+}}
  // CHECK-NEXT:    %[[FIRST:.+]] = scf.if
  // CHECK-NEXT:      %[[SUM:.+]] = wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:      %[[MORE:.+]] = arith.addf %[[START]], %[[SUM]]
  // CHECK-NEXT:      scf.yield %[[MORE]]
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      scf.yield %[[START]]
  // CHECK:         %[[SECOND:.+]] = scf.if
  // CHECK-NEXT:      %[[SUM:.+]] = wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:      arith.addf %[[SUM]], %[[FIRST]]
  // CHECK:         } else {
  // CHECK-NEXT:      scf.yield %[[FIRST]]
  // CHECK:         %[[WHOLE:.+]] = wgtile.tile_combine addf %[[SECOND]] : f32
  // CHECK-NOT:     wgtile.tile
  // CHECK:         arith.divf %{{.+}}, %[[WHOLE]]
  // CHECK:         memref.store %[[WHOLE]]
  gpu.func @loop_and_branches(%n: index, %p: !tile, %q: !tile, %r: !tile, %factor: f32, %a: i1, %b: i1,
                              %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f32) {
      %scaled = arith.mulf %factor, %old : f32
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %next = arith.addf %sum, %scaled : f32
      scf.yield %next : f32
    }
    %start = arith.mulf %loop, %factor : f32
    %first = scf.if %a -> (f32) {
      %sum = wgtile.tile_reduce addf %q : !tile -> f32
      %more = arith.addf %start, %sum : f32
      scf.yield %more : f32
    } else {
      scf.yield %start : f32
    }
    %second = scf.if %b -> (f32) {
      %sum = wgtile.tile_reduce addf %r : !tile -> f32
      %more = arith.addf %sum, %first : f32
      scf.yield %more : f32
    } else {
      scf.yield %first : f32
    }
    %inverse = arith.divf %factor, %second : f32
    memref.store %inverse, %out[%c0] : memref<?xf32>
    memref.store %second, %out[%c1] : memref<?xf32>
    gpu.return
  }

  // A branch without a sum has zero, of which any part is zero.
  // CHECK-LABEL: gpu.func @zero
  // CHECK:         %[[A:.+]] = scf.if
  // CHECK-NEXT:      wgtile.tile_reduce addf %{{.+}} partial
  // CHECK:         %[[SUM:.+]] = wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:    %[[BOTH:.+]] = arith.addf %[[A]], %[[SUM]]
  // CHECK-NEXT:    %[[WHOLE:.+]] = wgtile.tile_combine addf %[[BOTH]]
  // CHECK-NEXT:    memref.store %[[WHOLE]]
  gpu.func @zero(%p: !tile, %q: !tile, %a: i1, %out: memref<f32>) kernel {
    %zero = arith.constant 0.0 : f32
    %first = scf.if %a -> (f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      scf.yield %sum : f32
    } else {
      scf.yield %zero : f32
    }
    %sum = wgtile.tile_reduce addf %q : !tile -> f32
    %both = arith.addf %first, %sum : f32
    memref.store %both, %out[] : memref<f32>
    gpu.return
  }

  // What the loop stores is combined in each iteration, and what it carries is
  // still in parts.
  // CHECK-LABEL: gpu.func @used_inside
  // CHECK:         %[[LOOP:.+]] = scf.for {{.*}} iter_args(%[[OLD:.+]] = %{{.+}})
  // CHECK-NEXT:      %[[WHOLE:.+]] = wgtile.tile_combine addf %[[OLD]]
  // CHECK-NEXT:      memref.store %[[WHOLE]]
  // CHECK-NEXT:      wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:      arith.mulf %[[OLD]],
  // CHECK:         wgtile.tile_combine addf %[[LOOP]]
  gpu.func @used_inside(%n: index, %p: !tile, %factor: f32, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f32) {
      memref.store %old, %out[%i] : memref<?xf32>
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %scaled = arith.mulf %old, %factor : f32
      %next = arith.addf %scaled, %sum : f32
      scf.yield %next : f32
    }
    memref.store %loop, %out[%n] : memref<?xf32>
    gpu.return
  }

  // A scale is whole, even if it is the sum of a tile.
  // CHECK-LABEL: gpu.func @scale
  // CHECK:           wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:      %[[SCALE:.+]] = wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NEXT:      arith.mulf %{{.+}}, %[[SCALE]]
  // CHECK:         wgtile.tile_combine
  gpu.func @scale(%n: index, %p: !tile, %q: !tile, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %scale = wgtile.tile_reduce addf %q : !tile -> f32
      %scaled = arith.mulf %old, %scale : f32
      %next = arith.addf %scaled, %sum : f32
      scf.yield %next : f32
    }
    memref.store %loop, %out[] : memref<f32>
    gpu.return
  }

  // No parts: a loop begins with one in each thread, ...
  // CHECK-LABEL: gpu.func @one_first
  // CHECK:           wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @one_first(%n: index, %p: !tile, %factor: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %one) -> (f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %scaled = arith.mulf %old, %factor : f32
      %next = arith.addf %scaled, %sum : f32
      scf.yield %next : f32
    }
    memref.store %loop, %out[] : memref<f32>
    gpu.return
  }

  // ... a branch has a number that all threads have, ...
  // CHECK-LABEL: gpu.func @whole_branch
  // CHECK:           wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK:         wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @whole_branch(%p: !tile, %q: !tile, %a: i1, %x: f32, %out: memref<f32>) kernel {
    %first = scf.if %a -> (f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      scf.yield %sum : f32
    } else {
      scf.yield %x : f32
    }
    %sum = wgtile.tile_reduce addf %q : !tile -> f32
    %both = arith.addf %first, %sum : f32
    memref.store %both, %out[] : memref<f32>
    gpu.return
  }

  // ... a number is squared, which is no sum of its parts' squares, ...
  // CHECK-LABEL: gpu.func @square
  // CHECK:           wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @square(%n: index, %p: !tile, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %square = arith.mulf %old, %old : f32
      %next = arith.addf %square, %sum : f32
      scf.yield %next : f32
    }
    memref.store %loop, %out[] : memref<f32>
    gpu.return
  }

  // ... two numbers that would both be in parts are multiplied, ...
  // CHECK-LABEL: gpu.func @product
  // CHECK:           wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @product(%n: index, %p: !tile, %factor: f32, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (f32, f32) {
      %sum = wgtile.tile_reduce addf %p : !tile -> f32
      %product = arith.mulf %x, %y : f32
      %next = arith.addf %product, %sum : f32
      %scaled = arith.mulf %y, %factor : f32
      %other = arith.addf %scaled, %sum : f32
      scf.yield %next, %other : f32, f32
    }
    memref.store %loop#0, %out[%c0] : memref<?xf32>
    memref.store %loop#1, %out[%c1] : memref<?xf32>
    gpu.return
  }

  // ... it is one sum of one tile, ...
  // CHECK-LABEL: gpu.func @one_sum
  // CHECK:         wgtile.tile_reduce addf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @one_sum(%p: !tile, %factor: f32, %out: memref<f32>) kernel {
    %sum = wgtile.tile_reduce addf %p : !tile -> f32
    %scaled = arith.mulf %sum, %factor : f32
    memref.store %scaled, %out[] : memref<f32>
    gpu.return
  }

  // ... or no sum.
  // CHECK-LABEL: gpu.func @maximum
  // CHECK:           wgtile.tile_reduce maxnumf %{{[a-z0-9]+}} : tensor
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         gpu.return
  gpu.func @maximum(%n: index, %p: !tile, %factor: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %loop = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (f32) {
      %largest = wgtile.tile_reduce maxnumf %p : !tile -> f32
      %scaled = arith.mulf %old, %factor : f32
      %next = arith.addf %scaled, %largest : f32
      scf.yield %next : f32
    }
    memref.store %loop, %out[] : memref<f32>
    gpu.return
  }

  // A while loop forwards whole numbers: the sums of an iteration are combined in it.
  // CHECK-LABEL: gpu.func @while
  // CHECK:         scf.while
  // CHECK-COUNT-2:   wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:      %[[BOTH:.+]] = arith.addf
  // CHECK-NEXT:      %[[WHOLE:.+]] = wgtile.tile_combine addf %[[BOTH]]
  // CHECK-NEXT:      scf.yield %[[WHOLE]]
  // CHECK-NOT:     wgtile.tile_combine
  gpu.func @while(%p: !tile, %q: !tile, %most: f32, %out: memref<f32>) kernel {
    %zero = arith.constant 0.0 : f32
    %loop = scf.while (%old = %zero) : (f32) -> f32 {
      %less = arith.cmpf olt, %old, %most : f32
      scf.condition(%less) %old : f32
    } do {
    ^bb0(%old: f32):
      %x = wgtile.tile_reduce addf %p : !tile -> f32
      %y = wgtile.tile_reduce addf %q : !tile -> f32
      %both = arith.addf %x, %y : f32
      scf.yield %both : f32
    }
    memref.store %loop, %out[] : memref<f32>
    gpu.return
  }

  // A sum's other operand may turn out to be a part after the sum was met.
  // CHECK-LABEL: gpu.func @later_branch
  // CHECK:         %[[R0:.+]] = wgtile.tile_reduce addf %{{.+}} partial
  // CHECK:         %[[W:.+]] = scf.if
  // CHECK:         %[[Z:.+]] = arith.addf %[[R0]], %[[W]]
  // CHECK-NEXT:    %[[R1:.+]] = wgtile.tile_reduce addf %{{.+}} partial
  // CHECK-NEXT:    %[[V:.+]] = arith.addf %[[R1]], %[[Z]]
  // CHECK-NEXT:    %[[WHOLE:.+]] = wgtile.tile_combine addf %[[V]]
  // CHECK-NOT:     wgtile.tile_combine
  // CHECK:         memref.store %[[WHOLE]]
  gpu.func @later_branch(%c: i1, %p: !tile, %out: memref<f32>) kernel {
    %zero = arith.constant 0.0 : f32
    %r0 = wgtile.tile_reduce addf %p : !tile -> f32
    %w = scf.if %c -> (f32) {
      scf.yield %r0 : f32
    } else {
      scf.yield %zero : f32
    }
    %z = arith.addf %r0, %w : f32
    %r1 = wgtile.tile_reduce addf %p : !tile -> f32
    %v = arith.addf %r1, %z : f32
    memref.store %v, %out[] : memref<f32>
    gpu.return
  }

  // Vectors of rows are reduced as they were.
  // CHECK-LABEL: gpu.func @vectors
  // CHECK-COUNT-2: wgtile.tile_reduce addf %{{.+}} : tensor<16xf32> -> f32
  // CHECK-NOT:     wgtile.tile_combine
  gpu.func @vectors(%p: tensor<16xf32>, %out: memref<f32>) kernel {
    %r0 = wgtile.tile_reduce addf %p : tensor<16xf32> -> f32
    %r1 = wgtile.tile_reduce addf %p : tensor<16xf32> -> f32
    %v = arith.addf %r0, %r1 : f32
    memref.store %v, %out[] : memref<f32>
    gpu.return
  }

  // Of the product of two numbers one is a scale, which all threads agree on.
  // CHECK-LABEL: gpu.func @product_of_numbers
  // CHECK:         %[[FIRST:.+]] = arith.addf
  // CHECK:         %[[SECOND:.+]] = arith.addf
  // CHECK-NEXT:    %[[SCALE:.+]] = wgtile.tile_combine addf %[[SECOND]]
  // CHECK-NEXT:    %[[PARTS:.+]] = arith.mulf %[[FIRST]], %[[SCALE]]
  // CHECK-NEXT:    %[[WHOLE:.+]] = wgtile.tile_combine addf %[[PARTS]]
  // CHECK-NEXT:    memref.store %[[WHOLE]]
  gpu.func @product_of_numbers(%p: !tile, %q: !tile, %out: memref<f32>) kernel {
    %a = wgtile.tile_reduce addf %p : !tile -> f32
    %b = wgtile.tile_reduce addf %q : !tile -> f32
    %first = arith.addf %a, %b : f32
    %c = wgtile.tile_reduce addf %p : !tile -> f32
    %d = wgtile.tile_reduce addf %q : !tile -> f32
    %second = arith.addf %c, %d : f32
    %product = arith.mulf %first, %second : f32
    memref.store %product, %out[] : memref<f32>
    gpu.return
  }
}
