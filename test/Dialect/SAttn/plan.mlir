// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --canonicalize --cse | FileCheck %s --check-prefix=EFFECTS
// RUN: sparse-opt %s --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @dynamic
// CHECK:         sattn.plan groups(2) columns(%{{.*}}) ins(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.*}}, %{{.*}} : tensor<?x4xi32>, tensor<?x3xi32>) -> tensor<?x4xi32>, tensor<?x3xi32>

// The destinations are allocated, not copied: their old content is not read.
// BUFFER-LABEL: func.func @dynamic
// BUFFER:         %[[C:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xi32>
// BUFFER:         %[[S:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x3xi32>
// BUFFER-NOT:     memref.copy
// BUFFER:         sattn.plan groups(2) columns(%{{.*}}) ins(%{{.*}}, %{{.*}} : memref<?xi32, strided<[?], offset: ?>>, memref<?xi32, strided<[?], offset: ?>>) outs(%[[C]], %[[S]] : memref<?x4xi32>, memref<?x3xi32>){{$}}
// BUFFER-NOT:     memref.copy
// BUFFER:         return
func.func @dynamic(%columns: index, %count: index, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>) -> (tensor<?x4xi32>, tensor<?x3xi32>) {
  %c0 = arith.constant 0 : index
  %nnz = tensor.dim %col, %c0 : tensor<?xi32>
  %c = tensor.empty(%count) : tensor<?x4xi32>
  %s = tensor.empty(%nnz) : tensor<?x3xi32>
  %row_block_groups, %steps = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
      outs(%c, %s : tensor<?x4xi32>, tensor<?x3xi32>)
      -> tensor<?x4xi32>, tensor<?x3xi32>
  return %row_block_groups, %steps : tensor<?x4xi32>, tensor<?x3xi32>
}

// 10 block rows in row-block groups of 4.
// CHECK-LABEL: func.func @batches
// CHECK:         sattn.plan groups(4) {{.*}} : tensor<5x11xi64>, tensor<5x?xi64>) outs(%{{.*}} : tensor<5x3x6xi32>, tensor<5x?x5xi32>)
func.func @batches(%columns: index, %crow: tensor<5x11xi64>,
                   %col: tensor<5x?xi64>, %p: tensor<5x3x6xi32>,
                   %s: tensor<5x?x5xi32>)
    -> (tensor<5x3x6xi32>, tensor<5x?x5xi32>) {
  %row_block_groups, %steps = sattn.plan groups(4) columns(%columns)
      ins(%crow, %col : tensor<5x11xi64>, tensor<5x?xi64>)
      outs(%p, %s : tensor<5x3x6xi32>, tensor<5x?x5xi32>)
      -> tensor<5x3x6xi32>, tensor<5x?x5xi32>
  return %row_block_groups, %steps : tensor<5x3x6xi32>, tensor<5x?x5xi32>
}

// On memrefs it has effects, and stays.
// CHECK-LABEL: func.func @memrefs
// CHECK:         sattn.plan groups(1) {{.*}} outs(%{{.*}}, %{{.*}} : memref<?x3xi32>, memref<?x2xi32>){{$}}
// EFFECTS-LABEL: func.func @memrefs
// EFFECTS:         sattn.plan
func.func @memrefs(%columns: index, %crow: memref<?xi32>, %col: memref<?xi32>,
                   %p: memref<?x3xi32>, %s: memref<?x2xi32>) {
  sattn.plan groups(1) columns(%columns)
      ins(%crow, %col : memref<?xi32>, memref<?xi32>)
      outs(%p, %s : memref<?x3xi32>, memref<?x2xi32>)
  return
}

// On tensors it has none, and one that nobody uses is removed.
// EFFECTS-LABEL: func.func @unused
// EFFECTS-NOT:     sattn.plan
func.func @unused(%columns: index, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %p: tensor<?x3xi32>, %s: tensor<?x2xi32>) {
  %0, %1 = sattn.plan groups(1) columns(%columns)
      ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<?x3xi32>, tensor<?x2xi32>)
      -> tensor<?x3xi32>, tensor<?x2xi32>
  return
}
