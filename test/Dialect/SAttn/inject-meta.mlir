// RUN: sparse-opt %s --sattn-inject-meta | FileCheck %s
// RUN: sparse-opt %s --sattn-inject-meta --remarks-filter=sattn-.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: sparse-opt %s --sattn-inject-meta -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: remark
// RUN: sparse-opt %s --sattn-inject-meta=target=sm_90a | FileCheck %s --check-prefix=HOPPER
// RUN: sparse-opt %s --sattn-inject-meta="target=sm_90a sizes=4096,256,4096" | FileCheck %s --check-prefix=SKINNY
// RUN: not sparse-opt %s --sattn-inject-meta=target=sm_70 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not sparse-opt %s --sattn-inject-meta=sizes=1,2 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not sparse-opt %s --sattn-inject-meta=sizes=1,2,-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not sparse-opt %s --sattn-inject-meta=sparsity=1.5 2>&1 | FileCheck %s --check-prefix=SPARSITY
// TARGET: error: expected 'target' to be one of cpu, sm_80, sm_86, sm_89, sm_90a, but got 'sm_70'
// COUNT: error: expected 'sizes' to be M, N and K, but got 2 numbers
// NEGATIVE: error: expected 'sizes' of at least 0, but got -3
// SPARSITY: error: expected 'sparsity' from 0 to 1, or -1 where it is not known, but got 1.5

// A block row; sizes that the types leave open may be given.
// CHECK-LABEL: func.func @blocks_of_64
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 128, 64]>}
// HOPPER-LABEL: func.func @blocks_of_64
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [128, 256, 64]>}
// SKINNY-LABEL: func.func @blocks_of_64
// SKINNY:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 64, 64], raster_group = 1>}
func.func @blocks_of_64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=blocks_of_64 | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// The reduction takes a block's columns.
// CHECK-LABEL: func.func @blocks_of_16
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [16, 128, 16]>}
func.func @blocks_of_16(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=blocks_of_16 | Remark="tile parameters from the computed default: #sattn.meta<tile = [16, 128, 16]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// 64 columns of b at a time at most, and 64 columns of more than 64 rows.
// CHECK-LABEL: func.func @blocks_of_128
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [128, 64, 64]>}
func.func @blocks_of_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=blocks_of_128 | Remark="tile parameters from the computed default: #sattn.meta<tile = [128, 64, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @deep_blocks
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 128, 64]>}
func.func @deep_blocks(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x64x192xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=deep_blocks | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x192xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// 72 is no multiple of 64: the step is the whole block.
// CHECK-LABEL: func.func @odd_depth
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 128, 72]>}
func.func @odd_depth(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x72xbf16>,
                     %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=odd_depth | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 72]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x72xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @static_n
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 128, 64]>}
// HOPPER-LABEL: func.func @static_n
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [128, 256, 64]>}
func.func @static_n(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x256xbf16>, %out: tensor<?x256xbf16>)
    -> tensor<?x256xbf16> {
  // REMARK-DAG: Function=static_n | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x256xbf16>)
      outs(%out : tensor<?x256xbf16>)
      -> tensor<?x256xbf16>
  return %0 : tensor<?x256xbf16>
}

// Factors of rows and columns do not narrow a tile.
// HOPPER-LABEL: func.func @factors
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [128, 256, 64]>}
func.func @factors(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                   %right: tensor<?xf32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=factors | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// N is known to be smaller than the default.
// CHECK-LABEL: func.func @small_n
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 64, 64]>}
func.func @small_n(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x40xbf16>, %out: tensor<?x40xbf16>)
    -> tensor<?x40xbf16> {
  // REMARK-DAG: Function=small_n | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 64, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x40xbf16>)
      outs(%out : tensor<?x40xbf16>)
      -> tensor<?x40xbf16>
  return %0 : tensor<?x40xbf16>
}

// What the target needs comes first.
// CHECK-LABEL: func.func @tiny_n
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 16, 64]>}
// HOPPER-LABEL: func.func @tiny_n
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 64, 64], raster_group = 1>}
func.func @tiny_n(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<?x3xbf16>, %out: tensor<?x3xbf16>)
    -> tensor<?x3xbf16> {
  // REMARK-DAG: Function=tiny_n | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 16, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x3xbf16>)
      outs(%out : tensor<?x3xbf16>)
      -> tensor<?x3xbf16>
  return %0 : tensor<?x3xbf16>
}

// An explicit attribute wins, without a remark.
// CHECK-LABEL: func.func @explicit
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 64, 32]>}
func.func @explicit(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 32]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// The CPU takes one block row of a tile that has several.
// CHECK-LABEL: func.func @grouped
// CHECK:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 256, 32], stages = 3>}
// HOPPER-LABEL: func.func @grouped
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [128, 256, 32], stages = 3>}
func.func @grouped(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=grouped | Remark="tile of one block row, as the CPU takes: #sattn.meta<tile = [64, 256, 32], stages = 3>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 32], stages = 3>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Nor does the CPU take a plan.
// CHECK-LABEL: func.func @planned
// CHECK:         sattn.bsr_addmm
// CHECK-NOT:     plan
// CHECK:         {meta = #sattn.meta<tile = [64, 128, 64]>}
// HOPPER-LABEL: func.func @planned
// HOPPER:         sattn.bsr_addmm {{.*}} plan({{.*}} {meta = #sattn.meta<tile = [128, {{[0-9]+}}, 64]>}
func.func @planned(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %row_block_groups: tensor<?x4xi32>,
                   %steps: tensor<?x3xi32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // REMARK-DAG: Function=planned | Remark="tile parameters from the computed default: #sattn.meta<tile = [64, 128, 64]>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      plan(%row_block_groups, %steps : tensor<?x4xi32>, tensor<?x3xi32>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// There is no plan of columns that all batches share.
// HOPPER-LABEL: func.func @shared_columns
// HOPPER:         sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 256, 64]>}
func.func @shared_columns(%alpha: f32, %beta: f32, %crow: tensor<3x?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<3x?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // REMARK-DAG: Function=shared_columns | Remark="tile of one block row
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3x?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<3x?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}
