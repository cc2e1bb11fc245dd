// RUN: sparse-opt %s --sattn-cpu-clip-tiles --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The clip cancels the pad, and the slice that is accumulated into is read
// through the destination.
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    %[[ACC:.*]]: tensor<64x128xf32>
// CHECK:         scf.forall (%[[J:.*]]) = {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK:           %[[W:.*]] = affine.min
// CHECK-NOT:       tensor.pad
// CHECK-DAG:       %[[C:.*]] = tensor.extract_slice %[[O]][0, %[[J]]] [64, %[[W]]] [1, 1]
// CHECK-DAG:       %[[A:.*]] = tensor.extract_slice %[[ACC]][0, 0] [64, %[[W]]] [1, 1]
// CHECK:           %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<64x?xf32>) outs(%[[C]] : tensor<64x?xf32>)
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:        arith.addf %[[X]], %[[Y]]
// CHECK:           tensor.parallel_insert_slice %[[R]] into %[[O]][0, %[[J]]] [64, %[[W]]] [1, 1]
func.func @accumulate(%acc: tensor<64x128xf32>, %out: tensor<64x?xf32>)
    -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c1 : tensor<64x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<64x?xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%n]
    %c = tensor.extract_slice %o[0, %j] [64, %w] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %h = affine.apply affine_map<(d0) -> (-d0 + 128)>(%w)
    %p = tensor.pad %c low[0, 0] high[0, %h] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x?xf32> to tensor<64x128xf32>
    %e = tensor.empty() : tensor<64x128xf32>
    %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %p : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<64x128xf32>
    %s = tensor.extract_slice %t[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    %i = tensor.insert_slice %s into %c[0, 0] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %i into %o[0, %j] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<64x?xf32>
    }
  }
  return %0 : tensor<64x?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Both branches write to the one slice; zeros that something else begins with
// too are written anew.
// CHECK-LABEL: func.func @branch
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK:           linalg.fill
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[O]]
// CHECK-NEXT:      %[[R:.*]] = scf.if %{{.*}} -> (tensor<64x?xf32>) {
// CHECK:             %[[G:.*]] = linalg.generic {{.*}} outs(%[[SLICE]] : tensor<64x?xf32>)
// CHECK:             scf.yield %[[G]]
// CHECK:           } else {
// CHECK:             %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[SLICE]] : tensor<64x?xf32>)
// CHECK:             scf.yield %[[F]]
// CHECK:           tensor.parallel_insert_slice %[[R]] into %[[O]]
func.func @branch(%condition: i1, %out: tensor<64x?xf32>) -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c1 : tensor<64x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<64x?xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%n]
    %e = tensor.empty() : tensor<64x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
    %acc = func.call @product(%z) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %t = scf.if %condition -> (tensor<64x128xf32>) {
      %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%acc : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %x : f32
        linalg.yield %s : f32
      } -> tensor<64x128xf32>
      scf.yield %g : tensor<64x128xf32>
    } else {
      scf.yield %z : tensor<64x128xf32>
    }
    %s = tensor.extract_slice %t[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, %j] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<64x?xf32>
    }
  }
  return %0 : tensor<64x?xf32>
}
func.func private @product(tensor<64x128xf32>) -> tensor<64x128xf32>

// -----

// A tile that no linalg op made is copied.
// CHECK-LABEL: func.func @copy
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[O]]
// CHECK:           %[[ACC:.*]] = func.call @product
// CHECK:           %[[R:.*]] = linalg.copy ins(%[[ACC]] : tensor<64x128xf32>) outs(%[[SLICE]] : tensor<64x128xf32>)
// CHECK:           tensor.parallel_insert_slice %[[R]] into %[[O]]
func.func @copy(%out: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = scf.forall (%j) = (0) to (256) step (128) shared_outs(%o = %out) -> (tensor<64x256xf32>) {
    %acc = func.call @product() : () -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %acc into %o[0, %j] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x256xf32>
    }
  }
  return %0 : tensor<64x256xf32>
}
func.func private @product() -> tensor<64x128xf32>

// -----

// A tile that a loop carries in the result's own memory is not copied.
// CHECK-LABEL: func.func @carried
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK-NOT:       linalg.copy
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[O]]
// CHECK:           %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[SLICE]])
// CHECK-NOT:       linalg.copy
// CHECK:           tensor.parallel_insert_slice %[[R]] into %[[O]]
func.func @carried(%begin: index, %end: index, %out: tensor<256xf32>) -> tensor<256xf32> {
  %c1 = arith.constant 1 : index
  %0 = scf.forall (%i) = (0) to (256) step (64) shared_outs(%o = %out) -> (tensor<256xf32>) {
    %m = tensor.extract_slice %o[%i] [64] [1] : tensor<256xf32> to tensor<64xf32>
    %r = scf.for %p = %begin to %end step %c1 iter_args(%a = %m) -> (tensor<64xf32>) {
      %n = func.call @row(%a) : (tensor<64xf32>) -> tensor<64xf32>
      scf.yield %n : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i] [64] [1] : tensor<64xf32> into tensor<256xf32>
    }
  }
  return %0 : tensor<256xf32>
}
func.func private @row(tensor<64xf32>) -> tensor<64xf32>

// -----

// A pad by a size that is not known to be the clip's stays.
// CHECK-LABEL: func.func @other_size
// CHECK:         tensor.pad
func.func @other_size(%v: i32, %in: tensor<64x?xf32>, %out: tensor<64x?xf32>, %w: index, %u: index)
    -> tensor<64x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x?xf32>) {
    %c = tensor.extract_slice %in[0, 0] [64, %u] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %h = affine.apply affine_map<(d0) -> (-d0 + 128)>(%u)
    %p = tensor.pad %c low[0, 0] high[0, %h] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x?xf32> to tensor<64x128xf32>
    %s = tensor.extract_slice %p[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, 0] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<64x?xf32>
    }
  }
  return %0 : tensor<64x?xf32>
}

// -----

// An elementwise op on what one of two branches makes goes into both, so that
// each writes straight to the result.
#ij = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @consumer_of_branches
// CHECK:         scf.forall
// CHECK:           %[[IF:.*]] = scf.if
// CHECK:             linalg.exp
// CHECK:             %[[A:.*]] = linalg.generic
// CHECK:             scf.yield %[[A]]
// CHECK:           } else {
// CHECK:             %[[B:.*]] = linalg.generic
// CHECK:             scf.yield %[[B]]
// CHECK:           }
// CHECK-NOT:       linalg
// CHECK:             tensor.parallel_insert_slice %[[IF]]
func.func @consumer_of_branches(%p: i1, %x: tensor<64x64xf32>, %bias: tensor<64x64xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = scf.forall (%i) = (0) to (64) step (16) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [16, 64] [1, 1] : tensor<64x64xf32> to tensor<16x64xf32>
    %e = tensor.empty() : tensor<16x64xf32>
    %1 = scf.if %p -> (tensor<16x64xf32>) {
      %4 = linalg.exp ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      scf.yield %4 : tensor<16x64xf32>
    } else {
      scf.yield %s : tensor<16x64xf32>
    }
    %b = tensor.extract_slice %bias[%i, 0] [16, 64] [1, 1] : tensor<64x64xf32> to tensor<16x64xf32>
    %2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%1, %b : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32):
      %5 = arith.addf %u, %v : f32
      linalg.yield %5 : f32
    } -> tensor<16x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %2 into %o[%i, 0] [16, 64] [1, 1] : tensor<16x64xf32> into tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// An elementwise op that goes into the branches that it takes is one with the op
// that it takes there: no tile lies between the two.
// CHECK-LABEL: func.func @merge_in_branch
// CHECK:         scf.if
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:             arith.mulf
// CHECK-NOT:       linalg.generic
// CHECK:         } else {
// CHECK:           linalg.generic
// CHECK:             arith.mulf
// CHECK-NOT:       linalg.generic
// CHECK:         scf.forall.in_parallel
func.func @merge_in_branch(%which: i1, %in: tensor<8x64xf32>, %out: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = scf.forall (%j) = (0) to (64) step (64) shared_outs(%o = %out) -> (tensor<8x64xf32>) {
    %e = tensor.empty() : tensor<8x64xf32>
    %1 = scf.if %which -> (tensor<8x64xf32>) {
      %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%in : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
      ^bb0(%x: f32, %y: f32):
        %3 = arith.addf %x, %x : f32
        linalg.yield %3 : f32
      } -> tensor<8x64xf32>
      scf.yield %2 : tensor<8x64xf32>
    } else {
      scf.yield %in : tensor<8x64xf32>
    }
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%1 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %5 = arith.mulf %x, %x : f32
      linalg.yield %5 : f32
    } -> tensor<8x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %4 into %o[0, %j] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x64xf32>
    }
  }
  return %0 : tensor<8x64xf32>
}

// A slice without elements is not one of what it is made from.
// CHECK-LABEL: func.func @slice_of_nothing(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         %[[NOTHING:.*]] = tensor.empty() : tensor<0xf32>
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return %[[NOTHING]]
func.func @slice_of_nothing(%x: tensor<?xf32>, %k: tensor<?xf32>, %y: tensor<1xf32>, %i: index) -> tensor<0xf32> {
  %0 = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<1xf32>) -> tensor<1xf32>
  %1 = tensor.extract_slice %0[%i] [0] [1] : tensor<1xf32> to tensor<0xf32>
  return %1 : tensor<0xf32>
}

// CHECK-LABEL: func.func @slice_of_indices(
// CHECK-SAME:    %[[I:[a-z0-9]*]]: index
// CHECK:         linalg.generic
// CHECK:           %[[INDEX:.*]] = linalg.index 0
// CHECK:           %[[AT:.*]] = affine.apply #{{.*}}{{\[|\(}}%[[INDEX]], %[[I]]{{\]|\)}}
// CHECK:           tensor.extract %{{.*}}[%[[AT]]]
// CHECK:           linalg.yield
// CHECK-NEXT:    } -> tensor<4xf32>
// CHECK-NOT:     tensor.extract_slice
func.func @slice_of_indices(%i: index, %x: tensor<?xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %at = linalg.index 0 : index
    %y = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %1 = tensor.extract_slice %0[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What both operands of a product lack is no zeros but left out, where the
// function's contract says that they end at the same place.
// CHECK-LABEL: func.func @reduction_by_contract(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<64x?xf32>, %[[Y:[a-z0-9]*]]: tensor<?x64xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         %[[L:.*]] = tensor.extract_slice %[[X]]
// CHECK:         %[[R:.*]] = tensor.extract_slice %[[Y]]
// CHECK:         linalg.matmul ins(%[[L]], %[[R]] : tensor<64x?xf32>, tensor<?x64xf32>)
func.func @reduction_by_contract(%x: tensor<64x?xf32>, %y: tensor<?x64xf32>, %at: index, %out: tensor<64x64xf32>)
    -> tensor<64x64xf32>
    attributes {sattn.contracts = [{checks = [{check = "equal", extent = {argument = 1 : i64, dimension = 0 : i64},
                                             to = {argument = 0 : i64, dimension = 1 : i64}, what = "K"}]}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<64x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?x64xf32>
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%m]
    %h = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%n]
    %wp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%w)
    %hp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%h)
    %k = affine.apply affine_map<(d0) -> (d0 * 32)>(%at)
    %ls = tensor.extract_slice %x[0, %k] [64, %w] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %l = tensor.pad %ls low[0, 0] high[0, %wp] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x?xf32> to tensor<64x32xf32>
    %rs = tensor.extract_slice %y[%k, 0] [%h, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %r = tensor.pad %rs low[0, 0] high[%hp, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<?x64xf32> to tensor<32x64xf32>
    %p = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x64xf32>)
        outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Otherwise infinities where only one ends would be lost.
// CHECK-LABEL: func.func @reduction_of_two_ends(
// CHECK-COUNT-2: tensor.pad
// CHECK:         linalg.matmul ins({{.*}} : tensor<64x32xf32>, tensor<32x64xf32>)
func.func @reduction_of_two_ends(%x: tensor<64x?xf32>, %y: tensor<?x64xf32>, %at: index, %out: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<64x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?x64xf32>
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%m]
    %h = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%n]
    %wp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%w)
    %hp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%h)
    %k = affine.apply affine_map<(d0) -> (d0 * 32)>(%at)
    %ls = tensor.extract_slice %x[0, %k] [64, %w] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %l = tensor.pad %ls low[0, 0] high[0, %wp] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x?xf32> to tensor<64x32xf32>
    %rs = tensor.extract_slice %y[%k, 0] [%h, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %r = tensor.pad %rs low[0, 0] high[%hp, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<?x64xf32> to tensor<32x64xf32>
    %p = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x64xf32>)
        outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Nor does a contract of something else count.
// CHECK-LABEL: func.func @reduction_of_other_extents(
// CHECK-COUNT-2: tensor.pad
// CHECK:         linalg.matmul ins({{.*}} : tensor<64x32xf32>, tensor<32x64xf32>)
func.func @reduction_of_other_extents(%x: tensor<64x?xf32>, %y: tensor<?x64xf32>, %at: index, %out: tensor<64x64xf32>)
    -> tensor<64x64xf32>
    attributes {sattn.contracts = [{checks = [{check = "equal", extent = {argument = 1 : i64, dimension = 0 : i64},
                                             to = {argument = 0 : i64, dimension = 1 : i64, divided_by = 2 : i64}, what = "K"}]}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<64x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?x64xf32>
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%m]
    %h = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%at)[%n]
    %wp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%w)
    %hp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%h)
    %k = affine.apply affine_map<(d0) -> (d0 * 32)>(%at)
    %ls = tensor.extract_slice %x[0, %k] [64, %w] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %l = tensor.pad %ls low[0, 0] high[0, %wp] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x?xf32> to tensor<64x32xf32>
    %rs = tensor.extract_slice %y[%k, 0] [%h, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %r = tensor.pad %rs low[0, 0] high[%hp, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<?x64xf32> to tensor<32x64xf32>
    %p = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x64xf32>)
        outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// -----

// The rows that one operand lacks are zeros still, before the loop as they were,
// and so are a constant number of columns.
// CHECK-LABEL: func.func @reduction_of_few_rows(
// CHECK:         %[[L:.*]] = tensor.pad %{{.*}} low[0, 0] high[%{{.*}}, 0]
// CHECK:         } : tensor<?x?xf32> to tensor<64x?xf32>
// CHECK:         %[[C:.*]] = tensor.pad %{{.*}} low[0, 0] high[0, 8]
// CHECK:         } : tensor<64x24xf32> to tensor<64x32xf32>
// CHECK:         scf.for
// CHECK-NOT:       tensor.pad
// CHECK:           linalg.matmul ins(%[[L]], %{{.*}} : tensor<64x?xf32>, tensor<?x64xf32>)
// CHECK:           %[[D:.*]] = tensor.pad %{{.*}} low[0, 0] high[8, 0]
// CHECK:           linalg.matmul ins(%[[C]], %[[D]] : tensor<64x32xf32>, tensor<32x64xf32>)
func.func @reduction_of_few_rows(%x: tensor<?x?xf32>, %z: tensor<64x24xf32>, %y: tensor<?x?x64xf32>, %d: index,
                                 %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?x?x64xf32>
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %h = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%m]
    %hp = affine.apply affine_map<(d0) -> (-d0 + 64)>(%h)
    %w = affine.min affine_map<()[s0] -> (s0, 32)>()[%d]
    %wp = affine.apply affine_map<(d0) -> (-d0 + 32)>(%w)
    %ls = tensor.extract_slice %x[0, 0] [%h, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %l = tensor.pad %ls low[0, 0] high[%hp, %wp] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<?x?xf32> to tensor<64x32xf32>
    %c = tensor.pad %z low[0, 0] high[0, 8] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<64x24xf32> to tensor<64x32xf32>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %o) -> (tensor<64x64xf32>) {
      %rs = tensor.extract_slice %y[%k, 0, 0] [1, %w, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x64xf32>
      %r = tensor.pad %rs low[0, 0] high[%wp, 0] {
      ^bb0(%a: index, %b: index):
        tensor.yield %zero : f32
      } : tensor<?x64xf32> to tensor<32x64xf32>
      %p = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x64xf32>)
          outs(%sum : tensor<64x64xf32>) -> tensor<64x64xf32>
      %es = tensor.extract_slice %y[%k, 0, 0] [1, 24, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<24x64xf32>
      %e = tensor.pad %es low[0, 0] high[8, 0] {
      ^bb0(%a: index, %b: index):
        tensor.yield %zero : f32
      } : tensor<24x64xf32> to tensor<32x64xf32>
      %q = linalg.matmul ins(%c, %e : tensor<64x32xf32>, tensor<32x64xf32>)
          outs(%p : tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %q : tensor<64x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}
