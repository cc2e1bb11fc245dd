// RUN: sparse-opt %s --sattn-to-cpu=vector-bits=256 | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=haswell -o - | FileCheck %s

// What a program computes in bf16 needs no instruction that only new CPUs have,
// and no function of a compiler's library.
// CHECK-LABEL: biased:
// CHECK-NOT:     callq {{[^mf]}}
// CHECK:         vaddps
// CHECK-NOT:     callq {{[^mf]}}
// CHECK:       .size biased
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @biased(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %values: tensor<?x16x16xbf16>, %b: tensor<?x64xbf16>, %bias: tensor<64xbf16>,
                  %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %product = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %biased = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x64xbf16>, tensor<64xbf16>) outs(%product : tensor<?x64xbf16>) {
  ^bb0(%in: bf16, %add: bf16, %o: bf16):
    %sum = arith.addf %in, %add : bf16
    linalg.yield %sum : bf16
  } -> tensor<?x64xbf16>
  return %biased : tensor<?x64xbf16>
}
