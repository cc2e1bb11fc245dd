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

// Eight block rows side by side: more threads than a CTA has.
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

func.func @eight_columns_of_bytes(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x8x8xi8>, %b: tensor<?x?xi8>, %out: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{expected a tile, M x N x K, of multiples of 8 (K of 16, with 'i8')}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xi8>, tensor<?x?xi8>)
      outs(%out : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

func.func @f64(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf64>,
    %b: tensor<?x?xf64>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{'sattn.bsr_addmm' op expected elements of 32 bits or fewer on sm_90a, but got f64, which the CPU alone has}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @f64_sampled(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %a: tensor<?x?xf64>,
    %b: tensor<?x?xf64>, %out: tensor<?x64x64xf64>) -> tensor<?x64x64xf64> {
  // expected-error @below {{'sattn.sampled_addmm' op expected elements of 32 bits or fewer on sm_90a, but got f64, which the CPU alone has}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %a, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x64x64xf64>) -> tensor<?x64x64xf64>
  return %0 : tensor<?x64x64xf64>
}

// -----

func.func @f64_softmax(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf64>,
    %out: tensor<?x64x64xf64>) -> tensor<?x64x64xf64> {
  // expected-error @below {{'sattn.bsr_softmax' op expected elements of 32 bits or fewer on sm_90a, but got f64, which the CPU alone has}}
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>)
      outs(%out : tensor<?x64x64xf64>) -> tensor<?x64x64xf64>
  return %0 : tensor<?x64x64xf64>
}

// -----

func.func @f64_scatter(%offsets: tensor<?xi32>, %p: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xf64>,
    %others: tensor<?x64x64xf64>, %out: tensor<?x64x64xf64>) -> tensor<?x64x64xf64> {
  // expected-error @below {{'sattn.scatter_mm' op expected elements of 32 bits or fewer on sm_90a, but got f64, which the CPU alone has}}
  %0 = sattn.scatter_mm ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>,
          tensor<?x64x64xf64>) p(%p : tensor<?xi32>) outs(%out : tensor<?x64x64xf64>) -> tensor<?x64x64xf64>
  return %0 : tensor<?x64x64xf64>
}

// -----

func.func @f64_attention(%scale: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf64>,
    %k: tensor<?x64xf64>, %v: tensor<?x64xf64>, %out: tensor<?x64xf64>) -> tensor<?x64xf64> {
  // expected-error @below {{'sattn.bsr_attention' op expected elements of 32 bits or fewer on sm_90a, but got f64, which the CPU alone has}}
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>)
      outs(%out : tensor<?x64xf64>) {block_size = array<i64: 64, 64>} -> tensor<?x64xf64>
  return %0 : tensor<?x64xf64>
}
