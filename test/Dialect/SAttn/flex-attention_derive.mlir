// A mask_mod of index arithmetic gives the tile program ranges of blocks: no list
// is read, empty blocks are skipped, and full ones have no mask.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// Four first keys and a window of 100.
// CHECK-LABEL: func.func @sinks
// CHECK-SAME: (%{{.+}}: tensor<?x?x16xf32>, %[[K:.+]]: tensor<?x4096x16xf32>, %{{.+}}: tensor<?x4096x16xf32>, %{{.+}}: tensor<?x?x16xf32>)
// CHECK: scf.forall
// CHECK-NOT: tensor.extract %
// CHECK: scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step
// CHECK:   %[[I:.+]] = arith.index_cast %[[T]] : index to i32
// CHECK:   %[[BEFORE:.+]] = arith.cmpi slt, %[[I]], %{{.+}} : i32
// CHECK:   arith.select %[[BEFORE]]
// CHECK:   tensor.extract_slice %[[K]]
// CHECK:   scf.if
// CHECK:     linalg.generic
// CHECK:   } else {
// CHECK: } {sattn.block_loop}
func.func @sinks(%q: tensor<?x?x16xf32>, %k: tensor<?x4096x16xf32>, %v: tensor<?x4096x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x4096x16xf32>, tensor<?x4096x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %four = arith.constant 4 : i32
        %size = arith.constant 100 : i32
        %d = arith.subi %i, %j : i32
        %near = arith.cmpi slt, %d, %size : i32
        %past = arith.cmpi sge, %i, %j : i32
        %band = arith.andi %near, %past : i1
        %sink = arith.cmpi slt, %j, %four : i32
        %r = arith.ori %band, %sink : i1
        sattn.yield %r : i1
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// No block of a dilated window is full: each iteration has the mask, and that of
// the last block the number of keys too.
// CHECK-LABEL: func.func @dilated
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK:   arith.select {{.*}} : f32
// CHECK:   %[[TAIL:.+]] = arith.cmpi sgt, %{{.+}}, %{{.+}} : index
// CHECK:   scf.if %[[TAIL]] -> (tensor<64x32xf32>)
// CHECK:     arith.cmpi slt, %{{.+}}, %{{.+}} : i32
// CHECK-NEXT: arith.select {{.*}} : f32
// CHECK: } {sattn.block_loop}
func.func @dilated(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>,
    %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %one = arith.constant 1 : i32
        %zero = arith.constant 0 : i32
        %d = arith.subi %i, %j : i32
        %odd = arith.andi %d, %one : i32
        %even = arith.cmpi eq, %odd, %zero : i32
        %past = arith.cmpi sge, %i, %j : i32
        %r = arith.andi %even, %past : i1
        sattn.yield %r : i1
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// Nothing is known of elements of a captured vector: all blocks, from the last one.
// CHECK-LABEL: func.func @document
// CHECK-SAME: %{{.+}}: tensor<?x?x16xf32>, %[[K:.+]]: tensor<?x4096x16xf32>
// CHECK: scf.for %{{.+}} = %{{.+}} to %c128 step
func.func @document(%q: tensor<?x?x16xf32>, %k: tensor<?x4096x16xf32>, %v: tensor<?x4096x16xf32>,
    %doc: tensor<?xi32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x4096x16xf32>, tensor<?x4096x16xf32>)
      captures(%doc : tensor<?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %ii = arith.index_cast %i : i32 to index
        %ji = arith.index_cast %j : i32 to index
        %x = tensor.extract %doc_in[%ii] : tensor<?xi32>
        %y = tensor.extract %doc_in[%ji] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32
        sattn.yield %r : i1
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// A captured integer that is passed as a float: a window of that size.
// CHECK-LABEL: func.func @captured_window
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<?x4096x16xf32>, %{{.+}}: tensor<?x4096x16xf32>, %[[SIZE:[a-z0-9]+]]: f32
// CHECK: %[[WHOLE:.+]] = arith.fptosi %[[SIZE]] : f32 to i32
// CHECK: arith.extsi %[[WHOLE]] : i32 to i64
// CHECK: scf.for
// CHECK:   scf.if
func.func @captured_window(%q: tensor<?x?x16xf32>, %k: tensor<?x4096x16xf32>, %v: tensor<?x4096x16xf32>,
    %size: f32, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x4096x16xf32>, tensor<?x4096x16xf32>)
      captures(%size : f32)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %size_in: f32):
        %whole = arith.fptosi %size_in : f32 to i32
        %d = arith.subi %i, %j : i32
        %near = arith.cmpi slt, %d, %whole : i32
        %past = arith.cmpi sge, %i, %j : i32
        %r = arith.andi %near, %past : i1
        sattn.yield %r : i1
      } {meta = #sattn.meta<tile = [64, 16, 32]>}
  return %0 : tensor<?x?x16xf32>
}
