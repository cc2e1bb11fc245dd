// The accumulator that a wait for products passes on is taken apart behind it,
// not in the blocks where its parts are used.
// RUN: sparse-translate --to=llvmir %s | FileCheck %s

// CHECK:      asm sideeffect "wgmma.wait_group.sync.aligned 0;"
// CHECK-NEXT: extractvalue
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
             %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
