// What has another name now is refused with the new one: ops, attributes,
// keywords, passes and options (include/sattn/Support/OldNames.h).

// RUN: sparse-opt %s --split-input-file --verify-diagnostics --wgtile-outline-kernels

// RUN: echo | not sparse-opt --wgtile-slice-stores 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: 'wgtile-slice-stores' is now 'wgtile-subtile-epilogue'

// Three passes became one.
// RUN: echo | not sparse-opt --wgtile-stage-epilogue-loads 2>&1 | FileCheck %s --check-prefix=MERGED
// RUN: echo | not sparse-opt --wgtile-prefetch-reads 2>&1 | FileCheck %s --check-prefix=MERGED
// MERGED: is now 'wgtile-place-epilogue-loads'

// RUN: echo | not sparse-opt --pass-pipeline='builtin.module(gpu.module(convert-sattn-to-wgtile))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NESTED
// NESTED: 'convert-sattn-to-wgtile' is now 'convert-vector-to-wgtile'

// RUN: echo | not sparse-opt --wgtile-persist='dynamic=false columns=2' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: option of wgtile-persist: 'dynamic' is now 'wgtile.schedule of the kernel'

// RUN: echo | not sparse-opt --pass-pipeline='builtin.module(gpu.module(wgtile-specialize{blocks=1}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: option of wgtile-specialize: 'blocks' is now 'wgtile.schedule of the kernel'

// RUN: echo | not sparse-opt --wgtile-allocate-shared=max-shared-bytes=1 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: option of wgtile-allocate-shared: 'max-shared-bytes' is now 'wgtile.target of the gpu.module'

// RUN: echo | not sparse-opt --sattn-inject-meta='target=sm_80 max-shared-bytes=1' 2>&1 | FileCheck %s --check-prefix=META
// META: option of sattn-inject-meta: 'max-shared-bytes' is now 'target'

// RUN: echo | not sparse-opt --wgtile-order-tiles 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: 'wgtile-order-tiles' is now 'wgtile-persist'

func.func @op(%ring: !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>) {
  // expected-error @below {{custom op 'wgtile.ring_take' is now 'wgtile.consumer_wait'}}
  wgtile.ring_take %ring : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
  return
}

// -----

func.func @staging() {
  // expected-error @below {{custom op 'wgtile.staging' is now 'wgtile.ring'}}
  %0 = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  return
}

// -----

func.func @host_op(%a: memref<?xf32>) {
  // expected-error @below {{custom op 'wgtile.mappable' is now 'wgtile.tma_compatible'}}
  %0 = wgtile.mappable %a : memref<?xf32>
  return
}

// -----

// expected-error @below {{'row' is now 'slice with dim = 1'}}
func.func private @layout(tensor<64xf32, #wgtile.row<warps = 4>>)

// -----

// expected-error @below {{expected an attribute of wgtile, but got 'blocked'}}
func.func private @no_layout(tensor<64xf32, #wgtile.blocked<warps = 4>>)

// -----

func.func @loop(%n: index) {
  // expected-error @below {{'wgtile.for_each_tile' op has an attribute's old name: 'columns' is now 'wgtile.schedule of the kernel'}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {columns = 2 : i64} {
  }
  return
}

// -----

func.func @mapped_loop(%n: index, %out: memref<?xf32>, %x: f32) {
  // expected-error @below {{has an attribute's old name: 'stages' is now 'sattn.stages'}}
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>], stages = 3 : i64}
  return
}

// -----

func.func @launch(%n: index) {
  // expected-error @below {{'prepare' is now 'preprocess'}}
  wgtile.launch @kernels::@kernel grid(%n) args(%n) prepare : index
  return
}

// -----

// expected-error @below {{has an attribute's old name: 'wgtile.copy_engine' is now 'wgtile.tma'}}
func.func private @version() attributes {wgtile.copy_engine}

// -----

// expected-error @below {{has an attribute's old name: 'wgtile.mappable' is now 'wgtile.tma_compatible'}}
func.func private @argument(memref<?xf32> {wgtile.mappable})

// -----

// expected-error @below {{'group' is now 'raster_group'}}
func.func private @meta() attributes {test.meta = #sattn.meta<tile = [64, 128, 64], group = 2>}
