// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func.func @dense
// CHECK: sattn.flex_attention scale(%{{.+}}) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x24xf32>) outs(%{{.+}} : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
func.func @dense(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x24xf32>,
    %o: tensor<?x?x24xf32>) -> tensor<?x?x24xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x24xf32>)
      outs(%o : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %0 : tensor<?x?x24xf32>
}

// CHECK-LABEL: func.func @all
// CHECK: %{{.+}}:3 = sattn.flex_attention
// CHECK-SAME: partial(%{{.+}}, %{{.+}} : tensor<1x?x2xi32>, tensor<1x?x2x?xi32>)
// CHECK-SAME: full(%{{.+}}, %{{.+}} : tensor<?x1x2xi32>, tensor<?x1x2x?xi32>)
// CHECK-SAME: key_lengths(%{{.+}} : tensor<?xi32>)
// CHECK-SAME: captures(%{{.+}}, %{{.+}} : tensor<?xf32>, f32)
// CHECK-SAME: outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>) -> tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>
// CHECK-SAME: score_mod {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: tensor<?xf32>, %{{.+}}: f32):
// CHECK:   tensor.extract
// CHECK:   sattn.yield %{{.+}} : f32
// CHECK: } mask_mod {
// CHECK-NEXT: ^bb0(%{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: tensor<?xf32>, %{{.+}}: f32):
// CHECK:   sattn.yield %{{.+}} : i1
// CHECK: block_size = array<i64: 64, 32>
// CHECK-SAME: group = 4 : i64
// CHECK-SAME: mask = #sattn.mask<left = 100, right = -1, prefix = 3, bottom_right = true>
// CHECK-SAME: meta = #sattn.meta<tile = [32, 16, 32], stages = 2>
func.func @all(%scale: f32, %q: tensor<?x8x100x16xbf16>, %k: tensor<1x2x?x16xbf16>, %v: tensor<1x2x?x16xbf16>,
    %pn: tensor<1x?x2xi32>, %pi: tensor<1x?x2x?xi32>, %fn: tensor<?x1x2xi32>, %fi: tensor<?x1x2x?xi32>,
    %lengths: tensor<?xi32>, %slopes: tensor<?xf32>, %factor: f32, %o: tensor<?x8x100x16xbf16>,
    %lse: tensor<?x8x100xf32>, %max: tensor<?x8x100xf32>) -> (tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>) {
  %0:3 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x8x100x16xbf16>, tensor<1x2x?x16xbf16>, tensor<1x2x?x16xbf16>)
      partial(%pn, %pi : tensor<1x?x2xi32>, tensor<1x?x2x?xi32>)
      full(%fn, %fi : tensor<?x1x2xi32>, tensor<?x1x2x?xi32>)
      key_lengths(%lengths : tensor<?xi32>)
      captures(%slopes, %factor : tensor<?xf32>, f32)
      outs(%o, %lse, %max : tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>)
      -> tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>, %factor_in: f32):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %both = arith.mulf %slope, %factor_in : f32
        %r = arith.addf %s, %both : f32
        sattn.yield %r : f32
      } mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>, %factor_in: f32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {group = 4 : i64, block_size = array<i64: 64, 32>,
         mask = #sattn.mask<bottom_right = true, right = -1, left = 100, prefix = 3>,
         meta = #sattn.meta<tile = [32, 16, 32], stages = 2>}
  return %0#0, %0#1, %0#2 : tensor<?x8x100x16xbf16>, tensor<?x8x100xf32>, tensor<?x8x100xf32>
}

// CHECK-LABEL: func.func @packed
// CHECK: sattn.flex_attention
// CHECK-SAME: packed_heads = 8 : i64
func.func @packed(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {packed_heads = 8 : i64}
  return %0 : tensor<?x?x16xf32>
}
