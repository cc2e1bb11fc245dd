// RUN: sparse-opt %s --sattn-plan-row-block-groups --split-input-file --verify-diagnostics --verify-each=0

func.func @grouped_of_33(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x8x8xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected at most 32 block rows a tile, but got 33}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [264, 64, 8]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// As many as there can be.
func.func @grouped_of_32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x8x8xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 64, 8]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
