// RUN: sparse-opt %s --sattn-raise-linalg --split-input-file | FileCheck %s

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>

// Zeros that are added to are not written.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.*]]: tensor<512x256xf32, #{{.*}}>, %[[B:.*]]: tensor<256x?xf32>, %[[C:.*]]: tensor<512x?xf32>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = sattn.bsr_addmm alpha(%[[ONE]]) beta(%[[ZERO]]) ins(%[[A]], %[[B]] : tensor<512x256xf32, #{{.*}}>, tensor<256x?xf32>) outs(%[[C]] : tensor<512x?xf32>)
// CHECK:         return %[[R]]
func.func @matmul(%a: tensor<512x256xf32, #bsr>, %b: tensor<256x?xf32>, %c: tensor<512x?xf32>) -> tensor<512x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<512x?xf32>) -> tensor<512x?xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<512x256xf32, #bsr>, tensor<256x?xf32>) outs(%0 : tensor<512x?xf32>) -> tensor<512x?xf32>
  return %1 : tensor<512x?xf32>
}

// Anything else is added, and the result may be wider.
// CHECK-LABEL: func.func @matmul_added(
// CHECK-SAME:    %[[A:.*]]: tensor<{{.*}}>, %[[B:.*]]: tensor<{{.*}}>, %[[C:.*]]: tensor<512x?xf32>
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         sattn.bsr_addmm alpha(%[[ONE]]) beta(%[[ONE]]) {{.*}} outs(%[[C]] : tensor<512x?xf32>)
func.func @matmul_added(%a: tensor<512x256xbf16, #bsr>, %b: tensor<256x?xbf16>, %c: tensor<512x?xf32>) -> tensor<512x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<512x256xbf16, #bsr>, tensor<256x?xbf16>) outs(%c : tensor<512x?xf32>) -> tensor<512x?xf32>
  return %0 : tensor<512x?xf32>
}

// -----

#batch = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>

// CHECK-LABEL: func.func @batch_matmul(
// CHECK:         sattn.bsr_addmm {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x512x256xf16, #{{.*}}>, tensor<?x256x32xf16>) outs(%{{.*}} : tensor<?x512x32xf16>)
func.func @batch_matmul(%a: tensor<?x512x256xf16, #batch>, %b: tensor<?x256x32xf16>, %c: tensor<?x512x32xf16>) -> tensor<?x512x32xf16> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x512x256xf16, #batch>, tensor<?x256x32xf16>) outs(%c : tensor<?x512x32xf16>) -> tensor<?x512x32xf16>
  return %0 : tensor<?x512x32xf16>
}

// -----

// One matrix for all batches, as a generic, loops in any order, the encoded
// matrix as the second input.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>

// CHECK-LABEL: func.func @generic(
// CHECK-SAME:    %[[A:.*]]: tensor<512x256xf16, #{{.*}}>, %[[B:.*]]: tensor<4x256x32xf16>, %[[C:.*]]: tensor<4x512x32xf32>
// CHECK:         sattn.bsr_addmm {{.*}} ins(%[[A]], %[[B]] : tensor<512x256xf16, #{{.*}}>, tensor<4x256x32xf16>) outs(%[[C]] : tensor<4x512x32xf32>)
func.func @generic(%a: tensor<512x256xf16, #bsr>, %b: tensor<4x256x32xf16>, %c: tensor<4x512x32xf32>) -> tensor<4x512x32xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(k, m, b, n) -> (b, k, n)>, affine_map<(k, m, b, n) -> (m, k)>, affine_map<(k, m, b, n) -> (b, m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%b, %a : tensor<4x256x32xf16>, tensor<512x256xf16, #bsr>) outs(%c : tensor<4x512x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %z, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x512x32xf32>
  return %0 : tensor<4x512x32xf32>
}

// -----

// A linear layer as torch-mlir writes it: x @ transpose(weight) + bias.
#bsr = #sparse_tensor.encoding<{map = (d0, d1) -> (d0 floordiv 16 : dense, d1 floordiv 16 : compressed, d0 mod 16 : dense, d1 mod 16 : dense), posWidth = 64, crdWidth = 64}>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32xf32>, %[[W:.*]]: tensor<64x32xf32, #{{.*}}>, %[[BIAS:.*]]: tensor<64xf32>
// CHECK:         %[[INIT:.*]] = tensor.empty() : tensor<8x64xf32>
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = sattn.bsr_addmm alpha(%{{.*}}) beta(%{{.*}}) ins(%[[W]], %[[X]] : tensor<64x32xf32, #{{.*}}>, tensor<8x32xf32>) outs(%[[INIT]] : tensor<8x64xf32>) {transpose_b, transpose_out}
// CHECK:         linalg.generic {{.*}} ins(%[[R]], %[[BIAS]] :
func.func @linear(%x: tensor<8x32xf32>, %weight: tensor<64x32xf32, #bsr>, %bias: tensor<64xf32>) -> tensor<8x64xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<32x64xf32>
  %transposed = linalg.transpose ins(%weight : tensor<64x32xf32, #bsr>) outs(%0 : tensor<32x64xf32>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<8x64xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = linalg.matmul ins(%x, %transposed : tensor<8x32xf32>, tensor<32x64xf32>) outs(%2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
      ins(%3, %bias : tensor<8x64xf32>, tensor<64xf32>) outs(%1 : tensor<8x64xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %5 = arith.addf %in, %in_0 : f32
    linalg.yield %5 : f32
  } -> tensor<8x64xf32>
  return %4 : tensor<8x64xf32>
}

// The same without the transpose as an op of its own, added to a matrix.
// CHECK-LABEL: func.func @transposed_operand(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32xf32>, %[[W:.*]]: tensor<64x32xf32, #{{.*}}>, %[[C:.*]]: tensor<8x64xf32>
// CHECK:         %[[R:.*]] = sattn.bsr_addmm {{.*}} ins(%[[W]], %[[X]] : {{.*}}) outs(%[[C]] : tensor<8x64xf32>) {transpose_b, transpose_out}
// CHECK-NEXT:    return %[[R]]
func.func @transposed_operand(%x: tensor<8x32xf32>, %weight: tensor<64x32xf32, #bsr>, %c: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %weight : tensor<8x32xf32>, tensor<64x32xf32, #bsr>) outs(%c : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// What is left: a reduction over the rows of the encoded matrix, a product of
// integers, a maximum, two encoded operands.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @left(
// CHECK-NOT:     sattn
func.func @left(%a: tensor<64x64xf32, #bsr>, %i: tensor<64x64xi32, #bsr>, %b: tensor<64x64xf32>, %ib: tensor<64x64xi32>, %c: tensor<64x64xf32>, %ic: tensor<64x64xi32>)
    -> (tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<64x64xf32, #bsr>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%i, %ib : tensor<64x64xi32, #bsr>, tensor<64x64xi32>) outs(%ic : tensor<64x64xi32>) -> tensor<64x64xi32>
  %2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32, #bsr>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %4 = arith.mulf %x, %y : f32
    %5 = arith.maximumf %z, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<64x64xf32>
  %3 = linalg.matmul ins(%a, %a : tensor<64x64xf32, #bsr>, tensor<64x64xf32, #bsr>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A vector is a matrix of one column.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense)}>

// CHECK-LABEL: func.func @matvec(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf16, #{{.*}}>, %[[X:.*]]: tensor<?xf16>, %[[Y:.*]]: tensor<?xf16>
// CHECK:         %[[B:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf16> into tensor<?x1xf16>
// CHECK:         %[[OUT:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf16> into tensor<?x1xf16>
// CHECK:         %[[R:.*]] = sattn.bsr_addmm {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[OUT]] : tensor<?x1xf16>)
// CHECK:         tensor.extract_slice %[[R]][0, 0] [%{{.*}}, 1] [1, 1] : tensor<?x1xf16> to tensor<?xf16>
func.func @matvec(%a: tensor<?x?xf16, #bsr>, %x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16> {
  %0 = linalg.matvec ins(%a, %x : tensor<?x?xf16, #bsr>, tensor<?xf16>) outs(%y : tensor<?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}

// x^T W, W the transpose of what is encoded.
// CHECK-LABEL: func.func @vecmat(
// CHECK:         sattn.bsr_addmm {{.*}} outs(%{{.*}} : tensor<64x1xf16>)
func.func @vecmat(%w: tensor<64x32xf16, #bsr>, %x: tensor<32xf16>, %y: tensor<64xf16>) -> tensor<64xf16> {
  %0 = tensor.empty() : tensor<32x64xf16>
  %t = linalg.transpose ins(%w : tensor<64x32xf16, #bsr>) outs(%0 : tensor<32x64xf16>) permutation = [1, 0]
  %1 = linalg.vecmat ins(%x, %t : tensor<32xf16>, tensor<32x64xf16>) outs(%y : tensor<64xf16>) -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// -----

// torch-mlir's product with an input of rank 3: the weight in each batch.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense)}>

// CHECK-LABEL: func.func @broadcast_weight(
// CHECK-SAME:    %[[X:.*]]: tensor<?x9x32xf16>, %[[W:.*]]: tensor<64x32xf16, #{{.*}}>
// CHECK:         sattn.bsr_addmm {{.*}} ins(%[[W]], %[[X]] : tensor<64x32xf16, #{{.*}}>, tensor<?x9x32xf16>) outs(%{{.*}} : tensor<?x9x64xf16>) {transpose_b, transpose_out}
// CHECK-NOT:     linalg.batch_matmul
func.func @broadcast_weight(%x: tensor<?x9x32xf16>, %w: tensor<64x32xf16, #bsr>, %out: tensor<?x9x64xf16>) -> tensor<?x9x64xf16> {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x9x32xf16>
  %0 = tensor.empty() : tensor<32x64xf16>
  %t = linalg.transpose ins(%w : tensor<64x32xf16, #bsr>) outs(%0 : tensor<32x64xf16>) permutation = [1, 0]
  %1 = tensor.empty(%n) : tensor<?x32x64xf16>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(b, k, m) -> (k, m)>, affine_map<(b, k, m) -> (b, k, m)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<32x64xf16>) outs(%1 : tensor<?x32x64xf16>) {
  ^bb0(%in: f16, %z: f16):
    linalg.yield %in : f16
  } -> tensor<?x32x64xf16>
  %3 = linalg.fill ins(%cst : f16) outs(%out : tensor<?x9x64xf16>) -> tensor<?x9x64xf16>
  %4 = linalg.batch_matmul ins(%x, %2 : tensor<?x9x32xf16>, tensor<?x32x64xf16>) outs(%3 : tensor<?x9x64xf16>) -> tensor<?x9x64xf16>
  return %4 : tensor<?x9x64xf16>
}

// -----

// Rows of two dimensions, made one for the product and two after it, are
// batches of the product.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense)}>

// CHECK-LABEL: func.func @collapsed(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x32xbf16>, %[[W:.*]]: tensor<64x32xbf16, #{{.*}}>
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         sattn.bsr_addmm {{.*}} ins(%[[W]], %[[X]] : {{.*}}) outs(%{{.*}} : tensor<?x?x64xbf16>) {transpose_b, transpose_out}
// CHECK-NOT:     tensor.expand_shape
// CHECK:         return
func.func @collapsed(%x: tensor<?x?x32xbf16>, %w: tensor<64x32xbf16, #bsr>) -> tensor<?x?x64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : bf16
  %d0 = tensor.dim %x, %c0 : tensor<?x?x32xbf16>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x32xbf16>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x32xbf16> into tensor<?x32xbf16>
  %n = arith.muli %d0, %d1 : index
  %0 = tensor.empty(%n) : tensor<?x64xbf16>
  %1 = linalg.fill ins(%cst : bf16) outs(%0 : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %2 = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%flat, %w : tensor<?x32xbf16>, tensor<64x32xbf16, #bsr>) outs(%1 : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [%d0, %d1, 64] : tensor<?x64xbf16> into tensor<?x?x64xbf16>
  return %3 : tensor<?x?x64xbf16>
}
