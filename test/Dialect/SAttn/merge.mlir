// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --canonicalize --cse | FileCheck %s --check-prefix=EFFECTS
// RUN: sparse-opt %s --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @places
// CHECK:         sattn.merge lists(2) grid(64, %{{.*}}, %{{.*}}) ins(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>) r(%{{.*}} : tensor<?xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?x3xi32>) -> tensor<?xi32>, tensor<?x3xi32>

// The destinations are allocated, not copied: their old content is not read.
// BUFFER-LABEL: func.func @places
// BUFFER:         %[[C:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// BUFFER:         %[[S:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x3xi32>
// BUFFER-NOT:     memref.copy
// BUFFER:         sattn.merge lists(2) {{.*}} r(%{{.*}} : memref<?xi64, strided<[?], offset: ?>>) outs(%[[C]], %[[S]] : memref<?xi32>, memref<?x3xi32>){{$}}
// BUFFER-NOT:     memref.copy
// BUFFER:         return
func.func @places(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
                  %r: tensor<?xi64>) -> (tensor<?xi32>, tensor<?x3xi32>) {
  %c = tensor.empty(%n) : tensor<?xi32>
  %s = tensor.empty(%n) : tensor<?x3xi32>
  %counts, %steps = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) r(%r : tensor<?xi64>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return %counts, %steps : tensor<?xi32>, tensor<?x3xi32>
}

// On memrefs it has effects, and stays.
// CHECK-LABEL: func.func @memrefs
// CHECK:         sattn.merge lists(8) {{.*}} p(%{{.*}} : memref<?xi64>) outs(%{{.*}}, %{{.*}} : memref<?xi32>, memref<?x9xi64>){{$}}
// EFFECTS-LABEL: func.func @memrefs
// EFFECTS:         sattn.merge
func.func @memrefs(%n: index, %offsets: memref<?xi32>, %q: memref<?xi32>,
                   %p: memref<?xi64>, %c: memref<?xi32>, %s: memref<?x9xi64>) {
  sattn.merge lists(8) grid(16, %n, %n)
      ins(%offsets, %q : memref<?xi32>, memref<?xi32>) p(%p : memref<?xi64>)
      outs(%c, %s : memref<?xi32>, memref<?x9xi64>)
  return
}

// On tensors it has none, and one that nobody uses is removed.
// EFFECTS-LABEL: func.func @unused
// EFFECTS-NOT:     sattn.merge
func.func @unused(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi64>,
                  %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi64>) {
  %0, %1 = sattn.merge lists(2) grid(16, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi64>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi64>)
      -> tensor<?xi32>, tensor<?x3xi64>
  return
}
