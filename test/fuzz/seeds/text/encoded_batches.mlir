#bsr = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>
func.func @encoded_batches(%alpha: f32, %beta: f32, %a: tensor<2x512x?xbf16, #bsr>,
                   %b: tensor<2x?x?xbf16>, %out: tensor<2x512x?xbf16>)
    -> tensor<2x512x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%a, %b : tensor<2x512x?xbf16, #bsr>, tensor<2x?x?xbf16>)
      outs(%out : tensor<2x512x?xbf16>) -> tensor<2x512x?xbf16>
  return %0 : tensor<2x512x?xbf16>
}
