// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @tensor_map_c1_rank(%source: memref<?x?x?xbf16>) {
  // expected-error @below {{expected a box of rank 3 and element type 'bf16', but got '!wgtile.tensor_map<64x64xbf16, swizzle = 128>'}}
  %0 = wgtile.tensor_map %source
      : memref<?x?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// -----

func.func @tensor_map_c1_element_type(%source: memref<?x?xf16>) {
  // expected-error @below {{expected a box of rank 2 and element type 'f16', but got '!wgtile.tensor_map<64x64xbf16, swizzle = 128>'}}
  %0 = wgtile.tensor_map %source
      : memref<?x?xf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// -----

func.func @launch_c1_no_kernel(%n: index) {
  // expected-error @below {{expected a kernel, but found none named @kernels::@kernel}}
  wgtile.launch @kernels::@kernel grid(%n) args(%n) : index
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%n: index) kernel {
    gpu.return
  }
}
func.func @launch_c1_arguments(%n: index, %x: f32) {
  // expected-error @below {{expected arguments of types 'index', but got 'f32'}}
  wgtile.launch @kernels::@kernel grid(%n) args(%x) : f32
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%n: index) kernel {
    gpu.return
  }
}
func.func @launch_c1_number_of_arguments(%n: index) {
  // expected-error @below {{expected arguments of types 'index', but got 'index', 'index'}}
  wgtile.launch @kernels::@kernel grid(%n) args(%n, %n) : index, index
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%n: index) kernel {
    gpu.return
  }
}
func.func @launch_c2(%n: index) {
  // expected-error @below {{expected 'preprocess' with 'hint'}}
  wgtile.launch @kernels::@kernel grid(%n) args(%n) {hint} : index
  return
}
