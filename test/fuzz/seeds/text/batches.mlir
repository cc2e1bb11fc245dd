func.func @batches(%alpha: f32, %beta: f32, %crow: tensor<1x3xi64>,
                   %col: tensor<1x7xi64>, %values: tensor<1x7x64x64xf16>,
                   %b: tensor<2x1x128x?xf16>, %input: tensor<3x?x?xf16>,
                   %left: tensor<?x3x128xf16>, %right: tensor<?xf16>,
                   %out: tensor<2x3x128x?xf16>) -> tensor<2x3x128x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1x3xi64>, tensor<1x7xi64>,
          tensor<1x7x64x64xf16>, tensor<2x1x128x?xf16>)
      input(%input : tensor<3x?x?xf16>) left(%left : tensor<?x3x128xf16>)
      right(%right : tensor<?xf16>) outs(%out : tensor<2x3x128x?xf16>)
      -> tensor<2x3x128x?xf16>
  return %0 : tensor<2x3x128x?xf16>
}
