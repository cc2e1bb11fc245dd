// RUN: sparse-opt %s --sattn-vectorize-tiles | FileCheck %s

#transposed = affine_map<(d0, d1) -> (d1, d0)>

// A transposed tile that is clipped goes straight into its place in the result,
// leading dimensions included: no tile is allocated.
// CHECK-DAG: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func @batched
// CHECK-NOT:     tensor.empty
// CHECK:         vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] {in_bounds = [true, false], permutation_map = #[[MAP]]} : vector<64x256xbf16>, tensor<1x?x64xbf16>
// CHECK-NOT:     tensor.insert_slice
func.func @batched(%tile: vector<64x256xbf16>, %out: tensor<?x?x?xbf16>, %width: index) -> tensor<1x?x64xbf16> {
  %c0 = arith.constant 0 : index
  %dest = tensor.extract_slice %out[0, 0, 0] [1, %width, 64] [1, 1, 1] : tensor<?x?x?xbf16> to tensor<1x?x64xbf16>
  %empty = tensor.empty() : tensor<256x64xbf16>
  %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true], permutation_map = #transposed} : vector<64x256xbf16>, tensor<256x64xbf16>
  %clipped = tensor.extract_slice %written[0, 0] [%width, 64] [1, 1] : tensor<256x64xbf16> to tensor<?x64xbf16>
  %result = tensor.insert_slice %clipped into %dest[0, 0, 0] [1, %width, 64] [1, 1, 1] : tensor<?x64xbf16> into tensor<1x?x64xbf16>
  return %result : tensor<1x?x64xbf16>
}

// The same where the tile goes to the loop's result.
// CHECK-LABEL: func @result
// CHECK-NOT:     tensor.empty
// CHECK:         %[[PLACE:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [256, 64] [1, 1]
// CHECK:         vector.transfer_write %{{.*}}, %[[PLACE]][%{{.*}}, %{{.*}}] {in_bounds = [true, true], permutation_map = #{{.*}}} : vector<64x256xbf16>, tensor<256x64xbf16>
func.func @result(%tile: vector<64x256xbf16>, %out: tensor<512x64xbf16>) -> tensor<512x64xbf16> {
  %c0 = arith.constant 0 : index
  %0 = scf.forall (%i) = (0) to (512) step (256) shared_outs(%o = %out) -> (tensor<512x64xbf16>) {
    %empty = tensor.empty() : tensor<256x64xbf16>
    %written = vector.transfer_write %tile, %empty[%c0, %c0] {in_bounds = [true, true], permutation_map = #transposed} : vector<64x256xbf16>, tensor<256x64xbf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %o[%i, 0] [256, 64] [1, 1] : tensor<256x64xbf16> into tensor<512x64xbf16>
    }
  }
  return %0 : tensor<512x64xbf16>
}
