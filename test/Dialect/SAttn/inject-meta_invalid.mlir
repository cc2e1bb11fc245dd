// RUN: sparse-opt %s --sattn-inject-meta="target=cpu" --split-input-file --verify-diagnostics --verify-each=0

// A block is larger than any tile: said here, since tools may not verify.
func.func @large_block(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x131072x64xf32>,
                       %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  // expected-error @below {{expected the tile's M to be at most 65536, but got 131072}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x131072x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
