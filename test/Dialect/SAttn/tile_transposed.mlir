// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --sattn-inject-meta="target=cpu" --cse | FileCheck %s --check-prefix=CPU

// The layouts of b and out change only how tiles are read and written: the
// stored block is the left operand, rows of x the transposed right one, and the
// result is transposed where it is written. A fused bias and ReLU count the
// product's rows first, as the accumulator has them.
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// CHECK-DAG:   #[[IJ:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[JI:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[I:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x128xbf16>, %[[BIAS:[^:]*]]: tensor<256xbf16>
// CHECK:         scf.forall (%[[M:.*]], %[[N:.*]]) = (0, 0) to (256, %{{.*}}) step (64, 128)
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK:             tensor.extract_slice %[[X]][%[[N]], %{{.*}}] [%{{.*}}, 64]
// CHECK:             tensor.pad {{.*}} high[%{{.*}}, 0]
// CHECK:             linalg.matmul indexing_maps = [#{{.*}}, #[[RIGHT]], #{{.*}}] {{.*}} -> tensor<64x128xf32>
// CHECK:           linalg.generic {indexing_maps = [#[[IJ]], #[[I]], #[[JI]]], {{.*}}} ins(%[[SUM]], %{{.*}} : tensor<64x128xf32>, tensor<64xbf16>) outs(%{{.*}} : tensor<128x64xbf16>)
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[N]], %[[M]]] [%{{.*}}, 64]
// So does the CPU.
// CPU-LABEL:   func.func @linear(
// CPU-NOT:       linalg.transpose
// CPU:           sattn.bsr_addmm {{.*}} outs(%{{.*}} : tensor<?x256xbf16>) {{{.*}}, transpose_b, transpose_out}
func.func @linear(%x: tensor<?x128xbf16>, %bias: tensor<256xbf16>, %crow: tensor<5xi32>, %col: tensor<?xi32>,
                  %values: tensor<?x64x64xbf16>, %y: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant 0.0 : bf16
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<5xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x128xbf16>)
      outs(%y : tensor<?x256xbf16>)
      {transpose_b, transpose_out, meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x256xbf16>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x256xbf16>, tensor<256xbf16>) outs(%y : tensor<?x256xbf16>) {
  ^bb0(%in: bf16, %b: bf16, %out: bf16):
    %2 = arith.addf %in, %b : bf16
    %3 = arith.maximumf %2, %nothing : bf16
    linalg.yield %3 : bf16
  } -> tensor<?x256xbf16>
  return %1 : tensor<?x256xbf16>
}
