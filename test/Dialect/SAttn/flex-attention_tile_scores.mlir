// Which scores of a score_mod are to the base 2, and what of it is computed without
// fast math.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// A slope times a distance, or a cap times a function of the score, is not huge:
// products are folded with log2(e), and a difference is an exponent.
// CHECK-LABEL: func.func @alibi
// CHECK:       arith.mulf %{{.+}}, %cst{{.*}} fastmath<reassoc,arcp,contract> : f32
// CHECK:       arith.addf
// CHECK-NEXT:  math.exp2
func.func @alibi(%scale: f32, %q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>, %v: tensor<?x?x16xbf16>,
    %slopes: tensor<?xf32>, %cap: f32, %o: tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>, tensor<?x?x16xbf16>)
      captures(%slopes, %cap : tensor<?xf32>, f32)
      outs(%o : tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>, %cap_in: f32):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %float = arith.sitofp %distance : i32 to f32
        %bias = arith.mulf %slope, %float : f32
        %tanh = math.tanh %s : f32
        %capped = arith.mulf %cap_in, %tanh : f32
        %r = arith.addf %capped, %bias : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xbf16>
}

// -----

// A captured number times a condition may be the lowest number of f32: the
// difference to the maximum is multiplied by log2(e).
// CHECK-LABEL: func.func @by_condition
// CHECK:       %[[FACTOR:.+]] = arith.uitofp %{{.+}} : i1 to f32
// CHECK:       %[[BIAS:.+]] = arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK:       %[[SCORE:.+]] = arith.addf %{{.+}}, %[[BIAS]]
// CHECK-NEXT:  linalg.yield %[[SCORE]]
// CHECK:       %[[DISTANCE:.+]] = arith.subf
// CHECK-NEXT:  %[[EXPONENT:.+]] = arith.mulf %[[DISTANCE]], %cst{{.*}} : f32
// CHECK-NEXT:  math.exp2 %[[EXPONENT]]
func.func @by_condition(%scale: f32, %q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>, %v: tensor<?x?x16xbf16>,
    %low: f32, %o: tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>, tensor<?x?x16xbf16>)
      captures(%low : f32)
      outs(%o : tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %low_in: f32):
        %later = arith.cmpi sgt, %j, %i : i32
        %factor = arith.uitofp %later : i1 to f32
        %bias = arith.mulf %low_in, %factor : f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xbf16>
}

// -----

// What becomes an integer is divided, not multiplied by a reciprocal.
// CHECK-LABEL: func.func @whole
// CHECK:       arith.divf %{{.+}}, %cst{{[_0-9]*}} : f32
// CHECK:       arith.fptosi
// CHECK:       arith.addf {{.+}} fastmath<reassoc,arcp,contract>
func.func @whole(%scale: f32, %q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>, %v: tensor<?x?x16xbf16>,
    %o: tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>, tensor<?x?x16xbf16>)
      outs(%o : tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %size = arith.constant 49.0 : f32
        %float = arith.sitofp %j : i32 to f32
        %quotient = arith.divf %float, %size : f32
        %whole = arith.fptosi %quotient : f32 to i32
        %bias = arith.sitofp %whole : i32 to f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xbf16>
}
