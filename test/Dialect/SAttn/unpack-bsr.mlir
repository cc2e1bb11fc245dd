// RUN: sparse-opt %s --sattn-unpack-bsr --split-input-file | FileCheck %s --implicit-check-not=sparse_tensor --implicit-check-not=unrealized

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>

// CHECK-LABEL: func.func @operand(
// CHECK-SAME:    %[[C:.*]]: tensor<512x?xbf16>, %[[CROW:.*]]: tensor<9xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x64x32xbf16>, %[[B:.*]]: tensor<?x?xbf16>)
// CHECK:         sattn.bsr_addmm alpha(%{{.*}}) beta(%{{.*}}) ins(%[[CROW]], %[[COL]], %[[VALUES]], %[[B]] : tensor<9xi32>, tensor<?xi32>, tensor<?x64x32xbf16>, tensor<?x?xbf16>) outs(%[[C]] : tensor<512x?xbf16>)
func.func @operand(%c: tensor<512x?xbf16>, %a: tensor<512x?xbf16, #bsr>, %b: tensor<?x?xbf16>) -> tensor<512x?xbf16> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%a, %b : tensor<512x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%c : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  return %0 : tensor<512x?xbf16>
}

// -----

// Without widths offsets have 64 bits; all sizes may be unknown. Columns may
// repeat and come in any order.
#native = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed(nonunique, nonordered), i mod 8 : dense, j mod 8 : dense)}>

// CHECK-LABEL: func.func @native(
// CHECK-SAME:    tensor<?xi64>, %{{.*}}: tensor<?xi64>, %{{.*}}: tensor<?x8x8xf32>,
func.func @native(%a: tensor<?x?xf32, #native>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<?x?xf32, #native>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Batch levels are dimensions of all parts.
#batch = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense), posWidth = 64, crdWidth = 64}>

// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[CROW:.*]]: tensor<?x5xi64>, %[[COL:.*]]: tensor<?x?xi64>, %[[VALUES:.*]]: tensor<?x?x16x16xf16>,
// CHECK:         ins(%[[CROW]], %[[COL]], %[[VALUES]], %{{.*}} : tensor<?x5xi64>, tensor<?x?xi64>, tensor<?x?x16x16xf16>, tensor<128x32xf16>)
func.func @batch(%a: tensor<?x64x128xf16, #batch>, %b: tensor<128x32xf16>, %c: tensor<?x64x32xf16>) -> tensor<?x64x32xf16> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<?x64x128xf16, #batch>, tensor<128x32xf16>)
      outs(%c : tensor<?x64x32xf16>) -> tensor<?x64x32xf16>
  return %0 : tensor<?x64x32xf16>
}

// -----

// Batches at dense levels: entry i of batch (n, h) of 4 block rows is entry
// (3 n + h) * 4 + i of the offsets.
#stacked = #sparse_tensor.encoding<{map = (n, h, i, j) -> (n : dense, h : dense, i floordiv 16 : dense, j floordiv 16 : compressed, i mod 16 : dense, j mod 16 : dense), posWidth = 32, crdWidth = 32}>

// CHECK:       #[[PLACE:.*]] = affine_map<(d0, d1, d2) -> (d0 + d1 * 12 + d2 * 4)>
// CHECK-LABEL: func.func @stacked(
// CHECK-SAME:    %[[POS:.*]]: tensor<25xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x16x16xf16>,
// CHECK:         %[[CROW:.*]] = tensor.generate
// CHECK:         ^bb0(%[[N:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index):
// CHECK:           %[[PLACE_V:.*]] = affine.apply #[[PLACE]](%[[I]], %[[N]], %[[H]])
// CHECK:           tensor.extract %[[POS]][%[[PLACE_V]]] : tensor<25xi32>
// CHECK:         } : tensor<2x3x5xi32>
// CHECK:         ins(%[[CROW]], %[[COL]], %[[VALUES]], %{{.*}} : tensor<2x3x5xi32>, tensor<?xi32>, tensor<?x16x16xf16>,
func.func @stacked(%a: tensor<2x3x64x128xf16, #stacked>, %b: tensor<128x32xf16>, %c: tensor<2x3x64x32xf16>) -> tensor<2x3x64x32xf16> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<2x3x64x128xf16, #stacked>, tensor<128x32xf16>)
      outs(%c : tensor<2x3x64x32xf16>) -> tensor<2x3x64x32xf16>
  return %0 : tensor<2x3x64x32xf16>
}

// -----

// Attributes of arguments and results stay with what they were said of.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense), posWidth = 32, crdWidth = 32}>

// CHECK-LABEL: func.func @attributes(%{{.*}}: f32 {llvm.noundef}, %{{.*}}: tensor<?xi32> {bufferization.writable = false}, %{{.*}}: tensor<?xi32> {bufferization.writable = false}, %{{.*}}: tensor<?x8x8xf32> {bufferization.writable = false}, %{{.*}}: tensor<?xf32> {bufferization.writable = true})
// CHECK-SAME:    -> (tensor<?xi32> {test.a}, tensor<?xi32> {test.a}, tensor<?x8x8xf32> {test.a}, f32 {test.b})
func.func @attributes(%s: f32 {llvm.noundef}, %a: tensor<?x?xf32, #bsr> {bufferization.writable = false}, %v: tensor<?xf32> {bufferization.writable = true})
    -> (tensor<?x?xf32, #bsr> {test.a}, f32 {test.b}) {
  return %a, %s : tensor<?x?xf32, #bsr>, f32
}

// CHECK-LABEL: func.func @call(
// CHECK-SAME:    %[[S:.*]]: f32, %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x8x8xf32>, %[[V:.*]]: tensor<?xf32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>)
// CHECK:         %[[R:.*]]:4 = call @attributes(%[[S]], %[[CROW]], %[[COL]], %[[VALUES]], %[[V]])
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @call(%s: f32, %a: tensor<?x?xf32, #bsr>, %v: tensor<?xf32>) -> tensor<?x?xf32, #bsr> {
  %0:2 = call @attributes(%s, %a, %v) : (f32, tensor<?x?xf32, #bsr>, tensor<?xf32>) -> (tensor<?x?xf32, #bsr>, f32)
  return %0#0 : tensor<?x?xf32, #bsr>
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 8 : dense, j floordiv 8 : compressed, i mod 8 : dense, j mod 8 : dense), posWidth = 32, crdWidth = 32}>

// CHECK-LABEL: func.func @control_flow(
// CHECK:         %[[IF:.*]]:3 = scf.if %{{.*}} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>) {
// CHECK:         arith.select %{{.*}} : tensor<?xi32>
// CHECK:         arith.select %{{.*}} : tensor<?xi32>
// CHECK:         %[[SELECT:.*]] = arith.select %{{.*}} : tensor<?x8x8xf32>
// CHECK:         %[[FOR:.*]]:4 = scf.for {{.*}} iter_args({{.*}}) -> (tensor<?x?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>) {
// CHECK:           %[[NEXT:.*]] = sattn.bsr_addmm
// CHECK:           scf.yield %[[NEXT]], %{{.*}}, %{{.*}}, %[[SELECT]]
// CHECK:         scf.while ({{.*}} = %[[FOR]]#1, {{.*}} = %[[FOR]]#2, {{.*}} = %[[FOR]]#3)
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>
// CHECK:         tensor.cast %{{.*}} : tensor<?xi32> to tensor<5xi32>
func.func @control_flow(%p: i1, %n: index, %x: tensor<?x?xf32, #bsr>, %y: tensor<?x?xf32, #bsr>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<32x?xf32, #bsr>) {
  %one = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %0 = scf.if %p -> tensor<?x?xf32, #bsr> {
    scf.yield %x : tensor<?x?xf32, #bsr>
  } else {
    scf.yield %y : tensor<?x?xf32, #bsr>
  }
  %1 = arith.select %p, %x, %y : tensor<?x?xf32, #bsr>
  %2:2 = scf.for %i = %i0 to %n step %i1 iter_args(%o = %c, %a = %0) -> (tensor<?x?xf32>, tensor<?x?xf32, #bsr>) {
    %3 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%a, %b : tensor<?x?xf32, #bsr>, tensor<?x?xf32>)
        outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %3, %1 : tensor<?x?xf32>, tensor<?x?xf32, #bsr>
  }
  %4 = scf.while (%w = %2#1) : (tensor<?x?xf32, #bsr>) -> tensor<?x?xf32, #bsr> {
    scf.condition(%p) %w : tensor<?x?xf32, #bsr>
  } do {
  ^bb0(%w: tensor<?x?xf32, #bsr>):
    scf.yield %w : tensor<?x?xf32, #bsr>
  }
  %5 = tensor.cast %4 : tensor<?x?xf32, #bsr> to tensor<32x?xf32, #bsr>
  return %2#0, %5 : tensor<?x?xf32>, tensor<32x?xf32, #bsr>
}

// -----

// A matrix that is written keeps its offsets and columns.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>

// CHECK-LABEL: func.func @result(
// CHECK-SAME:    %[[A:.*]]: tensor<512x?xbf16>, %[[B:[a-z0-9]+]]: tensor<?x?xbf16>, %[[CROW:.*]]: tensor<9xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x64x32xbf16>)
// CHECK-SAME:    -> (tensor<9xi32>, tensor<?xi32>, tensor<?x64x32xbf16>, tensor<512x?xbf16>)
// CHECK:         %[[R:.*]] = sattn.sampled_addmm {{.*}} ins(%[[CROW]], %[[COL]], %[[A]], %[[B]] : tensor<9xi32>, tensor<?xi32>, tensor<512x?xbf16>, tensor<?x?xbf16>) outs(%[[VALUES]] : tensor<?x64x32xbf16>) -> tensor<?x64x32xbf16>
// CHECK:         %[[P:.*]] = sattn.bsr_addmm {{.*}} ins(%[[CROW]], %[[COL]], %[[R]], %[[B]] :
// CHECK:         return %[[CROW]], %[[COL]], %[[R]], %[[P]]
func.func @result(%a: tensor<512x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<512x?xbf16, #bsr>)
    -> (tensor<512x?xbf16, #bsr>, tensor<512x?xbf16>) {
  %one = arith.constant 1.0 : f32
  %0 = sattn.sampled_addmm alpha(%one) beta(%one)
      ins(%a, %b : tensor<512x?xbf16>, tensor<?x?xbf16>)
      outs(%c : tensor<512x?xbf16, #bsr>) -> tensor<512x?xbf16, #bsr>
  %1 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%0, %b : tensor<512x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%a : tensor<512x?xbf16>) -> tensor<512x?xbf16>
  return %0, %1 : tensor<512x?xbf16, #bsr>, tensor<512x?xbf16>
}
