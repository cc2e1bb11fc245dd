// RUN: sparse-opt %s --split-input-file --verify-diagnostics
// Each function breaks one constraint of the op's description.

// -----

func.func @c1_output(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<8x12xf32>,
    %grad_out: tensor<8x12xf32>, %grad_in: tensor<8x12xf32>) {
  // expected-error @below {{expected 'output' of rank 3 or more, but got 'tensor<8x12xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<8x12xf32>, tensor<8x12xf32>)
      outs(%grad_in : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

#sparse = #sparse_tensor.encoding<{map = (p, i, j) -> (p : dense, i : dense, j : compressed)}>
func.func @c1_encoding(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32, #sparse>,
    %grad_out: tensor<?x8x12xf32, #sparse>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected operands that are in no encoding, but got 'tensor<?x8x12xf32, #sparse_tensor}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32, #sparse>, tensor<?x8x12xf32, #sparse>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c1_crow(%crow: tensor<2x?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected 'crow' of rank 1 to 1, but got 'tensor<2x?xi32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<2x?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c1_col(%crow: tensor<?xi32>, %col: tensor<3x2x?xi32>, %output: tensor<2x?x8x12xf32>,
    %grad_out: tensor<2x?x8x12xf32>, %grad_in: tensor<2x?x8x12xf32>) {
  // expected-error @below {{expected 'col' of rank 1 to 2, but got 'tensor<3x2x?xi32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<3x2x?xi32>, tensor<2x?x8x12xf32>, tensor<2x?x8x12xf32>)
      outs(%grad_in : tensor<2x?x8x12xf32>) -> tensor<2x?x8x12xf32>
  return
}

// -----

func.func @c1_scalar(%crow: tensor<i32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected 'crow' of rank 1 to 1, but got 'tensor<i32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<i32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c2_crow(%crow: tensor<?xi16>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi16>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c2_col(%crow: tensor<?xi32>, %col: tensor<?xi64>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi64>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c3(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xi8>,
    %grad_out: tensor<?x8x12xi8>, %grad_in: tensor<?x8x12xi8>) {
  // expected-error @below {{expected element type f16, bf16, f32 or f64 of 'output', but got 'i8'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xi8>, tensor<?x8x12xi8>)
      outs(%grad_in : tensor<?x8x12xi8>) -> tensor<?x8x12xi8>
  return
}

// -----

func.func @c4_dynamic(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x?xf32>,
    %grad_out: tensor<?x8x?xf32>, %grad_in: tensor<?x8x?xf32>) {
  // expected-error @below {{expected blocks of static, positive size, but got 'output' of type 'tensor<?x8x?xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x?xf32>, tensor<?x8x?xf32>)
      outs(%grad_in : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  return
}

// -----

func.func @c4_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x0x12xf32>,
    %grad_out: tensor<?x0x12xf32>, %grad_in: tensor<?x0x12xf32>) {
  // expected-error @below {{expected blocks of static, positive size, but got 'output' of type 'tensor<?x0x12xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x0x12xf32>, tensor<?x0x12xf32>)
      outs(%grad_in : tensor<?x0x12xf32>) -> tensor<?x0x12xf32>
  return
}

// -----

func.func @c5_element(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf16>) {
  // expected-error @below {{expected 'grad_in' of the type of 'output', 'tensor<?x8x12xf32>', but got 'tensor<?x8x12xf16>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf16>) -> tensor<?x8x12xf16>
  return
}

// -----

func.func @c5_block(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x?xf32>) {
  // expected-error @below {{expected 'grad_in' of the type of 'output', 'tensor<?x8x12xf32>', but got 'tensor<?x8x?xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  return
}

// -----

func.func @c5_extent(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<5x8x12xf32>,
    %grad_out: tensor<5x8x12xf32>, %grad_in: tensor<6x8x12xf32>) {
  // expected-error @below {{expected 'grad_in' of the type of 'output', 'tensor<5x8x12xf32>', but got 'tensor<6x8x12xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<5x8x12xf32>, tensor<5x8x12xf32>)
      outs(%grad_in : tensor<6x8x12xf32>) -> tensor<6x8x12xf32>
  return
}

// -----

func.func @c5_grad_element(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf16>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected 'grad_out' of the type of 'output', 'tensor<?x8x12xf32>', but got 'tensor<?x8x12xf16>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf16>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c5_grad_block(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x?xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected 'grad_out' of the type of 'output', 'tensor<?x8x12xf32>', but got 'tensor<?x8x?xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x?xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c5_grad_rank(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<2x?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected 'grad_out' of the type of 'output', 'tensor<?x8x12xf32>', but got 'tensor<2x?x8x12xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<2x?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c6(%crow: tensor<?xi32>, %col: tensor<6xi32>, %output: tensor<5x8x12xf32>,
    %grad_out: tensor<5x8x12xf32>, %grad_in: tensor<5x8x12xf32>) {
  // expected-error @below {{expected 'col' of 5 entries, the blocks of 'output', but got 6}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<6xi32>, tensor<5x8x12xf32>, tensor<5x8x12xf32>)
      outs(%grad_in : tensor<5x8x12xf32>) -> tensor<5x8x12xf32>
  return
}

// -----

func.func @c7_crow(%crow: tensor<3x?xi32>, %col: tensor<?xi32>, %output: tensor<2x?x8x12xf32>,
    %grad_out: tensor<2x?x8x12xf32>, %grad_in: tensor<2x?x8x12xf32>) {
  // expected-error @below {{expected batch dimension 0 of 'crow' to be 1 or 2, but got 3}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<3x?xi32>, tensor<?xi32>, tensor<2x?x8x12xf32>, tensor<2x?x8x12xf32>)
      outs(%grad_in : tensor<2x?x8x12xf32>) -> tensor<2x?x8x12xf32>
  return
}

// -----

func.func @c7_col(%crow: tensor<?xi32>, %col: tensor<2x?xi32>, %output: tensor<2x4x?x8x12xf32>,
    %grad_out: tensor<2x4x?x8x12xf32>, %grad_in: tensor<2x4x?x8x12xf32>) {
  // expected-error @below {{expected batch dimension 0 of 'col' to be 1 or 4, but got 2}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<2x?xi32>, tensor<2x4x?x8x12xf32>, tensor<2x4x?x8x12xf32>)
      outs(%grad_in : tensor<2x4x?x8x12xf32>) -> tensor<2x4x?x8x12xf32>
  return
}

// -----

func.func @c8(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the result to have the type of 'grad_in', 'tensor<?x8x12xf32>', but got 'tensor<5x8x12xf32>'}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) -> tensor<5x8x12xf32>
  return
}

// -----

func.func @c9_rows(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the tile's M to divide the block's 8 rows, but got 3}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) {meta = #sattn.meta<tile = [3, 12, 12]>} -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c9_columns(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the tile's N to be the block's 12 columns or a multiple of 8 up to 16, but got 10}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) {meta = #sattn.meta<tile = [4, 10, 10]>} -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c9_wide(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the tile's N to be the block's 12 columns or a multiple of 8 up to 16, but got 24}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) {meta = #sattn.meta<tile = [4, 24, 24]>} -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c9_depth(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the tile's K to be 1 to 256 times its N, 8, but got 12}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) {meta = #sattn.meta<tile = [4, 8, 12]>} -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c9_deep(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x12xf32>,
    %grad_out: tensor<?x8x12xf32>, %grad_in: tensor<?x8x12xf32>) {
  // expected-error @below {{expected the tile's K to be 1 to 256 times its N, 8, but got 2056}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>)
      outs(%grad_in : tensor<?x8x12xf32>) {meta = #sattn.meta<tile = [4, 8, 2056]>} -> tensor<?x8x12xf32>
  return
}

// -----

func.func @c9_warps(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x8x16xf32>,
    %grad_out: tensor<?x8x16xf32>, %grad_in: tensor<?x8x16xf32>) {
  // expected-error @below {{expected 'warps' to be a power of two up to 4, but got 3}}
  sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x8x16xf32>, tensor<?x8x16xf32>)
      outs(%grad_in : tensor<?x8x16xf32>) {meta = #sattn.meta<tile = [1, 16, 256], warps = 3>} -> tensor<?x8x16xf32>
  return
}

// -----

// (C5), (C6) and (C7) of dynamic sizes are what a run requires (record-contracts_bsr-softmax-backward.mlir).
func.func @dynamic(%crow: tensor<?x?xi32>, %col: tensor<?x5xi32>, %output: tensor<2x?x8x12xf32>,
    %grad_out: tensor<2x?x8x12xf32>, %grad_in: tensor<?x7x8x12xf32>) {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?x?xi32>, tensor<?x5xi32>, tensor<2x?x8x12xf32>, tensor<2x?x8x12xf32>)
      outs(%grad_in : tensor<?x7x8x12xf32>) -> tensor<?x7x8x12xf32>
  return
}
