// RUN: sparse-opt %s --sattn-raise-linalg --split-input-file | FileCheck %s
// RUN: sparse-opt %s --sattn-raise-linalg=precision=tf32 --split-input-file | FileCheck %s --check-prefix=TF32

// Sampled products, as upstream writes them: a custom reduction of what is
// computed where the result is stored.

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[C:.*]]: tensor<?x?xf32, #[[BSR:.*]]>, %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>)
// CHECK:         %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = sattn.sampled_addmm alpha(%[[ONE]]) beta(%[[ONE]]) ins(%[[A]], %[[B]] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%[[C]] : tensor<?x?xf32, #[[BSR]]>) -> tensor<?x?xf32, #[[BSR]]>
// CHECK:         return %[[R]]
// TF32-LABEL: func.func @plain(
// TF32:         sattn.sampled_addmm {{.*}} {precision = "tf32"}
func.func @plain(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// -----

// Loops and operands in any order, B transposed in memory, a number among the
// factors, sums in a wider type.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ki = affine_map<(j, k, i) -> (i, k)>
#kj = affine_map<(j, k, i) -> (j, k)>
#ji = affine_map<(j, k, i) -> (i, j)>

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[C:.*]]: tensor<512x256xf32, #{{.*}}>, %[[A:.*]]: tensor<512x96xbf16>, %[[B:.*]]: tensor<256x96xbf16>, %[[ALPHA:.*]]: f32)
// CHECK:         sattn.sampled_addmm alpha(%[[ALPHA]]) beta(%{{.*}}) ins(%[[A]], %[[B]] : tensor<512x96xbf16>, tensor<256x96xbf16>) outs(%[[C]] : {{.*}}) {transpose_mat2}
// TF32-LABEL: func.func @scaled(
// TF32-NOT:     tf32
// TF32:         sattn.sampled_addmm
// TF32-NOT:     tf32
// TF32:         return
func.func @scaled(%c: tensor<512x256xf32, #bsr>, %ma: tensor<512x96xbf16>, %mb: tensor<256x96xbf16>, %alpha: f32) -> tensor<512x256xf32, #bsr> {
  %0 = linalg.generic {indexing_maps = [#kj, #ki, #ji], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%mb, %ma : tensor<256x96xbf16>, tensor<512x96xbf16>) outs(%c : tensor<512x256xf32, #bsr>) {
  ^bb0(%b: bf16, %a: bf16, %s: f32):
    %zero = arith.constant 0.0 : f32
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %alpha : f32
        %4 = arith.mulf %2, %3 : f32
        sparse_tensor.yield %4 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %u, %s, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %y, %x : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<512x256xf32, #bsr>
  return %0 : tensor<512x256xf32, #bsr>
}

// -----

// A number as a scalar operand, and as a constant of the body.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#none = affine_map<(i, j, k) -> ()>

// CHECK-LABEL: func.func @scalar_operand(
// CHECK-SAME:    %[[ALPHA:[a-z0-9]+]]: f16)
// CHECK:         %[[WIDE:.*]] = arith.extf %[[ALPHA]] : f16 to f32
// CHECK:         sattn.sampled_addmm alpha(%[[WIDE]])
func.func @scalar_operand(%c: tensor<?x?xf16, #bsr>, %ma: tensor<?x?xf16>, %mb: tensor<?x?xf16>, %alpha: f16) -> tensor<?x?xf16, #bsr> {
  %zero = arith.constant 0.0 : f16
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #none, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb, %alpha : tensor<?x?xf16>, tensor<?x?xf16>, f16) outs(%c : tensor<?x?xf16, #bsr>) {
  ^bb0(%a: f16, %b: f16, %n: f16, %s: f16):
    %u = sparse_tensor.unary %s : f16 to f16
      present = {
      ^bb0(%p: f16):
        %1 = arith.mulf %a, %b : f16
        %2 = arith.mulf %n, %1 : f16
        sparse_tensor.yield %2 : f16
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f16 {
    ^bb0(%x: f16, %y: f16):
      %2 = arith.addf %x, %y : f16
      sparse_tensor.yield %2 : f16
    }
    linalg.yield %r : f16
  } -> tensor<?x?xf16, #bsr>
  return %0 : tensor<?x?xf16, #bsr>
}

// CHECK-LABEL: func.func @constant(
// CHECK-DAG:     %[[ALPHA:.*]] = arith.constant 1.250000e-01 : f32
// CHECK:         sattn.sampled_addmm alpha(%[[ALPHA]])
func.func @constant(%c: tensor<?x?xf16, #bsr>, %ma: tensor<?x?xf16>, %mb: tensor<?x?xf16>) -> tensor<?x?xf16, #bsr> {
  %zero = arith.constant 0.0 : f16
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf16, #bsr>) {
  ^bb0(%a: f16, %b: f16, %s: f16):
    %u = sparse_tensor.unary %s : f16 to f16
      present = {
      ^bb0(%p: f16):
        %n = arith.constant 0.125 : f16
        %1 = arith.mulf %a, %b : f16
        %2 = arith.mulf %1, %n : f16
        sparse_tensor.yield %2 : f16
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f16 {
    ^bb0(%x: f16, %y: f16):
      %2 = arith.addf %x, %y : f16
      sparse_tensor.yield %2 : f16
    }
    linalg.yield %r : f16
  } -> tensor<?x?xf16, #bsr>
  return %0 : tensor<?x?xf16, #bsr>
}

// -----

// Q K^T with a transpose of its own, which is not copied.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[C:.*]]: tensor<?x?xf32, #{{.*}}>, %[[A:.*]]: tensor<?x128xf32>, %[[B:.*]]: tensor<?x128xf32>, %{{.*}})
// CHECK-NOT:     linalg
// CHECK:         sattn.sampled_addmm {{.*}} ins(%[[A]], %[[B]] : tensor<?x128xf32>, tensor<?x128xf32>) outs(%[[C]] : {{.*}}) {transpose_mat2}
func.func @transpose(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x128xf32>, %mb: tensor<?x128xf32>, %to: tensor<128x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %t = linalg.transpose ins(%mb : tensor<?x128xf32>) outs(%to : tensor<128x?xf32>) permutation = [1, 0]
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %t : tensor<?x128xf32>, tensor<128x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// A sparse matrix that is transposed into a dense one is no operand of the op.
// CHECK-LABEL: func.func @transpose_of_sparse(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         sattn.sampled_addmm {{.*}} ins(%{{.*}}, %[[T]]
func.func @transpose_of_sparse(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x128xf32>, %mb: tensor<?x128xf32, #bsr>, %to: tensor<128x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %t = linalg.transpose ins(%mb : tensor<?x128xf32, #bsr>) outs(%to : tensor<128x?xf32>) permutation = [1, 0]
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %t : tensor<?x128xf32>, tensor<128x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// -----

// Stored elements that were set to zero before are not read.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @zeroed(
// CHECK-SAME:    %[[C:.*]]: tensor<?x?xf32, #{{.*}}>, %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>)
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NOT:     linalg
// CHECK:         sattn.sampled_addmm alpha(%[[ONE]]) beta(%[[ZERO]]) {{.*}} outs(%[[C]] :
func.func @zeroed(%c0: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c0 : tensor<?x?xf32, #bsr>) {
  ^bb0(%s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        sparse_tensor.yield %zero : f32
      }
      absent = {}
    linalg.yield %u : f32
  } -> tensor<?x?xf32, #bsr>
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// -----

// Batches that have stored blocks of their own; B has none.
#batch = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#nik = affine_map<(n, i, j, k) -> (n, i, k)>
#kj = affine_map<(n, i, j, k) -> (k, j)>
#nij = affine_map<(n, i, j, k) -> (n, i, j)>

// CHECK-LABEL: func.func @batches(
// CHECK:         sattn.sampled_addmm {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x?x?xf32>, tensor<?x?xf32>) outs(%{{.*}} : tensor<3x?x?xf32, #{{.*}}>)
func.func @batches(%c: tensor<3x?x?xf32, #batch>, %ma: tensor<3x?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<3x?x?xf32, #batch> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#nik, #kj, #nij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<3x?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<3x?x?xf32, #batch>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<3x?x?xf32, #batch>
  return %0 : tensor<3x?x?xf32, #batch>
}

// -----

// What has another meaning stays, and so does what the op does not take.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#ki = affine_map<(i, j, k) -> (k, i)>
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#small = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 4 : dense, j floordiv 4 : compressed, i mod 4 : dense, j mod 4 : dense)}>

// A sum at all places, stored or not.
// CHECK-LABEL: func.func @everywhere(
// CHECK-NOT:     sattn
func.func @everywhere(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// The same as a matrix product.
// CHECK-LABEL: func.func @matmul(
// CHECK-NOT:     sattn
func.func @matmul(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %0 = linalg.matmul ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// A product with the elements of an encoded matrix scales by them.
// CHECK-LABEL: func.func @scaled_by_elements(
// CHECK-NOT:     sattn
func.func @scaled_by_elements(%ms: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#ij, #ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ms, %ma, %mb : tensor<?x?xf32, #bsr>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%n: f32, %a: f32, %b: f32, %s: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.mulf %1, %n : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Nor is what the result holds a factor.
// CHECK-LABEL: func.func @by_the_result(
// CHECK-NOT:     sattn
func.func @by_the_result(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        %3 = arith.mulf %1, %p : f32
        sparse_tensor.yield %3 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// Ones where nothing is stored.
// CHECK-LABEL: func.func @absent(
// CHECK-NOT:     sattn
func.func @absent(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {
        %one = arith.constant 1.0 : f32
        sparse_tensor.yield %one : f32
      }
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// Not a sum.
// CHECK-LABEL: func.func @maximum(
// CHECK-NOT:     sattn
func.func @maximum(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.maximumf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// A sum that does not begin at zero.
// CHECK-LABEL: func.func @from_one(
// CHECK-NOT:     sattn
func.func @from_one(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %one = arith.constant 1.0 : f32
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %one : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// A sum of the products alone.
// CHECK-LABEL: func.func @of_one_argument(
// CHECK-NOT:     sattn
func.func @of_one_argument(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %y, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// Stored in another matrix than the result's.
// CHECK-LABEL: func.func @stored_in_another(
// CHECK-NOT:     sattn
func.func @stored_in_another(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %a : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// No product.
// CHECK-LABEL: func.func @sum_of_factors(
// CHECK-NOT:     sattn
func.func @sum_of_factors(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.addf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// One number is taken.
// CHECK-LABEL: func.func @two_numbers(
// CHECK-NOT:     sattn
func.func @two_numbers(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>, %n: f32) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        %3 = arith.mulf %1, %n : f32
        %4 = arith.mulf %3, %n : f32
        sparse_tensor.yield %4 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// A in columns: it would have to be copied.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     sattn
func.func @columns(%c: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ki, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}

// No blocks.
// CHECK-LABEL: func.func @csr(
// CHECK-NOT:     sattn
func.func @csr(%c: tensor<?x?xf32, #csr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #csr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #csr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #csr>
  return %0 : tensor<?x?xf32, #csr>
}

// Blocks of 4 x 4.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     sattn
func.func @small(%c: tensor<?x?xf32, #small>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #small> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #small>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #small>
  return %0 : tensor<?x?xf32, #small>
}

// Numbers in f64.
// CHECK-LABEL: func.func @f64(
// CHECK-NOT:     sattn
func.func @f64(%c: tensor<?x?xf64, #bsr>, %ma: tensor<?x?xf64>, %mb: tensor<?x?xf64>) -> tensor<?x?xf64, #bsr> {
  %zero = arith.constant 0.0 : f64
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64, #bsr>) {
  ^bb0(%a: f64, %b: f64, %s: f64):
    %u = sparse_tensor.unary %s : f64 to f64
      present = {
      ^bb0(%p: f64):
        %1 = arith.mulf %a, %b : f64
        sparse_tensor.yield %1 : f64
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f64 {
    ^bb0(%x: f64, %y: f64):
      %2 = arith.addf %x, %y : f64
      sparse_tensor.yield %2 : f64
    }
    linalg.yield %r : f64
  } -> tensor<?x?xf64, #bsr>
  return %0 : tensor<?x?xf64, #bsr>
}

// Ones at the stored elements are added to.
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @not_zeroed(
// CHECK:         %[[C:.*]] = linalg.generic
// CHECK:         sattn.sampled_addmm {{.*}} outs(%[[C]] :
func.func @not_zeroed(%c0: tensor<?x?xf32, #bsr>, %ma: tensor<?x?xf32>, %mb: tensor<?x?xf32>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c0 : tensor<?x?xf32, #bsr>) {
  ^bb0(%s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        sparse_tensor.yield %one : f32
      }
      absent = {}
    linalg.yield %u : f32
  } -> tensor<?x?xf32, #bsr>
  %0 = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ma, %mb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.mulf %a, %b : f32
        sparse_tensor.yield %1 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %2 = arith.addf %x, %y : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}
