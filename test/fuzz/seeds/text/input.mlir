func.func @input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x8x8xf16>,
                 %b: tensor<?x?xf16>, %input: tensor<?x?xf16>,
                 %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf16>, tensor<?x?xf16>)
      input(%input : tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
