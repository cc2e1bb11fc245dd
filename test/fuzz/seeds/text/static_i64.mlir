func.func @static_i64(%alpha: f32, %beta: f32, %crow: tensor<9xi64>,
                      %col: tensor<20xi64>, %values: tensor<20x16x32xf32>,
                      %b: tensor<96x100xf32>, %out: tensor<128x100xf32>)
    -> tensor<128x100xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi64>, tensor<20xi64>,
          tensor<20x16x32xf32>, tensor<96x100xf32>)
      outs(%out : tensor<128x100xf32>)
      {meta = #sattn.meta<tile = [16, 64, 8]>} -> tensor<128x100xf32>
  return %0 : tensor<128x100xf32>
}
