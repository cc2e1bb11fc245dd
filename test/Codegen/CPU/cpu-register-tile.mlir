// RUN: sparse-opt %s --sattn-cpu-register-tile | FileCheck %s --check-prefixes=CHECK,W512
// RUN: sparse-opt %s --sattn-cpu-register-tile=vector-bits=256 | FileCheck %s --check-prefixes=CHECK,W256
// RUN: sparse-opt %s --sattn-cpu-register-tile="register-tile=8,32" | FileCheck %s --check-prefixes=CHECK,GIVEN
// RUN: not sparse-opt %s --sattn-cpu-register-tile=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not sparse-opt %s --sattn-cpu-register-tile=register-tile=8 2>&1 | FileCheck %s --check-prefix=SIZES

// BITS: error: expected vector-bits to be a power of two from 32 to 65536, but got 100
// SIZES: error: expected register-tile to be two sizes from 1 to 65536

#id = affine_map<(d0, d1) -> (d0, d1)>

// Panels of columns with their copy of the right operand, rows, steps of 1.
// CHECK-LABEL: func.func @product
// CHECK:         %[[LEFT:.*]] = scf.for
// CHECK:         scf.for {{.*}} to %c128 step
// CHECK:           scf.for
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xbf16>) outs(%{{.*}} : tensor<1x64xf32>)
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xbf16>) outs(%{{.*}} : tensor<1x16xf32>)
// GIVEN:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x32xbf16>) outs(%{{.*}} : tensor<1x32xf32>)
// W512:            scf.for {{.*}} to %c64 step %c4
// W256:            scf.for {{.*}} to %c60 step %c6
// GIVEN:           scf.for {{.*}} to %c64 step %c8
// CHECK:             scf.for {{.*}} to %c64 step %c1
// W512:                linalg.matmul ins(%{{.*}} : tensor<4x1xf32>, tensor<1x64xf32>) outs(%{{.*}} : tensor<4x64xf32>)
// W256:                linalg.matmul ins(%{{.*}} : tensor<6x1xf32>, tensor<1x16xf32>) outs(%{{.*}} : tensor<6x16xf32>)
// W256:            scf.for {{.*}} to %c64 step %c1
// W256:              linalg.matmul ins(%{{.*}} : tensor<4x1xf32>, tensor<1x16xf32>) outs(%{{.*}} : tensor<4x16xf32>)
// GIVEN:               linalg.matmul ins(%{{.*}} : tensor<8x1xf32>, tensor<1x32xf32>) outs(%{{.*}} : tensor<8x32xf32>)
func.func @product(%l: tensor<64x64xbf16>, %r: tensor<64x128xbf16>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %le = tensor.empty() : tensor<64x64xf32>
    %lp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%l : tensor<64x64xbf16>) outs(%le : tensor<64x64xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      linalg.yield %e : f32
    } -> tensor<64x64xf32>
    %re = tensor.empty() : tensor<64x128xf32>
    %rp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<64x128xbf16>) outs(%re : tensor<64x128xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      linalg.yield %e : f32
    } -> tensor<64x128xf32>
    %m = linalg.matmul ins(%lp, %rp : tensor<64x64xf32>, tensor<64x128xf32>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// Sizes that the register tile does not divide get a smaller one: columns a power
// of two, unless they are given.
// CHECK-LABEL: func.func @odd_sizes
// W512:          linalg.matmul {{.*}} outs(%{{.*}} : tensor<12x8xf32>)
// W256:          linalg.matmul {{.*}} outs(%{{.*}} : tensor<12x8xf32>)
// GIVEN:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<8x20xf32>)
func.func @odd_sizes(%l: tensor<24x8xf32>, %r: tensor<8x40xf32>, %out: tensor<24x40xf32>)
    -> tensor<24x40xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<24x40xf32>) {
    %m = linalg.matmul ins(%l, %r : tensor<24x8xf32>, tensor<8x40xf32>)
        outs(%o : tensor<24x40xf32>) -> tensor<24x40xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [24, 40] [1, 1] : tensor<24x40xf32> into tensor<24x40xf32>
    }
  }
  return %0 : tensor<24x40xf32>
}

// Rows of unknown length are tiled by a divisor of their largest, if they may be
// longer; by a power of two, unless it is given.
// CHECK-LABEL: func.func @clipped
// CHECK:         scf.for {{.*}} to %c24 step %c1
// W512:            scf.for {{.*}} step %c8
// W256:            scf.for {{.*}} step %c8
// GIVEN:           scf.for {{.*}} step %c20
// CHECK:             linalg.fill {{.*}} tensor<1x?xf32>
func.func @clipped(%value: f32, %out: tensor<24x?xf32>) -> tensor<24x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %out, %c1 : tensor<24x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (40) shared_outs(%o = %out) -> (tensor<24x?xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 40)>(%j)[%n]
    %s = tensor.extract_slice %o[0, %j] [24, %w] [1, 1] : tensor<24x?xf32> to tensor<24x?xf32>
    %f = linalg.fill ins(%value : f32) outs(%s : tensor<24x?xf32>) -> tensor<24x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %o[0, %j] [24, %w] [1, 1] : tensor<24x?xf32> into tensor<24x?xf32>
    }
  }
  return %0 : tensor<24x?xf32>
}

// Rows whose number is no multiple of four are reduced one by one, in pieces of a
// panel's width.
// CHECK-LABEL: func.func @reduce_row
// CHECK:         scf.for {{.*}} to %c6 step %c1
// CHECK:           scf.for {{.*}} to %c128 step
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xf32>) outs(%{{.*}} : tensor<1xf32>)
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xf32>) outs(%{{.*}} : tensor<1xf32>)
// GIVEN:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x32xf32>) outs(%{{.*}} : tensor<1xf32>)
func.func @reduce_row(%in: tensor<6x128xf32>, %out: tensor<6xf32>) -> tensor<6xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<6xf32>) {
    %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<6x128xf32>) outs(%o : tensor<6xf32>) {
    ^bb0(%x: f32, %y: f32):
      %n = arith.maximumf %x, %y : f32
      linalg.yield %n : f32
    } -> tensor<6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0] [6] [1] : tensor<6xf32> into tensor<6xf32>
    }
  }
  return %0 : tensor<6xf32>
}

// As many rows as a vector has elements are reduced together.
// CHECK-LABEL: func.func @reduce_rows
// W512:          scf.for {{.*}} to %c32 step %c16
// W256:          scf.for {{.*}} to %c32 step %c8
// CHECK:           scf.for {{.*}} to %c128 step %c64
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<16x64xf32>) outs(%{{.*}} : tensor<16xf32>)
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<8x64xf32>) outs(%{{.*}} : tensor<8xf32>)
func.func @reduce_rows(%in: tensor<32x128xf32>, %out: tensor<32xf32>) -> tensor<32xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<32xf32>) {
    %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<32x128xf32>) outs(%o : tensor<32xf32>) {
    ^bb0(%x: f32, %y: f32):
      %n = arith.maximumf %x, %y : f32
      linalg.yield %n : f32
    } -> tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0] [32] [1] : tensor<32xf32> into tensor<32xf32>
    }
  }
  return %0 : tensor<32xf32>
}

// A loop that adds up products of panels goes into the loops over register
// tiles, so that a tile is complete before the next begins; what is computed of
// the left operand is computed for the tile's rows. The op that takes the sum
// takes it tile by tile.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    %[[PANELS:.*]]: tensor<?x2x32x64xf32>
// W512:          scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c64
// W512:            scf.for %[[I:.*]] = %{{.*}} to %c64 step %c4
// W512:              %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<4x64xf32>)
// W512:              %[[SUM:.*]] = scf.for %[[P:.*]] = %{{.*}} iter_args(%{{.*}} = %[[ZEROS]]) -> (tensor<4x64xf32>)
// W512:                scf.for
// W512:                  linalg.generic {{.*}} outs(%{{.*}} : tensor<1x32xf32>)
// W512:                %[[PANEL:.*]] = affine.apply #{{.*}}(%[[J]])
// W512:                tensor.extract_slice %{{.*}}[%[[PANEL]], 0, 0] [1, 32, 64]
// W512:                scf.for {{.*}} step %c1
// W512:                  linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x64xf32>)
// W512:              } {sattn.block_loop}
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x?xf32>) outs(%{{.*}} : tensor<1x?xbf16>)
// CHECK:         scf.forall.in_parallel
func.func @sum(%panels: tensor<?x2x32x64xf32>, %blocks: tensor<?x64x32xbf16>, %count: index,
               %out: tensor<64x?xbf16>) -> tensor<64x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c1 : tensor<64x?xbf16>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<64x?xbf16>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%n]
    %empty = tensor.empty() : tensor<64x128xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
    %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %zeros) -> (tensor<64x128xf32>) {
      %block = tensor.extract_slice %blocks[%p, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<?x64x32xbf16> to tensor<64x32xbf16>
      %le = tensor.empty() : tensor<64x32xf32>
      %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%block : tensor<64x32xbf16>) outs(%le : tensor<64x32xf32>) {
      ^bb0(%x: bf16, %y: f32):
        %e = arith.extf %x : bf16 to f32
        linalg.yield %e : f32
      } -> tensor<64x32xf32>
      %s = tensor.extract_slice %panels[%p, 0, 0, 0] [1, 2, 32, 64] [1, 1, 1, 1] : tensor<?x2x32x64xf32> to tensor<2x32x64xf32>
      %re = tensor.empty() : tensor<32x128xf32>
      %r = linalg.unpack %s outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %re
          : tensor<2x32x64xf32> -> tensor<32x128xf32>
      %m = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
          outs(%a : tensor<64x128xf32>) -> tensor<64x128xf32>
      scf.yield %m : tensor<64x128xf32>
    } {sattn.block_loop}
    %clipped = tensor.extract_slice %sum[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    %t = tensor.extract_slice %o[0, %j] [64, %w] [1, 1] : tensor<64x?xbf16> to tensor<64x?xbf16>
    %rounded = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%clipped : tensor<64x?xf32>) outs(%t : tensor<64x?xbf16>) {
    ^bb0(%x: f32, %y: bf16):
      %e = arith.truncf %x : f32 to bf16
      linalg.yield %e : bf16
    } -> tensor<64x?xbf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rounded into %o[0, %j] [64, %w] [1, 1] : tensor<64x?xbf16> into tensor<64x?xbf16>
    }
  }
  return %0 : tensor<64x?xbf16>
}

// So do branches between such ops.
// CHECK-LABEL: func.func @sum_in_branches
// W512:          scf.for {{.*}} step %c64
// W512:            scf.for {{.*}} step %c4
// W512:              %[[TARGET:.*]] = tensor.extract_slice %{{.*}} : tensor<64x?xf32> to tensor<4x?xf32>
// W512:              scf.for
// W512:              } {sattn.block_loop}
// W512:              scf.if
// W512:                scf.for {{.*}} iter_args(%{{.*}} = %[[TARGET]])
// W512:                  linalg.generic
// W512:              } else {
// W512:                scf.for {{.*}} iter_args(%{{.*}} = %[[TARGET]])
// W512:                  linalg.copy
// CHECK:         scf.forall.in_parallel
func.func @sum_in_branches(%panels: tensor<?x2x32x64xf32>, %blocks: tensor<?x64x32xf32>, %count: index,
                           %which: i1, %out: tensor<64x?xf32>) -> tensor<64x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c1 : tensor<64x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<64x?xf32>) {
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
    %t = tensor.extract_slice %o[0, %j] [64, %w] [1, 1] : tensor<64x?xf32> to tensor<64x?xf32>
    %result = scf.if %which -> (tensor<64x?xf32>) {
      %clipped = tensor.extract_slice %sum[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
      %added = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%clipped : tensor<64x?xf32>) outs(%t : tensor<64x?xf32>) {
      ^bb0(%x: f32, %y: f32):
        %e = arith.addf %x, %y : f32
        linalg.yield %e : f32
      } -> tensor<64x?xf32>
      scf.yield %added : tensor<64x?xf32>
    } else {
      %clipped = tensor.extract_slice %sum[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
      %copied = linalg.copy ins(%clipped : tensor<64x?xf32>) outs(%t : tensor<64x?xf32>) -> tensor<64x?xf32>
      scf.yield %copied : tensor<64x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %result into %o[0, %j] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<64x?xf32>
    }
  }
  return %0 : tensor<64x?xf32>
}

// Where the rows of register tiles do not divide the tile's, those of the last are
// fewer: of 32 rows four tiles have six, and two have four.
// CHECK-LABEL: func.func @bands
// W256:          scf.for {{.*}} to %c24 step %c6
// W256:            scf.for {{.*}} -> (tensor<6x16xf32>)
// W256:              linalg.matmul {{.*}} outs(%{{.*}} : tensor<6x16xf32>)
// W256:            linalg.copy {{.*}} outs(%{{.*}} : tensor<1x16xf32>)
// W256:          scf.for %{{.*}} = %c24 to %c32 step %c4
// W256:            scf.for {{.*}} -> (tensor<4x16xf32>)
// W256:              linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x16xf32>)
// W256:            linalg.copy {{.*}} outs(%{{.*}} : tensor<1x16xf32>)
// W256-NOT:      linalg.matmul
// CHECK:         scf.forall.in_parallel
func.func @bands(%panels: tensor<?x1x32x16xf32>, %blocks: tensor<?x32x32xf32>, %count: index,
                 %out: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<32x16xf32>) {
    %empty = tensor.empty() : tensor<32x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x16xf32>) -> tensor<32x16xf32>
    %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %zeros) -> (tensor<32x16xf32>) {
      %l = tensor.extract_slice %blocks[%p, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<?x32x32xf32> to tensor<32x32xf32>
      %s = tensor.extract_slice %panels[%p, 0, 0, 0] [1, 1, 32, 16] [1, 1, 1, 1] : tensor<?x1x32x16xf32> to tensor<1x32x16xf32>
      %re = tensor.empty() : tensor<32x16xf32>
      %r = linalg.unpack %s outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %re
          : tensor<1x32x16xf32> -> tensor<32x16xf32>
      %m = linalg.matmul ins(%l, %r : tensor<32x32xf32>, tensor<32x16xf32>) outs(%a : tensor<32x16xf32>) -> tensor<32x16xf32>
      scf.yield %m : tensor<32x16xf32>
    } {sattn.block_loop}
    %copied = linalg.copy ins(%sum : tensor<32x16xf32>) outs(%o : tensor<32x16xf32>) -> tensor<32x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %copied into %o[0, 0] [32, 16] [1, 1] : tensor<32x16xf32> into tensor<32x16xf32>
    }
  }
  return %0 : tensor<32x16xf32>
}

// Of panels that no loop adds up, each register tile takes its own.
// CHECK-LABEL: func.func @product_of_panels
// CHECK-SAME:    %[[PANELS:[a-z0-9]+]]: tensor<4x32x32xf32>
// CHECK:         scf.for %[[J:.*]] = %{{.*}} to %c128 step %c32
// CHECK:           affine.apply #{{.*}}(%[[J]])
// CHECK:           tensor.extract_slice %[[PANELS]][%{{.*}}, 0, 0] [1, 32, 32]
// CHECK:           scf.for
// W512:              linalg.matmul {{.*}} outs(%{{.*}} : tensor<8x32xf32>)
func.func @product_of_panels(%l: tensor<64x32xf32>, %panels: tensor<4x32x32xf32>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %e = tensor.empty() : tensor<32x128xf32>
    %r = linalg.unpack %panels outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
        : tensor<4x32x32xf32> -> tensor<32x128xf32>
    %m = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// Squares are transposed in registers.
// CHECK-LABEL: func.func @transpose
// W512:          linalg.transpose {{.*}} outs(%{{.*}} : tensor<16x16xf32>) permutation = [1, 0]
// W256:          linalg.transpose {{.*}} outs(%{{.*}} : tensor<8x8xf32>) permutation = [1, 0]
func.func @transpose(%x: tensor<64x32xf32>, %out: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<32x64xf32>) {
    %t = linalg.transpose ins(%x : tensor<64x32xf32>) outs(%o : tensor<32x64xf32>) permutation = [1, 0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<32x64xf32>
    }
  }
  return %0 : tensor<32x64xf32>
}

// Rows that end before the tile does are not written.
// CHECK-LABEL: func.func @ragged_rows
// CHECK:         %[[H:.*]] = affine.min #{{.*}}(%{{.*}})[%{{.*}}]
// W512:            scf.for %[[I:.*]] = %{{.*}} to %[[H]] step %c4 iter_args(%[[WHOLE:.*]] =
// W512:              %[[LEFT:.*]] = affine.min #{{.*}}(%[[I]])[%[[H]]]
// W512:              tensor.extract_slice %[[WHOLE]][%[[I]], 0] [%[[LEFT]], 64] [1, 1]
// W512:              linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x64xf32>)
// W512:              tensor.insert_slice %{{.*}} into %[[WHOLE]][%[[I]], 0] [%[[LEFT]], 64] [1, 1]
// CHECK:         scf.forall.in_parallel
func.func @ragged_rows(%blocks: tensor<?x64x32xf32>, %panels: tensor<?x1x32x64xf32>, %out: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %out, %c0 : tensor<?x64xf32>
  %count = tensor.dim %blocks, %c0 : tensor<?x64x32xf32>
  %0 = scf.forall (%i) = (0) to (%m) step (64) shared_outs(%o = %out) -> (tensor<?x64xf32>) {
    %h = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%m]
    %empty = tensor.empty() : tensor<64x64xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %zeros) -> (tensor<64x64xf32>) {
      %l = tensor.extract_slice %blocks[%p, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<?x64x32xf32> to tensor<64x32xf32>
      %panel = tensor.extract_slice %panels[%p, 0, 0, 0] [1, 1, 32, 64] [1, 1, 1, 1] : tensor<?x1x32x64xf32> to tensor<1x32x64xf32>
      %re = tensor.empty() : tensor<32x64xf32>
      %r = linalg.unpack %panel outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %re
          : tensor<1x32x64xf32> -> tensor<32x64xf32>
      %s = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    } {sattn.block_loop}
    %clipped = tensor.extract_slice %sum[0, 0] [%h, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
    %t = tensor.extract_slice %o[%i, 0] [%h, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %added = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%clipped : tensor<?x64xf32>) outs(%t : tensor<?x64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %e = arith.addf %x, %y : f32
      linalg.yield %e : f32
    } -> tensor<?x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %added into %o[%i, 0] [%h, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}

// Copies of narrow elements in rows of any length are of whole vectors, then of
// single elements: few CPUs read them under a mask.
// CHECK-LABEL: func.func @widened_rows
// CHECK:         scf.for
// W256:            scf.for {{.*}} step %c16
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xi8>) outs(%{{.*}} : tensor<1x16xi32>)
// W256:            scf.for {{.*}} step %c16
// CHECK:             scf.for {{.*}} step %c1
// CHECK:               linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1xi8>) outs(%{{.*}} : tensor<1x1xi32>)
func.func @widened_rows(%x: tensor<8x?xi8>, %out: tensor<8x?xi32>) -> tensor<8x?xi32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %out, %c1 : tensor<8x?xi32>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out) -> (tensor<8x?xi32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%n]
    %s = tensor.extract_slice %x[0, %j] [8, %w] [1, 1] : tensor<8x?xi8> to tensor<8x?xi8>
    %t = tensor.extract_slice %o[0, %j] [8, %w] [1, 1] : tensor<8x?xi32> to tensor<8x?xi32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<8x?xi8>) outs(%t : tensor<8x?xi32>) {
    ^bb0(%a: i8, %b: i32):
      %e = arith.extsi %a : i8 to i32
      linalg.yield %e : i32
    } -> tensor<8x?xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[0, %j] [8, %w] [1, 1] : tensor<8x?xi32> into tensor<8x?xi32>
    }
  }
  return %0 : tensor<8x?xi32>
}

// An elementwise op may add the products to the sum, in another type.
// CHECK-LABEL: func.func @sum_in_another_type
// W512:          scf.for %{{.*}} = %{{.*}} to %c64 step %c4
// W512:            linalg.fill {{.*}} outs(%{{.*}} : tensor<4x64xi32>)
// W512:            %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}}) -> (tensor<4x64xi32>)
// W512:              %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<4x64xf32>)
// W512:              %[[PRODUCT:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]]) -> (tensor<4x64xf32>)
// W512:                linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x64xf32>)
// W512:              scf.for {{.*}} step %c1 iter_args(%{{.*}} = %[[CARRIED]])
// W512:                arith.fptosi
// W512:            } {sattn.block_loop}
func.func @sum_in_another_type(%panels: tensor<?x1x64x64xf32>, %blocks: tensor<?x64x64xf32>, %count: index,
                               %out: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x64xi32>) {
    %empty = tensor.empty() : tensor<64x64xi32>
    %nothing = linalg.fill ins(%none : i32) outs(%empty : tensor<64x64xi32>) -> tensor<64x64xi32>
    %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %nothing) -> (tensor<64x64xi32>) {
      %l = tensor.extract_slice %blocks[%p, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<?x64x64xf32> to tensor<64x64xf32>
      %s = tensor.extract_slice %panels[%p, 0, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1] : tensor<?x1x64x64xf32> to tensor<1x64x64xf32>
      %re = tensor.empty() : tensor<64x64xf32>
      %r = linalg.unpack %s outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %re
          : tensor<1x64x64xf32> -> tensor<64x64xf32>
      %e = tensor.empty() : tensor<64x64xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      %m = linalg.matmul ins(%l, %r : tensor<64x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
      %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%m : tensor<64x64xf32>) outs(%a : tensor<64x64xi32>) {
      ^bb0(%x: f32, %y: i32):
        %w = arith.fptosi %x : f32 to i32
        %z = arith.addi %y, %w : i32
        linalg.yield %z : i32
      } -> tensor<64x64xi32>
      scf.yield %next : tensor<64x64xi32>
    } {sattn.block_loop}
    %copied = linalg.copy ins(%sum : tensor<64x64xi32>) outs(%o : tensor<64x64xi32>) -> tensor<64x64xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %copied into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xi32> into tensor<64x64xi32>
    }
  }
  return %0 : tensor<64x64xi32>
}
