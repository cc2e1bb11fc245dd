// RUN: sparse-opt %s --sattn-cpu-pack-panels=vector-bits=256 --split-input-file | FileCheck %s

// A window whose column is read from memory begins with a panel, too, since it
// is a multiple of its width. The tensor is packed for all tiles if each of its
// windows is read twice on average. The left operand, of narrower elements, is
// widened for all tiles in the same way, else each tile widens its own windows.
// CHECK-DAG:     #[[WINDOWS:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>
// CHECK-LABEL: func.func @column_in_memory(
// CHECK-SAME:    %[[L:[a-z0-9]*]]: tensor<?x?xbf16>, %[[R:[a-z0-9]*]]: tensor<?x?xbf16>
// CHECK:         %[[N:.*]] = tensor.dim %[[R]], %c1
// CHECK:         %[[COUNT:.*]] = affine.apply #[[WINDOWS]]()[%[[N]]]
// CHECK:         %[[ENOUGH:.*]] = arith.muli %{{.*}}, %[[COUNT]]
// CHECK:         %[[OFTEN:.*]] = arith.cmpi sge, %{{.*}}, %[[ENOUGH]]
// CHECK:         %[[PACKED:.*]] = scf.forall
// CHECK:           arith.extf
// CHECK:         %[[OFTEN_LEFT:.*]] = arith.cmpi sge
// CHECK:         %[[WIDE:.*]] = scf.forall ({{.*}}) = (0) to (%{{.*}}) step (8) {{.*}} -> (tensor<?x?xf32>)
// CHECK:           scf.for {{.*}} step %c256
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : tensor<?x?xbf16>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK:         scf.forall
// CHECK:           %[[FROM:.*]] = scf.if %[[OFTEN]]
// CHECK:             scf.yield %[[PACKED]]
// CHECK:           %[[FROM_LEFT:.*]] = scf.if %[[OFTEN_LEFT]]
// CHECK:             scf.yield %[[WIDE]]
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               linalg.generic {{.*}} ins(%{{.*}} : tensor<32x?xbf16>) outs(%{{.*}} : tensor<32x?xf32>)
// CHECK:           scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
// CHECK:             %[[SIZE:.*]] = affine.min
// CHECK:             tensor.extract_slice %[[FROM]][%{{.*}}, %{{.*}}, 0] [2, %[[SIZE]], 16] [1, 1, 1]
// CHECK:             linalg.unpack {{.*}} inner_tiles = [16] into %{{.*}} : tensor<2x?x16xf32> -> tensor<?x32xf32>
// CHECK:             tensor.extract_slice %[[FROM_LEFT]][%{{.*}}, %{{.*}}] [32, %[[SIZE]]] [1, 1]
// CHECK:             linalg.matmul {{.*}} : tensor<32x?xf32>, tensor<?x32xf32>
func.func @column_in_memory(%l: tensor<?x?xbf16>, %r: tensor<?x?xbf16>, %col: tensor<?xindex>,
                            %out: tensor<?x32x32xf32>) -> tensor<?x32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %k = tensor.dim %r, %c0 : tensor<?x?xbf16>
  %steps = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%k]
  %n = tensor.dim %out, %c0 : tensor<?x32x32xf32>
  %0 = scf.forall (%t) = (0) to (%n) step (1) shared_outs(%o = %out) -> (tensor<?x32x32xf32>) {
    %c = tensor.extract %col[%t] : tensor<?xindex>
    %e = tensor.empty() : tensor<32x32xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%a = %zeros) -> (tensor<32x32xf32>) {
      %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%s)
      %size = affine.min affine_map<(d0)[s0] -> (d0 * -64 + s0, 64)>(%s)[%k]
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%t)
      %column = affine.apply affine_map<(d0) -> (d0 * 32)>(%c)
      %left = tensor.extract_slice %l[%row, %at] [32, %size] [1, 1] : tensor<?x?xbf16> to tensor<32x?xbf16>
      %right = tensor.extract_slice %r[%at, %column] [%size, 32] [1, 1] : tensor<?x?xbf16> to tensor<?x32xbf16>
      %p = linalg.matmul ins(%left, %right : tensor<32x?xbf16>, tensor<?x32xbf16>)
          outs(%a : tensor<32x32xf32>) -> tensor<32x32xf32>
      scf.yield %p : tensor<32x32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%t, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<?x32x32xf32>
    }
  }
  return %0 : tensor<?x32x32xf32>
}

// -----

// No multiple of the window's width: the tile packs it.
// CHECK-LABEL: func.func @anywhere_in_memory(
// CHECK-COUNT-1: scf.forall
// CHECK-NOT:     scf.forall
// CHECK:         linalg.unpack %{{.*}} : tensor<2x64x16xf32> -> tensor<64x32xf32>
func.func @anywhere_in_memory(%l: tensor<32x64xf32>, %r: tensor<64x?xf32>, %col: tensor<?xindex>,
                              %out: tensor<?x32x32xf32>) -> tensor<?x32x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %out, %c0 : tensor<?x32x32xf32>
  %0 = scf.forall (%t) = (0) to (%n) step (1) shared_outs(%o = %out) -> (tensor<?x32x32xf32>) {
    %c = tensor.extract %col[%t] : tensor<?xindex>
    %column = affine.apply affine_map<(d0) -> (d0 * 32 + 16)>(%c)
    %e = tensor.empty() : tensor<32x32xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %right = tensor.extract_slice %r[0, %column] [64, 32] [1, 1] : tensor<64x?xf32> to tensor<64x32xf32>
    %p = linalg.matmul ins(%l, %right : tensor<32x64xf32>, tensor<64x32xf32>)
        outs(%zeros : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%t, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<?x32x32xf32>
    }
  }
  return %0 : tensor<?x32x32xf32>
}

// -----

// Bytes are multiplied as f32, sums of 1024 products of which are exact, and the
// sum is added to i32. Few products are added up in i32.
// CHECK-LABEL: func.func @bytes(
// CHECK:         %[[PACKED:.*]] = scf.forall
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}xi8>) outs(%{{.*}}xf32>)
// CHECK:             arith.sitofp
// CHECK:         %[[SUM:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x1024xi8>, tensor<1024x32xf32>) outs(%{{.*}} : tensor<32x32xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<32x32xf32>) outs(%{{.*}} : tensor<32x32xi32>)
// CHECK:           %[[WHOLE:.*]] = arith.fptosi
// CHECK:           arith.addi %{{.*}}, %[[WHOLE]] : i32
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<32x32xi32>)
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<32x32xi32>)
func.func @bytes(%l: tensor<32x1024xi8>, %r: tensor<1024x?xi8>, %fl: tensor<32x32xi8>, %fr: tensor<32x?xi8>,
                 %ml: tensor<32x1032xi8>, %mr: tensor<1032x?xi8>, %out: tensor<32x?xi32>) -> tensor<32x?xi32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %out, %c1 : tensor<32x?xi32>
  %0 = scf.forall (%j) = (0) to (%n) step (32) shared_outs(%o = %out) -> (tensor<32x?xi32>) {
    %t = tensor.extract_slice %o[0, %j] [32, 32] [1, 1] : tensor<32x?xi32> to tensor<32x32xi32>
    %s = tensor.extract_slice %r[0, %j] [1024, 32] [1, 1] : tensor<1024x?xi8> to tensor<1024x32xi8>
    %1 = linalg.matmul ins(%l, %s : tensor<32x1024xi8>, tensor<1024x32xi8>) outs(%t : tensor<32x32xi32>) -> tensor<32x32xi32>
    %fs = tensor.extract_slice %fr[0, %j] [32, 32] [1, 1] : tensor<32x?xi8> to tensor<32x32xi8>
    %2 = linalg.matmul ins(%fl, %fs : tensor<32x32xi8>, tensor<32x32xi8>) outs(%1 : tensor<32x32xi32>) -> tensor<32x32xi32>
    %ms = tensor.extract_slice %mr[0, %j] [1032, 32] [1, 1] : tensor<1032x?xi8> to tensor<1032x32xi8>
    %3 = linalg.matmul ins(%ml, %ms : tensor<32x1032xi8>, tensor<1032x32xi8>) outs(%2 : tensor<32x32xi32>) -> tensor<32x32xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %3 into %o[0, %j] [32, 32] [1, 1] : tensor<32x32xi32> into tensor<32x?xi32>
    }
  }
  return %0 : tensor<32x?xi32>
}
