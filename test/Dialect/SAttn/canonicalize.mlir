// RUN: sparse-opt %s --canonicalize | FileCheck %s

// beta = 0: input is not read.
// CHECK-LABEL: func.func @beta_zero
// CHECK-NOT:     input
// CHECK:         left({{.*}}) right(
func.func @beta_zero(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                     %input: tensor<?x?xf32>, %left: tensor<?xf32>,
                     %right: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      input(%input : tensor<?x?xf32>) left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// alpha = 0: nothing of the product is read.
// CHECK-LABEL: func.func @alpha_zero
// CHECK:         ins({{.*}}) input({{.*}}) outs({{.*}}) {meta = #sattn.meta<tile = [8, 8, 8]>}
func.func @alpha_zero(%beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                      %input: tensor<?x?xf32>, %left: tensor<?xf32>,
                      %right: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %alpha = arith.constant -0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      input(%input : tensor<?x?xf32>) left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>) {meta = #sattn.meta<tile = [8, 8, 8]>}
      -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Scalars of the run time change nothing.
// CHECK-LABEL: func.func @unknown_scalars
// CHECK:         input({{.*}}) left({{.*}}) right(
func.func @unknown_scalars(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                           %b: tensor<?x?xf32>, %input: tensor<?x?xf32>,
                           %left: tensor<?xf32>, %right: tensor<?xf32>,
                           %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      input(%input : tensor<?x?xf32>) left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Without input, out is what is read.
// CHECK-LABEL: func.func @input_is_out
// CHECK-NOT:     input
// CHECK:         return
func.func @input_is_out(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                        %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      input(%out : tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @no_stored_block
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         sattn.bsr_addmm alpha(%[[ZERO]]) beta(%{{.*}}) ins({{.*}}) outs(
func.func @no_stored_block(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<0xi32>, %values: tensor<0x8x8xf32>,
                           %b: tensor<?x?xf32>, %left: tensor<?xf32>,
                           %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<0xi32>,
          tensor<0x8x8xf32>, tensor<?x?xf32>)
      left(%left : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @empty_reduction
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         sattn.bsr_addmm alpha(%[[ZERO]])
func.func @empty_reduction(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                           %b: tensor<0x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<0x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @empty_result
// CHECK-SAME:    %[[OUT:[a-z0-9]*]]: tensor<?x0xf32>)
// CHECK-NEXT:    return %[[OUT]]
func.func @empty_result(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                        %b: tensor<?x0xf32>, %out: tensor<?x0xf32>)
    -> tensor<?x0xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x0xf32>)
      outs(%out : tensor<?x0xf32>) -> tensor<?x0xf32>
  return %0 : tensor<?x0xf32>
}

// CHECK-LABEL: func.func @no_block_row
// CHECK-SAME:    %[[OUT:[a-z0-9]*]]: tensor<?x?xf32>)
// CHECK-NEXT:    return %[[OUT]]
func.func @no_block_row(%alpha: f32, %beta: f32, %crow: tensor<1xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                        %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// alpha = 0 and beta = 1: out stays as it is.
// CHECK-LABEL: func.func @unchanged
// CHECK-SAME:    %[[OUT:[a-z0-9]*]]: tensor<?x?xf32>)
// CHECK-NEXT:    return %[[OUT]]
func.func @unchanged(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                     %left: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      left(%left : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Another input still has to be written to out.
// CHECK-LABEL: func.func @copies_input
// CHECK:         sattn.bsr_addmm {{.*}} input(
func.func @copies_input(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                        %input: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x?xf32>)
      input(%input : tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A scale of 1 goes, whatever alpha is; another one goes into a constant alpha.
// CHECK-LABEL: func.func @splat_scales
// CHECK-SAME:    %[[ALPHA:[a-z0-9]*]]: f32
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6.0{{0*}}e+00 : f32
// CHECK:         sattn.bsr_addmm alpha(%[[ALPHA]]) beta(%{{.*}}) ins({{.*}}) outs(
// CHECK:         sattn.bsr_addmm alpha(%[[SIX]]) beta(%{{.*}}) ins({{.*}}) outs(
func.func @splat_scales(%alpha: f32, %beta: f32, %crow: tensor<3xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x8x8xbf16>,
                        %b: tensor<?x16xbf16>, %out: tensor<16x16xbf16>)
    -> tensor<16x16xbf16> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %twos = arith.constant dense<2.0> : tensor<16xbf16>
  %three = arith.constant 3.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x16xbf16>)
      left(%ones : tensor<16xf32>)
      outs(%out : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %1 = sattn.bsr_addmm alpha(%three) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x16xbf16>)
      right(%twos : tensor<16xbf16>)
      outs(%0 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %1 : tensor<16x16xbf16>
}

// alpha decides what is read, so a scale that would make it 0, infinite or
// unknown stays where it is.
// CHECK-LABEL: func.func @scales_that_stay
// CHECK:         sattn.bsr_addmm {{.*}} left(
// CHECK:         sattn.bsr_addmm {{.*}} left(
// CHECK:         sattn.bsr_addmm {{.*}} right(
func.func @scales_that_stay(%alpha: f32, %beta: f32, %crow: tensor<3xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                            %b: tensor<?x16xf32>, %out: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<16xf32>
  %huge = arith.constant dense<1.0e30> : tensor<16xf32>
  %twos = arith.constant dense<2.0> : tensor<16xf32>
  %large = arith.constant 1.0e10 : f32
  %0 = sattn.bsr_addmm alpha(%large) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x16xf32>)
      left(%zeros : tensor<16xf32>)
      outs(%out : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = sattn.bsr_addmm alpha(%large) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x16xf32>)
      left(%huge : tensor<16xf32>)
      outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x8x8xf32>, tensor<?x16xf32>)
      right(%twos : tensor<16xf32>)
      outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
