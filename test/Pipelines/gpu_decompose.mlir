// Attention at stored blocks as the ops that it fuses, on GPUs: each part is a kernel. With dropout two more find the rows
// of blocks, and drop weights by the seed and the offset in memory.
// RUN: %if ptxas %{ sparse-opt %s --sattn-decompose --sattn-to-cubin="refuse-spills ptxas=%ptxas" --verify-each -o /dev/null %}
// RUN: %if ptxas %{ sparse-opt %s --sattn-decompose --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null %}
// RUN: %if ptxas %{ sparse-opt %s --sattn-decompose --sattn-to-cubin="refuse-spills chip=sm_80 ptxas=%ptxas" -o /dev/null %}
// RUN: sparse-opt %s --sattn-decompose --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-outline-kernels -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: gpu.func @shared_mask(
// CHECK-LABEL: gpu.func @shared_mask_0(
// CHECK-LABEL: gpu.func @shared_mask_1(
// CHECK:         vector.gather %{{.*}} : memref<?xi32
// CHECK-LABEL: gpu.func @shared_mask_2(
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2xi64
// CHECK-LABEL: gpu.func @shared_mask_3(
// CHECK-LABEL: gpu.func @batches(

// CHECK-LABEL: func.func @shared_mask(
// CHECK-COUNT-5: wgtile.launch
func.func @shared_mask(%scale: f32, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x?x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>, %out: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x?x64xbf16>
  return %0 : tensor<?x?x64xbf16>
}

// CHECK-LABEL: func.func @batches(
// CHECK-COUNT-5: wgtile.launch
func.func @batches(%p: f32, %random: tensor<2xi64>, %crow: tensor<?x9xi64>, %col: tensor<?x?xi64>,
    %q: tensor<?x256x32xf16>, %k: tensor<?x?x32xf16>, %v: tensor<?x?x48xf16>, %out: tensor<?x256x48xf16>) -> tensor<?x256x48xf16> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?x9xi64>, tensor<?x?xi64>, tensor<?x256x32xf16>, tensor<?x?x32xf16>, tensor<?x?x48xf16>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x256x48xf16>) {block_size = array<i64: 32, 32>} -> tensor<?x256x48xf16>
  return %0 : tensor<?x256x48xf16>
}
