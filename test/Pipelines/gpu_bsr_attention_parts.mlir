// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --schedule=plain %s -o /dev/null %}
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS %}
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES

// Attention whose long block rows are computed in parts. The tiles are sorted,
// so a kernel before finds each tile's number of blocks. In the main kernel the
// producer and the consumers search for a cut's row; the producer keeps
// registers for that. The kernel that combines parts starts while attention
// ends, and waits for it before it reads them.

// ROLES-LABEL: gpu.func @heads_64(
// ROLES-SAME:    producer_registers = 64, {{.*}} tile_order = sorted
// ROLES:         wgtile.roles producer warps 4 registers 64
// ROLES:             scf.for
// ROLES:               memref.load %{{.*}} : memref<?xi32
// ROLES:             wgtile.tma_load
// ROLES:         consumer
// ROLES:             scf.for
// ROLES:               memref.load %{{.*}} : memref<?xi32
// ROLES:             scf.if
// ROLES:               wgtile.store %{{.*}} : tensor<64x32xf32,
// ROLES:               wgtile.store %{{.*}} : tensor<64xf32,

// CHECK-LABEL: .entry heads_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: lg2.approx
// CHECK: st.global.v2.b32
// CHECK-LABEL: .entry heads_64_0(
// CHECK: griddepcontrol.wait
// CHECK: ex2.approx
// CHECK: ld.global.v4.b32
// PTXAS-DAG: {{^}}heads_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}heads_64_0: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @heads_64(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>,
    %v: tensor<?x?x128xbf16>, %out: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      outs(%out : tensor<?x?x128xbf16>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 128, 64], stages = 2, raster_group = 8, split_k = 512>}
      -> tensor<?x?x128xbf16>
  return %0 : tensor<?x?x128xbf16>
}

// CHECK-LABEL: .entry heads_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTXAS-DAG: {{^}}heads_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @heads_128(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x?x128xf16>, %k: tensor<?x?x128xf16>,
    %v: tensor<?x?x128xf16>, %out: tensor<?x?x128xf16>) -> tensor<?x?x128xf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x128xf16>, tensor<?x?x128xf16>, tensor<?x?x128xf16>)
      outs(%out : tensor<?x?x128xf16>)
      {block_size = array<i64: 128, 128>, meta = #sattn.meta<tile = [128, 128, 128], stages = 2, raster_group = 8, split_k = 256>}
      -> tensor<?x?x128xf16>
  return %0 : tensor<?x?x128xf16>
}

func.func @narrow(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>)
      {block_size = array<i64: 32, 32>, meta = #sattn.meta<tile = [32, 64, 32], stages = 2, raster_group = 8, split_k = 512>}
      -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

// Rows of no multiple of 16 bytes.
func.func @columns_20(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x20xbf16>, %k: tensor<?x20xbf16>,
    %v: tensor<?x20xbf16>, %out: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x20xbf16>, tensor<?x20xbf16>, tensor<?x20xbf16>)
      outs(%out : tensor<?x20xbf16>)
      {block_size = array<i64: 16, 16>, meta = #sattn.meta<tile = [16, 24, 16], stages = 2, raster_group = 8, split_k = 512>}
      -> tensor<?x20xbf16>
  return %0 : tensor<?x20xbf16>
}
