// REQUIRES: ptxas
// RUN: rm -rf %t && split-file %s %t

// A linear layer as torch-mlir writes it, relu(x @ transpose(weight) + bias), is
// one kernel that takes x and the result as they lie; its tiles have an order of
// their own, and two kernels copy operands that TMA does not take.
// RUN: sparse-translate --to=ptx %t/layer.mlir -o %t/layer.ptx
// RUN: FileCheck %s --check-prefix=LAYER < %t/layer.ptx
// RUN: FileCheck %s --check-prefix=LAYER-TMA < %t/layer.ptx
// RUN: %check_ptx %t/layer.ptx
// RUN: sparse-translate --to=manifest %t/layer.mlir | FileCheck %s --check-prefix=MANIFEST
// RUN: sparse-opt %t/layer.mlir --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %t/layer.mlir --sattn-to-cubin="refuse-spills chip=sm_80 ptxas=%ptxas" -o /dev/null
// LAYER-COUNT-5: .visible .entry
// LAYER-NOT:     .visible .entry
// LAYER-TMA:     cp.async.bulk.tensor
// MANIFEST: "version":"aligned"

// MMAs multiply f32 where the option allows it.
// RUN: sparse-translate --to=ptx %t/f32.mlir | FileCheck %s --check-prefix=IEEE
// IEEE-NOT: mma
// IEEE:     fma.rn.f32
// IEEE-NOT: mma
// RUN: sparse-translate --to=ptx --precision=tf32 %t/f32.mlir -o %t/f32.ptx
// RUN: FileCheck %s --check-prefix=TF32 < %t/f32.ptx
// RUN: %check_ptx %t/f32.ptx
// TF32: tf32
// RUN: not sparse-translate --to=manifest --chip=cpu --precision=tf32 %t/f32.mlir 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: option '--precision' is not for --chip=cpu

// A vector, and a dense product beside a sparse one, by TMA where all of its
// operands are arguments.
// RUN: sparse-translate --to=ptx %t/matvec.mlir -o %t/matvec.ptx
// RUN: %check_ptx %t/matvec.ptx
// RUN: sparse-translate --to=ptx %t/beside.mlir -o %t/beside.ptx
// RUN: FileCheck %s --check-prefix=BESIDE < %t/beside.ptx
// RUN: %check_ptx %t/beside.ptx
// BESIDE: cp.async.bulk.tensor
// BESIDE: wgmma

// Functions of an activation.
// RUN: sparse-translate --to=ptx %t/gelu.mlir -o %t/gelu.ptx
// RUN: FileCheck %s --check-prefix=GELU < %t/gelu.ptx
// RUN: %check_ptx %t/gelu.ptx
// GELU-NOT: .func
// GELU: fma.rn.f32

//--- layer.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense), posWidth = 64, crdWidth = 64}>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<?x80xf16>, %weight: tensor<64x80xf16, #bsr>, %bias: tensor<64xf16>) -> tensor<?x64xf16> {
  %cst = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<80x64xf16>
  %transposed = linalg.transpose ins(%weight : tensor<64x80xf16, #bsr>) outs(%0 : tensor<80x64xf16>) permutation = [1, 0]
  %dim = tensor.dim %x, %c0 : tensor<?x80xf16>
  %1 = tensor.empty(%dim) : tensor<?x64xf16>
  %2 = linalg.fill ins(%cst : f16) outs(%1 : tensor<?x64xf16>) -> tensor<?x64xf16>
  %3 = linalg.matmul ins(%x, %transposed : tensor<?x80xf16>, tensor<80x64xf16>) outs(%2 : tensor<?x64xf16>) -> tensor<?x64xf16>
  %4 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%3, %bias : tensor<?x64xf16>, tensor<64xf16>) outs(%1 : tensor<?x64xf16>) {
  ^bb0(%in: f16, %b: f16, %out: f16):
    %6 = arith.addf %in, %b : f16
    linalg.yield %6 : f16
  } -> tensor<?x64xf16>
  %5 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<?x64xf16>) outs(%1 : tensor<?x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %6 = arith.cmpf ugt, %in, %cst : f16
    %7 = arith.select %6, %in, %cst : f16
    linalg.yield %7 : f16
  } -> tensor<?x64xf16>
  return %5 : tensor<?x64xf16>
}

//--- f32.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 32 : dense, j floordiv 32 : compressed, i mod 32 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>
func.func @main(%a: tensor<?x?xf32, #bsr>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32, #bsr>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- matvec.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense), posWidth = 32, crdWidth = 32}>
#i = affine_map<(i) -> (i)>
func.func @main(%a: tensor<?x?xbf16, #bsr>, %x: tensor<?xbf16>, %bias: tensor<?xbf16>, %out: tensor<?xbf16>) -> tensor<?xbf16> {
  %cst = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %m = tensor.dim %out, %c0 : tensor<?xbf16>
  %empty = tensor.empty(%m) : tensor<?xbf16>
  %zeros = linalg.fill ins(%cst : bf16) outs(%empty : tensor<?xbf16>) -> tensor<?xbf16>
  %y = linalg.matvec ins(%a, %x : tensor<?x?xbf16, #bsr>, tensor<?xbf16>) outs(%zeros : tensor<?xbf16>) -> tensor<?xbf16>
  %0 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%y, %bias : tensor<?xbf16>, tensor<?xbf16>) outs(%out : tensor<?xbf16>) {
  ^bb0(%in: bf16, %b: bf16, %z: bf16):
    %s = arith.addf %in, %b : bf16
    linalg.yield %s : bf16
  } -> tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

//--- beside.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
func.func @main(%a: tensor<?x?xbf16, #bsr>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>, %d: tensor<?x?xbf16>, %e: tensor<?x?xf32>)
    -> (tensor<?x?xbf16>, tensor<?x?xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16, #bsr>, tensor<?x?xbf16>) outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = linalg.matmul ins(%d, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x?xf32>
}

//--- gelu.mlir
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>
#ij = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<?x?xf16, #bsr>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16, #bsr>, tensor<?x?xf16>) outs(%c : tensor<?x?xf16>) -> tensor<?x?xf16>
  %1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf16>) outs(%c : tensor<?x?xf16>) {
  ^bb0(%in: f16, %z: f16):
    %2 = math.erf %in : f16
    %3 = math.tanh %2 : f16
    linalg.yield %3 : f16
  } -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
}
