func.func @empty(%alpha: f32, %beta: f32, %crow: tensor<1xi32>,
                 %col: tensor<0xi32>, %values: tensor<0x8x8xf32>,
                 %b: tensor<0x0xf32>, %out: tensor<0x0xf32>)
    -> tensor<0x0xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1xi32>, tensor<0xi32>,
          tensor<0x8x8xf32>, tensor<0x0xf32>)
      outs(%out : tensor<0x0xf32>) -> tensor<0x0xf32>
  return %0 : tensor<0x0xf32>
}
