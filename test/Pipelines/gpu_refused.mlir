// RUN: sparse-opt %s --sattn-to-nvvm --split-input-file --verify-diagnostics

// What the lowering to wgmma cannot take, each case by name. The remark of a
// chosen tile is no refusal.

func.func @blocks_of_8(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x8x8xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{expected tile rows to be a multiple of 64 (wgmma), but got 8}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x8x8xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_16(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{expected tile rows to be a multiple of 64 (wgmma), but got 16}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x32x32xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{expected tile rows to be a multiple of 64 (wgmma), but got 32}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x32x32xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_24x40(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x24x40xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{expected tile rows to be a multiple of 64 (wgmma), but got 24}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x24x40xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_96x64(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x96x64xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{expected tile rows to be a multiple of 64 (wgmma), but got 96}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x96x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_64x40(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x40xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{shared tile '!wgtile.shared<64x40xbf16>': expected columns to be a positive multiple of 64, but got 40}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x40xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_320_rows(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x320x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-remark @below {{tile parameters from the computed default}}
  // expected-error @below {{shared tile '!wgtile.shared<320x64xbf16>': expected rows to be a positive multiple of 8 up to 256, but got 320}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x320x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @f32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
               %col: tensor<?xi32>, %values: tensor<?x64x64xf32>,
               %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  // expected-error @below {{expected a product of f16 or bf16 tiles that accumulates in f32, but got 'vector<64x64xf32>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @columns_of_96(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{shared tile '!wgtile.shared<64x96xbf16>': expected columns to be a positive multiple of 64, but got 96}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 96, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @columns_of_320(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected at most 256 tile columns (wgmma), but got 320}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 320, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @steps_of_32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{shared tile '!wgtile.shared<64x32xbf16>': expected columns to be a positive multiple of 64, but got 32}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 32]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @two_block_rows(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected a tile of one block row (64 rows), but got 128}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @shared_memory(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x256x256xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected at most 232448 bytes of shared memory, but one stage needs 262160; choose smaller tiles}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x256x256xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 256, 256]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @four_batches(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<2x2x2x2x?x?xbf16>,
                        %out: tensor<2x2x2x2x?x?xbf16>)
    -> tensor<2x2x2x2x?x?xbf16> {
  // expected-error @below {{expected a source of rank at most 5 (tensor maps), but got 'memref<2x2x2x2x?x?xbf16}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<2x2x2x2x?x?xbf16>)
      outs(%out : tensor<2x2x2x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<2x2x2x2x?x?xbf16>
  return %0 : tensor<2x2x2x2x?x?xbf16>
}

// -----

func.func @three_batches_of_values(%alpha: f32, %beta: f32,
                                   %crow: tensor<2x2x2x?xi32>,
                                   %col: tensor<2x2x2x?xi32>,
                                   %values: tensor<2x2x2x?x64x64xbf16>,
                                   %b: tensor<2x2x2x?x?xbf16>,
                                   %out: tensor<2x2x2x?x?xbf16>)
    -> tensor<2x2x2x?x?xbf16> {
  // expected-error @below {{expected a source of rank at most 5 (tensor maps), but got 'memref<2x2x2x?x64x64xbf16}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<2x2x2x?xi32>, tensor<2x2x2x?xi32>,
          tensor<2x2x2x?x64x64xbf16>, tensor<2x2x2x?x?xbf16>)
      outs(%out : tensor<2x2x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<2x2x2x?x?xbf16>
  return %0 : tensor<2x2x2x?x?xbf16>
}
