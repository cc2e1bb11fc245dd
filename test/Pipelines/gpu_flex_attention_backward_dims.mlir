// Gradients of wide heads go the whole way with the computed default's tiles, on every chip.
// A tile has a part of the columns of the gradient where its sums would not fit in registers,
// and as many rows as fit in shared memory. No kernel spills whose operands lie as TMA takes
// them; of others those of sm_80 spill up to 28 bytes.
// RUN: sparse-opt --sattn-inject-meta=target=sm_86 %s | FileCheck %s --check-prefix=TILE
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --versions=tma %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --versions=tma --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --versions=tma --chip=sm_86 %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --versions=tma --chip=sm_89 %s -o /dev/null %}
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

// TILE-LABEL: @dq_256(
// TILE: meta = #sattn.meta<tile = [64, 256, 16]
func.func @dq_256(%scale: f32, %q: tensor<?x?x256xbf16>, %k: tensor<?x?x256xbf16>, %v: tensor<?x?x256xbf16>,
    %go: tensor<?x?x256xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x256xbf16>
}

// TILE-LABEL: @dv_256(
// TILE: meta = #sattn.meta<tile = [16, 256, 64]
func.func @dv_256(%scale: f32, %q: tensor<?x?x256xbf16>, %k: tensor<?x?x256xbf16>, %v: tensor<?x?x256xbf16>,
    %go: tensor<?x?x256xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dv: tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16> {
  %0 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dv : tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16> {mask = #sattn.mask<right = 0>, only = "dv"}
  return %0 : tensor<?x?x256xbf16>
}

// TILE-LABEL: @dq_512(
// TILE: meta = #sattn.meta<tile = [32, 64, 16]
func.func @dq_512(%scale: f32, %q: tensor<?x?x512xf16>, %k: tensor<?x?x512xf16>, %v: tensor<?x?x512xf16>,
    %go: tensor<?x?x512xf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x512xf16>) -> tensor<?x?x512xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x512xf16>, tensor<?x?x512xf16>, tensor<?x?x512xf16>, tensor<?x?x512xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x512xf16>) -> tensor<?x?x512xf16> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x512xf16>
}

// TILE-LABEL: @dk_512(
// TILE: meta = #sattn.meta<tile = [16, 64, 32]
func.func @dk_512(%scale: f32, %q: tensor<?x?x512xf16>, %k: tensor<?x?x512xf16>, %v: tensor<?x?x512xf16>,
    %go: tensor<?x?x512xf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dk: tensor<?x?x512xf16>) -> tensor<?x?x512xf16> {
  %0 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x512xf16>, tensor<?x?x512xf16>, tensor<?x?x512xf16>, tensor<?x?x512xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk : tensor<?x?x512xf16>) -> tensor<?x?x512xf16> {mask = #sattn.mask<right = 0>, only = "dk"}
  return %0 : tensor<?x?x512xf16>
}

// TILE-LABEL: @dq_320(
// TILE: meta = #sattn.meta<tile = [32, 160, 16]
func.func @dq_320(%scale: f32, %q: tensor<?x?x320xbf16>, %k: tensor<?x?x320xbf16>, %v: tensor<?x?x320xbf16>,
    %go: tensor<?x?x320xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x320xbf16>) -> tensor<?x?x320xbf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x320xbf16>, tensor<?x?x320xbf16>, tensor<?x?x320xbf16>, tensor<?x?x320xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x320xbf16>) -> tensor<?x?x320xbf16> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x320xbf16>
}
