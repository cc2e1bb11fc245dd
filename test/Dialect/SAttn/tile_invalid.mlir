// RUN: sparse-opt %s --sattn-tile --split-input-file --verify-diagnostics

func.func @no_meta(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected a 'meta' attribute with tile sizes, but got none (sattn-inject-meta attaches one)}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @two_block_rows(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected a tile of 1 block rows (64 rows), but got 128 (sattn-plan-row-block-groups makes a plan for more)}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// As many loops as a mapping to CTAs can name.
func.func @nine_batches(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>,
                        %out: tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>)
    -> tensor<1x1x1x1x1x1x1x1x1x?x?xbf16> {
  // expected-error @below {{expected at most 8 batch dimensions, but got 9}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>)
      outs(%out : tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x?x?xbf16>
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
func.func @encoded(%alpha: f32, %a: tensor<?x?xbf16, #bsr>, %b: tensor<?x?xbf16>,
                   %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error-re @below {{expected 'crow' and 'col' before it is tiled, but got {{.*}}sparse_tensor{{.*}} (sattn-unpack-bsr makes them of it)}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
