// RUN: sparse-opt %s --sattn-cpu-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @product
// CHECK-NOT:     linalg
// CHECK-DAG:     vector.transfer_read %{{.*}} vector<4x1xf32>
// CHECK-DAG:     vector.transfer_read %{{.*}} vector<64xf32>
// CHECK-DAG:     vector.transfer_read %{{.*}} vector<4x64xf32>
// CHECK:         vector.contract {{.*}} vector<4x1xf32>, vector<1x64xf32> into vector<4x64xf32>
// CHECK:         vector.transfer_write
func.func @product(%l: tensor<4x1xf32>, %r: tensor<1x64xf32>, %out: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<4x64xf32>) {
    %m = linalg.matmul ins(%l, %r : tensor<4x1xf32>, tensor<1x64xf32>)
        outs(%o : tensor<4x64xf32>) -> tensor<4x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<4x64xf32>
    }
  }
  return %0 : tensor<4x64xf32>
}

// A pad becomes a read that ends where its source ends.
// CHECK-LABEL: func.func @pad
// CHECK-SAME:    %[[IN:.*]]: tensor<8x?xbf16>, %[[J:[a-z0-9]+]]: index
// CHECK-NOT:     tensor.pad
// CHECK:         %[[C0:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK:         vector.transfer_read %[[IN]][%{{.*}}, %[[J]]], %[[C0]] : tensor<8x?xbf16>, vector<64xbf16>
// CHECK:         arith.extf
func.func @pad(%in: tensor<8x?xbf16>, %j: index, %h: index, %out: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : bf16
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<1x64xf32>) {
    %p = tensor.pad %in low[0, 0] high[0, %h] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : bf16
    } : tensor<8x?xbf16> to tensor<8x128xbf16>
    %s = tensor.extract_slice %p[3, %j] [1, 64] [1, 1] : tensor<8x128xbf16> to tensor<1x64xbf16>
    %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<1x64xbf16>) outs(%o : tensor<1x64xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      linalg.yield %e : f32
    } -> tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<1x64xf32>
    }
  }
  return %0 : tensor<1x64xf32>
}

// A short row is masked; the padded operand is read beyond it, up to its own
// end. One element a row is broadcast.
// CHECK-LABEL: func.func @masked
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: tensor<8x?xf32>, %[[LEFT:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NOT:     linalg
// CHECK:         scf.for %[[J:[a-z0-9]+]] =
// CHECK:           %[[W:.*]] = affine.min
// CHECK:           %[[MASK:.*]] = vector.create_mask %{{.*}}, %[[W]] : vector<1x64xi1>
// CHECK:           vector.transfer_read %[[IN]][%{{.*}}, %[[J]]], %{{[a-z0-9_]+}} : tensor<8x?xf32>, vector<64xf32>
// CHECK:           %[[X:.*]] = tensor.extract %[[LEFT]]
// CHECK:           vector.broadcast %[[X]] : f32 to vector<f32>
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<64xf32>, tensor<1x?xf32>
// CHECK-NOT:     tensor.pad
func.func @masked(%in: tensor<8x?xf32>, %left: tensor<8xf32>, %w: index, %h: index, %out: tensor<8x?xf32>)
    -> tensor<8x?xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %bound = affine.min affine_map<()[s0] -> (s0, 128)>()[%w]
  %0 = scf.forall (%i) = (0) to (8) step (1) shared_outs(%o = %out) -> (tensor<8x?xf32>) {
    %p = tensor.pad %in low[0, 0] high[0, %h] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<8x?xf32> to tensor<8x128xf32>
    %row = tensor.extract_slice %o[%i, 0] [1, %bound] [1, 1] : tensor<8x?xf32> to tensor<1x?xf32>
    %l = tensor.extract_slice %left[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %t = scf.for %j = %c0 to %bound step %c64 iter_args(%d = %row) -> (tensor<1x?xf32>) {
      %v = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%j)[%bound]
      %s = tensor.extract_slice %p[%i, %j] [1, %v] [1, 1] : tensor<8x128xf32> to tensor<1x?xf32>
      %e = tensor.extract_slice %d[0, %j] [1, %v] [1, 1] : tensor<1x?xf32> to tensor<1x?xf32>
      %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id],
                           iterator_types = ["parallel", "parallel"]}
          ins(%s, %l : tensor<1x?xf32>, tensor<1xf32>) outs(%e : tensor<1x?xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %q = arith.mulf %x, %y : f32
        linalg.yield %q : f32
      } -> tensor<1x?xf32>
      %n = tensor.insert_slice %m into %d[0, %j] [1, %v] [1, 1] : tensor<1x?xf32> into tensor<1x?xf32>
      scf.yield %n : tensor<1x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, %bound] [1, 1] : tensor<1x?xf32> into tensor<8x?xf32>
    }
  }
  return %0 : tensor<8x?xf32>
}

// A row is reduced to one element.
// CHECK-LABEL: func.func @reduce
// CHECK-NOT:     vector.multi_reduction
// CHECK-DAG:     %[[ROW:.*]] = vector.transfer_read %{{.*}} vector<64xbf16>
// CHECK-DAG:     %[[OLD:.*]] = vector.transfer_read %{{.*}} vector<1xf32>
// CHECK-DAG:     %[[WIDE:.*]] = arith.extf %[[ROW]]
// CHECK-DAG:     %[[FIRST:.*]] = vector.extract %[[OLD]][0]
// CHECK:         vector.reduction <maximumf>, %[[WIDE]], %[[FIRST]] : vector<64xf32> into f32
func.func @reduce(%in: tensor<1x64xbf16>, %out: tensor<1xf32>) -> tensor<1xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<1xf32>) {
    %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<1x64xbf16>) outs(%o : tensor<1xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      %n = arith.maximumf %e, %y : f32
      linalg.yield %n : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0] [1] [1] : tensor<1xf32> into tensor<1xf32>
    }
  }
  return %0 : tensor<1xf32>
}

// Of several rows, squares side by side become one, whose transpose is reduced.
// CHECK-LABEL: func.func @reduce_squares
// CHECK-NOT:     vector.reduction
// CHECK:         %[[ALL:.*]] = vector.transfer_read %{{.*}} vector<4x8xf32>
// CHECK:         %[[LEFT:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [4, 4], strides = [1, 1]}
// CHECK:         %[[RIGHT:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0, 4], sizes = [4, 4], strides = [1, 1]}
// CHECK:         %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : vector<4x4xf32>
// CHECK:         %[[TURNED:.*]] = vector.transpose %[[SUM]], [1, 0] : vector<4x4xf32> to vector<4x4xf32>
// CHECK-COUNT-4: vector.extract %[[TURNED]]
// CHECK-COUNT-4: arith.addf {{.*}} : vector<4xf32>
// CHECK-NOT:     vector.reduction
func.func @reduce_squares(%in: tensor<4x8xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<4xf32>) {
    %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32):
      %n = arith.addf %x, %y : f32
      linalg.yield %n : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %0 : tensor<4xf32>
}

// What a row's index can be at most is known of a sum of counters too.
// CHECK-LABEL: func.func @masked_in_tiles
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: tensor<8x?xf32>
// CHECK:         scf.for %[[A:[a-z0-9]+]] =
// CHECK:           scf.for %[[B:[a-z0-9]+]] =
// CHECK:             %[[I:.*]] = affine.apply #{{.*}}(%[[A]], %[[B]])
// CHECK:             vector.transfer_read %[[IN]][%[[I]], %{{.*}}], %{{[a-z0-9_]+}} : tensor<8x?xf32>, vector<64xf32>
// CHECK-NOT:     tensor.pad
func.func @masked_in_tiles(%in: tensor<8x?xf32>, %w: index, %h: index, %out: tensor<8x?xf32>)
    -> tensor<8x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %bound = affine.min affine_map<()[s0] -> (s0, 64)>()[%w]
  %0 = scf.forall (%x) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<8x?xf32>) {
    %p = tensor.pad %in low[0, 0] high[0, %h] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<8x?xf32> to tensor<8x64xf32>
    %rows = tensor.extract_slice %o[0, 0] [8, %bound] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
    %t = scf.for %a = %c0 to %c8 step %c4 iter_args(%c = %rows) -> (tensor<8x?xf32>) {
      %u = scf.for %b = %c0 to %c4 step %c1 iter_args(%d = %c) -> (tensor<8x?xf32>) {
        %i = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%a, %b)
        %s = tensor.extract_slice %p[%i, 0] [1, %bound] [1, 1] : tensor<8x64xf32> to tensor<1x?xf32>
        %e = tensor.extract_slice %d[%i, 0] [1, %bound] [1, 1] : tensor<8x?xf32> to tensor<1x?xf32>
        %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%s : tensor<1x?xf32>) outs(%e : tensor<1x?xf32>) {
        ^bb0(%y: f32, %z: f32):
          %q = arith.mulf %y, %y : f32
          linalg.yield %q : f32
        } -> tensor<1x?xf32>
        %n = tensor.insert_slice %m into %d[%i, 0] [1, %bound] [1, 1] : tensor<1x?xf32> into tensor<8x?xf32>
        scf.yield %n : tensor<8x?xf32>
      }
      scf.yield %u : tensor<8x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0, 0] [8, %bound] [1, 1] : tensor<8x?xf32> into tensor<8x?xf32>
    }
  }
  return %0 : tensor<8x?xf32>
}

// A row of a pad may be one of those that were added.
// CHECK-LABEL: func.func @row_of_pad
// CHECK-SAME:    %[[X:.*]]: tensor<?x16xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         scf.for %[[R:[a-z0-9]+]] =
// CHECK:           %[[END:.*]] = tensor.dim %[[X]], %c0
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[R]], %[[END]] : index
// CHECK:           %[[MASK:.*]] = vector.broadcast %[[INSIDE]] : i1 to vector<16xi1>
// CHECK:           vector.transfer_read %[[X]][%[[R]], %c0], %{{.*}}, %[[MASK]] {in_bounds = [true]}
func.func @row_of_pad(%x: tensor<?x16xf32>, %out: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %high = affine.apply affine_map<()[s0] -> (8 - s0)>()[%n]
  %tile = tensor.pad %x low[0, 0] high[%high, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x16xf32> to tensor<8x16xf32>
  %0 = scf.forall (%t) in (1) shared_outs(%o = %out) -> (tensor<8x16xf32>) {
    %1 = scf.for %r = %c0 to %c8 step %c1 iter_args(%sum = %o) -> (tensor<8x16xf32>) {
      %row = tensor.extract_slice %tile[%r, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
      %target = tensor.extract_slice %sum[%r, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
      %copy = linalg.copy ins(%row : tensor<1x16xf32>) outs(%target : tensor<1x16xf32>) -> tensor<1x16xf32>
      %2 = tensor.insert_slice %copy into %sum[%r, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<8x16xf32>
      scf.yield %2 : tensor<8x16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x16xf32>
    }
  }
  return %0 : tensor<8x16xf32>
}

// A vector of one row does not forget that the row may be beyond the end, nor
// which elements of it are read.
// CHECK-LABEL: func.func @row
// CHECK-SAME:    %[[X:.*]]: tensor<?x16xf32>, %[[AT:.*]]: index, %[[GIVEN:.*]]: vector<1x16xi1>
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %{{.*}} : index
// CHECK:         %[[ROW:.*]] = vector.broadcast %[[INSIDE]] : i1 to vector<16xi1>
// CHECK:         %[[ELEMENTS:.*]] = vector.extract %[[GIVEN]][0]
// CHECK:         %[[MASK:.*]] = arith.andi %[[ROW]], %[[ELEMENTS]]
// CHECK:         vector.transfer_read %[[X]][%[[AT]], %c0], %{{.*}}, %[[MASK]] {in_bounds = [true]}
func.func @row(%x: tensor<?x16xf32>, %at: index, %mask: vector<1x16xi1>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %x[%at, %c0], %zero, %mask {in_bounds = [false, true]} : tensor<?x16xf32>, vector<1x16xf32>
  %1 = vector.transfer_write %0, %out[%c0, %c0] {in_bounds = [true, true]} : vector<1x16xf32>, tensor<1x16xf32>
  return %1 : tensor<1x16xf32>
}

// One element of a pad, broadcast, is read only where it is within its source.
// CHECK-LABEL: func.func @element_of_pad
// CHECK-SAME:    %{{.+}}: tensor<4x16xf32>, %[[ROWS:.+]]: tensor<?xf32>
// CHECK:         %[[INSIDE:.+]] = arith.cmpi slt, %[[I:.+]], %{{.+}} : index
// CHECK:         scf.if %[[INSIDE]]
// CHECK:           tensor.extract %[[ROWS]][%[[I]]]
func.func @element_of_pad(%x: tensor<4x16xf32>, %rows: tensor<?xf32>, %high: index, %out: tensor<4x16xf32>)
    -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %pad = tensor.pad %rows low[0] high[%high] {
  ^bb0(%n: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<4xf32>
  %0 = scf.forall (%i) = (0) to (4) step (1) shared_outs(%o = %out) -> (tensor<4x16xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<4x16xf32> to tensor<1x16xf32>
    %one = tensor.extract_slice %pad[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %place = tensor.extract_slice %o[%i, 0] [1, 16] [1, 1] : tensor<4x16xf32> to tensor<1x16xf32>
    %sum = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id], iterator_types = ["parallel", "parallel"]}
        ins(%row, %one : tensor<1x16xf32>, tensor<1xf32>) outs(%place : tensor<1x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<1x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%i, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<4x16xf32>
    }
  }
  return %0 : tensor<4x16xf32>
}

// An allocation is as large as the size that it is given may be.
// CHECK-LABEL: func.func @allocated
// CHECK:         %[[MASK:.+]] = vector.create_mask
// CHECK:         vector.transfer_write %{{.+}}, %{{.+}}, %[[MASK]]
// CHECK-NOT:     linalg.fill
func.func @allocated(%n: index, %out: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) = (0) to (%n) step (16) shared_outs(%o = %out) -> (tensor<?xf32>) {
    %size = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%i)[%n]
    %alloc = bufferization.alloc_tensor(%size) : tensor<?xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%alloc : tensor<?xf32>) -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %fill into %o[%i] [%size] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}
