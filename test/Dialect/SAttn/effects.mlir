// RUN: sparse-opt %s --canonicalize --cse | FileCheck %s

// The op works on values: one that nobody uses is removed.
// CHECK-LABEL: func.func @unused
// CHECK-NOT:     sattn.bsr_addmm
// CHECK:         return
func.func @unused(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// Two equal ones are one.
// CHECK-LABEL: func.func @equal
// CHECK:         %[[R:.*]] = sattn.bsr_addmm
// CHECK-NOT:     sattn.bsr_addmm
// CHECK:         return %[[R]], %[[R]]
func.func @equal(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @different
// CHECK-COUNT-2: sattn.bsr_addmm
func.func @different(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                     %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = sattn.bsr_addmm alpha(%beta) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x?xbf16>
}
