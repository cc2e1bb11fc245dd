// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS %}
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES

// Attention at stored blocks on GPUs with the computed tiles. The producer alone
// reads the columns.

// ROLES-LABEL: gpu.func @heads_64(
// ROLES:         wgtile.roles producer
// ROLES:             memref.load %{{.*}} : memref<?xi32
// ROLES:             wgtile.tma_load
// ROLES:             wgtile.tma_load

// CHECK-LABEL: .entry heads_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}heads_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @heads_64(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x?x128xbf16>,
    %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>, %out: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      outs(%out : tensor<?x?x128xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x?x128xbf16>
  return %0 : tensor<?x?x128xbf16>
}

// CHECK-LABEL: .entry heads_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTXAS-DAG: {{^}}heads_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @heads_128(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x?x128xf16>,
    %k: tensor<?x?x128xf16>, %v: tensor<?x?x128xf16>, %out: tensor<?x?x128xf16>) -> tensor<?x?x128xf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x128xf16>, tensor<?x?x128xf16>, tensor<?x?x128xf16>)
      outs(%out : tensor<?x?x128xf16>) {block_size = array<i64: 128, 128>} -> tensor<?x?x128xf16>
  return %0 : tensor<?x?x128xf16>
}

// Dropout's words are of 32 bits, multiplied to 64.
// CHECK-LABEL: .entry dropout(
// CHECK: mul.wide.u32
// CHECK: wgmma.mma_async
// PTXAS-DAG: {{^}}dropout: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @dropout(%scale: f32, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x?x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>, %out: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x?x64xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x?x64xbf16>
  return %0 : tensor<?x?x64xbf16>
}

func.func @blocks_8x16(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 8, 16>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_16x16(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 16, 16>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_24x48(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 24, 48>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_32x32(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 32, 32>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_48x96(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 48, 96>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_136x16(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 136, 16>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @blocks_256x192(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>) {block_size = array<i64: 256, 192>} -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

func.func @columns_33_20(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x33xbf16>, %k: tensor<?x33xbf16>,
    %v: tensor<?x20xbf16>, %out: tensor<?x20xbf16>) -> tensor<?x20xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x33xbf16>, tensor<?x33xbf16>, tensor<?x20xbf16>)
      outs(%out : tensor<?x20xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x20xbf16>
  return %0 : tensor<?x20xbf16>
}

func.func @columns_1_1(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x1xbf16>, %k: tensor<?x1xbf16>,
    %v: tensor<?x1xbf16>, %out: tensor<?x1xbf16>) -> tensor<?x1xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x1xbf16>, tensor<?x1xbf16>, tensor<?x1xbf16>)
      outs(%out : tensor<?x1xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x1xbf16>
  return %0 : tensor<?x1xbf16>
}

func.func @columns_64_128(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x128xbf16>, %out: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x128xbf16>)
      outs(%out : tensor<?x128xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x128xbf16>
  return %0 : tensor<?x128xbf16>
}

func.func @columns_256_256(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x256xbf16>, %k: tensor<?x256xbf16>,
    %v: tensor<?x256xbf16>, %out: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?x256xbf16>)
      outs(%out : tensor<?x256xbf16>) {block_size = array<i64: 64, 64>} -> tensor<?x256xbf16>
  return %0 : tensor<?x256xbf16>
}

func.func @tf32(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf32>, %k: tensor<?x64xf32>,
    %v: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%out : tensor<?x64xf32>) {block_size = array<i64: 64, 64>, precision = "tf32"} -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

func.func @dropout_128(%scale: f32, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>, %out: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x?x128xbf16>) {block_size = array<i64: 128, 128>} -> tensor<?x?x128xbf16>
  return %0 : tensor<?x?x128xbf16>
}
