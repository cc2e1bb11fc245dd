// RUN: sparse-opt %s --sattn-vectorize-tiles --verify-diagnostics

func.func @dynamic(%out: tensor<64x?xf32>, %n: index) -> tensor<64x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out)
      -> (tensor<64x?xf32>) {
    %tile = tensor.extract_slice %o[0, %j] [64, %n] [1, 1]
        : tensor<64x?xf32> to tensor<64x?xf32>
    // expected-error @below {{expected a tile of static sizes that can be vectorized whole}}
    %zeros = linalg.fill ins(%zero : f32) outs(%tile : tensor<64x?xf32>)
        -> tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %zeros into %o[0, %j] [64, %n] [1, 1]
          : tensor<64x?xf32> into tensor<64x?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<64x?xf32>
}
