// RUN: sparse-opt %s --sattn-emit-manifests --split-input-file \
// RUN:   --verify-diagnostics

// expected-error @below {{expected tensors and scalars that the runtime can pass, but argument 1 is 'index'}}
func.func @scalar(%x: f32, %n: index) {
  return
}

// -----

// expected-error @below {{expected tensors and scalars that the runtime can pass, but argument 0 is 'f16'}}
func.func @narrow_scalar(%x: f16) {
  return
}

// -----

// expected-error @below {{expected tensors and scalars that the runtime can pass, but argument 0 is 'memref<?xi16>'}}
func.func @element(%a: memref<?xi16>) {
  return
}

// -----

// expected-error @below {{expected tensors and scalars that the runtime can pass, but argument 0 is 'memref<*xf32>'}}
func.func @unranked(%a: memref<*xf32>) {
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @load(%sizes: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.load' op expected an op of the host's restricted set (sizes, integer arithmetic, wgtile.tensor_map, wgtile.launch)}}
  %size = memref.load %sizes[%c0] : memref<?xi64>
  "wgtile.launch"(%c0) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @unsigned_comparison(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  // expected-error @below {{'arith.cmpi' op expected an op of the host's restricted set}}
  %0 = arith.cmpi ult, %n, %c0 : index
  "wgtile.launch"(%n) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @control_flow(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  %c = arith.cmpi eq, %n, %c0 : index
  // expected-error @below {{'scf.if' op expected a branch whose results are scratch memory or else an argument of the function}}
  %0 = scf.if %c -> index {
    "wgtile.launch"(%n) <{kernel = @kernels::@kernel}> : (index) -> ()
    scf.yield %c0 : index
  } else {
    scf.yield %n : index
  }
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
// expected-error @below {{expected a host function of one block}}
func.func @blocks(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  cf.br ^next
^next:
  "wgtile.launch"(%c0) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @dimension(%out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?x?xf32>
  // expected-error @below {{expected a constant dimension of an argument}}
  %m = memref.dim %out, %n : memref<?x?xf32>
  "wgtile.launch"(%m) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel(%x: f32) attributes {gpu.kernel, nvvm.kernel,
                                         nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @argument(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  // expected-error @below {{expected arguments that are arguments of the function or integers computed from them}}
  wgtile.launch @kernels::@kernel grid(%c0) args(%x) : f32
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%x: f32) kernel {
    gpu.return
  }
}
func.func @not_lowered(%x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a lowered kernel with a number of threads (convert-kernel-to-llvm)}}
  wgtile.launch @kernels::@kernel grid(%c0) args(%x) : f32
  return
}

// -----

// expected-error @below {{'func.func' op expected a name in UTF-8, as JSON takes}}
func.func @"\FF"(%x: f32) {
  return
}

// -----

// expected-error @below {{expected 'sattn.names' to be an array of at most 1 strings, but got ["x", "y"]}}
func.func @names(%x: f32) attributes {sattn.names = ["x", "y"]} {
  return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}
func.func @assertion(%a: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %yes = wgtile.tma_compatible %a : memref<?xf32>
  // expected-error @below {{'cf.assert' op expected a place in a branch, and an integer of the host}}
  cf.assert %yes, "other"
  "wgtile.launch"(%c1) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}
