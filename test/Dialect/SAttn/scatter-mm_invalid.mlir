// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// Each function breaks one constraint of sattn.scatter_mm, after which it is
// named.

func.func @c1_list(%offsets: tensor<7xi32>, %q: tensor<20x1xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'q' of rank 1, but got 'tensor<20x1xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20x1xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c1_blocks(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'blocks' of rank 3, but got 'tensor<16x32xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c1_out(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<6x16x40xf16>) -> tensor<6x16x40xf16> {
  // expected-error @below {{expected 'out' of rank 4 or more, but got 'tensor<6x16x40xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<6x16x40xf16>) -> tensor<6x16x40xf16>
  return %0 : tensor<6x16x40xf16>
}

// -----

func.func @c1_out_list(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'out' of rank 3, but got 'tensor<2x3x16x40xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c1_others(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<12x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'others' of rank 4, that of 'out', but got 'tensor<12x32x40xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<12x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c2(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi16>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected element type i32 or i64 of 'r', but got 'i16'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi16>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c3(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xbf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected element type 'f16' of 'others', but got 'bf16'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xbf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c4_blocks(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xi8>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected element type f16, bf16, f32 or f64 of 'blocks', but got 'i8'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xi8>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c4_out_of_f64(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf64>, %others: tensor<4x3x32x40xf64>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf32>) {
  // expected-error @below {{expected element type f64 of 'out' with 'blocks' of 'f64', but got 'f32'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf64>, tensor<4x3x32x40xf64>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf32>) -> tensor<2x3x16x40xf32>
  return
}

// -----

func.func @c4_out(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xi32>) -> tensor<2x3x16x40xi32> {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'out', but got 'i32'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xi32>) -> tensor<2x3x16x40xi32>
  return %0 : tensor<2x3x16x40xi32>
}

// -----

func.func @c5_static(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x?x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected blocks of static, positive size, but got 'tensor<10x?x32xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x?x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c5_positive(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x0xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected blocks of static, positive size, but got 'tensor<10x16x0xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x0xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c5_others(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x16x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the block's columns of 'others' (dimension 2) to be 32, but got 16}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x16x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c5_out(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x32x40xf16>) -> tensor<2x3x32x40xf16> {
  // expected-error @below {{expected the block's rows of 'out' (dimension 2) to be 16, but got 32}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x32x40xf16>) -> tensor<2x3x32x40xf16>
  return %0 : tensor<2x3x32x40xf16>
}

// -----

func.func @c6(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x48xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected N of 'others' (dimension 3) to be 40, but got 48}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x48xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c7_batch(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<2x4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<3x2x3x16x40xf16>) -> tensor<3x2x3x16x40xf16> {
  // expected-error @below {{expected the batch of 'others' (dimension 0) to be 3, but got 2}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<2x4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<3x2x3x16x40xf16>) -> tensor<3x2x3x16x40xf16>
  return %0 : tensor<3x2x3x16x40xf16>
}

// -----

func.func @c7_row(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x5x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the matrices of a row of 'others' (dimension 1) to be 3, but got 5}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x5x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c8(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'p' or 'r', but got neither}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c9_p(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<21xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the pairs of 'p' (dimension 0) to be 20, but got 21}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<21xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c9_offsets(%offsets: tensor<8xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the size of 'offsets' (dimension 0) to be 7, but got 8}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<8xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c9_matrices(%offsets: tensor<8xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<12x32x40xf16>, %p: tensor<20xi32>, %out: tensor<6x16x40xf16>) -> tensor<6x16x40xf16> {
  // expected-error @below {{expected the size of 'offsets' (dimension 0) to be 7, but got 8}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<8xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<12x32x40xf16>) p(%p : tensor<20xi32>)
      outs(%out : tensor<6x16x40xf16>) -> tensor<6x16x40xf16>
  return %0 : tensor<6x16x40xf16>
}

// -----

func.func @c9_rows(%offsets: tensor<4xi32>, %q: tensor<30xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the size of 'offsets' (dimension 0) to be 3, but got 4}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<4xi32>, tensor<30xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c10(%offsets: tensor<3xi32>, %q: tensor<29xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'q' of 3 x 10 entries or more, those of a row times the blocks, but got 'tensor<29xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<3xi32>, tensor<29xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c11(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf32> {
  // expected-error @below {{expected the result to have the type of 'out', 'tensor<2x3x16x40xf16>', but got 'tensor<2x3x16x40xf32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf32>
  return %0 : tensor<2x3x16x40xf32>
}

// -----

func.func @c12_size(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the tile's N to be at most 65536, but got 65544}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [16, 65544, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c12_columns(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the tile's N to be a multiple of 8, but got 20}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [16, 20, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c12_rows(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the tile's M to divide the block's 16, or to be a multiple of 8 below, or the next of 8 or 16, but got 24}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [24, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c12_depth(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected the tile's K to divide the block's 32, or to be a multiple of 8 below, or the next of 8 or 16, but got 12}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [16, 40, 12]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c12_elements(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x2000x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x2000x40xf16>) -> tensor<2x3x2000x40xf16> {
  // expected-error @below {{expected the tile's M x N, M x K and K x N to be at most 67108864 elements, but got 2000 x 65536 x 32}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x2000x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x2000x40xf16>) {meta = #sattn.meta<tile = [2000, 65536, 32]>} -> tensor<2x3x2000x40xf16>
  return %0 : tensor<2x3x2000x40xf16>
}

// -----

func.func @c13(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected precision "ieee", but got "tf32" for blocks of 'f16'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {precision = "tf32"} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c14(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<1x1x16x40xf16>, %o0: index, %o1: index) -> tensor<1x1x16x40xf16> {
  // expected-error @below {{expected 3 numbers in 'origin', but got 2}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>) origin(%o0, %o1)
      outs(%out : tensor<1x1x16x40xf16>) -> tensor<1x1x16x40xf16>
  return %0 : tensor<1x1x16x40xf16>
}

// -----

#sparse = #sparse_tensor.encoding<{map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)}>
func.func @c15(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16, #sparse>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected no operand in an encoding, but got 'tensor<10x16x32xf16, #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed) }>>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16, #sparse>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c16(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<1000000000000000000x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'blocks' of less than 2^63 bytes, but got 'tensor<1000000000000000000x16x32xf16>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<1000000000000000000x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      outs(%out : tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c17_rank(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>, %c: tensor<3x1xi32>, %s: tensor<20x3xi32>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'counts' of i32 or i64 and rank 1, but got 'tensor<3x1xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      steps(%c, %s : tensor<3x1xi32>, tensor<20x3xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [32, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c17_element(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>, %c: tensor<3xi32>, %s: tensor<20x3xf32>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'steps' of i32 or i64 and rank 2, but got 'tensor<20x3xf32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      steps(%c, %s : tensor<3xi32>, tensor<20x3xf32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [32, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c17_rows(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>, %c: tensor<3xi32>, %s: tensor<10x3xi32>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'steps' of 20 rows, as 'q', but got 'tensor<10x3xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      steps(%c, %s : tensor<3xi32>, tensor<10x3xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [32, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c17_lists(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>, %c: tensor<3xi32>, %s: tensor<20x4xi32>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'steps' of the lists that share the tile of 'meta', 2, but got 'tensor<20x4xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      steps(%c, %s : tensor<3xi32>, tensor<20x4xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [32, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c17_one_list(%offsets: tensor<7xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<6xi32>, %out: tensor<2x3x16x40xf16>, %c: tensor<3xi32>, %s: tensor<20x2xi32>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected 'steps' of the lists that share the tile of 'meta', 1, but got 'tensor<20x2xi32>'}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<6xi32>)
      steps(%c, %s : tensor<3xi32>, tensor<20x2xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {meta = #sattn.meta<tile = [16, 40, 32]>} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}

// -----

func.func @c18(%offsets: tensor<5xi32>, %q: tensor<20xi32>, %blocks: tensor<10x16x32xf16>, %others: tensor<4x3x32x40xf16>, %p: tensor<20xi32>, %r: tensor<4xi32>, %out: tensor<2x3x16x40xf16>) -> tensor<2x3x16x40xf16> {
  // expected-error @below {{expected an entry of 'r' for each of 2 x 3 matrices that are overwritten, but got 4}}
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<5xi32>, tensor<20xi32>, tensor<10x16x32xf16>, tensor<4x3x32x40xf16>) p(%p : tensor<20xi32>) r(%r : tensor<4xi32>)
      outs(%out : tensor<2x3x16x40xf16>) {overwrite} -> tensor<2x3x16x40xf16>
  return %0 : tensor<2x3x16x40xf16>
}
