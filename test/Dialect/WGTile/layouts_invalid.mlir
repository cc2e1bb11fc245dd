// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a positive number of warps, but got 0}}
func.func private @mma_warps(tensor<64x64xf32, #wgtile.mma<warps = 0>>)

// -----

// expected-error @below {{expected a run of 2, 4 or 8 columns, but got 6}}
func.func private @mma_run(tensor<16x48xf32, #wgtile.mma<warps = 1, run = 6>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 32 columns for #wgtile.mma<warps = 1, run = 8>}}
func.func private @mma_run_columns(tensor<16x48xf32, #wgtile.mma<warps = 1, run = 8>>)

// -----

// expected-error @below {{expected a divisor of the 4 warps along the columns, but got 3}}
func.func private @mma_column_warps(tensor<64x72xf32, #wgtile.mma<warps = 4, column_warps = 3>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 16 columns for #wgtile.mma<warps = 4, column_warps = 2>}}
func.func private @mma_divided_columns(tensor<64x24xf32, #wgtile.mma<warps = 4, column_warps = 2>>)

// -----

// expected-error @below {{expected a vector of a multiple of 16 elements for #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4, column_warps = 2>>}}
func.func private @column_divided(tensor<24xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4, column_warps = 2>>>)

// -----

// expected-error @below {{expected from 1 to 64 stages, but got 0}}
func.func private @no_stages(!wgtile.ring<0, [!wgtile.shared<64x64xbf16>]>)

// -----

// expected-error @below {{expected the types of shared tiles with a swizzle, or i32, but got ['f32']}}
func.func private @stages_of_scalars(!wgtile.ring<2, [f32]>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 8 columns for #wgtile.mma<warps = 4>}}
func.func private @mma_rows(tensor<60x64xf32, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 8 columns for #wgtile.mma<warps = 4>}}
func.func private @mma_columns(tensor<64x12xf32, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 8 columns for #wgtile.mma<warps = 4>}}
func.func private @mma_rank(tensor<64xf32, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 8 columns for #wgtile.mma<warps = 4>}}
func.func private @mma_dynamic(tensor<64x?xf32, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected a vector of a multiple of 8 elements for #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>}}
func.func private @row_elements(tensor<60xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>)

// -----

// expected-error @below {{expected a vector of a multiple of 8 elements for #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>}}
func.func private @row_rank(tensor<64x64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>)

// -----

// slice (C1)
// expected-error @below {{expected dim 0 or 1, but got 2}}
func.func private @slice_dim(tensor<64xf32, #wgtile.slice<dim = 2, parent = #wgtile.mma<warps = 4>>>)

// -----

// expected-error @below {{expected a vector of a multiple of 8 elements for #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>}}
func.func private @column_elements(tensor<12xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>)

// -----

// expected-error @below {{expected a vector of a multiple of 8 elements for #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>}}
func.func private @column_dynamic(tensor<?xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>)

// -----

// expected-error @below {{expected two positive sizes, but got [64]}}
func.func private @shared_rank(!wgtile.shared<64xbf16>)

// -----

// expected-error @below {{expected two positive sizes, but got [0, 64]}}
func.func private @shared_size(!wgtile.shared<0x64xbf16>)

// -----

// expected-error @below {{expected elements of whole bytes up to 64 bits, but got 'i1'}}
func.func private @shared_bits(!wgtile.shared<64x64xi1>)

// -----

// expected-error @below {{expected elements of whole bytes up to 64 bits, but got 'index'}}
func.func private @shared_element(!wgtile.shared<64x64xindex>)

// -----

// expected-error @below {{expected a swizzle of 0, 32, 64 or 128 bytes, but got 48}}
func.func private @shared_swizzle(!wgtile.shared<64x64xbf16, swizzle = 48>)

// -----

func.func private @map_rank(
    // expected-error @below {{expected a box of 1 to 5 dimensions, but got 6}}
    !wgtile.tensor_map<1x1x1x1x64x64xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected a box of 1 to 5 dimensions, but got 0}}
func.func private @map_no_rank(!wgtile.tensor_map<bf16, swizzle = 128>)

// -----

// expected-error @below {{expected box sizes from 1 to 256, but got 257}}
func.func private @map_box(!wgtile.tensor_map<257x64xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected box sizes from 1 to 256, but got 0}}
func.func private @map_empty_box(!wgtile.tensor_map<0x64xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected elements of whole bytes up to 64 bits, but got 'i4'}}
func.func private @map_bits(!wgtile.tensor_map<64x64xi4, swizzle = 128>)

// -----

// expected-error @below {{expected a swizzle of 32, 64 or 128 bytes, but got 0}}
func.func private @map_swizzle(!wgtile.tensor_map<64x64xbf16, swizzle = 0>)

// -----

// expected-error @below {{expected at most 32 warps, but got 64}}
func.func private @mma_many_warps(tensor<64x64xf32, #wgtile.mma<warps = 64>>)

// -----

// expected-error @below {{expected a tile of a multiple of 8 rows and of 8 columns for #wgtile.mma<warps = 4>}}
func.func private @mma_huge(tensor<64x4611686018427387904xf32, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected elements that are integers or floats of up to 64 bits, but got 'index'}}
func.func private @mma_index(tensor<64x64xindex, #wgtile.mma<warps = 4>>)

// -----

// expected-error @below {{expected sizes up to 65536, but got [64, 4611686018427387904]}}
func.func private @shared_huge(!wgtile.shared<64x4611686018427387904xbf16>)

// -----

// expected-error @below {{expected rows to be a positive multiple of 8 up to 256, but got 272}}
func.func private @shared_rows(!wgtile.shared<272x64xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected columns to be a positive multiple of 64, but got 48}}
func.func private @shared_columns(!wgtile.shared<64x48xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected the types of shared tiles with a swizzle}}
func.func private @stages_no_swizzle(!wgtile.ring<2, [!wgtile.shared<64x64xbf16>]>)

// -----

// expected-error @below {{expected from 1 to 64 stages, but got 4611686018427387904}}
func.func private @stages_huge(!wgtile.ring<4611686018427387904, [!wgtile.shared<64x64xbf16, swizzle = 128>]>)

// -----

// expected-error @below {{undefined symbol alias id 'x64xf32'}}
func.func private @element_alias(tensor<!x64xf32, #wgtile.mma<warps = 4>>)
