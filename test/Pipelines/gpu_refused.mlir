// RUN: sparse-opt %s --sattn-to-nvvm --split-input-file --verify-diagnostics

// What the lowering cannot take, at the op that it is of.

func.func @blocks_of_320_rows(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x320x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 320 x 64 x 64}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x320x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @shared_memory(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x256x256xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected operands of one step, M x K and K x N, of at most 232448 bytes on sm_90a, but got 262144; choose a smaller tile}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x256x256xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 256, 256]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @k_of_1(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 64 x 128 x 1}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 1]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @k_of_2(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 64 x 128 x 2}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 2]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @k_of_4(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 64 x 128 x 4}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 4]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @row_block_groups_with_k_of_4(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 64 x 128 x 4}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 4]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @blocks_of_512(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x512x512xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 512 x 64 x 64}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x512x512xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @k_of_512(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x512xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile, M x N x K, of multiples of 8 with M and K up to 256, on sm_90a, but got 64 x 64 x 512}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x512xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 512]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// Eight block rows side by side: more threads than a thread block has.
func.func @tile_512(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile for at most 1024 threads, with registers for M x N, but got one for 1152 threads of at most 56 registers, of which the product takes 154; choose a smaller tile}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [512, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// ptxas cannot spill a product's accumulator.
func.func @tile_256(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{'sattn.bsr_addmm' op expected a tile for at most 1024 threads, with registers for M x N, but got one for 640 threads of at most 96 registers, of which the product takes 154; choose a smaller tile}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [256, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @attention_of_320_keys(%scale: f32, %q: tensor<?x?x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>,
    %o: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  // expected-error @below {{'sattn.flex_attention' op expected a tile, M x N x K, of multiples of 8 with M and N up to 256 and K up to 512, on sm_90a, but got 64 x 320 x 64}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>)
      outs(%o : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {meta = #sattn.meta<tile = [64, 64, 320]>}
  return %0 : tensor<?x?x64xbf16>
}

// -----

func.func @two_kinds_of_factors(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf8E4M3FN>, %b: tensor<?x?xf8E5M2>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected factors of one element type on sm_90a, but got 'f8E4M3FN' and 'f8E5M2'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf8E4M3FN>, tensor<?x?xf8E5M2>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @eight_columns_of_bytes(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x8x8xi8>, %b: tensor<?x?xi8>, %out: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{expected a tile, M x N x K, of multiples of 8 (K of 16, with 'i8')}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xi8>, tensor<?x?xi8>)
      outs(%out : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}
