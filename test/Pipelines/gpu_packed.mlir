// Stored blocks with rows of less than 128 bytes are copied by rows of 128 bytes:
// 4 of them for a block of 16 x 16, 8 for half of one of 32 x 32, 15 for one of
// 24 x 40.
// RUN: sparse-translate --to=manifest %s --entry=few | FileCheck %s --check-prefix=FEW
// RUN: sparse-translate --to=manifest %s --entry=half | FileCheck %s --check-prefix=HALF
// RUN: sparse-translate --to=manifest %s --entry=odd | FileCheck %s --check-prefix=ODD
// RUN: %if ptxas %{ sparse-opt %s --sattn-to-cubin="refuse-spills ptxas=%ptxas" -o /dev/null %}
// RUN: %if ptxas %{ sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null %}
// FEW:  "box":[1,4,64],"packed":true
// HALF: "box":[1,8,64],"packed":true
// ODD:  "box":[1,15,64],"packed":true

func.func @few(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %x: tensor<?x?xbf16>,
    %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%y : tensor<?x?xbf16>)
      {transpose_b, transpose_out, meta = #sattn.meta<tile = [16, 16, 16], warps = 1, split_k = 2>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @half(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x32x32xbf16>, %b: tensor<?x?xbf16>,
    %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x32x32xbf16>, tensor<?x?xbf16>)
      outs(%y : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [16, 64, 32], warps = 1>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @odd(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x24x40xbf16>, %b: tensor<?x?xbf16>,
    %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x24x40xbf16>, tensor<?x?xbf16>)
      outs(%y : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [24, 256, 40]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
