// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// Bias, ReLU and a cast become one op on the tile, in the loop over tiles; the
// loop's result is theirs, and the product is in no tensor of its own.
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

// CHECK-DAG:   #[[WIDTH:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 128)>
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[BIAS:[a-z0-9]+]]: tensor<?xbf16>, %[[OUT:[a-z0-9]+]]: tensor<?x?xbf16>)
// CHECK:         %[[N:.*]] = tensor.dim %[[OUT]], %c1
// CHECK:         %[[R:.*]] = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, %[[N]]) step (64, 128) shared_outs(%[[O:.*]] = %[[OUT]]) -> (tensor<?x?xbf16>) {
// CHECK:           %[[W:.*]] = affine.min #[[WIDTH]](%[[J]])[%[[N]]]
// CHECK:           %[[ACC:.*]] = scf.for
// CHECK:           } {sattn.block_loop}
//                  The bias is cut by its own size, then padded.
// CHECK:           %[[NB:.*]] = tensor.dim %[[BIAS]]
// CHECK:           %[[WB:.*]] = affine.min #[[WIDTH]](%[[J]])[%[[NB]]]
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[BIAS]][%[[J]]] [%[[WB]]] [1]
// CHECK:           %[[PADDED:.*]] = tensor.pad %[[SLICE]]
// CHECK:           %[[TILE:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %[[PADDED]] : tensor<64x128xf32>, tensor<128xbf16>) outs(%{{.*}} : tensor<64x128xbf16>)
// CHECK:             arith.addf
// CHECK:             arith.select
// CHECK:             arith.truncf
// CHECK-NOT:       linalg.generic
// CHECK:           %[[CLIP:.*]] = tensor.extract_slice %[[TILE]][0, 0] [64, %[[W]]] [1, 1]
// CHECK:           tensor.insert_slice %[[CLIP]]
// CHECK:             tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]], %[[J]]] [64, %[[W]]] [1, 1]
// CHECK:         } {mapping = {{.*}}, sattn.stages = 3 : i64}
// CHECK:         return %[[R]]
func.func @chain(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                 %empty: tensor<?x?xf32>, %bias: tensor<?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%empty : tensor<?x?xf32>) {meta = #sattn.meta<tile = [64, 128, 64], stages = 3>} -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x?xf32>, tensor<?xbf16>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %3 = arith.extf %y : bf16 to f32
    %4 = arith.addf %x, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<?x?xf32>) outs(%out : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %z: bf16):
    %3 = arith.cmpf ugt, %x, %zero : f32
    %4 = arith.select %3, %x, %zero : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<?x?xbf16>
  return %2 : tensor<?x?xbf16>
}

// -----

// What the consumer writes over is read through the loop's result; the groups
// of tiles stay on the loop.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: tensor<128x128xf32>)
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[OUT]]) -> (tensor<128x128xf32>) {
// CHECK-NOT:       %[[OUT]]
// CHECK:           tensor.extract_slice %[[O]]
// CHECK-NOT:       %[[OUT]]
// CHECK:         } {mapping = {{.*}}, sattn.consumer_groups = array<i64: 2, 1>
func.func @in_place(%crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf32>, %b: tensor<?x128xf32>,
                    %row_block_groups: tensor<1x4xi32>, %steps: tensor<?x3xi32>, %out: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x128xf32>)
      plan(%row_block_groups, %steps : tensor<1x4xi32>, tensor<?x3xi32>)
      outs(%out : tensor<128x128xf32>) {meta = #sattn.meta<tile = [128, 64, 64]>} -> tensor<128x128xf32>
  %1 = linalg.exp ins(%0 : tensor<128x128xf32>) outs(%out : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}

// -----

// Named ops that take the product both as input and as destination.
// CHECK-LABEL: func.func @same_operand(
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: tensor<128x128xf32>)
// CHECK:         %[[R:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[OUT]])
// CHECK:           linalg.generic
// CHECK:             arith.negf
// CHECK-NOT:     linalg.{{generic|negf|exp}}
// CHECK:         return %[[R]]
func.func @same_operand(%crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf32>, %b: tensor<?x128xf32>,
                        %out: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x128xf32>)
      outs(%out : tensor<128x128xf32>) {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<128x128xf32>
  %1 = linalg.exp ins(%0 : tensor<128x128xf32>) outs(%0 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = linalg.negf ins(%1 : tensor<128x128xf32>) outs(%1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}

// -----

// A second user of the product needs it in memory, an op that permutes it or
// asks for its indices has other tiles: each stays behind the loop.
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func @not_fused(
// CHECK-COUNT-3: scf.forall.in_parallel
// CHECK:         linalg.exp
// CHECK:         linalg.generic
// CHECK:         linalg.generic
func.func @not_fused(%crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf32>, %b: tensor<?x128xf32>,
                     %c: tensor<128x128xf32>, %d: tensor<128x128xf32>, %e: tensor<128x128xf32>, %f: tensor<128x128xf32>)
    -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x128xf32>)
      outs(%c : tensor<128x128xf32>) {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<128x128xf32>
  %1 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x128xf32>)
      outs(%e : tensor<128x128xf32>) {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<128x128xf32>
  %2 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x128xf32>)
      outs(%f : tensor<128x128xf32>) {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<128x128xf32>
  %3 = linalg.exp ins(%0 : tensor<128x128xf32>) outs(%d : tensor<128x128xf32>) -> tensor<128x128xf32>
  %4 = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%x: f32, %z: f32):
    %6 = arith.addf %x, %x : f32
    linalg.yield %6 : f32
  } -> tensor<128x128xf32>
  %5 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<128x128xf32>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%x: f32, %z: f32):
    %6 = linalg.index 0 : index
    %7 = arith.index_cast %6 : index to i32
    %8 = arith.sitofp %7 : i32 to f32
    %9 = arith.addf %x, %8 : f32
    linalg.yield %9 : f32
  } -> tensor<128x128xf32>
  return %0, %3, %4, %5 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
}
