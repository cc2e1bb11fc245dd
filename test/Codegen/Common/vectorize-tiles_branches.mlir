// RUN: sparse-opt %s --sattn-vectorize-tiles --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// A padded tile that two branches use is read once, before them; its padding
// stays what it was.
// CHECK-LABEL: func @two
// CHECK:         scf.forall
// CHECK:           vector.transfer_read %{{.*}}, %{{.*}} {in_bounds = [false, true]} : tensor<?x64xf32>, vector<16x64xf32>
// CHECK:           scf.if
// CHECK-NOT:         vector.transfer_read {{.*}} vector<16x64xf32>
// CHECK:           scf.if
// CHECK-NOT:         vector.transfer_read {{.*}} vector<16x64xf32>
// CHECK:           scf.forall.in_parallel
func.func @two(%x: tensor<?x64xf32>, %out: tensor<4x16xf32>, %n: index, %a: i1, %b: i1) -> tensor<4x16xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %out) -> (tensor<4x16xf32>) {
    %clipped = tensor.extract_slice %x[%i, 0] [%n, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %h = affine.apply affine_map<()[s0] -> (16 - s0)>()[%n]
    %tile = tensor.pad %clipped low[0, 0] high[%h, 0] {
    ^bb0(%r: index, %c: index):
      tensor.yield %lowest : f32
    } : tensor<?x64xf32> to tensor<16x64xf32>
    %empty = tensor.empty() : tensor<16xf32>
    %start = linalg.fill ins(%lowest : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
    %first = scf.if %a -> (tensor<16xf32>) {
      %1 = linalg.generic {indexing_maps = [#map, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%tile : tensor<16x64xf32>) outs(%start : tensor<16xf32>) {
        ^bb0(%v: f32, %old: f32):
          %m = arith.maxnumf %v, %old : f32
          linalg.yield %m : f32
        } -> tensor<16xf32>
      scf.yield %1 : tensor<16xf32>
    } else {
      scf.yield %start : tensor<16xf32>
    }
    %second = scf.if %b -> (tensor<16xf32>) {
      %1 = linalg.generic {indexing_maps = [#map, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%tile : tensor<16x64xf32>) outs(%first : tensor<16xf32>) {
        ^bb0(%v: f32, %old: f32):
          %s = arith.addf %v, %old : f32
          linalg.yield %s : f32
        } -> tensor<16xf32>
      scf.yield %1 : tensor<16xf32>
    } else {
      scf.yield %first : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %second into %o[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<4x16xf32>
    }
  }
  return %0 : tensor<4x16xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// One that a single branch uses is read in it: it may be there for nothing else.
// CHECK-LABEL: func @one
// CHECK:         scf.forall
// CHECK:           scf.if
// CHECK:             vector.transfer_read {{.*}} {in_bounds = [false, true]} : tensor<?x64xf32>, vector<16x64xf32>
func.func @one(%x: tensor<?x64xf32>, %out: tensor<4x16xf32>, %n: index, %a: i1) -> tensor<4x16xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %out) -> (tensor<4x16xf32>) {
    %clipped = tensor.extract_slice %x[%i, 0] [%n, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %h = affine.apply affine_map<()[s0] -> (16 - s0)>()[%n]
    %tile = tensor.pad %clipped low[0, 0] high[%h, 0] {
    ^bb0(%r: index, %c: index):
      tensor.yield %lowest : f32
    } : tensor<?x64xf32> to tensor<16x64xf32>
    %empty = tensor.empty() : tensor<16xf32>
    %start = linalg.fill ins(%lowest : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
    %first = scf.if %a -> (tensor<16xf32>) {
      %1 = linalg.generic {indexing_maps = [#map, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%tile : tensor<16x64xf32>) outs(%start : tensor<16xf32>) {
        ^bb0(%v: f32, %old: f32):
          %m = arith.maxnumf %v, %old : f32
          linalg.yield %m : f32
        } -> tensor<16xf32>
      scf.yield %1 : tensor<16xf32>
    } else {
      scf.yield %start : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %first into %o[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<4x16xf32>
    }
  }
  return %0 : tensor<4x16xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// Two tiles that one branch reads and the other fills are vectors, beside a number.
// CHECK-LABEL: func @several
// CHECK:         %[[NONE:.*]] = arith.constant dense<0xFF800000> : vector<16x64xf32>
// CHECK:         scf.forall
// CHECK:           %[[R:.*]]:3 = scf.if %{{.*}} -> (vector<16x64xf32>, f32, vector<16x64xf32>) {
// CHECK-DAG:         %[[FIRST:.*]] = vector.transfer_read {{.*}} {in_bounds = [false, true]} : tensor<?x64xf32>, vector<16x64xf32>
// CHECK-DAG:         %[[SECOND:.*]] = vector.transfer_read {{.*}} {in_bounds = [true, true]} : tensor<16x64xf32>, vector<16x64xf32>
// CHECK-DAG:         %[[NUMBER:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:             scf.yield %[[FIRST]], %[[NUMBER]], %[[SECOND]] :
// CHECK:           } else {
// CHECK:             scf.yield %[[NONE]], %{{.*}}, %[[NONE]] :
// CHECK:           %[[SUM:.*]] = arith.addf %[[R]]#0, %[[R]]#2 : vector<16x64xf32>
// CHECK:           %[[NUMBERS:.*]] = vector.broadcast %[[R]]#1 : f32
// CHECK:           arith.mulf %[[SUM]], %[[NUMBERS]]
func.func @several(%x: tensor<?x64xf32>, %out: tensor<4x16x64xf32>, %n: index, %a: i1, %number: f32) -> tensor<4x16x64xf32> {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %h = affine.apply affine_map<()[s0] -> (16 - s0)>()[%n]
  %0 = scf.forall (%i) in (4) shared_outs(%o = %out) -> (tensor<4x16x64xf32>) {
    %tiles:3 = scf.if %a -> (tensor<16x64xf32>, f32, tensor<16x64xf32>) {
      %first = tensor.extract_slice %x[%i, 0] [%n, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
      %p = tensor.pad %first low[0, 0] high[%h, 0] {
      ^bb0(%r: index, %c: index):
        tensor.yield %lowest : f32
      } : tensor<?x64xf32> to tensor<16x64xf32>
      %second = tensor.extract_slice %x[%n, 0] [16, 64] [1, 1] : tensor<?x64xf32> to tensor<16x64xf32>
      %place = tensor.empty() : tensor<16x64xf32>
      %q = linalg.copy ins(%second : tensor<16x64xf32>) outs(%place : tensor<16x64xf32>) -> tensor<16x64xf32>
      %square = arith.mulf %number, %number : f32
      scf.yield %p, %square, %q : tensor<16x64xf32>, f32, tensor<16x64xf32>
    } else {
      %empty = tensor.empty() : tensor<16x64xf32>
      %none = linalg.fill ins(%lowest : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
      scf.yield %none, %number, %none : tensor<16x64xf32>, f32, tensor<16x64xf32>
    }
    %place = tensor.empty() : tensor<16x64xf32>
    %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%tiles#0, %tiles#2 : tensor<16x64xf32>, tensor<16x64xf32>) outs(%place : tensor<16x64xf32>) {
      ^bb0(%u: f32, %v: f32, %old: f32):
        %s = arith.addf %u, %v : f32
        %t = arith.mulf %s, %tiles#1 : f32
        linalg.yield %t : f32
      } -> tensor<16x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%i, 0, 0] [1, 16, 64] [1, 1, 1] : tensor<16x64xf32> into tensor<4x16x64xf32>
    }
  }
  return %0 : tensor<4x16x64xf32>
}
