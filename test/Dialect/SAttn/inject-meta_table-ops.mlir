// Rows of tables of ops beside products: the nearest shorter length, hints that
// a row leaves to the passes, PyTorch's names, and a tile that does not fit.

// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table-ops.json sizes=1024,2048,512" 2>&1 \
// RUN:   | FileCheck %s
// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table-ops.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// CHECK: remark: {{.*}}tile parameters from row (128, 128, 0, 0, false, false, false, 2, 1024) of flex_attention, NVIDIA H200, bf16, sparsity 0.50 in {{.*}} (of a smaller L): #sattn.meta<tile = [64, 128, 128], stages = 3>
func.func @longer(%scale: f32, %q: tensor<2x1500x128xbf16>, %k: tensor<2x?x128xbf16>, %v: tensor<2x?x128xbf16>,
                  %o: tensor<2x1500x128xbf16>) -> tensor<2x1500x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<2x1500x128xbf16>, tensor<2x?x128xbf16>, tensor<2x?x128xbf16>)
      outs(%o : tensor<2x1500x128xbf16>) -> tensor<2x1500x128xbf16>
  return %0 : tensor<2x1500x128xbf16>
}

// CHECK: warning: row (128, 128, 0, 0, false, true, false, 2, 1024) of flex_attention, {{.*}} fits no tile: expected tile_n of at most 128, all columns and their padding, but got 256
// CHECK: remark: {{.*}}tile parameters from the computed default (no table has a row that does for flex_attention (128, 128, 0, 0, false, true, false, 2, 1024), NVIDIA H200, bf16, sparsity 0.50)
// UNKNOWN: remark: {{.*}}tile parameters from row (128, 128,
// UNKNOWN: remark: {{.*}}tile parameters from the computed default (a row is found by L, which is not known)
func.func @causal(%scale: f32, %q: tensor<2x?x128xbf16>, %k: tensor<2x?x128xbf16>, %v: tensor<2x?x128xbf16>,
                  %o: tensor<2x?x128xbf16>) -> tensor<2x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<2x?x128xbf16>, tensor<2x?x128xbf16>, tensor<2x?x128xbf16>)
      outs(%o : tensor<2x?x128xbf16>) -> tensor<2x?x128xbf16> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<2x?x128xbf16>
}

// The length of gradients of keys is N of the option.
// CHECK: remark: {{.*}}tile parameters from row (64, 64, 0, 0, false, false, false, false, 64, 2, 512) of flex_attention_dkdv, {{.*}} (of a smaller L): #sattn.meta<tile = [96, 64, 64]>
func.func @gradients(%scale: f32, %q: tensor<2x?x64xbf16>, %lse: tensor<2x?xf32>, %dk: tensor<2x?x64xbf16>,
                     %dv: tensor<2x?x64xbf16>) -> (tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %q, %q, %q, %lse, %lse : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>,
          tensor<2x?x64xbf16>, tensor<2x?xf32>, tensor<2x?xf32>)
      outs(%dk, %dv : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) -> tensor<2x?x64xbf16>, tensor<2x?x64xbf16>
  return %0#0, %0#1 : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>
}

// Stages are those of the tile.
// CHECK: remark: {{.*}}tile parameters from row (64, 64) of bsr_softmax, NVIDIA H200, f16, sparsity 0.50 in {{.*}} (exact): #sattn.meta<tile = [1, 32, 2048], stages = {{[0-9]+}}, warps = 4>
func.func @softmax(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                   %out: tensor<?x64x64xf16>) -> tensor<?x64x64xf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>)
      outs(%out : tensor<?x64x64xf16>) -> tensor<?x64x64xf16>
  return %0 : tensor<?x64x64xf16>
}

// CHECK: remark: {{.*}}tile parameters from row (1024, 512, 2048, 64, 64) of scatter_mm, NVIDIA H200, f16, sparsity 0.50 in {{.*}} (exact): #sattn.meta<tile = [32, 64, 64], stages = 3, warps = 4, raster_group = 2>
func.func @scatter(%offsets: tensor<?xi32>, %q: tensor<?xi32>, %blocks: tensor<?x64x64xf16>,
                   %others: tensor<?x?x64x256xf16>, %r: tensor<?xi32>, %out: tensor<?x?x64x256xf16>)
    -> tensor<?x?x64x256xf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<?x?x64x256xf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x256xf16>) -> tensor<?x?x64x256xf16>
  return %0 : tensor<?x?x64x256xf16>
}
