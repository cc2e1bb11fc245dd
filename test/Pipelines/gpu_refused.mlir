// RUN: sparse-opt %s --sattn-to-nvvm --split-input-file --verify-diagnostics

// What the lowering cannot take, each case by name. The remark of a chosen tile
// is no refusal.

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
  // expected-error @below {{expected a product of f16 or bf16, or of f32 with precision "tf32", but got f32 of precision "ieee"}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @shared_memory(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x256x256xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected at most 166872 bytes of shared memory, but one stage needs 262160; choose smaller tiles}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x256x256xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 256, 256]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
