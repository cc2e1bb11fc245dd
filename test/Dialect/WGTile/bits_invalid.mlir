// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @lane_bits_c1(%p: i1) {
  // expected-error @below {{'wgtile.lane_bits' op expected 2 or 4 parts, but got 3}}
  %w = wgtile.lane_bits %p, %p, %p
  return
}

// -----

func.func @bits_below_c1_layout(%x: tensor<64xi32>) {
  // expected-error @below {{'wgtile.bits_below' op expected i32 of the rows of a tile that warps divide along its rows alone, in runs of 2, but got 'tensor<64xi32>'}}
  %w = wgtile.bits_below %x : tensor<64xi32>
  return
}

// -----

func.func @bits_below_c1_columns(%x: tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>) {
  // expected-error @below {{op expected i32 of the rows of a tile}}
  %w = wgtile.bits_below %x : tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
  return
}

// -----

!rows = tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
func.func @test_bits_c1(%x: !rows) {
  // expected-error @below {{'wgtile.test_bits' op expected an i32 for each row of 'tensor<128x64xi1, #wgtile.mma<warps = 4>>', but got}}
  %t = wgtile.test_bits %x : !rows -> tensor<128x64xi1, #wgtile.mma<warps = 4>>
  return
}

// -----

!rows = tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
func.func @test_bits_c2(%x: !rows) {
  // expected-error @below {{'wgtile.test_bits' op expected a tile of i1 of at most 128 columns that warps divide along its rows alone, in runs of 2, but got}}
  %t = wgtile.test_bits %x : !rows -> tensor<64x256xi1, #wgtile.mma<warps = 4>>
  return
}
