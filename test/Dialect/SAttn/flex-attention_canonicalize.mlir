// RUN: sparse-opt %s --canonicalize --split-input-file | FileCheck %s

// Each function has one mask_mod, on the same operands.

// CHECK-LABEL: func.func @causal
// CHECK-NOT: mask_mod
// CHECK: mask = #sattn.mask<right = 0>
func.func @causal(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x16xf32>
}

// -----

// 3 < i - j + 4, i - j < 20
// CHECK-LABEL: func.func @window
// CHECK-NOT: mask_mod
// CHECK: mask = #sattn.mask<left = 19, right = 0>
func.func @window(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %c3 = arith.constant 3 : i32
        %c4 = arith.constant 4 : i32
        %c20 = arith.constant 20 : i32
        %d = arith.subi %i, %j : i32
        %moved = arith.addi %d, %c4 : i32
        %past = arith.cmpi slt, %c3, %moved : i32
        %near = arith.cmpi slt, %d, %c20 : i32
        %r = arith.andi %past, %near : i1
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x16xf32>
}

// -----

// CHECK-LABEL: func.func @prefix
// CHECK-NOT: mask_mod
// CHECK: mask = #sattn.mask<right = 0, prefix = 100>
func.func @prefix(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %c100 = arith.constant 100 : i32
        %past = arith.cmpi sle, %j, %i : i32
        %first = arith.cmpi slt, %j, %c100 : i32
        %r = arith.ori %past, %first : i1
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x16xf32>
}

// -----

// What is no band stays; the band narrows the one that is there.
// CHECK-LABEL: func.func @rest
// CHECK: mask_mod
// CHECK-NOT: cmpi sgt
// CHECK: %[[EVEN:.+]] = arith.cmpi eq
// CHECK-NEXT: sattn.yield %[[EVEN]]
// CHECK: mask = #sattn.mask<left = 7, right = -1>
func.func @rest(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %past = arith.cmpi sgt, %i, %j : i32
        %bit = arith.andi %j, %c1 : i32
        %even = arith.cmpi eq, %bit, %c0 : i32
        %r = arith.andi %past, %even : i1
        sattn.yield %r : i1
      } {mask = #sattn.mask<left = 7, right = 0>}
  return %0 : tensor<?x?x16xf32>
}

// -----

// A band from the bottom right is another one; a prefix with more than a band
// beside it is none.
// CHECK-LABEL: func.func @other
// CHECK: mask_mod
// CHECK: mask = #sattn.mask<right = 0, bottom_right = true>
// CHECK: mask_mod
// CHECK-NOT: mask =
// CHECK: return
func.func @other(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {mask = #sattn.mask<right = 0, bottom_right = true>}
  %1 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%0 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %c0 = arith.constant 0 : i32
        %c100 = arith.constant 100 : i32
        %past = arith.cmpi sle, %j, %i : i32
        %head = arith.cmpi eq, %h, %c0 : i32
        %both = arith.andi %past, %head : i1
        %first = arith.cmpi slt, %j, %c100 : i32
        %r = arith.ori %both, %first : i1
        sattn.yield %r : i1
      }
  return %1 : tensor<?x?x16xf32>
}

// -----

// CHECK-LABEL: func.func @everything
// CHECK-NOT: mask_mod
// CHECK: return
func.func @everything(%s: f32, %x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention scale(%s) ins(%x, %x, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.constant true
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x16xf32>
}
