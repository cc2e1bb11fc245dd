// RUN: sparse-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @causal
// CHECK: %{{.+}} = sattn.block_counts outs(%{{.+}} : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
// CHECK-NEXT: ^bb0(%{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32):
// CHECK: sattn.yield %{{.+}} : i1
// CHECK: } {block_size = array<i64: 128, 64>}
func.func @causal(%out: tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return %0 : tensor<1x1x?x?xi32>
}

// CHECK-LABEL: func.func @all
// CHECK: sattn.block_counts captures(%{{.+}}, %{{.+}} : tensor<?xi32>, f32) origin(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) outs(
func.func @all(%doc: tensor<?xi32>, %x: f32, %p: index, %out: tensor<1x1x1x?xi32>) -> tensor<1x1x1x?xi32> {
  %0 = sattn.block_counts captures(%doc, %x : tensor<?xi32>, f32) origin(%p, %p, %p, %p)
      outs(%out : tensor<1x1x1x?xi32>) -> tensor<1x1x1x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>, %x_in: f32):
        %query = arith.index_cast %i : i32 to index
        %d = tensor.extract %doc_in[%query] : tensor<?xi32>
        %r = arith.cmpi eq, %d, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 1, 7>}
  return %0 : tensor<1x1x1x?xi32>
}

// CHECK-LABEL: func.func @bounds
// CHECK: sattn.block_counts captures(%{{.+}} : tensor<?xi32>) bounds(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<?xi32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi64>) outs(%{{.+}}, %{{.+}} : tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>
// CHECK: } {block_size = array<i64: 128, 64>, bounded = array<i64: 0>}
func.func @bounds(%doc: tensor<?xi32>, %q: tensor<?xi32>, %k: tensor<?xi64>, %out: tensor<1x1x?x?xi32>) {
  %0:2 = sattn.block_counts captures(%doc : tensor<?xi32>) bounds(%q, %q, %k, %k : tensor<?xi32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi64>)
      outs(%out, %out : tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>, bounded = array<i64: 0>}
  return
}
