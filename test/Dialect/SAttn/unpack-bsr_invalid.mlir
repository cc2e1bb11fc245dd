// RUN: sparse-opt %s --sattn-unpack-bsr --split-input-file --verify-diagnostics

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
// expected-error @below {{expected encoded tensors to be matrices of blocks: expected levels (i floordiv BM : dense, j floordiv BK : compressed, i mod BM : dense, j mod BK : dense) after those of batches, in 'tensor<64x64xf32, #sparse_tensor}}
func.func private @csr(tensor<64x64xf32, #csr>)

// -----

// Upstream's BSC: columns of blocks are dense.
#bsc = #sparse_tensor.encoding<{map = (i, j) -> (j floordiv 8 : dense, i floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
// expected-error @below {{expected levels (i floordiv BM : dense}}
func.func private @bsc(tensor<64x64xf32, #bsc>)

// -----

#mixed = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense), posWidth = 64, crdWidth = 32}>
// expected-error @below {{expected posWidth and crdWidth to be equal, but got 64 and 32}}
func.func private @widths(tensor<64x64xf32, #mixed>)

// -----

#narrow = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense), posWidth = 16, crdWidth = 16}>
// expected-error @below {{expected a posWidth of 32 or 64, but got 16}}
func.func private @narrow(tensor<64x64xf32, #narrow>)

// -----

#explicit = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense), explicitVal = 1.0 : f32}>
// expected-error @below {{expected no explicitVal and no implicitVal}}
func.func private @explicit(tensor<64x64xf32, #explicit>)

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
// expected-error @below {{expected dimension 0 to be a multiple of the block's 8, but got 60}}
func.func private @ragged(tensor<60x64xf32, #bsr>)

// -----

#stacked = #sparse_tensor.encoding<{map = (n, i, j) -> (n : dense, i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
// expected-error @below {{expected static sizes of batches at dense levels}}
func.func private @stacked(tensor<?x64x64xf32, #stacked>)

// -----

#both = #sparse_tensor.encoding<{map = (n, h, i, j) -> (n : batch, h : dense, i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
// expected-error @below {{expected batch levels that are all 'batch' or all 'dense'}}
func.func private @both(tensor<2x3x64x64xf32, #both>)

// -----

// What the pass cannot unpack would reach bufferization as a dense tensor.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
func.func @consumer(%a: tensor<64x64xf32, #bsr>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{'linalg.add' op expected no encoded tensor, since sattn-unpack-bsr cannot unpack it here and bufferization would make it dense, but got 'tensor<64x64xf32, #sparse_tensor.encoding}}
  %0 = linalg.add ins(%a, %b : tensor<64x64xf32, #bsr>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
func.func @producer(%a: tensor<64x64xf32>) {
  // expected-error @below {{'sparse_tensor.convert' op expected no encoded tensor}}
  %0 = sparse_tensor.convert %a : tensor<64x64xf32> to tensor<64x64xf32, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense)}>
// expected-error @below {{'func.func' op expected no encoded tensor}}
func.func @blocks(%a: tensor<64x64xf32, #bsr>) {
  // expected-error @below {{'cf.br' op expected no encoded tensor}}
  cf.br ^bb1(%a : tensor<64x64xf32, #bsr>)
^bb1(%b: tensor<64x64xf32, #bsr>):
  return
}
