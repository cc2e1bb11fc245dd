#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>
func.func @encoded(%alpha: f32, %beta: f32, %a: tensor<512x?xbf16, #bsr>,
                   %b: tensor<?x?xbf16>, %out: tensor<512x?xbf16>)
    -> tensor<512x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%a, %b : tensor<512x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  return %0 : tensor<512x?xbf16>
}
