// RUN: sparse-opt %s --sattn-cpu-pack-panels --split-input-file | FileCheck %s --check-prefixes=CHECK,W512
// RUN: sparse-opt %s --sattn-cpu-pack-panels=vector-bits=256 --split-input-file | FileCheck %s --check-prefixes=CHECK,W256
// RUN: not sparse-opt %s --sattn-cpu-pack-panels=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS

// BITS: error: expected vector-bits to be a power of two from 32 to 65536, but got 100

// All of the right operand's tensor is copied once, in f32, to panels of the
// register tile's width, zeros where it ends; a tile reads those of its columns,
// which the loop counts first.
// W512-DAG:    #[[PANELS:.*]] = affine_map<()[s0] -> ((s0 ceildiv 128) * 2)>
// W512-DAG:    #[[FIRST:.*]] = affine_map<(d0)[s0] -> (d0 * 64, s0)>
// W512-DAG:    #[[PANEL:.*]] = affine_map<(d0) -> (d0 floordiv 64)>
// W256-DAG:    #[[PANELS:.*]] = affine_map<()[s0] -> ((s0 ceildiv 128) * 8)>
// W256-DAG:    #[[FIRST:.*]] = affine_map<(d0)[s0] -> (d0 * 16, s0)>
// W256-DAG:    #[[PANEL:.*]] = affine_map<(d0) -> (d0 floordiv 16)>
// CHECK-LABEL: func.func @bf16
// CHECK-SAME:    %[[L:.*]]: tensor<64x32xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[K:.*]]: index
// CHECK:         %[[COUNT:.*]] = affine.apply #[[PANELS]]()
// W512:          tensor.empty(%[[COUNT]], %{{.*}}) : tensor<?x?x64xf32>
// W256:          tensor.empty(%[[COUNT]], %{{.*}}) : tensor<?x?x16xf32>
// CHECK:         %[[PACKED:.*]] = scf.forall (%[[ROW:.*]]) = (0) to (%{{.*}}) step (8)
// CHECK:           scf.for %[[P:.*]] = %{{.*}} to %[[COUNT]]
// CHECK:             %[[C:.*]] = affine.min #[[FIRST]](%[[P]])
// CHECK:             tensor.extract_slice %[[B]][%[[ROW]], %[[C]]]
// CHECK:             tensor.pad
// CHECK:             linalg.generic
// CHECK:               arith.extf
// CHECK:         scf.forall (%[[J:.*]], %[[I:.*]]) = (0, 0) to (%{{.*}}, %{{.*}}) step (128, 64)
// CHECK:           %[[PJ:.*]] = affine.apply #[[PANEL]](%[[J]])
// W512:            %[[S:.*]] = tensor.extract_slice %[[PACKED]][%[[PJ]], %[[K]], 0] [2, 32, 64] [1, 1, 1]
// W512:            %[[R:.*]] = linalg.unpack %[[S]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %{{.*}} : tensor<2x32x64xf32> -> tensor<32x128xf32>
// W256:            %[[S:.*]] = tensor.extract_slice %[[PACKED]][%[[PJ]], %[[K]], 0] [8, 32, 16] [1, 1, 1]
// W256:            %[[R:.*]] = linalg.unpack %[[S]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %{{.*}} : tensor<8x32x16xf32> -> tensor<32x128xf32>
// CHECK:           linalg.matmul ins(%[[L]], %[[R]] : tensor<64x32xbf16>, tensor<32x128xf32>)
// CHECK:             tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]], %[[J]]]
// CHECK:         } {mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>]}
func.func @bf16(%l: tensor<64x32xbf16>, %b: tensor<?x?xbf16>, %k: index, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %acc = tensor.empty() : tensor<64x128xf32>
  %m = tensor.dim %out, %c0 : tensor<?x?xf32>
  %n = tensor.dim %out, %c1 : tensor<?x?xf32>
  %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) shared_outs(%o = %out) -> (tensor<?x?xf32>) {
    %d = tensor.dim %b, %c1 : tensor<?x?xbf16>
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%d]
    %s = tensor.extract_slice %b[%k, %j] [32, %w] [1, 1] : tensor<?x?xbf16> to tensor<32x?xbf16>
    %h = affine.apply affine_map<(d0) -> (-d0 + 128)>(%w)
    %r = tensor.pad %s low[0, 0] high[0, %h] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : bf16
    } : tensor<32x?xbf16> to tensor<32x128xbf16>
    %p = linalg.matmul ins(%l, %r : tensor<64x32xbf16>, tensor<32x128xbf16>)
        outs(%acc : tensor<64x128xf32>) -> tensor<64x128xf32>
    %c = tensor.extract_slice %p[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i, %j] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<?x?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %0 : tensor<?x?xf32>
}

// -----

// Batches are packed too, each with its own panels; f32 is copied as it is. The
// last tile is clipped by a size that is known.
// CHECK-LABEL: func.func @batches
// CHECK-SAME:    %[[B:[^:]*]]: tensor<?x64x200xf32>, %[[K:[^:]*]]: index
// W512:          tensor.empty(%{{.*}}) : tensor<?x4x64x64xf32>
// W256:          tensor.empty(%{{.*}}) : tensor<?x16x64x16xf32>
// CHECK:         %[[PACKED:.*]] = scf.forall (%[[X:.*]], %[[ROW:.*]]) = (0, 0) to (%{{.*}}, 64) step (1, 8)
// CHECK:             tensor.extract_slice %[[B]][%[[X]], %[[ROW]], %{{.*}}] [1, 8, %{{.*}}] [1, 1, 1]
// CHECK:             linalg.copy
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) =
// CHECK:           %[[S:.*]] = tensor.extract_slice %[[PACKED]][%[[I]], %{{.*}}, %[[K]], 0]
// CHECK:           linalg.unpack %[[S]]
func.func @batches(%l: tensor<64x32xf32>, %b: tensor<?x64x200xf32>, %k: index, %out: tensor<?x64x200xf32>)
    -> tensor<?x64x200xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %acc = tensor.empty() : tensor<64x128xf32>
  %m = tensor.dim %out, %c0 : tensor<?x64x200xf32>
  %0 = scf.forall (%i, %j) = (0, 0) to (%m, 200) step (1, 128) shared_outs(%o = %out) -> (tensor<?x64x200xf32>) {
    %w = affine.min affine_map<(d0) -> (-d0 + 200, 128)>(%j)
    %s = tensor.extract_slice %b[%i, %k, %j] [1, 32, %w] [1, 1, 1] : tensor<?x64x200xf32> to tensor<32x?xf32>
    %h = affine.apply affine_map<(d0) -> (-d0 + 128)>(%w)
    %r = tensor.pad %s low[0, 0] high[0, %h] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<32x?xf32> to tensor<32x128xf32>
    %p = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
        outs(%acc : tensor<64x128xf32>) -> tensor<64x128xf32>
    %c = tensor.extract_slice %p[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i, 0, %j] [1, 64, %w] [1, 1, 1] : tensor<64x?xf32> into tensor<?x64x200xf32>
    }
  }
  return %0 : tensor<?x64x200xf32>
}

// -----

// A window that begins anywhere, that is padded by something else than zeros,
// that ends before its tensor does, at a place that is known or not, are packed
// by their tile; one of a tensor made in the loop is not.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-1: scf.forall
// CHECK-NOT:     scf.forall
// CHECK-COUNT-4: linalg.unpack %{{.*}} : tensor<1x8x8xf32> -> tensor<8x8xf32>
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.matmul ins(%{{.*}}, %{{extracted_slice.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
func.func @others(%l: tensor<8x8xf32>, %b: tensor<8x?xf32>, %at: index, %length: index, %out: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %b, %c1 : tensor<8x?xf32>
  %0 = scf.forall (%j) = (0) to (8) step (8) shared_outs(%o = %out) -> (tensor<8x8xf32>) {
    %anywhere = tensor.extract_slice %b[0, %at] [8, 8] [1, 1] : tensor<8x?xf32> to tensor<8x8xf32>
    %1 = linalg.matmul ins(%l, %anywhere : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>

    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 8)>(%j)[%n]
    %h = affine.apply affine_map<(d0) -> (-d0 + 8)>(%w)
    %s = tensor.extract_slice %b[0, %j] [8, %w] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
    %ones = tensor.pad %s low[0, 0] high[0, %h] {
    ^bb0(%x: index, %y: index):
      tensor.yield %one : f32
    } : tensor<8x?xf32> to tensor<8x8xf32>
    %2 = linalg.matmul ins(%l, %ones : tensor<8x8xf32>, tensor<8x8xf32>) outs(%1 : tensor<8x8xf32>) -> tensor<8x8xf32>

    %shortW = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 8)>(%j)[%length]
    %shortH = affine.apply affine_map<(d0) -> (-d0 + 8)>(%shortW)
    %shortS = tensor.extract_slice %b[0, %j] [8, %shortW] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
    %short = tensor.pad %shortS low[0, 0] high[0, %shortH] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<8x?xf32> to tensor<8x8xf32>
    %3 = linalg.matmul ins(%l, %short : tensor<8x8xf32>, tensor<8x8xf32>) outs(%2 : tensor<8x8xf32>) -> tensor<8x8xf32>

    %fixedS = tensor.extract_slice %b[0, %j] [8, 5] [1, 1] : tensor<8x?xf32> to tensor<8x5xf32>
    %fixed = tensor.pad %fixedS low[0, 0] high[0, 3] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<8x5xf32> to tensor<8x8xf32>
    %5 = linalg.matmul ins(%l, %fixed : tensor<8x8xf32>, tensor<8x8xf32>) outs(%3 : tensor<8x8xf32>) -> tensor<8x8xf32>

    %made = tensor.generate %n {
    ^bb0(%x: index, %y: index):
      tensor.yield %one : f32
    } : tensor<8x?xf32>
    %inside = tensor.extract_slice %made[0, %j] [8, 8] [1, 1] : tensor<8x?xf32> to tensor<8x8xf32>
    %4 = linalg.matmul ins(%l, %inside : tensor<8x8xf32>, tensor<8x8xf32>) outs(%5 : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %4 into %o[0, %j] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
    }
  }
  return %0 : tensor<8x8xf32>
}

// -----

// One panel is copied without a loop over panels.
// CHECK-LABEL: func.func @one
// CHECK-SAME:    %[[B:[^:]*]]: tensor<?x8xf32>, %[[K:[^:]*]]: index
// CHECK:         scf.forall
// CHECK-NOT:       scf.for
// CHECK:           linalg.copy ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}} : tensor<?x8xf32>)
// CHECK-NOT:       tensor.insert_slice
// CHECK:         scf.forall
// CHECK:           linalg.unpack {{.*}} : tensor<1x16x8xf32> -> tensor<16x8xf32>
func.func @one(%l: tensor<8x16xf32>, %b: tensor<?x8xf32>, %k: index, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = scf.forall (%i) = (0) to (8) step (8) shared_outs(%o = %out) -> (tensor<8x8xf32>) {
    %r = tensor.extract_slice %b[%k, 0] [16, 8] [1, 1] : tensor<?x8xf32> to tensor<16x8xf32>
    %p = linalg.matmul ins(%l, %r : tensor<8x16xf32>, tensor<16x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
    }
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Where a loop takes the windows, its turns are counted first, of all tiles of a
// column. Only if there are enough is the tensor packed for all; otherwise a
// tile packs the windows of its turns, one below the other.
// CHECK-LABEL: func.func @turns
// CHECK-SAME:    %[[CROW:[^:]*]]: tensor<?xindex>, %[[COL:[^:]*]]: tensor<?xindex>, %[[V:[^:]*]]: tensor<?x8x16xf32>, %[[B:[^:]*]]: tensor<?x?xf32>
// CHECK:         %[[TURNS:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (index)
// CHECK:           %[[FIRST:.*]] = tensor.extract %[[CROW]][%[[I]]]
// CHECK:           %[[LAST:.*]] = tensor.extract %[[CROW]][%{{.*}}]
// CHECK:           %[[LENGTH:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK:           arith.addi %[[SUM]], %[[LENGTH]]
// CHECK:         %[[READ:.*]] = arith.muli %[[TURNS]], %{{.*}}
// CHECK:         %[[PACK:.*]] = arith.cmpi sge, %[[READ]], %{{.*}}
// CHECK:         %[[ROWS:.*]] = arith.select %[[PACK]], %{{.*}}, %{{.*}}
// W512:          tensor.empty(%{{.*}}, %[[ROWS]]) : tensor<?x?x8xf32>
// CHECK:         %[[PACKED:.*]] = scf.forall (%{{.*}}) = (0) to (%[[ROWS]]) step (8)
// CHECK:         scf.forall (%[[J:.*]], %[[I:.*]]) =
// CHECK:           %[[A:.*]] = tensor.extract %[[CROW]][%[[I]]]
// CHECK:           %[[PANELS:.*]] = scf.if %[[PACK]]
// CHECK:             scf.yield %[[PACKED]]
// CHECK:           } else {
// CHECK:             scf.for %[[T:.*]] = %[[A]] to
// CHECK:               %[[C:.*]] = tensor.extract %[[COL]][%[[T]]]
// CHECK:               %[[HEIGHT:.*]] = affine.min
// CHECK:               scf.for
// CHECK:                 tensor.extract_slice %[[B]][%[[C]], %{{.*}}] [%[[HEIGHT]], %{{.*}}]
// CHECK:                 linalg.copy
// CHECK:           %[[PANEL:.*]] = arith.select %[[PACK]], %{{.*}}, %{{.*}}
// CHECK:           scf.for %[[T:.*]] = %[[A]] to
// CHECK:             %[[C:.*]] = tensor.extract %[[COL]][%[[T]]]
// CHECK:             %[[MINE:.*]] = affine.apply #{{.*}}(%[[T]])[%[[A]]]
// CHECK:             %[[ROW:.*]] = arith.select %[[PACK]], %[[C]], %[[MINE]]
// CHECK:             tensor.extract_slice %[[PANELS]][%[[PANEL]], %[[ROW]], 0]
// CHECK:             linalg.unpack
func.func @turns(%crow: tensor<?xindex>, %col: tensor<?xindex>, %values: tensor<?x8x16xf32>, %b: tensor<?x?xf32>,
                 %m: index, %n: index, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %acc = tensor.empty() : tensor<8x8xf32>
  %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (1, 8) shared_outs(%o = %out) -> (tensor<?x?xf32>) {
    %first = tensor.extract %crow[%i] : tensor<?xindex>
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %crow[%next] : tensor<?xindex>
    %d = tensor.dim %b, %c1 : tensor<?x?xf32>
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 8)>(%j)[%d]
    %sum = scf.for %t = %first to %last step %c1 iter_args(%a = %acc) -> (tensor<8x8xf32>) {
      %k = tensor.extract %col[%t] : tensor<?xindex>
      %l = tensor.extract_slice %values[%t, 0, 0] [1, 8, 16] [1, 1, 1] : tensor<?x8x16xf32> to tensor<8x16xf32>
      %s = tensor.extract_slice %b[%k, %j] [16, %w] [1, 1] : tensor<?x?xf32> to tensor<16x?xf32>
      %h = affine.apply affine_map<(d0) -> (-d0 + 8)>(%w)
      %r = tensor.pad %s low[0, 0] high[0, %h] {
      ^bb0(%x: index, %y: index):
        tensor.yield %zero : f32
      } : tensor<16x?xf32> to tensor<16x8xf32>
      %p = linalg.matmul ins(%l, %r : tensor<8x16xf32>, tensor<16x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.yield %p : tensor<8x8xf32>
    }
    %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%i)
    %c = tensor.extract_slice %sum[0, 0] [8, %w] [1, 1] : tensor<8x8xf32> to tensor<8x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%row, %j] [8, %w] [1, 1] : tensor<8x?xf32> into tensor<?x?xf32>
    }
  }
  return %0 : tensor<?x?xf32>
}
