// A tile of 33 block rows.
func.func @product(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                   %values: tensor<?x8x8xbf16>, %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [264, 64, 8]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
