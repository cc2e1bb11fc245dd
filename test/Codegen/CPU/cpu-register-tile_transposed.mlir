// RUN: sparse-opt %s --sattn-cpu-register-tile --split-input-file | FileCheck %s

// An op that takes a sum and writes its columns as rows takes register tiles
// in strips of as many rows as a vector has lanes: squares of a strip are
// transposed in registers, and whole vectors are written. What is left at the
// end goes row by row.
// CHECK-DAG:   #[[JI:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @sum
// CHECK:         scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c64
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %c64 step %c16
// CHECK:             %[[STRIP:.*]] = scf.for {{.*}} to %c16 step %c4 iter_args(%{{.*}}) -> (tensor<16x64xf32>)
// CHECK:               scf.for {{.*}} -> (tensor<4x64xf32>)
// CHECK:             } {sattn.block_loop}
// CHECK:             scf.for {{.*}} step %c16
// CHECK:               linalg.generic {indexing_maps = [#[[JI]], #{{.*}}, #{{.*}}], {{.*}}} ins(%{{.*}}, %{{.*}} : tensor<16x16xf32>, tensor<16xf32>) outs(%{{.*}} : tensor<16x16xbf16>)
// CHECK:             scf.for {{.*}} step %c16
// CHECK:               scf.for {{.*}} step %c1
// CHECK:                 linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x1xf32>, tensor<16xf32>) outs(%{{.*}} : tensor<1x16xbf16>)
#id = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
func.func @sum(%panels: tensor<?x2x32x64xf32>, %blocks: tensor<?x64x32xf32>, %bias: tensor<64xf32>, %count: index,
               %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c0 : tensor<?x64xbf16>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<?x64xbf16>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%n]
    %empty = tensor.empty() : tensor<64x128xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
    %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %zeros) -> (tensor<64x128xf32>) {
      %l = tensor.extract_slice %blocks[%p, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<?x64x32xf32> to tensor<64x32xf32>
      %s = tensor.extract_slice %panels[%p, 0, 0, 0] [1, 2, 32, 64] [1, 1, 1, 1] : tensor<?x2x32x64xf32> to tensor<2x32x64xf32>
      %re = tensor.empty() : tensor<32x128xf32>
      %r = linalg.unpack %s outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %re
          : tensor<2x32x64xf32> -> tensor<32x128xf32>
      %m = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
          outs(%a : tensor<64x128xf32>) -> tensor<64x128xf32>
      scf.yield %m : tensor<64x128xf32>
    } {sattn.block_loop}
    %clipped = tensor.extract_slice %sum[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    %t = tensor.extract_slice %o[%j, 0] [%w, 64] [1, 1] : tensor<?x64xbf16> to tensor<?x64xbf16>
    %rounded = linalg.generic {indexing_maps = [#id, #i, #ji], iterator_types = ["parallel", "parallel"]}
        ins(%clipped, %bias : tensor<64x?xf32>, tensor<64xf32>) outs(%t : tensor<?x64xbf16>) {
    ^bb0(%x: f32, %b: f32, %y: bf16):
      %biased = arith.addf %x, %b : f32
      %e = arith.truncf %biased : f32 to bf16
      linalg.yield %e : bf16
    } -> tensor<?x64xbf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rounded into %o[%j, 0] [%w, 64] [1, 1] : tensor<?x64xbf16> into tensor<?x64xbf16>
    }
  }
  return %0 : tensor<?x64xbf16>
}

// -----

// Both dimensions of a copy end somewhere: squares, then columns, then rows.
// CHECK-LABEL: func.func @copy
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<16x16xf32>)
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<16x1xf32>)
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x16xf32>)
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x1xf32>)
func.func @copy(%x: tensor<?x?xf32>, %out: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = affine.min affine_map<()[s0] -> (s0, 32)>()[%k]
  %w = affine.min affine_map<()[s0] -> (s0, 64)>()[%n]
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<32x64xf32>) {
    %s = tensor.extract_slice %x[0, 0] [%w, %h] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %d = tensor.extract_slice %o[0, 0] [%h, %w] [1, 1] : tensor<32x64xf32> to tensor<?x?xf32>
    %t = linalg.transpose ins(%s : tensor<?x?xf32>) outs(%d : tensor<?x?xf32>) permutation = [1, 0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0, 0] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<32x64xf32>
    }
  }
  return %0 : tensor<32x64xf32>
}
