// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32, %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x64x64xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<?x?xbf16>
// CHECK:         sattn.bsr_addmm alpha(%[[ALPHA]]) beta(%[[BETA]]) ins(%[[CROW]], %[[COL]], %[[VALUES]], %[[B]] : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>) outs(%[[OUT]] : tensor<?x?xbf16>) -> tensor<?x?xbf16>
// GENERIC-LABEL: sym_name = "dynamic"
// GENERIC:         "sattn.bsr_addmm"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1>, precision = "ieee"}>
func.func @dynamic(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Static sizes, i64 indices, blocks that are not square.
// CHECK-LABEL: func.func @static_i64
// CHECK:         sattn.bsr_addmm {{.*}} : tensor<9xi64>, tensor<20xi64>, tensor<20x16x32xf32>, tensor<96x100xf32>) outs(%{{.*}} : tensor<128x100xf32>) {meta = #sattn.meta<tile = [16, 64, 8]>} -> tensor<128x100xf32>
// GENERIC-LABEL: sym_name = "static_i64"
// GENERIC:         <{meta = #sattn.meta<tile = [16, 64, 8]>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1>, precision = "ieee"}>
func.func @static_i64(%alpha: f32, %beta: f32, %crow: tensor<9xi64>,
                      %col: tensor<20xi64>, %values: tensor<20x16x32xf32>,
                      %b: tensor<96x100xf32>, %out: tensor<128x100xf32>)
    -> tensor<128x100xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi64>, tensor<20xi64>,
          tensor<20x16x32xf32>, tensor<96x100xf32>)
      outs(%out : tensor<128x100xf32>)
      {meta = #sattn.meta<tile = [16, 64, 8]>} -> tensor<128x100xf32>
  return %0 : tensor<128x100xf32>
}

// CHECK-LABEL: func.func @input
// CHECK:         sattn.bsr_addmm {{.*}}) input(%{{.*}} : tensor<?x?xf16>) outs(%{{.*}} : tensor<?x?xf16>) -> tensor<?x?xf16>
// GENERIC-LABEL: sym_name = "input"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1>
func.func @input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x8x8xf16>,
                 %b: tensor<?x?xf16>, %input: tensor<?x?xf16>,
                 %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf16>, tensor<?x?xf16>)
      input(%input : tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @left
// CHECK:         sattn.bsr_addmm {{.*}}) left(%{{.*}} : tensor<?xf16>) outs(%{{.*}} : tensor<?x?xf16>) -> tensor<?x?xf16>
// GENERIC-LABEL: sym_name = "left"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1>
func.func @left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                %col: tensor<?xi32>, %values: tensor<?x8x8xf16>,
                %b: tensor<?x?xf16>, %left: tensor<?xf16>,
                %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf16>, tensor<?x?xf16>)
      left(%left : tensor<?xf16>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @right
// CHECK:         sattn.bsr_addmm {{.*}}) right(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?x?xf16>) -> tensor<?x?xf16>
// GENERIC-LABEL: sym_name = "right"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1>
func.func @right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x8x8xf16>,
                 %b: tensor<?x?xf16>, %right: tensor<?xf32>,
                 %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xf16>, tensor<?x?xf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// Every operand; an output of another element type; left of the values' type,
// right of f32.
// CHECK-LABEL: func.func @all_operands
// CHECK:         sattn.bsr_addmm alpha(%{{.*}}) beta(%{{.*}}) ins(%{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?x128x64xbf16>, tensor<?x?xbf16>) input(%{{.*}} : tensor<?x?xbf16>) left(%{{.*}} : tensor<?xbf16>) right(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?x?xf32>) {meta = #sattn.meta<tile = [128, 64, 32]>, note = "kept"} -> tensor<?x?xf32>
// GENERIC-LABEL: sym_name = "all_operands"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1>{{.*}} {note = "kept"}
func.func @all_operands(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x128x64xbf16>,
                        %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                        %left: tensor<?xbf16>, %right: tensor<?xf32>,
                        %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>) left(%left : tensor<?xbf16>)
      right(%right : tensor<?xf32>) outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [128, 64, 32]>, note = "kept"}
      -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// One batch dimension of b and out; the storage has none.
// CHECK-LABEL: func.func @batch_of_b
// CHECK:         sattn.bsr_addmm {{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<4x?x?xf16>) outs(%{{.*}} : tensor<4x?x?xf16>) -> tensor<4x?x?xf16>
func.func @batch_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                      %b: tensor<4x?x?xf16>, %out: tensor<4x?x?xf16>)
    -> tensor<4x?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf16>, tensor<4x?x?xf16>)
      outs(%out : tensor<4x?x?xf16>) -> tensor<4x?x?xf16>
  return %0 : tensor<4x?x?xf16>
}

// Batches of different ranks, of 1, and dynamic.
// CHECK-LABEL: func.func @batches
// CHECK:         sattn.bsr_addmm {{.*}} : tensor<1x3xi64>, tensor<1x7xi64>, tensor<1x7x64x64xf16>, tensor<2x1x128x?xf16>) input(%{{.*}} : tensor<3x?x?xf16>) left(%{{.*}} : tensor<?x3x128xf16>) right(%{{.*}} : tensor<?xf16>) outs(%{{.*}} : tensor<2x3x128x?xf16>) -> tensor<2x3x128x?xf16>
func.func @batches(%alpha: f32, %beta: f32, %crow: tensor<1x3xi64>,
                   %col: tensor<1x7xi64>, %values: tensor<1x7x64x64xf16>,
                   %b: tensor<2x1x128x?xf16>, %input: tensor<3x?x?xf16>,
                   %left: tensor<?x3x128xf16>, %right: tensor<?xf16>,
                   %out: tensor<2x3x128x?xf16>) -> tensor<2x3x128x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1x3xi64>, tensor<1x7xi64>,
          tensor<1x7x64x64xf16>, tensor<2x1x128x?xf16>)
      input(%input : tensor<3x?x?xf16>) left(%left : tensor<?x3x128xf16>)
      right(%right : tensor<?xf16>) outs(%out : tensor<2x3x128x?xf16>)
      -> tensor<2x3x128x?xf16>
  return %0 : tensor<2x3x128x?xf16>
}

// No block, no row, no column.
// CHECK-LABEL: func.func @empty
// CHECK:         sattn.bsr_addmm {{.*}} : tensor<1xi32>, tensor<0xi32>, tensor<0x8x8xf32>, tensor<0x0xf32>) outs(%{{.*}} : tensor<0x0xf32>) -> tensor<0x0xf32>
func.func @empty(%alpha: f32, %beta: f32, %crow: tensor<1xi32>,
                 %col: tensor<0xi32>, %values: tensor<0x8x8xf32>,
                 %b: tensor<0x0xf32>, %out: tensor<0x0xf32>)
    -> tensor<0x0xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1xi32>, tensor<0xi32>,
          tensor<0x8x8xf32>, tensor<0x0xf32>)
      outs(%out : tensor<0x0xf32>) -> tensor<0x0xf32>
  return %0 : tensor<0x0xf32>
}

// CHECK-LABEL: func.func @meta
// CHECK-SAME:    test.all = #sattn.meta<tile = [64, 128, 64], stages = 4, warps = 8, raster_group = 2>
// CHECK-SAME:    test.group = #sattn.meta<tile = [64, 128, 64], raster_group = 2>
// CHECK-SAME:    test.tile = #sattn.meta<tile = [64, 128, 64]>
func.func @meta() attributes {
    test.all = #sattn.meta<tile = [64, 128, 64], raster_group = 2, stages = 4, warps = 8>,
    test.group = #sattn.meta<tile = [64, 128, 64], raster_group = 2>,
    test.tile = #sattn.meta<tile = [64, 128, 64]>} {
  return
}

// A is one operand in upstream's encoding.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>
// CHECK-LABEL: func.func @encoded
// CHECK-SAME:    %{{.*}}: f32, %{{.*}}: f32, %[[A:.*]]: tensor<512x?xbf16, #{{.*}}>, %[[B:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<512x?xbf16>
// CHECK:         sattn.bsr_addmm alpha(%{{.*}}) beta(%{{.*}}) ins(%[[A]], %[[B]] : tensor<512x?xbf16, #{{.*}}>, tensor<?x?xbf16>) outs(%[[OUT]] : tensor<512x?xbf16>) -> tensor<512x?xbf16>
// GENERIC-LABEL: sym_name = "encoded"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1>
func.func @encoded(%alpha: f32, %beta: f32, %a: tensor<512x?xbf16, #bsr>,
                   %b: tensor<?x?xbf16>, %out: tensor<512x?xbf16>)
    -> tensor<512x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%a, %b : tensor<512x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  return %0 : tensor<512x?xbf16>
}
