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
