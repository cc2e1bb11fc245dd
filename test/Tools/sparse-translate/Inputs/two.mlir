func.func @first(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                 %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                 %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @second(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %values: tensor<?x64x64xf16>, %b: tensor<?x?xf16>,
                  %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
