// RUN: sparse-opt %s --sattn-tile-linalg --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --sattn-tile-linalg=precision=tf32 | FileCheck %s --check-prefix=TF32

#ij = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (0, j)>

// Read as it lies, transposed in the tile.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[X:.*]]: tensor<?x80xf16>, %[[INIT:.*]]: tensor<80x?xf16>
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (80, %{{.*}}) step (64, 64) shared_outs(%[[O:.*]] = %[[INIT]])
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[X]][%[[J]], %[[I]]]
// CHECK:           %[[PAD:.*]] = tensor.pad %[[SLICE]]
// CHECK:           %[[TILE:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[PAD]] : tensor<64x64xf16>)
// CHECK:           tensor.extract_slice %[[TILE]][0, 0]
// CHECK:           tensor.parallel_insert_slice
// CHECK:         } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
func.func @transpose(%x: tensor<?x80xf16>, %init: tensor<80x?xf16>) -> tensor<80x?xf16> {
  %0 = linalg.transpose ins(%x : tensor<?x80xf16>) outs(%init : tensor<80x?xf16>) permutation = [1, 0]
  return %0 : tensor<80x?xf16>
}

// Zeros are not written to be added to; the sum is in f32. The tile of a short
// dimension is no longer than it must be.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<24x?xbf16>, %[[C:.*]]: tensor<?x24xbf16>
// CHECK-NOT:     outs(%[[C]]
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (%{{.*}}, 24) step (64, 32) shared_outs(%{{.*}} = %[[C]])
// CHECK:           %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<64x32xf32>
// CHECK:           %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<64x32xf32>) {
// CHECK:             %[[LEFT:.*]] = tensor.pad
// CHECK:             %[[RIGHT:.*]] = linalg.transpose ins(%{{.*}} : tensor<32x64xbf16>) outs(%{{.*}} : tensor<64x32xbf16>) permutation = [1, 0]
// CHECK:             linalg.matmul ins(%[[LEFT]], %[[RIGHT]] : tensor<64x64xbf16>, tensor<64x32xbf16>) outs(%[[ACC]] : tensor<64x32xf32>)
// CHECK:           }
// CHECK:           arith.truncf
// TF32-LABEL: func.func @matmul(
// TF32:           } {mapping = {{.*}}, sattn.tf32}
func.func @matmul(%a: tensor<?x?xbf16>, %b: tensor<24x?xbf16>, %c: tensor<?x24xbf16>) -> tensor<?x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %0 = linalg.fill ins(%zero : bf16) outs(%c : tensor<?x24xbf16>) -> tensor<?x24xbf16>
  %1 = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<24x?xbf16>) outs(%0 : tensor<?x24xbf16>) -> tensor<?x24xbf16>
  return %1 : tensor<?x24xbf16>
}

// One element along batches; vectors as matrices of one column; a dimension of
// size 1 that is broadcast.
// CHECK-LABEL: func.func @batches(
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (3, 128, 64) step (1, 64, 64)
// CHECK:           %[[LEFT:.*]] = tensor.extract_slice %{{.*}} [1, 64, 32] [1, 1, 1] : tensor<3x128x32xf16> to tensor<64x32xf16>
// CHECK:           linalg.matmul ins(%[[LEFT]], %{{.*}} : tensor<64x32xf16>, tensor<32x64xf16>)
func.func @batches(%a: tensor<3x128x32xf16>, %b: tensor<3x32x64xf16>, %c: tensor<3x128x64xf16>) -> tensor<3x128x64xf16> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x128x32xf16>, tensor<3x32x64xf16>) outs(%c : tensor<3x128x64xf16>) -> tensor<3x128x64xf16>
  return %0 : tensor<3x128x64xf16>
}

// CHECK-LABEL: func.func @vector(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>
// CHECK:         %[[INIT:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]]
// CHECK:         %[[R:.*]] = scf.forall {{.*}} step (64, 16) shared_outs(%{{.*}} = %[[INIT]]) -> (tensor<?x1xf32>)
// CHECK:           tensor.extract_slice %[[X]][%{{.*}}] [%{{.*}}] [1]
// CHECK:         tensor.extract_slice %[[R]][0, 0] [%{{.*}}, 1] [1, 1] : tensor<?x1xf32> to tensor<?xf32>
func.func @vector(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @row_of_one(
// CHECK:         tensor.extract_slice %{{.*}}[0, %{{.*}}] [1, 64] [1, 1] : tensor<1x128xf32> to tensor<64xf32>
func.func @row_of_one(%x: tensor<1x128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %0 = linalg.generic {indexing_maps = [#first, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x128xf32>) outs(%y : tensor<?x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// Indices are those of the whole op, which is one element of batches; what a tile has once is read before it, in the
// loop; places beyond the op's, in the padding, are no places beyond the tensor.
// CHECK-LABEL: func.func @places(
// CHECK-SAME:    %{{.*}}: tensor<?x?x?xf32>, %[[TABLE:.*]]: tensor<?xf32>, %[[ROWS:.*]]: tensor<?xi32>, %[[NUMBERS:.*]]: tensor<2xf32>)
// CHECK-NOT:     tensor.extract
// CHECK:         scf.forall (%[[B:.*]], %[[I:.*]], %{{.*}}) = (0, 0, 0)
// CHECK-DAG:       %[[NUMBER:.*]] = tensor.extract %[[NUMBERS]][%c1]
// CHECK-DAG:       %[[TWICE:.*]] = arith.addf %[[NUMBER]], %[[NUMBER]]
// CHECK-DAG:       %[[ROW:.*]] = tensor.extract %[[ROWS]][%[[B]]]
// CHECK-DAG:       %[[MORE:.*]] = arith.index_cast %[[ROW]]
// CHECK-DAG:       %[[SIZE:.*]] = tensor.dim %[[TABLE]], %c0
// CHECK-DAG:       %[[LAST_PLACE:.*]] = affine.apply #{{.*}}()[%[[SIZE]]]
// CHECK:           linalg.generic
// CHECK:             %[[INDEX:.*]] = linalg.index 0
// CHECK:             %[[ABSOLUTE:.*]] = arith.addi %[[I]], %[[INDEX]]
// CHECK:             %[[PLACE:.*]] = arith.addi %[[ABSOLUTE]], %[[MORE]]
// CHECK:             %[[MOST:.*]] = arith.minsi %[[PLACE]], %[[LAST_PLACE]]
// CHECK:             %[[CLAMPED:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK:             %[[ENTRY:.*]] = tensor.extract %[[TABLE]][%[[CLAMPED]]]
// CHECK:             arith.mulf %[[ENTRY]], %[[TWICE]]
#bij = affine_map<(b, i, j) -> (b, i, j)>
func.func @places(%x: tensor<?x?x?xf32>, %table: tensor<?xf32>, %rows: tensor<?xi32>, %numbers: tensor<2xf32>) -> tensor<?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %number = tensor.extract %numbers[%c1] : tensor<2xf32>
  %twice = arith.addf %number, %number : f32
  %0 = linalg.generic {indexing_maps = [#bij], iterator_types = ["parallel", "parallel", "parallel"]} outs(%x : tensor<?x?x?xf32>) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %row = tensor.extract %rows[%b] : tensor<?xi32>
    %more = arith.index_cast %row : i32 to index
    %place = arith.addi %i, %more : index
    %entry = tensor.extract %table[%place] : tensor<?xf32>
    %1 = arith.mulf %entry, %twice : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// Elementwise ops may be of i32.
// CHECK-LABEL: func.func @integers(
// CHECK:         scf.forall
// CHECK:           arith.addi
func.func @integers(%x: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %0 = linalg.add ins(%x, %x : tensor<64x64xi32>, tensor<64x64xi32>) outs(%x : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// What stays: sums of rows, wider integers.
// CHECK-LABEL: func.func @left(
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @left(%x: tensor<64x64xf32>, %i: tensor<64x64xi64>, %v: tensor<64xf32>, %w: tensor<64xi32>, %n: tensor<64x64xi32>)
    -> (tensor<64xf32>, tensor<64x64xi64>, tensor<64xi32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%v : tensor<64xf32>) dimensions = [1]
  %1 = linalg.add ins(%i, %i : tensor<64x64xi64>, tensor<64x64xi64>) outs(%i : tensor<64x64xi64>) -> tensor<64x64xi64>
  %2 = linalg.reduce { arith.addi } ins(%n : tensor<64x64xi32>) outs(%w : tensor<64xi32>) dimensions = [1]
  return %0, %1, %2 : tensor<64xf32>, tensor<64x64xi64>, tensor<64xi32>
}

// Nor is a matrix times a vector in batches a product of matrices.
// CHECK-LABEL: func.func @batches_only(
// CHECK-NOT:     scf.forall
// CHECK:         return
#bie = affine_map<(b, i, e) -> (b, i, e)>
#bi = affine_map<(b, i, e) -> (b, i)>
#be = affine_map<(b, i, e) -> (b, e)>
func.func @batches_only(%x: tensor<?x?x64xf32>, %y: tensor<?x64xf32>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#bie, #be, #bi], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x64xf32>, tensor<?x64xf32>) outs(%v : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Sums of products along rows: a tile of 64 rows, in f32.
// CHECK-LABEL: func.func @row_sums(
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to ({{.*}}) step (1, 64)
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins({{.*}} : tensor<64x64xbf16>, tensor<64x64xbf16>) outs({{.*}} : tensor<64xf32>)
// CHECK:           tensor.parallel_insert_slice
func.func @row_sums(%x: tensor<?x?x64xbf16>, %y: tensor<?x?x64xbf16>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#bie, #bie, #bi], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%v : tensor<?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
