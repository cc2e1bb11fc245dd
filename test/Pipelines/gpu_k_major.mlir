// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills chip=sm_80 ptxas=%ptxas" -o /dev/null
// RUN: sparse-translate --to=ptx --chip=sm_80 %s | FileCheck %s --check-prefix=SM80

// Products of 8-bit elements and of tf32. In the layout of a linear layer both operands lie
// along K, as MMAs take them.

// CHECK-LABEL: .entry linear_i8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8
// SM80-LABEL:  .entry linear_i8(
// SM80:          mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
func.func @linear_i8(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %x: tensor<?x?xi8>,
                     %y: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>)
      outs(%y : tensor<?x?xi32>) {transpose_b, transpose_out} -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// Scales at run time: the epilogue of integers is in f64.
// CHECK-LABEL: .entry scaled_i8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8
// CHECK:         mul.rn.f64
func.func @scaled_i8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x128x128xi8>, %x: tensor<?x?xi8>, %left: tensor<?xf32>, %right: tensor<?xf32>,
                     %y: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xi8>, tensor<?x?xi8>)
      left(%left : tensor<?xf32>) right(%right : tensor<?xf32>)
      outs(%y : tensor<?x?xi32>) {transpose_b, transpose_out, meta = #sattn.meta<tile = [128, 128, 128]>}
      -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// A b of K x N is transposed into scratch memory first, by kernels that are the
// last here. TMA reads it there.
// CHECK-LABEL: .entry rows_i8(
// CHECK-COUNT-2: cp.async.bulk.tensor.
// CHECK:         wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.s32.s8.s8
// CHECK-LABEL: .entry rows_i8_generic(
// CHECK-NOT:     cp.async.bulk.tensor.
func.func @rows_i8(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xi8>,
                   %b: tensor<?x?xi8>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry rows_f8(
// CHECK-COUNT-2: cp.async.bulk.tensor.
// CHECK:         wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e4m3
func.func @rows_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                   %values: tensor<?x128x128xf8E4M3FN>, %b: tensor<2x?x?xf8E4M3FN>, %out: tensor<2x?x?xbf16>)
    -> tensor<2x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xf8E4M3FN>, tensor<2x?x?xf8E4M3FN>)
      outs(%out : tensor<2x?x?xbf16>) {meta = #sattn.meta<tile = [128, 128, 128]>} -> tensor<2x?x?xbf16>
  return %0 : tensor<2x?x?xbf16>
}

// Blocks of 16 and 32 are mma.sync's.
// CHECK-LABEL: .entry small_i8(
// CHECK:         mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32
func.func @small_i8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xi8>,
                    %x: tensor<?x?xi8>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xi8>, tensor<?x?xi8>)
      outs(%y : tensor<?x?xf32>) {transpose_b, transpose_out} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry linear_f8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
// SM80-LABEL:  .entry linear_f8(
// SM80:          mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @linear_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x128x128xf8E4M3FN>, %x: tensor<?x?xf8E4M3FN>, %y: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
      outs(%y : tensor<?x?xbf16>) {transpose_b, transpose_out, meta = #sattn.meta<tile = [128, 128, 128]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Factors of two kinds, of which an MMA takes each by itself.
// CHECK-LABEL: .entry mixed_f8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2
// SM80-LABEL:  .entry mixed_f8(
// SM80:          mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @mixed_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x128x128xf8E4M3FN>, %x: tensor<?x?xf8E5M2>, %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x128x128xf8E4M3FN>, tensor<?x?xf8E5M2>)
      outs(%y : tensor<?x?xbf16>) {transpose_b, transpose_out, meta = #sattn.meta<tile = [128, 128, 128]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// In row-block groups, whose rows share a tile's loads: one row multiplies in a branch.
// CHECK-LABEL: .entry mixed_grouped_f8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n128k32.f32.e5m2.e4m3
func.func @mixed_grouped_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                            %values: tensor<?x64x64xf8E5M2>, %b: tensor<?x?xf8E4M3FN>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf8E5M2>, tensor<?x?xf8E4M3FN>)
      outs(%out : tensor<?x?xf32>) {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry sampled_i8(
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
func.func @sampled_i8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xi8>,
                      %mat2: tensor<?x?xi8>, %out: tensor<?x64x64xi32>) -> tensor<?x64x64xi32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xi8>, tensor<?x?xi8>)
      outs(%out : tensor<?x64x64xi32>) {transpose_mat2} -> tensor<?x64x64xi32>
  return %0 : tensor<?x64x64xi32>
}

// CHECK-LABEL: .entry sampled_f8(
// CHECK-COUNT-2: cp.async.bulk.tensor.
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e5m2
func.func @sampled_f8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xf8E5M2>,
                      %mat2: tensor<?x?xf8E5M2>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// And tf32: in the layout of a linear layer by wgmma, elsewhere by mma.sync.
// CHECK-LABEL: .entry linear_tf32(
// CHECK:         wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32
// SM80-LABEL:  .entry linear_tf32(
// SM80:          mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @linear_tf32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                       %values: tensor<?x64x64xf32>, %x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%y : tensor<?x?xf32>) {transpose_b, transpose_out, precision = "tf32"} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry rows_tf32(
// CHECK-NOT:     wgmma.mma_async
// CHECK:         mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @rows_tf32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xf32>, %b: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) {precision = "tf32"} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Bytes go through shared memory by 16, or one by one.
// CHECK-LABEL: .entry rows_i8_transpose_2d_by_16(
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-COUNT-4: st.shared.v4.b32
// CHECK:         bar.sync
// CHECK-COUNT-16: ld.shared.b8
// CHECK:         st.global.v4.b32
// CHECK-LABEL: .entry rows_i8_transpose_2d(
// CHECK:         ld.global.b8
// CHECK:         st.global.b8
