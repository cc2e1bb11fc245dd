// RUN: sparse-opt %s --sattn-to-ptx | FileCheck %s
// RUN: %if ptxas %{ sparse-opt %s --sattn-to-cubin -o /dev/null %}
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

// A function may have any name. Its kernels have one that PTX takes, and no two
// have the same.

// CHECK: gpu.binary @kernels_0
// CHECK-DAG: .entry a_b(
// CHECK-DAG: .entry a_b_0(
// CHECK-DAG: .entry a_b_generic(
// CHECK-DAG: .entry a_b_generic_0(
// CHECK-DAG: .entry kernels(
// CHECK-DAG: .entry kernel_1(
// CHECK-DAG: .entry kernel__(
// CHECK-DAG: .entry kernel_WARP_SZ(
// CHECK-DAG: .entry kernel_wgtile_shared(
// CHECK-DAG: .entry __(

!offsets = tensor<?xi32>
!blocks = tensor<?x16x16xbf16>
!matrix = tensor<?x?xbf16>

// CHECK: func.func @"a b"
// CHECK-SAME: \22name\22:\22a b\22
// CHECK-SAME: \22launch\22:\22a_b\22
func.func @"a b"(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
                 %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
// CHECK: func.func @a.b
// CHECK-SAME: \22name\22:\22a.b\22
// CHECK-SAME: \22launch\22:\22a_b_0\22
func.func @a.b(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
               %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
// The name of another's second version.
func.func @a_b_generic(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
                       %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
// The name of the module of kernels.
func.func @kernels(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
                   %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
func.func @"1"(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
               %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
func.func @"_"(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
               %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
func.func @WARP_SZ(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
                   %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
// The name of a symbol of the lowering.
func.func @wgtile_shared(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
                         %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
// CHECK: func.func @"\C3\A4"
// CHECK-SAME: \22name\22:\22\C3\A4\22
func.func @"ä"(%alpha: f32, %beta: f32, %crow: !offsets, %col: !offsets,
               %values: !blocks, %b: !matrix, %out: !matrix) -> !matrix {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta) ins(%crow, %col, %values, %b : !offsets, !offsets, !blocks, !matrix)
      outs(%out : !matrix) -> !matrix
  return %0 : !matrix
}
