// RUN: sparse-opt %s --sattn-vectorize-tiles --cse --split-input-file | FileCheck %s

// The accumulator is a vector that the loop carries; a pad is a read that is not
// in bounds; the clipped tile is one write to the destination.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<?x64x64xbf16>, %[[B:[a-z0-9]*]]: tensor<64x?xbf16>, %[[OUT:[a-z0-9]*]]: tensor<64x?xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<64x128xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK-DAG:       %[[B_TILE:.*]] = tensor.extract_slice %[[B]]
// CHECK-NOT:       tensor.empty
// CHECK:           %[[R:.*]] = vector.transfer_read %[[B_TILE]][%[[C0]], %[[C0]]], %[[ZERO]] {in_bounds = [true, false]} : tensor<64x?xbf16>, vector<64x128xbf16>
// CHECK:           %[[SUM:.*]] = scf.for %[[P:[a-z0-9]*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (vector<64x128xf32>) {
// CHECK:             %[[A_TILE:.*]] = tensor.extract_slice %[[A]][%[[P]], 0, 0]
// CHECK:             %[[L:.*]] = vector.transfer_read %[[A_TILE]][%[[C0]], %[[C0]]], %{{.*}} {in_bounds = [true, true]} : tensor<64x64xbf16>, vector<64x64xbf16>
// CHECK:             %[[NEXT:.*]] = vector.contract {{.*}} kind = #vector.kind<add>} %[[L]], %[[R]], %[[ACC]] : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
// CHECK-NEXT:        scf.yield %[[NEXT]]
// CHECK-NEXT:      } {sattn.block_loop}
// CHECK-NOT:       linalg
// CHECK-NOT:       tensor.empty
// CHECK:           vector.transfer_write %[[SUM]], %{{.*}}[%[[C0]], %[[C0]]] {in_bounds = [true, false]} : vector<64x128xf32>, tensor<64x?xf32>
// CHECK-NOT:       tensor.empty
// CHECK:           scf.forall.in_parallel
#width = affine_map<(d0)[s0] -> (-d0 + s0, 128)>
#rest = affine_map<(d0) -> (-d0 + 128)>
func.func @product(%a: tensor<?x64x64xbf16>, %b: tensor<64x?xbf16>,
                   %out: tensor<64x?xf32>, %begin: index, %end: index)
    -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : bf16
  %n = tensor.dim %out, %c1 : tensor<64x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out)
      -> (tensor<64x?xf32>) {
    %w = affine.min #width(%j)[%n]
    %b_tile = tensor.extract_slice %b[0, %j] [64, %w] [1, 1]
        : tensor<64x?xbf16> to tensor<64x?xbf16>
    %o_tile = tensor.extract_slice %o[0, %j] [64, %w] [1, 1]
        : tensor<64x?xf32> to tensor<64x?xf32>
    %empty = tensor.empty() : tensor<64x128xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>)
        -> tensor<64x128xf32>
    %high = affine.apply #rest(%w)
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zeros)
        -> (tensor<64x128xf32>) {
      %a_tile = tensor.extract_slice %a[%p, 0, 0] [1, 64, 64] [1, 1, 1]
          : tensor<?x64x64xbf16> to tensor<64x64xbf16>
      %padded = tensor.pad %b_tile low[0, 0] high[0, %high] {
      ^bb0(%x: index, %y: index):
        tensor.yield %pad : bf16
      } : tensor<64x?xbf16> to tensor<64x128xbf16>
      %next = linalg.matmul
          ins(%a_tile, %padded : tensor<64x64xbf16>, tensor<64x128xbf16>)
          outs(%acc : tensor<64x128xf32>) -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    } {sattn.block_loop}
    %clipped = tensor.extract_slice %sum[0, 0] [64, %w] [1, 1]
        : tensor<64x128xf32> to tensor<64x?xf32>
    %written = tensor.insert_slice %clipped into %o_tile[0, 0] [64, %w] [1, 1]
        : tensor<64x?xf32> into tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %o[0, %j] [64, %w] [1, 1]
          : tensor<64x?xf32> into tensor<64x?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<64x?xf32>
}

// -----

// A tile from one of two programs is a vector from one of two; vectors of rows
// and columns are read as broadcasts.
// CHECK-DAG:   #[[ROWS:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG:   #[[COLUMNS:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func.func @branch
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK-DAG:       %[[LEFT:.*]] = tensor.extract_slice %{{.*}} : tensor<?xbf16> to tensor<64xbf16>
// CHECK-DAG:       %[[RIGHT:.*]] = tensor.extract_slice %{{.*}} : tensor<?xf32> to tensor<128xf32>
// CHECK:           %[[TILE:.*]] = scf.if %{{.*}} -> (vector<64x128xbf16>) {
// CHECK-DAG:         %[[L:.*]] = vector.transfer_read %[[LEFT]]{{.*}} {in_bounds = [true, true], permutation_map = #[[ROWS]]} : tensor<64xbf16>, vector<64x128xbf16>
// CHECK-DAG:         %[[R:.*]] = vector.transfer_read %[[RIGHT]]{{.*}} {in_bounds = [true, true], permutation_map = #[[COLUMNS]]} : tensor<128xf32>, vector<64x128xf32>
// CHECK-DAG:         %[[L32:.*]] = arith.extf %[[L]] : vector<64x128xbf16> to vector<64x128xf32>
// CHECK:             %[[S:.*]] = arith.mulf %[[L32]], %[[R]] : vector<64x128xf32>
// CHECK:             %[[T:.*]] = arith.truncf %[[S]] : vector<64x128xf32> to vector<64x128xbf16>
// CHECK:             scf.yield %[[T]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %{{.*}} : vector<64x128xbf16>
// CHECK:           }
// CHECK-NOT:       tensor.empty
// CHECK:           %[[W:.*]] = vector.transfer_write %[[TILE]], %{{.*}} {in_bounds = [true, true]}
// CHECK:           tensor.parallel_insert_slice %[[W]] into %[[O]]
// CHECK-NOT:       linalg
#both = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @branch(%left: tensor<?xbf16>, %right: tensor<?xf32>,
                  %out: tensor<512x512xbf16>, %condition: tensor<512xi1>)
    -> tensor<512x512xbf16> {
  %zero = arith.constant 0.0 : bf16
  %0 = scf.forall (%i, %j) = (0, 0) to (512, 512) step (64, 128)
      shared_outs(%o = %out) -> (tensor<512x512xbf16>) {
    %l_tile = tensor.extract_slice %left[%i] [64] [1]
        : tensor<?xbf16> to tensor<64xbf16>
    %r_tile = tensor.extract_slice %right[%j] [128] [1]
        : tensor<?xf32> to tensor<128xf32>
    %o_tile = tensor.extract_slice %o[%i, %j] [64, 128] [1, 1]
        : tensor<512x512xbf16> to tensor<64x128xbf16>
    %c = tensor.extract %condition[%i] : tensor<512xi1>
    %tile = scf.if %c -> (tensor<64x128xbf16>) {
      %empty = tensor.empty() : tensor<64x128xbf16>
      %1 = linalg.generic {indexing_maps = [#row, #column, #both],
                           iterator_types = ["parallel", "parallel"]}
          ins(%l_tile, %r_tile : tensor<64xbf16>, tensor<128xf32>)
          outs(%empty : tensor<64x128xbf16>) {
      ^bb0(%l: bf16, %r: f32, %unused: bf16):
        %2 = arith.extf %l : bf16 to f32
        %3 = arith.mulf %2, %r : f32
        %4 = arith.truncf %3 : f32 to bf16
        linalg.yield %4 : bf16
      } -> tensor<64x128xbf16>
      scf.yield %1 : tensor<64x128xbf16>
    } else {
      %empty = tensor.empty() : tensor<64x128xbf16>
      %1 = linalg.fill ins(%zero : bf16) outs(%empty : tensor<64x128xbf16>)
          -> tensor<64x128xbf16>
      scf.yield %1 : tensor<64x128xbf16>
    }
    %written = tensor.insert_slice %tile into %o_tile[0, 0] [64, 128] [1, 1]
        : tensor<64x128xbf16> into tensor<64x128xbf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %o[%i, %j] [64, 128] [1, 1]
          : tensor<64x128xbf16> into tensor<512x512xbf16>
    }
  } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %0 : tensor<512x512xbf16>
}

// -----

// The insertion covers a part of its destination only: a write that is clipped
// by the destination would write more.
// CHECK-LABEL: func.func @part
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [64, %{{.*}}] [1, 1]
func.func @part(%out: tensor<64x?xf32>, %n: index, %part: index)
    -> tensor<64x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%j) = (0) to (%n) step (128) shared_outs(%o = %out)
      -> (tensor<64x?xf32>) {
    %o_tile = tensor.extract_slice %o[0, %j] [64, %n] [1, 1]
        : tensor<64x?xf32> to tensor<64x?xf32>
    %empty = tensor.empty() : tensor<64x128xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>)
        -> tensor<64x128xf32>
    %clipped = tensor.extract_slice %zeros[0, 0] [64, %part] [1, 1]
        : tensor<64x128xf32> to tensor<64x?xf32>
    %written = tensor.insert_slice %clipped
        into %o_tile[0, 0] [64, %part] [1, 1]
        : tensor<64x?xf32> into tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %o[0, %j] [64, %n] [1, 1]
          : tensor<64x?xf32> into tensor<64x?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<64x?xf32>
}

// -----

// What is not in a scf.forall is not a tile.
// CHECK-LABEL: func.func @outside
// CHECK:         linalg.fill
func.func @outside(%out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>)
      -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A tile that an iteration reads several times and then writes is a vector that the
// loop carries all the same.
// CHECK-LABEL: func.func @read_twice
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<64xf32>) {
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addf %[[ACC]], %[[ACC]] : vector<64xf32>
// CHECK-NEXT:      %[[NEXT:.*]] = arith.mulf %[[TWICE]], %[[ACC]] : vector<64xf32>
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NEXT:    } {sattn.block_loop}
func.func @read_twice(%out: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.forall (%i) = (0) to (%n) step (64) shared_outs(%o = %out)
      -> (tensor<?xf32>) {
    %tile = tensor.extract_slice %o[%i] [64] [1]
        : tensor<?xf32> to tensor<64xf32>
    %last = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %tile)
        -> (tensor<64xf32>) {
      %empty = tensor.empty() : tensor<64xf32>
      %twice = linalg.add ins(%acc, %acc : tensor<64xf32>, tensor<64xf32>)
          outs(%empty : tensor<64xf32>) -> tensor<64xf32>
      %next = linalg.mul ins(%twice, %acc : tensor<64xf32>, tensor<64xf32>)
          outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    } {sattn.block_loop}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %o[%i] [64] [1]
          : tensor<64xf32> into tensor<?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<?xf32>
}

// -----

// A contraction has one type of factors: two are widened, and those of one type are not.
// CHECK-LABEL: func.func @two_types
// CHECK-DAG:       %[[L:.*]] = vector.transfer_read {{.*}} : tensor<64x32xf8E4M3FN>, vector<64x32xf8E4M3FN>
// CHECK-DAG:       %[[R:.*]] = vector.transfer_read {{.*}} {in_bounds = [false, true]} : tensor<?x32xf8E5M2>, vector<64x32xf8E5M2>
// CHECK-DAG:       %[[WL:.*]] = arith.extf %[[L]] : vector<64x32xf8E4M3FN> to vector<64x32xf32>
// CHECK-DAG:       %[[WR:.*]] = arith.extf %[[R]] : vector<64x32xf8E5M2> to vector<64x32xf32>
// CHECK:           %[[SUM:.*]] = vector.contract {{.*}} %[[WL]], %[[WR]], %{{.*}} : vector<64x32xf32>, vector<64x32xf32> into vector<64x64xf32>
// CHECK-NOT:       arith.extf
// CHECK:           vector.contract {{.*}} %[[SUM]] : vector<64x64x32xf8E4M3FN>, vector<64x64x32xf8E4M3FN> into vector<64x64xf32>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#missing = affine_map<(d0) -> (-d0 + 64)>
func.func @two_types(%a: tensor<64x32xf8E4M3FN>, %b: tensor<?x32xf8E5M2>, %out: tensor<64x64xf32>, %n: index)
    -> tensor<64x64xf32> {
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f8E5M2
  %0 = scf.forall (%i) in (%c1) shared_outs(%o = %out) -> (tensor<64x64xf32>) {
    %b_tile = tensor.extract_slice %b[0, 0] [%n, 32] [1, 1] : tensor<?x32xf8E5M2> to tensor<?x32xf8E5M2>
    %high = affine.apply #missing(%n)
    %padded = tensor.pad %b_tile low[0, 0] high[%high, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %pad : f8E5M2
    } : tensor<?x32xf8E5M2> to tensor<64x32xf8E5M2>
    %sum = linalg.matmul indexing_maps = [#mk, #nk, #mn]
        ins(%a, %padded : tensor<64x32xf8E4M3FN>, tensor<64x32xf8E5M2>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    %more = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %a : tensor<64x32xf8E4M3FN>, tensor<64x32xf8E4M3FN>) outs(%sum : tensor<64x64xf32>) {
    ^bb0(%l: f8E4M3FN, %r: f8E4M3FN, %s: f32):
      %wl = arith.extf %l : f8E4M3FN to f32
      %wr = arith.extf %r : f8E4M3FN to f32
      %product = arith.mulf %wl, %wr : f32
      %next = arith.addf %s, %product : f32
      linalg.yield %next : f32
    } -> tensor<64x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %more into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %0 : tensor<64x64xf32>
}
