func.func @batch_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                      %b: tensor<4x?x?xf16>, %out: tensor<4x?x?xf16>)
    -> tensor<4x?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<4x?x?xf16>)
      outs(%out : tensor<4x?x?xf16>) -> tensor<4x?x?xf16>
  return %0 : tensor<4x?x?xf16>
}
