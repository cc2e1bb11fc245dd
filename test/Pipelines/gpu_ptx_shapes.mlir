// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// Static and dynamic sizes, batches.

// Static sizes: tiles that fit.
// CHECK-LABEL: .entry exact(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}exact: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @exact(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<512x256xbf16>, %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// CHECK-LABEL: .entry exact_columns(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}exact_columns: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @exact_columns(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x256xbf16>, %out: tensor<?x256xbf16>)
    -> tensor<?x256xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x256xbf16>)
      outs(%out : tensor<?x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x256xbf16>
  return %0 : tensor<?x256xbf16>
}

// N is no multiple of the tile.
// CHECK-LABEL: .entry ragged(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}ragged: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @ragged(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<512x200xbf16>, %out: tensor<512x200xbf16>)
    -> tensor<512x200xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x200xbf16>)
      outs(%out : tensor<512x200xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x200xbf16>
  return %0 : tensor<512x200xbf16>
}

// N is less than a tile.
// CHECK-LABEL: .entry narrow(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}narrow: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @narrow(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<512x24xbf16>, %out: tensor<512x24xbf16>)
    -> tensor<512x24xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x24xbf16>)
      outs(%out : tensor<512x24xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x24xbf16>
  return %0 : tensor<512x24xbf16>
}

// CHECK-LABEL: .entry narrow_right(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}narrow_right: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @narrow_right(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %values: tensor<?x64x64xbf16>, %b: tensor<512x24xbf16>,
                        %right: tensor<24xf32>, %out: tensor<512x24xbf16>)
    -> tensor<512x24xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x24xbf16>)
      right(%right : tensor<24xf32>)
      outs(%out : tensor<512x24xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x24xbf16>
  return %0 : tensor<512x24xbf16>
}

// CHECK-LABEL: .entry narrow_default(
// PTXAS-DAG: {{^}}narrow_default: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @narrow_default(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<512x24xbf16>, %out: tensor<512x24xbf16>)
    -> tensor<512x24xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x24xbf16>)
      outs(%out : tensor<512x24xbf16>)
      -> tensor<512x24xbf16>
  return %0 : tensor<512x24xbf16>
}

// One tile along M, along N, in all.
// CHECK-LABEL: .entry one_row(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}one_row: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @one_row(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<512x512xbf16>, %out: tensor<64x512xbf16>)
    -> tensor<64x512xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x512xbf16>)
      outs(%out : tensor<64x512xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}

// CHECK-LABEL: .entry one_column(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}one_column: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @one_column(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<512x128xbf16>, %out: tensor<512x128xbf16>)
    -> tensor<512x128xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x128xbf16>)
      outs(%out : tensor<512x128xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x128xbf16>
  return %0 : tensor<512x128xbf16>
}

// CHECK-LABEL: .entry one_tile(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}one_tile: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @one_tile(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<64x128xbf16>, %out: tensor<64x128xbf16>)
    -> tensor<64x128xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<64x128xbf16>)
      outs(%out : tensor<64x128xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<64x128xbf16>
  return %0 : tensor<64x128xbf16>
}

// CHECK-LABEL: .entry one_tile_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}one_tile_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @one_tile_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<64x128xbf16>,
                              %out: tensor<64x128xbf16>)
    -> tensor<64x128xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<64x128xbf16>)
      outs(%out : tensor<64x128xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<64x128xbf16>
  return %0 : tensor<64x128xbf16>
}

// CHECK-LABEL: .entry one_tile_left(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}one_tile_left: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @one_tile_left(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %values: tensor<?x64x64xbf16>, %b: tensor<?x256xbf16>,
                         %left: tensor<64xf32>, %out: tensor<64x256xbf16>)
    -> tensor<64x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x256xbf16>)
      left(%left : tensor<64xf32>)
      outs(%out : tensor<64x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<64x256xbf16>
  return %0 : tensor<64x256xbf16>
}

// CHECK-LABEL: .entry exact_right(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}exact_right: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @exact_right(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                       %values: tensor<?x64x64xbf16>, %b: tensor<?x256xbf16>,
                       %right: tensor<256xf32>, %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x256xbf16>)
      right(%right : tensor<256xf32>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// Nothing to compute: no kernel.
// CHECK-NOT: .entry empty
func.func @empty(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x0xbf16>, %out: tensor<0x0xbf16>)
    -> tensor<0x0xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x0xbf16>)
      outs(%out : tensor<0x0xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<0x0xbf16>
  return %0 : tensor<0x0xbf16>
}

// Batches.
// CHECK-LABEL: .entry batch_of_one(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batch_of_one: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batch_of_one(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<1x?x128xbf16>, %out: tensor<1x64x128xbf16>)
    -> tensor<1x64x128xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<1x?x128xbf16>)
      outs(%out : tensor<1x64x128xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<1x64x128xbf16>
  return %0 : tensor<1x64x128xbf16>
}

// CHECK-LABEL: .entry batch_of_b(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batch_of_b: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batch_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<3x?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<3x?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// CHECK-LABEL: .entry batch_of_both(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batch_of_both: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batch_of_both(%alpha: f32, %beta: f32, %crow: tensor<3x?xi32>,
                         %col: tensor<3x?xi32>, %values: tensor<3x?x64x64xbf16>,
                         %b: tensor<3x?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3x?xi32>, tensor<3x?xi32>,
          tensor<3x?x64x64xbf16>, tensor<3x?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// CHECK-LABEL: .entry batch_of_dynamic(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batch_of_dynamic: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batch_of_dynamic(%alpha: f32, %beta: f32, %crow: tensor<?x?xi32>,
                            %col: tensor<?x?xi32>,
                            %values: tensor<?x?x64x64xbf16>,
                            %b: tensor<?x?x?xbf16>, %out: tensor<?x?x?xbf16>)
    -> tensor<?x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x?xi32>, tensor<?x?xi32>,
          tensor<?x?x64x64xbf16>, tensor<?x?x?xbf16>)
      outs(%out : tensor<?x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}

// CHECK-LABEL: .entry batches_of_two(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batches_of_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batches_of_two(%alpha: f32, %beta: f32, %crow: tensor<2x?xi32>,
                          %col: tensor<2x?xi32>,
                          %values: tensor<2x?x64x64xbf16>,
                          %b: tensor<3x2x?x?xbf16>, %out: tensor<3x2x?x?xbf16>)
    -> tensor<3x2x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<2x?xi32>, tensor<2x?xi32>,
          tensor<2x?x64x64xbf16>, tensor<3x2x?x?xbf16>)
      outs(%out : tensor<3x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x2x?x?xbf16>
  return %0 : tensor<3x2x?x?xbf16>
}

// CHECK-LABEL: .entry batches_of_three(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}batches_of_three: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @batches_of_three(%alpha: f32, %beta: f32, %crow: tensor<?x1x?xi64>,
                            %col: tensor<?x1x?xi64>,
                            %values: tensor<?x1x?x64x64xbf16>,
                            %b: tensor<2x?x2x?x?xbf16>,
                            %out: tensor<2x?x2x?x?xbf16>)
    -> tensor<2x?x2x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x1x?xi64>, tensor<?x1x?xi64>,
          tensor<?x1x?x64x64xbf16>, tensor<2x?x2x?x?xbf16>)
      outs(%out : tensor<2x?x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<2x?x2x?x?xbf16>
  return %0 : tensor<2x?x2x?x?xbf16>
}
