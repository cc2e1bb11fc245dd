// RUN: sparse-opt %s --allow-unregistered-dialect --split-input-file \
// RUN:   --verify-diagnostics

// expected-error @below {{expected 3 tile sizes (M, N, K), but got 2}}
"test.op"() {meta = #sattn.meta<tile = [64, 128]>} : () -> ()

// -----

// expected-error @below {{expected 3 tile sizes (M, N, K), but got 4}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64, 1]>} : () -> ()

// -----

// expected-error @below {{expected positive tile sizes, but got [64, 0, 64]}}
"test.op"() {meta = #sattn.meta<tile = [64, 0, 64]>} : () -> ()

// -----

// expected-error @below {{expected positive tile sizes, but got [64, 128, -64]}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, -64]>} : () -> ()

// -----

// expected-error @below {{expected 'tile'}}
"test.op"() {meta = #sattn.meta<[64, 128, 64]>} : () -> ()

// -----

// expected-error @below {{expected 'stages' to be positive, but got 0}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], stages = 0>} : () -> ()

// -----

// expected-error @below {{expected 'warps' to be positive, but got -4}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], warps = -4>} : () -> ()

// -----

// expected-error @below {{expected 'raster_group' to be positive, but got 0}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], stages = 2, raster_group = 0>} : () -> ()

// -----

// expected-error @below {{expected 'stages', 'warps', 'raster_group', 'split_k', 'register_rows', 'register_vectors' or 'threads', but got 'depth'}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], depth = 2>} : () -> ()

// -----

// expected-error @below {{expected 'warps' once}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], warps = 2, warps = 2>} : () -> ()

// -----

// expected-error @below {{expected 'register_vectors' to be positive, but got 0}}
"test.op"() {meta = #sattn.meta<tile = [64, 128, 64], register_rows = 6, register_vectors = 0>} : () -> ()
