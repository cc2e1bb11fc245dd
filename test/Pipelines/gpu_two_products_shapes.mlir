// Of other shapes too, ptxas serializes no product and spills nothing: with wide
// accumulators beside the next block's operand, and with two warpgroups.
// REQUIRES: ptxas
// RUN: sattn-test-translate --to=ptx --verify-each %s -o %t.ptx
// RUN: %check_ptx %t.ptx

// 128 registers of a sum, 32 of a product and 16 of a left operand, twice.
func.func @wide_sum(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x64x64xbf16>, %b: tensor<?x64xbf16>,
                    %d: tensor<64x256xbf16>, %o: tensor<?x256xbf16>,
                    %m: tensor<?xf32>)
    -> (tensor<?x256xbf16>, tensor<?xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x64xbf16>, tensor<64x256xbf16>)
      outs(%o, %m : tensor<?x256xbf16>, tensor<?xf32>)
      -> tensor<?x256xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x256xbf16>, tensor<?xf32>
}

func.func @two_warpgroups(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                          %values: tensor<?x128x64xf16>, %b: tensor<?x128xf16>,
                          %d: tensor<128x128xf16>, %o: tensor<?x128xf32>,
                          %m: tensor<?xf32>)
    -> (tensor<?x128xf32>, tensor<?xf32>) {
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x64xf16>, tensor<?x128xf16>, tensor<128x128xf16>)
      outs(%o, %m : tensor<?x128xf32>, tensor<?xf32>)
      -> tensor<?x128xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xf32>, tensor<?xf32>
}
