// Heads of any width up to 512, and f32 as tf32, go the whole way with the computed
// default's tiles, on every chip. No kernel spills.
// RUN: sparse-translate --to=ptx --versions=tma %s | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_86 %s -o /dev/null %}

// One MMA has all columns of Q and K; the loop over parts of V's columns is of the
// launch.
// CHECK-LABEL: .entry d512(
// CHECK-DAG: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-DAG: wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16
func.func @d512(%scale: f32, %q: tensor<?x?x?x512xbf16>, %k: tensor<?x?x?x512xbf16>, %v: tensor<?x?x?x512xbf16>,
    %o: tensor<?x?x?x512xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x512xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x512xbf16>, tensor<?x?x?x512xbf16>, tensor<?x?x?x512xbf16>)
      outs(%o, %lse : tensor<?x?x?x512xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x512xbf16>, tensor<?x?x?xf32>
      {mask = #sattn.mask<right = 0>}
  return %0#0, %0#1 : tensor<?x?x?x512xbf16>, tensor<?x?x?xf32>
}

// CHECK-LABEL: .entry values_of_512(
func.func @values_of_512(%scale: f32, %q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x512xf16>,
    %o: tensor<?x?x512xf16>) -> tensor<?x?x512xf16> {
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x512xf16>)
      outs(%o : tensor<?x?x512xf16>) -> tensor<?x?x512xf16>
  return %0 : tensor<?x?x512xf16>
}

// Rows of 257 elements begin at no multiple of 16 bytes: no TMA.
// CHECK-LABEL: .entry d257(
// CHECK-NOT: cp.async.bulk
func.func @d257(%scale: f32, %q: tensor<?x?x257xbf16>, %k: tensor<?x?x257xbf16>, %v: tensor<?x?x5xbf16>,
    %o: tensor<?x?x5xbf16>) -> tensor<?x?x5xbf16> {
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x257xbf16>, tensor<?x?x257xbf16>, tensor<?x?x5xbf16>)
      outs(%o : tensor<?x?x5xbf16>) -> tensor<?x?x5xbf16>
  return %0 : tensor<?x?x5xbf16>
}

// The weights are a left operand in registers.
// CHECK-LABEL: .entry tf32(
// CHECK: cvt.rna.tf32.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @tf32(%scale: f32, %q: tensor<?x?x?x128xf32>, %k: tensor<?x?x?x128xf32>, %v: tensor<?x?x?x128xf32>,
    %o: tensor<?x?x?x128xf32>) -> tensor<?x?x?x128xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>)
      outs(%o : tensor<?x?x?x128xf32>) -> tensor<?x?x?x128xf32> {mask = #sattn.mask<right = 0>, precision = "tf32"}
  return %0 : tensor<?x?x?x128xf32>
}

// CHECK-LABEL: .entry tf32_d512(
func.func @tf32_d512(%scale: f32, %q: tensor<?x?x512xf32>, %k: tensor<?x?x512xf32>, %v: tensor<?x?x512xf32>,
    %o: tensor<?x?x512xf32>) -> tensor<?x?x512xf32> {
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x512xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>)
      outs(%o : tensor<?x?x512xf32>) -> tensor<?x?x512xf32> {precision = "tf32"}
  return %0 : tensor<?x?x512xf32>
}

// CHECK-LABEL: .entry d33(
// CHECK-NOT: cp.async.bulk
// CHECK: mma.sync.aligned.m16n8k16
func.func @d33(%scale: f32, %q: tensor<?x?x?x33xbf16>, %k: tensor<?x?x?x33xbf16>, %v: tensor<?x?x?x33xbf16>,
    %o: tensor<?x?x?x33xbf16>) -> tensor<?x?x?x33xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x33xbf16>, tensor<?x?x?x33xbf16>, tensor<?x?x?x33xbf16>)
      outs(%o : tensor<?x?x?x33xbf16>) -> tensor<?x?x?x33xbf16> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x?x33xbf16>
}

// Of 96 columns MMAs take 96: as many columns of the result, and six steps along K.
// CHECK-LABEL: .entry d96(
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
// CHECK-COUNT-6: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
func.func @d96(%scale: f32, %q: tensor<?x?x?x96xbf16>, %k: tensor<?x?x?x96xbf16>, %v: tensor<?x?x?x96xbf16>,
    %o: tensor<?x?x?x96xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x96xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x96xbf16>, tensor<?x?x?x96xbf16>, tensor<?x?x?x96xbf16>)
      outs(%o, %lse : tensor<?x?x?x96xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x96xbf16>, tensor<?x?x?xf32>
      {mask = #sattn.mask<right = 0>}
  return %0#0, %0#1 : tensor<?x?x?x96xbf16>, tensor<?x?x?xf32>
}
