// RUN: sparse-opt %s --split-input-file --verify-diagnostics
// Each function breaks one constraint of the op's description.

// -----

func.func @c1_out(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<64xbf16>) {
  // expected-error @below {{expected 'out' of rank at least 2, but got 'tensor<64xbf16>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<64xbf16>
  return
}

// -----

func.func @c1_crow(%scale: f32, %crow: tensor<2x?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'crow' of rank 1 to 1, but got 'tensor<2x?xi32>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<2x?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c1_k(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'k' of rank 2 to 2, but got 'tensor<64xbf16>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_crow(%scale: f32, %crow: tensor<?xi16>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi16>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_col(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi64>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi64>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c3_q(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xi8>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type f16, bf16, f32 or f64 of 'q', but got 'i8'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xi8>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c3_k_of_f64(%scale: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf64>, %k: tensor<?x64xf32>,
    %v: tensor<?x64xf64>, %out: tensor<?x64xf64>) {
  // expected-error @below {{expected element type 'f64' of 'k', but got 'f32'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf32>, tensor<?x64xf64>)
      outs(%out : tensor<?x64xf64>) {block_size = array<i64: 64, 64>} -> tensor<?x64xf64>
  return
}

// -----

func.func @c16_scale(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf64>, %k: tensor<?x64xf64>,
    %v: tensor<?x64xf64>, %out: tensor<?x64xf64>) {
  // expected-error @below {{failed to verify that 'scale' is f64 with 'q' of f64, else f32}}
  %0 = "sattn.bsr_attention"(%scale, %crow, %col, %q, %k, %v, %out)
      <{block_size = array<i64: 64, 64>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 1>}>
      : (f32, tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>)
      -> tensor<?x64xf64>
  return
}

// -----

func.func @c16_probability(%scale: f64, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x64xf64>, %k: tensor<?x64xf64>, %v: tensor<?x64xf64>, %out: tensor<?x64xf64>) {
  // expected-error @below {{failed to verify that 'probability' is f64 with 'q' of f64, else f32}}
  %0 = "sattn.bsr_attention"(%scale, %crow, %col, %q, %k, %v, %p, %random, %out)
      <{block_size = array<i64: 64, 64>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 1>}>
      : (f64, tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>, f32, tensor<2xi64>,
         tensor<?x64xf64>) -> tensor<?x64xf64>
  return
}

// -----

func.func @c3_v(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type 'bf16' of 'v', but got 'f16'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c3_out(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xf32>) {
  // expected-error @below {{expected element type 'bf16' of 'out', but got 'f32'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xf32>) {block_size = array<i64: 64, 64>} -> tensor<?x64xf32>
  return
}

// -----

func.func @c4_dynamic(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x?xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected D to be static and from 1 to 512, but got 'tensor<?x?xbf16>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_wide(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x513xbf16>, %out: tensor<?x513xbf16>) {
  // expected-error @below {{expected E to be static and from 1 to 512, but got 'tensor<?x513xbf16>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x513xbf16>)
      outs(%out : tensor<?x513xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x513xbf16>
  return
}

// -----

func.func @c5_multiple(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'block_size' of a positive multiple of 8 and one of 16, but got [64, 24]}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 24>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c5_zero(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'block_size' of a positive multiple of 8 and one of 16, but got [0, 64]}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 0, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c5_count(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'block_size' of a positive multiple of 8 and one of 16, but got [64]}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c6_offsets(%scale: f32, %crow: tensor<0xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'crow' of at least one entry, but got 'tensor<0xi32>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<0xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c6_overflow(%scale: f32, %crow: tensor<1000000000000000000xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'crow' of less than 2^63 rows}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<1000000000000000000xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c6_crow(%scale: f32, %crow: tensor<5xi32>, %col: tensor<?xi32>, %q: tensor<320x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected M of 'q' (dimension 0) to be 256, but got 320}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<5xi32>, tensor<?xi32>, tensor<320x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c6_m(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<300x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected M of 'q' to be a multiple of the block's 64 rows, but got 300}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<300x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c6_n(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<300x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected N of 'k' to be a multiple of the block's 64 columns, but got 300}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<300x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c7_d(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x32xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected D of 'k' (dimension 1) to be 64, but got 32}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x32xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c7_n(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<128x64xbf16>,
    %v: tensor<192x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected N of 'v' (dimension 0) to be 128, but got 192}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<128x64xbf16>, tensor<192x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c7_m(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<128x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<64x64xbf16>) {
  // expected-error @below {{expected M of 'out' (dimension 0) to be 128, but got 64}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<128x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<64x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<64x64xbf16>
  return
}

// -----

func.func @c7_e(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x32xbf16>) {
  // expected-error @below {{expected E of 'out' (dimension 1) to be 64, but got 32}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x32xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x32xbf16>
  return
}

// -----

func.func @c8(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<3x?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<2x?x64xbf16>) {
  // expected-error @below {{expected batch dimension 0 of 'k' to be 1 or 2, but got 3}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<3x?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<2x?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<2x?x64xbf16>
  return
}

// -----

func.func @c9_type(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %random: tensor<2xi32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'random' of two elements of i64, but got 'tensor<2xi32>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      dropout(%scale, %random : tensor<2xi32>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c9_count(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %random: tensor<3xi64>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'random' of two elements of i64, but got 'tensor<3xi64>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      dropout(%scale, %random : tensor<3xi64>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c10(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected results of the types of 'outs', 'tensor<?x64xbf16>', but got 'tensor<128x64xbf16>'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<128x64xbf16>
  return
}

// -----

func.func @c11_n(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected N of the tile to be a multiple of 8 from 8 to 64, the columns of 'v' and their padding, but got 72}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 72, 64]>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c11_m(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected M of the tile to divide the block's 64, but got 48}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [48, 64, 64]>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c11_k(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected K of the tile to divide the block's 64, but got 128}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 128]>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c11_multiple(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected M of the tile to be a multiple of 8 and at most 1024, but got 4}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [4, 64, 64]>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c12(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %i: index, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 1 numbers in 'origin', but got 2}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      origin(%i, %i) outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c12_dropout(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %random: tensor<2xi64>, %i: index, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 2 numbers in 'origin', but got 1}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      dropout(%scale, %random : tensor<2xi64>)
      origin(%i) outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c13(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected precision "ieee", but got "tf32" for elements of 'bf16'}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>, precision = "tf32"} -> tensor<?x64xbf16>
  return
}

// -----

#sparse = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @c14(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16, #sparse>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected no operand in an encoding, but got 'tensor<?x64xbf16, #sparse_tensor}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16, #sparse>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c15(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<4611686018427387904x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'v' of less than 2^63 bytes}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<4611686018427387904x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c11_key_multiple(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected K of the tile to be a multiple of 16 and at most 1024, but got 24}}
  sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 64, 48>, meta = #sattn.meta<tile = [64, 64, 24]>} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c12_parts(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %i: index, %out: tensor<?x64xbf16>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected 3 numbers in 'origin', but got 1}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      origin(%i) outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32>
  return
}

// -----

func.func @c17_four(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected 'out', 'out' and 'lse', or 'out', 'partial' and 'lse' in 'outs', but got 4 tensors}}
  %0:4 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse, %lse : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>)
      {block_size = array<i64: 64, 64>} -> tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>
  return
}

// -----

func.func @c17_element(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<?x64xbf16>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected element type f32 of 'partial', but got 'bf16'}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @c17_rank(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<?x64xf32>, %lse: tensor<3x?xf32>) {
  // expected-error @below {{expected 'lse' of rank 1, but got 'tensor<3x?xf32>'}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<3x?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<?x64xf32>, tensor<3x?xf32>
  return
}

// -----

func.func @c17_multiple(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<?x64xf32>, %lse: tensor<320xf32>) {
  // expected-error @below {{expected rows of 'lse' to be a multiple of 128, but got 320}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<320xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<?x64xf32>, tensor<320xf32>
  return
}

// -----

func.func @c17_rows(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<128x64xf32>, %lse: tensor<256xf32>) {
  // expected-error @below {{expected rows of 'partial' (dimension 0) to be 256, but got 128}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<128x64xf32>, tensor<256xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<128x64xf32>, tensor<256xf32>
  return
}

// -----

func.func @c17_e(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<?x32xf32>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected E of 'partial' (dimension 1) to be 64, but got 32}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<?x32xf32>, tensor<?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xbf16>, tensor<?x32xf32>, tensor<?xf32>
  return
}

// -----

func.func @c17_batch(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %partial: tensor<3x?x64xf32>, %lse: tensor<1x?xf32>) {
  // expected-error @below {{expected the batch dimensions of 'out' of 'lse', but got 'tensor<1x?xf32>'}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<3x?x64xbf16>, tensor<3x?x64xf32>, tensor<1x?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<3x?x64xf32>, tensor<1x?xf32>
  return
}

// -----

func.func @c17_f64(%scale: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf64>, %k: tensor<?x64xf64>,
    %v: tensor<?x64xf64>, %out: tensor<?x64xf64>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected no 'partial' with operands of f64}}
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>)
      outs(%out, %partial, %lse : tensor<?x64xf64>, tensor<?x64xf32>, tensor<?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<?x64xf64>, tensor<?x64xf32>, tensor<?xf32>
  return
}

// -----

func.func @c18_rank(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<128x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %lse: tensor<?xf32>) {
  // expected-error @below {{expected 'lse' of rank 2, but got 'tensor<?xf32>'}}
  %0:2 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<128x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %lse : tensor<3x?x64xbf16>, tensor<?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @c18_element(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<128x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %lse: tensor<3x?xbf16>) {
  // expected-error @below {{expected element type 'f32' of 'lse', but got 'bf16'}}
  %0:2 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<128x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %lse : tensor<3x?x64xbf16>, tensor<3x?xbf16>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<3x?xbf16>
  return
}

// -----

func.func @c18_batch(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<128x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %lse: tensor<1x?xf32>) {
  // expected-error @below {{expected the batch dimensions of 'out' of 'lse', but got 'tensor<1x?xf32>'}}
  %0:2 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<128x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %lse : tensor<3x?x64xbf16>, tensor<1x?xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<1x?xf32>
  return
}

// -----

func.func @c18_rows(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<128x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<3x?x64xbf16>, %lse: tensor<3x64xf32>) {
  // expected-error @below {{expected M of 'lse' (dimension 1) to be 128, but got 64}}
  %0:2 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<128x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %lse : tensor<3x?x64xbf16>, tensor<3x64xf32>) {block_size = array<i64: 64, 64>}
      -> tensor<3x?x64xbf16>, tensor<3x64xf32>
  return
}
