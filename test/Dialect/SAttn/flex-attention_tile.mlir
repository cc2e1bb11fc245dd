// The tile program of sattn.flex_attention. Loops over batches, tiles of queries and
// heads, in them one over blocks of keys, from the last to the first.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-DAG: #[[END:.+]] = affine_map<(d0)[s0] -> ((d0 + 64) ceildiv 32, s0 ceildiv 32)>
// CHECK-DAG: #[[WHOLE:.+]] = affine_map<(d0)[s0] -> ((d0 + 1) floordiv 32, s0 floordiv 32)>

// CHECK-LABEL: func.func @causal
// CHECK-SAME: %[[SCALE:.+]]: f32, %[[Q:.+]]: tensor<?x?x?x16xbf16>, %[[K:.+]]: tensor<1x?x?x16xbf16>, %[[V:.+]]: tensor<1x?x?x16xbf16>, %[[O:.+]]: tensor<?x?x?x16xbf16>, %[[LSE:.+]]: tensor<?x?x?xf32>)
// CHECK: scf.forall (%[[B:.+]], %[[I:.+]], %[[H:.+]]) = (0, 0, 0) to (%{{.+}}, %{{.+}}, %{{.+}}) step (1, 64, 1)
// CHECK:   tensor.extract_slice %[[Q]][%[[B]], %[[H]], %[[I]], 0]
// CHECK:   %[[STOP:.+]] = affine.min #[[END]](%[[I]])
// CHECK:   %[[FULL:.+]] = affine.min #[[WHOLE]](%[[I]])
// CHECK:   %[[MASKED:.+]] = arith.subi %[[STOP]], %[[FULL]]
// CHECK:   %[[BOUND:.+]] = arith.select %{{.+}}, %[[MASKED]], %[[STOP]]
// CHECK:   scf.for %[[T:.+]] = %{{.+}} to %[[STOP]]
// CHECK:     tensor.extract_slice %[[K]][0, %{{.+}}, %{{.+}}, 0]
// CHECK:     tensor.extract_slice %[[V]][0, %{{.+}}, %{{.+}}, 0]
// CHECK:     linalg.matmul indexing_maps
// CHECK:     arith.cmpi slt, %[[T]], %[[BOUND]]
// CHECK:     scf.if
// CHECK:       %[[LAST:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<64xi32>)
// CHECK:         arith.minsi
// CHECK:       } -> tensor<64xi32>
// CHECK:       linalg.generic {{.+}} ins(%{{.+}}, %[[LAST]] : tensor<64x32xf32>, tensor<64xi32>)
// CHECK:         arith.cmpi sge
// CHECK-NOT:     arith.cmpi
// CHECK:       } -> tensor<64x32xf32>
// CHECK:     linalg.matmul ins
// CHECK:   } {sattn.block_loop}
// CHECK:   math.log2
// CHECK:   tensor.parallel_insert_slice {{.+}}[%[[B]], %[[H]], %[[I]], 0]
// CHECK:   tensor.parallel_insert_slice {{.+}}[%[[B]], %[[H]], %[[I]]]
func.func @causal(%scale: f32, %q: tensor<?x?x?x16xbf16>, %k: tensor<1x?x?x16xbf16>, %v: tensor<1x?x?x16xbf16>,
    %o: tensor<?x?x?x16xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x16xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x16xbf16>, tensor<1x?x?x16xbf16>, tensor<1x?x?x16xbf16>)
      outs(%o, %lse : tensor<?x?x?x16xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x16xbf16>, tensor<?x?x?xf32>
      {group = 2 : i64, mask = #sattn.mask<right = 0>, meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0#0, %0#1 : tensor<?x?x?x16xbf16>, tensor<?x?x?xf32>
}

// -----

// Between two bounds an element is compared once: with how many keys its row sees,
// from the first one on.
// CHECK-LABEL: func.func @window
// CHECK:     scf.if
// CHECK:       %[[FIRST:.+]] = linalg.generic
// CHECK:         arith.addi %{{.+}}, %c-100_i32
// CHECK:       %[[LAST:.+]] = linalg.generic
// CHECK:         arith.minsi
// CHECK:       %[[WIDTH:.+]] = linalg.generic {{.+}} ins(%[[FIRST]], %[[LAST]] :
// CHECK:       %[[START:.+]] = linalg.generic {{.+}} ins(%[[FIRST]], %[[LAST]] :
// CHECK:       linalg.generic {{.+}} ins(%{{.+}}, %[[START]], %[[WIDTH]] : tensor<64x32xf32>, tensor<64xi32>, tensor<64xi32>)
// CHECK-NEXT:  ^bb0(%[[S:.+]]: f32, %[[AT:.+]]: i32, %[[KEYS:.+]]: i32,
// CHECK:         %[[D:.+]] = arith.subi %{{.+}}, %[[AT]] : i32
// CHECK-NEXT:    %[[SEEN:.+]] = arith.cmpi ule, %[[D]], %[[KEYS]] : i32
// CHECK-NEXT:    arith.select %[[SEEN]], %[[S]]
func.func @window(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      {mask = #sattn.mask<left = 100, right = 0>, meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// Without a mask nothing is compared: every query sees all keys, which are whole
// blocks, and the scale is positive.
// CHECK-LABEL: func.func @dense
// CHECK-NOT: scf.if
// CHECK-NOT: linalg.index
// CHECK: return
func.func @dense(%q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>, %v: tensor<?x96x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// Where the scale may be negative, each iteration then takes its sign; one that is
// not costs no instruction an element.
// CHECK-LABEL: func.func @sign
// CHECK-SAME: (%[[SCALE:[^:]+]]: f32
// CHECK: %[[PLUS:.+]] = arith.cmpf oge, %[[SCALE]], %{{.+}} : f32
// CHECK: %[[SIGN:.+]] = arith.select %[[PLUS]], %{{.+}}, %{{.+}} : f32
// CHECK: %[[BOUND:.+]] = arith.select %[[PLUS]], %{{.+}}, %{{.+}} : index
// CHECK: scf.for %[[T:[^ ]+]] = 
// CHECK:   %[[C:.+]] = arith.cmpi slt, %[[T]], %[[BOUND]] : index
// CHECK:   scf.if %[[C]]
// CHECK:     scf.if %[[PLUS]]
// CHECK-NEXT:  scf.yield
// CHECK:     else
// CHECK:       arith.mulf %{{.+}}, %[[SIGN]] : f32
func.func @sign(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>, %v: tensor<?x96x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// What depends on the head alone is read once; an index that is computed from
// positions is clamped to the tensor.
// CHECK-LABEL: func.func @captures
// CHECK: tensor.extract %{{.+}}[%{{.+}}] : tensor<?xf32>
// CHECK: scf.for
// CHECK:   linalg.matmul indexing_maps
// CHECK:   linalg.generic
// CHECK:     arith.minsi
// CHECK:     arith.maxsi
// CHECK:     tensor.extract %{{.+}}[%{{.+}}] : tensor<17xf32>
// CHECK: } {sattn.block_loop}
func.func @captures(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>, %v: tensor<?x96x16xf32>,
    %slopes: tensor<?xf32>, %table: tensor<17xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x16xf32>)
      captures(%slopes, %table : tensor<?xf32>, tensor<17xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>, %table_in: tensor<17xf32>):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %at = arith.index_cast %distance : i32 to index
        %bias = tensor.extract %table_in[%at] : tensor<17xf32>
        %both = arith.addf %slope, %bias : f32
        %r = arith.addf %s, %both : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// Columns of V are cut where a tile has fewer: the tile's rows of lse are whole.
// CHECK-LABEL: func @column_parts
// CHECK: scf.forall (%[[E:.*]], %[[M:.*]], %[[H:.*]]) = (0, 0, 0) to (40, %{{.*}}, %{{.*}}) step (16, 64, 1)
// CHECK:   scf.for
// CHECK:     tensor.extract_slice %{{.*}}[%[[H]], %{{.*}}, 0] [1, %{{.*}}, 16] [1, 1, 1] : tensor<?x96x16xf32>
// CHECK:     tensor.extract_slice %{{.*}}[%[[H]], %{{.*}}, %[[E]]] [1, %{{.*}}, %{{.*}}] [1, 1, 1] : tensor<?x96x40xf32>
// CHECK:   } {sattn.block_loop, sattn.tf32}
// CHECK:   tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[H]], %{{.*}}, %[[E]]]
// CHECK:   tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[H]], %{{.*}}] [1, %{{.*}}] [1, 1]
func.func @column_parts(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>, %v: tensor<?x96x40xf32>,
    %o: tensor<?x?x40xf32>, %lse: tensor<?x?xf32>) -> (tensor<?x?x40xf32>, tensor<?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x40xf32>)
      outs(%o, %lse : tensor<?x?x40xf32>, tensor<?x?xf32>) -> tensor<?x?x40xf32>, tensor<?x?xf32>
      {meta = #sattn.meta<tile = [64, 16, 32]>, precision = "tf32"}
  return %0#0, %0#1 : tensor<?x?x40xf32>, tensor<?x?xf32>
}

// -----

// Rows of packed heads are queries of several heads: which, vectors say that are
// computed before the loop, like what is read there. All queries bound the keys.
// CHECK-DAG: #[[QUERIES:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>
// CHECK-DAG: #[[FIRST_HEAD:.+]] = affine_map<(d0) -> (d0 * 4)>
// CHECK-DAG: #[[PACKED_END:.+]] = affine_map<()[s0] -> ((s0 floordiv 4) ceildiv 32, 3)>
// CHECK-LABEL: func.func @packed
// CHECK: scf.forall (%[[ROW:[^,]+]], %[[HEAD:[^)]+]]) =
// CHECK:   %[[COUNT:.+]] = affine.apply #[[QUERIES]]
// CHECK:   %[[COUNT_I32:.+]] = arith.index_cast %[[COUNT]] : index to i32
// CHECK:   %[[QUERY:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<64xi32>)
// CHECK:     arith.remsi %{{.+}}, %[[COUNT_I32]] : i32
// CHECK:   affine.apply #[[FIRST_HEAD]](%[[HEAD]])
// CHECK:   %[[HEADS:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<64xi32>)
// CHECK:     arith.divsi %{{.+}}, %[[COUNT_I32]] : i32
// CHECK:   %[[SLOPES:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<64xf32>)
// CHECK:     tensor.extract %{{.+}}[%{{.+}}] : tensor<?xf32>
// CHECK:   %[[STOP:.+]] = affine.min #[[PACKED_END]]()
// CHECK:   scf.for %{{.+}} to %[[STOP]]
// CHECK:     linalg.generic {{.+}} ins(%{{.+}}, %[[QUERY]], %[[HEADS]], %[[SLOPES]] : tensor<64x32xf32>, tensor<64xi32>, tensor<64xi32>, tensor<64xf32>)
// CHECK-NOT:   tensor.extract %
// CHECK:     scf.if
// CHECK:       %[[LAST:.+]] = linalg.generic {{.+}} ins(%[[QUERY]] : tensor<64xi32>)
// CHECK:       linalg.generic {{.+}} ins(%{{.+}}, %[[LAST]] : tensor<64x32xf32>, tensor<64xi32>)
// CHECK:         arith.cmpi sge
func.func @packed(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x96x16xf32>, %v: tensor<?x96x16xf32>,
    %slopes: tensor<?xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x96x16xf32>, tensor<?x96x16xf32>)
      captures(%slopes : tensor<?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %float = arith.sitofp %distance : i32 to f32
        %bias = arith.mulf %slope, %float : f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {mask = #sattn.mask<right = 0>, packed_heads = 4 : i64, meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}
