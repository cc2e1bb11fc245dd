// RUN: sparse-opt %s --sattn-to-ptx | FileCheck %s
// RUN: sparse-opt %s --sattn-to-ptx="chip=sm_80 schedule=plain" | FileCheck %s
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

// Static extents of 0. A result without an element launches nothing; without a
// stored block it is beta * out.

// CHECK: gpu.binary @kernels
// CHECK-NOT: .entry {{no_columns|no_rows|no_batches}}
// CHECK-DAG: .entry no_blocks(
// CHECK-DAG: .entry no_depth(
// CHECK-NOT: .entry {{no_columns|no_rows|no_batches}}

// CHECK: func.func @no_columns
// CHECK-SAME: \22steps\22:[],
func.func @no_columns(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x0xbf16>, %out: tensor<?x0xbf16>)
    -> tensor<?x0xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x0xbf16>)
      outs(%out : tensor<?x0xbf16>) -> tensor<?x0xbf16>
  return %0 : tensor<?x0xbf16>
}

// The type of any operand may say so.
// CHECK: func.func @no_columns_of_right
// CHECK-SAME: \22steps\22:[],
func.func @no_columns_of_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                               %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %right: tensor<0xf32>,
                               %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>) right(%right : tensor<0xf32>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: func.func @no_rows
// CHECK-SAME: \22steps\22:[],
func.func @no_rows(%alpha: f32, %beta: f32, %crow: tensor<1xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<0x?xbf16>)
    -> tensor<0x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<0x?xbf16>) -> tensor<0x?xbf16>
  return %0 : tensor<0x?xbf16>
}

// CHECK: func.func @no_batches
// CHECK-SAME: \22steps\22:[],
func.func @no_batches(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<0x?x?xbf16>, %out: tensor<?x?x?xbf16>)
    -> tensor<?x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<0x?x?xbf16>)
      outs(%out : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}

// CHECK: func.func @no_blocks
// CHECK-SAME: \22launch\22:\22no_blocks\22
func.func @no_blocks(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<0xi32>, %values: tensor<0x64x64xbf16>,
                     %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<0xi32>,
          tensor<0x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: func.func @no_depth
// CHECK-SAME: \22launch\22:\22no_depth\22
func.func @no_depth(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<0x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<0x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [128, 128, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
