func.func @all_operands(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x128x64xbf16>,
                        %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                        %left: tensor<?xbf16>, %right: tensor<?xf32>,
                        %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>) left(%left : tensor<?xbf16>)
      right(%right : tensor<?xf32>) outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [128, 64, 32]>, note = "kept"}
      -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
