// Heads of up to 80 columns have tiles of three warpgroups. Of the four, the producer
// has 32 registers, in which it does not keep all addresses.
// RUN: sparse-translate --to=ptx --versions=tma %s | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_86 %s -o /dev/null %}

// Of 72 and 80 columns MMAs take 80: as many columns of the result, and five steps
// along K.
// CHECK-LABEL: .entry d72(
// CHECK-COUNT-7: wgmma.mma_async.sync.aligned.m64n80k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
// CHECK-COUNT-5: wgmma.mma_async.sync.aligned.m64n112k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
func.func @d72(%scale: f32, %q: tensor<?x?x?x72xbf16>, %k: tensor<?x?x?x72xbf16>, %v: tensor<?x?x?x72xbf16>,
    %o: tensor<?x?x?x72xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x72xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x72xbf16>, tensor<?x?x?x72xbf16>, tensor<?x?x?x72xbf16>)
      outs(%o, %lse : tensor<?x?x?x72xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x72xbf16>, tensor<?x?x?xf32>
      {mask = #sattn.mask<right = 0>}
  return %0#0, %0#1 : tensor<?x?x?x72xbf16>, tensor<?x?x?xf32>
}

// CHECK-LABEL: .entry d80(
// CHECK-COUNT-7: wgmma.mma_async.sync.aligned.m64n80k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
// CHECK-COUNT-5: wgmma.mma_async.sync.aligned.m64n112k16.f32.bf16.bf16
// CHECK-NEXT: wgmma.commit_group
func.func @d80(%scale: f32, %q: tensor<?x?x?x80xbf16>, %k: tensor<?x?x?x80xbf16>, %v: tensor<?x?x?x80xbf16>,
    %o: tensor<?x?x?x80xbf16>) -> tensor<?x?x?x80xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x80xbf16>, tensor<?x?x?x80xbf16>, tensor<?x?x?x80xbf16>)
      outs(%o : tensor<?x?x?x80xbf16>) -> tensor<?x?x?x80xbf16>
  return %0 : tensor<?x?x?x80xbf16>
}
