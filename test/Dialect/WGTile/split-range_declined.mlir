// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-split-range))' --remarks-filter=wgtile-split-range -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

gpu.module @kernels {
  // REMARK: [[@LINE+9]]:5: remark: {{.*}}SplitRange{{.*}}a loop whose step is not 1 is not cut
  // CHECK-LABEL: gpu.func @step
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @step(%end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %end step %c2 {
      %c = arith.cmpi slt, %i, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // Three conditions would make eight loops: four there are at most, of which the
  // first have no branch left, or the last have some.
  // REMARK: [[@LINE+11]]:5: remark: {{.*}}SplitRange{{.*}}a loop is cut into at most 4 parts
  // CHECK-LABEL: gpu.func @many
  // CHECK:         scf.for
  // CHECK:         scf.for
  // CHECK:         scf.for
  // CHECK:         scf.for
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @many(%end: index, %b0: index, %b1: index, %b2: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi slt, %i, %b0 : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
      %d = arith.cmpi slt, %i, %b1 : index
      scf.if %d {
        memref.store %x, %out[] : memref<f32>
      }
      %e = arith.cmpi slt, %i, %b2 : index
      scf.if %e {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // What follows is no range, and nobody hears of it.
  // REMARK-NOT: remark

  // Two ranges or none, and a comparison without a sign.
  // CHECK-LABEL: gpu.func @predicates
  // CHECK:         arith.cmpi eq
  // CHECK:         arith.cmpi ult
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @predicates(%end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi eq, %i, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
      %d = arith.cmpi ult, %i, %bound : index
      scf.if %d {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // A bound that changes, an index that is not the loop's plus a constant, a
  // condition on neither, and one that is no comparison.
  // CHECK-LABEL: gpu.func @conditions
  // CHECK:         arith.constant
  // CHECK:         scf.for
  // CHECK-COUNT-4:   scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @conditions(%end: index, %bound: index, %flags: memref<?xi1>, %ends: memref<?xindex>, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %end step %c1 {
      %changing = memref.load %ends[%i] : memref<?xindex>
      %c = arith.cmpi slt, %i, %changing : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
      %twice = arith.muli %i, %c2 : index
      %d = arith.cmpi slt, %twice, %bound : index
      scf.if %d {
        memref.store %x, %out[] : memref<f32>
      }
      %e = arith.cmpi slt, %end, %bound : index
      scf.if %e {
        memref.store %x, %out[] : memref<f32>
      }
      %f = memref.load %flags[%i] : memref<?xi1>
      scf.if %f {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // Indices of 32 bits.
  // CHECK-LABEL: gpu.func @types
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @types(%end: i32, %bound: i32, %n: index, %x: f32, %out: memref<f32>) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %zero to %end step %one : i32 {
      %index = arith.index_cast %i : i32 to index
      %c = arith.cmpi slt, %index, %n : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    scf.for %i = %c0 to %n step %c1 {
      %number = arith.index_cast %i : index to i32
      %c = arith.cmpi slt, %number, %bound : i32
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // MMAs by mma.sync.
  // REMARK: remark: {{.*}}SplitRange{{.*}}a loop whose MMAs are by mma.sync is not cut
  // CHECK-LABEL: gpu.func @mma_sync
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @mma_sync(%a: !wgtile.shared<16x16xbf16>, %zero: tensor<16x16xf32>, %end: index, %bound: index, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %d = wgtile.mma %a, %a, %acc mma_sync : !wgtile.shared<16x16xbf16>, !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
      %c = arith.cmpi slt, %i, %bound : index
      %s = scf.if %c -> (tensor<16x16xf32>) {
        %0 = math.exp2 %d : tensor<16x16xf32>
        scf.yield %0 : tensor<16x16xf32>
      } else {
        scf.yield %d : tensor<16x16xf32>
      }
      scf.yield %s : tensor<16x16xf32>
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<16x16xf32>, memref<?x?xf32>
    gpu.return
  }

  // A loop over something else.
  // REMARK-NOT: remark
  // CHECK-LABEL: gpu.func @other_loop
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @other_loop(%end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi slt, %i, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    }
    gpu.return
  }
}
