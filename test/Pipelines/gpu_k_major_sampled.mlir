// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="schedule=plain ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills chip=sm_80 ptxas=%ptxas" -o /dev/null

// A sampled product of two kinds of 8-bit floats, in tiles of four blocks. With the plain
// schedule ptxas gives the generic specialization 96 registers of 255, and it spills 4 bytes a tile.

// CHECK-LABEL: .entry sampled_mixed_f8(
// CHECK-COUNT-2: cp.async.bulk.tensor.
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e4m3
func.func @sampled_mixed_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xf8E5M2>,
                            %mat2: tensor<?x?xf8E4M3FN>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf8E5M2>, tensor<?x?xf8E4M3FN>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}
