// RUN: sparse-opt %s --sattn-plan-row-block-groups --canonicalize --cse | FileCheck %s

// `split_k` makes room for cuts: of all batches' blocks there are about as many
// parts, and of at least 8 blocks. None is cut behind the last block.

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[SCALE:[^:]*]]: f32, %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<?xi32>
// CHECK-SAME:    %[[OUT:[^:]*]]: tensor<16x?x64xbf16>)
// CHECK:         %[[STORED:.*]] = tensor.dim %[[COL]], %c0
// CHECK:         %[[ALL:.*]] = arith.muli %[[STORED]], %c16
// CHECK:         %[[EQUAL:.*]] = arith.ceildivsi %[[ALL]], %c512
// CHECK:         %[[LENGTH:.*]] = arith.maxsi %[[EQUAL]], %c8
// CHECK:         %[[ONE:.*]] = arith.maxsi %[[STORED]], %c1
// CHECK:         %[[LAST:.*]] = arith.subi %[[ONE]], %c1
// CHECK:         %[[CUTS:.*]] = arith.floordivsi %[[LAST]], %[[LENGTH]]
// CHECK:         %[[ROWS:.*]] = arith.muli %[[CUTS]], %c128
// CHECK:         %[[PARTIAL:.*]] = tensor.empty(%[[ROWS]]) : tensor<16x?x64xf32>
// CHECK:         %[[LSE:.*]] = tensor.empty(%[[ROWS]]) : tensor<16x?xf32>
// CHECK:         %[[PARTS:.*]]:3 = sattn.bsr_attention
// CHECK-SAME:      outs(%[[OUT]], %[[PARTIAL]], %[[LSE]] : {{.*}} kept = 1 : i64
// CHECK:         %[[RESULT:.*]] = sattn.combine_parts blocks(%[[STORED]])
// CHECK-SAME:      ins(%[[CROW]], %[[PARTS]]#1, %[[PARTS]]#2 : {{.*}}) outs(%[[PARTS]]#0 : {{.*}}block_rows = 64
// CHECK:         return %[[RESULT]]
func.func @parts(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<16x?x64xbf16>,
    %k: tensor<16x?x64xbf16>, %v: tensor<16x?x64xbf16>, %out: tensor<16x?x64xbf16>) -> tensor<16x?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<16x?x64xbf16>, tensor<16x?x64xbf16>, tensor<16x?x64xbf16>)
      outs(%out : tensor<16x?x64xbf16>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64], split_k = 512>, kept = 1 : i64}
      -> tensor<16x?x64xbf16>
  return %0 : tensor<16x?x64xbf16>
}

// Without it, and of f64, rows stay whole.
// CHECK-LABEL: func.func @whole(
// CHECK-COUNT-2: sattn.bsr_attention {{.*}} -> tensor<?x64x
// CHECK-NOT:     sattn.combine_parts
func.func @whole(%scale: f32, %wide: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>, %x: tensor<?x64xbf16>,
    %out: tensor<?x64xbf16>, %y: tensor<?x64xf64>, %wide_out: tensor<?x64xf64>) -> (tensor<?x64xbf16>, tensor<?x64xf64>) {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %x, %x, %x : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out : tensor<?x64xbf16>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x64xbf16>
  %1 = sattn.bsr_attention scale(%wide)
      ins(%crow, %col, %y, %y, %y : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf64>, tensor<?x64xf64>, tensor<?x64xf64>)
      outs(%wide_out : tensor<?x64xf64>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64], split_k = 512>} -> tensor<?x64xf64>
  return %0, %1 : tensor<?x64xbf16>, tensor<?x64xf64>
}
