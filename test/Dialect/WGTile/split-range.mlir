// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-split-range))' | FileCheck %s
// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-split-range,canonicalize))' | FileCheck %s --check-prefix=FOLDED

gpu.module @kernels {
  // The first loop ends at the bound, clamped to the range, an empty one too; the
  // second one goes on with what the first one carries.
  // CHECK-LABEL: gpu.func @slt
  // CHECK-SAME:    %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index, %[[BOUND:[a-z0-9]+]]: index, %[[INIT:[a-z0-9]+]]: f32
  // CHECK:         %[[STEP:.+]] = arith.constant 1 : index
  // CHECK:         %[[SHIFT:.+]] = arith.constant 0 : index
  // CHECK-NEXT:    %[[SHIFTED:.+]] = arith.subi %[[BOUND]], %[[SHIFT]]
  // CHECK-NEXT:    %[[LATE:.+]] = arith.maxsi %[[SHIFTED]], %[[BEGIN]]
  // CHECK-NEXT:    %[[EARLY:.+]] = arith.minsi %[[LATE]], %[[END]]
  // CHECK-NEXT:    %[[MIDDLE:.+]] = arith.maxsi %[[EARLY]], %[[BEGIN]]
  // CHECK-NEXT:    %[[FIRST:.+]] = scf.for %{{.+}} = %[[BEGIN]] to %[[MIDDLE]] step %[[STEP]] iter_args(%[[X:.+]] = %[[INIT]]) -> (f32) {
  // CHECK-NOT:       scf.if
  // CHECK:           %[[NEXT:.+]] = math.exp2 %[[X]]
  // CHECK-NEXT:      scf.yield %[[NEXT]]
  // CHECK-NEXT:    } {note = "kept", wgtile.block_loop}
  // CHECK-NEXT:    %[[SECOND:.+]] = scf.for %{{.+}} = %[[MIDDLE]] to %[[END]] step %[[STEP]] iter_args(%[[Y:.+]] = %[[FIRST]]) -> (f32) {
  // CHECK-NOT:       scf.if
  // CHECK:           %[[LAST:.+]] = math.log2 %[[Y]]
  // CHECK-NEXT:      scf.yield %[[LAST]]
  // CHECK-NEXT:    } {note = "kept", wgtile.block_loop}
  // CHECK-NEXT:    memref.store %[[SECOND]]
  gpu.func @slt(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %begin to %end step %c1 iter_args(%a = %x) -> (f32) {
      %c = arith.cmpi slt, %i, %bound : index
      %s = scf.if %c -> (f32) {
        %0 = math.exp2 %a : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log2 %a : f32
        scf.yield %0 : f32
      }
      scf.yield %s : f32
    } {wgtile.block_loop, note = "kept"}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // A condition that holds from the bound on: its second side comes first.
  // CHECK-LABEL: gpu.func @sge
  // CHECK:         arith.constant 0 : index
  // CHECK:         scf.for
  // CHECK-NOT:       math.exp2
  // CHECK:           math.log2
  // CHECK:         scf.for
  // CHECK-NOT:       math.log2
  // CHECK:           math.exp2
  gpu.func @sge(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %begin to %end step %c1 iter_args(%a = %x) -> (f32) {
      %c = arith.cmpi sge, %i, %bound : index
      %s = scf.if %c -> (f32) {
        %0 = math.exp2 %a : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log2 %a : f32
        scf.yield %0 : f32
      }
      scf.yield %s : f32
    } {wgtile.block_loop}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // Conditions that follow from the place before or after the cut: its opposite,
  // and before it a bound that comes later. They are no cuts.
  // FOLDED-LABEL: gpu.func @implied
  // FOLDED:         scf.for
  // FOLDED-NOT:       arith.cmpi
  // FOLDED-NOT:       arith.select
  // FOLDED:           %[[X:.+]] = math.exp2
  // FOLDED-NEXT:      scf.yield %[[X]]
  // FOLDED:         scf.for
  // FOLDED:           %[[LATER:.+]] = arith.cmpi slt
  // FOLDED:           %[[Y:.+]] = math.log2 %[[A:.+]] :
  // FOLDED-NOT:       arith.cmpi
  // FOLDED:           arith.select %[[LATER]], %[[A]], %[[Y]]
  // FOLDED-NOT:     scf.for
  // FOLDED:         gpu.return
  gpu.func @implied(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %later = arith.addi %bound, %c2 : index
    %r = scf.for %i = %begin to %end step %c1 iter_args(%a = %x) -> (f32) {
      %next = arith.addi %i, %c1 : index
      %before = arith.cmpi slt, %next, %bound : index
      %isLater = arith.cmpi slt, %i, %later : index
      %s = scf.if %before -> (f32) {
        %0 = math.exp2 %a : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log2 %a : f32
        scf.yield %0 : f32
      }
      %same = arith.addi %i, %c1 : index
      %after = arith.cmpi sge, %same, %bound : index
      %old = arith.select %isLater, %a, %s : f32
      %result = arith.select %after, %old, %s : f32
      scf.yield %result : f32
    } {wgtile.block_loop}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // The bound itself is in the first part: one more than the bound.
  // CHECK-LABEL: gpu.func @sle
  // CHECK-SAME:    %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[BOUND:[a-z0-9]+]]: index
  // CHECK:         %[[SHIFT:.+]] = arith.constant -1 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT]]
  // CHECK:         scf.for
  // CHECK-NOT:       math.log2
  // CHECK:           math.exp2
  // CHECK:         scf.for
  // CHECK-NOT:       math.exp2
  // CHECK:           math.log2
  gpu.func @sle(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %begin to %end step %c1 iter_args(%a = %x) -> (f32) {
      %c = arith.cmpi sle, %i, %bound : index
      %s = scf.if %c -> (f32) {
        %0 = math.exp2 %a : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log2 %a : f32
        scf.yield %0 : f32
      }
      scf.yield %s : f32
    } {wgtile.block_loop}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @sgt
  // CHECK-SAME:    %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[BOUND:[a-z0-9]+]]: index
  // CHECK:         %[[SHIFT:.+]] = arith.constant -1 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT]]
  // CHECK:         scf.for
  // CHECK-NOT:       math.exp2
  // CHECK:           math.log2
  // CHECK:         scf.for
  // CHECK-NOT:       math.log2
  // CHECK:           math.exp2
  gpu.func @sgt(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %begin to %end step %c1 iter_args(%a = %x) -> (f32) {
      %c = arith.cmpi sgt, %i, %bound : index
      %s = scf.if %c -> (f32) {
        %0 = math.exp2 %a : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log2 %a : f32
        scf.yield %0 : f32
      }
      scf.yield %s : f32
    } {wgtile.block_loop}
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // The bound stands on the left: bound > index is index < bound, and bound >=
  // index is index <= bound.
  // CHECK-LABEL: gpu.func @swapped
  // CHECK-SAME:    %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[BOUND:[a-z0-9]+]]: index
  // CHECK:         %[[SHIFT:.+]] = arith.constant 0 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT]]
  // CHECK:         scf.for
  // CHECK-NOT:       math.log2
  // CHECK:           math.exp2
  // CHECK:         scf.for
  // CHECK-NOT:       math.exp2
  // CHECK:           math.log2
  // CHECK:         %[[SHIFT1:.+]] = arith.constant -1 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT1]]
  // CHECK:         scf.for
  // CHECK-NOT:       math.log2
  // CHECK:           math.exp2
  // CHECK:         scf.for
  // CHECK-NOT:       math.exp2
  // CHECK:           math.log2
  gpu.func @swapped(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %c = arith.cmpi sgt, %bound, %i : index
      scf.if %c {
        %0 = math.exp2 %x : f32
        memref.store %0, %out[] : memref<f32>
      } else {
        %0 = math.log2 %x : f32
        memref.store %0, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    scf.for %i = %begin to %end step %c1 {
      %c = arith.cmpi sge, %bound, %i : index
      scf.if %c {
        %0 = math.exp2 %x : f32
        memref.store %0, %out[] : memref<f32>
      } else {
        %0 = math.log2 %x : f32
        memref.store %0, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // A rotated loop is an iteration ahead: the condition is on its index plus one.
  // An index less a constant is one, too.
  // CHECK-LABEL: gpu.func @rotated
  // CHECK-SAME:    %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[BOUND:[a-z0-9]+]]: index
  // CHECK:         %[[STEP:.+]] = arith.constant 1 : index
  // CHECK:         %[[SHIFT:.+]] = arith.constant 1 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT]]
  // CHECK:         scf.for
  // CHECK:         scf.for
  // CHECK:         %[[SHIFT3:.+]] = arith.constant -3 : index
  // CHECK-NEXT:    arith.subi %[[BOUND]], %[[SHIFT3]]
  // CHECK:         scf.for
  // CHECK:         scf.for
  gpu.func @rotated(%begin: index, %end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %begin to %end step %c1 {
      %next = arith.addi %i, %c1 : index
      %c = arith.cmpi slt, %next, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    scf.for %i = %begin to %end step %c1 {
      %before = arith.subi %i, %c3 : index
      %c = arith.cmpi slt, %before, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // A branch without a second side leaves nothing in the second part.
  // CHECK-LABEL: gpu.func @one_side
  // CHECK:         scf.for
  // CHECK-NOT:       scf.if
  // CHECK:           memref.store
  // CHECK:         }
  // CHECK:         scf.for
  // CHECK-NOT:       memref.store
  // CHECK:         } {wgtile.block_loop}
  gpu.func @one_side(%end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi slt, %i, %bound : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // All branches on one condition go, those in another's sides included, and the
  // condition is a constant elsewhere.
  // CHECK-LABEL: gpu.func @branches
  // CHECK:         scf.for
  // CHECK-NEXT:      %[[TRUE:.+]] = arith.constant true
  // CHECK-NOT:       scf.if
  // CHECK:           math.exp2
  // CHECK:           math.sin
  // CHECK:           math.exp %
  // CHECK:           arith.select %[[TRUE]]
  // CHECK:         scf.for
  // CHECK-NEXT:      %[[FALSE:.+]] = arith.constant false
  // CHECK-NOT:       scf.if
  // CHECK:           math.log2
  // CHECK:           math.cos
  // CHECK:           math.log
  // CHECK:           arith.select %[[FALSE]]
  gpu.func @branches(%end: index, %bound: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi slt, %i, %bound : index
      scf.if %c {
        %0 = math.exp2 %x : f32
        scf.if %c {
          %1 = math.sin %0 : f32
          memref.store %1, %out[] : memref<f32>
        } else {
          %1 = math.tan %0 : f32
          memref.store %1, %out[] : memref<f32>
        }
      } else {
        %0 = math.log2 %x : f32
        scf.if %c {
          %1 = math.tan %0 : f32
          memref.store %1, %out[] : memref<f32>
        } else {
          %1 = math.cos %0 : f32
          memref.store %1, %out[] : memref<f32>
        }
      }
      %y = scf.if %c -> f32 {
        %0 = math.exp %x : f32
        scf.yield %0 : f32
      } else {
        %0 = math.log %x : f32
        scf.yield %0 : f32
      }
      %z = arith.select %c, %x, %y : f32
      memref.store %z, %out[] : memref<f32>
    } {wgtile.block_loop}
    gpu.return
  }

  // Two conditions make up to four loops, one a combination.
  // CHECK-LABEL: gpu.func @two_conditions
  // CHECK:         scf.for
  // CHECK-NOT:       scf.if
  // CHECK:           math.exp2
  // CHECK:           math.sin
  // CHECK:         scf.for
  // CHECK-NOT:       scf.if
  // CHECK:           math.exp2
  // CHECK:           math.cos
  // CHECK:         scf.for
  // CHECK-NOT:       scf.if
  // CHECK:           math.log2
  // CHECK:           math.sin
  // CHECK:         scf.for
  // CHECK-NOT:       scf.if
  // CHECK:           math.log2
  // CHECK:           math.cos
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @two_conditions(%end: index, %b0: index, %b1: index, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %c = arith.cmpi slt, %i, %b0 : index
      scf.if %c {
        %0 = math.exp2 %x : f32
        memref.store %0, %out[] : memref<f32>
      } else {
        %0 = math.log2 %x : f32
        memref.store %0, %out[] : memref<f32>
      }
      %d = arith.cmpi slt, %i, %b1 : index
      scf.if %d {
        %0 = math.sin %x : f32
        memref.store %0, %out[] : memref<f32>
      } else {
        %0 = math.cos %x : f32
        memref.store %0, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // Of an empty range both parts are empty: the second one starts where the range
  // does, 5, and ends at 3.
  // FOLDED-LABEL: gpu.func @empty
  // FOLDED-NOT:     scf.for
  // FOLDED:         gpu.return
  gpu.func @empty(%x: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %c5 to %c3 step %c1 {
      %c = arith.cmpi slt, %i, %c4 : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }

  // The bounds of what remains: 2 to 4, and 4 to 8.
  // FOLDED-LABEL: gpu.func @static
  // FOLDED-DAG:     %[[C2:.+]] = arith.constant 2 : index
  // FOLDED-DAG:     %[[C4:.+]] = arith.constant 4 : index
  // FOLDED-DAG:     %[[C8:.+]] = arith.constant 8 : index
  // FOLDED:         scf.for %{{.+}} = %[[C2]] to %[[C4]]
  // FOLDED:         scf.for %{{.+}} = %[[C4]] to %[[C8]]
  gpu.func @static(%x: f32, %y: f32, %out: memref<f32>) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c2 to %c8 step %c1 {
      %c = arith.cmpi sle, %i, %c3 : index
      scf.if %c {
        memref.store %x, %out[] : memref<f32>
      } else {
        memref.store %y, %out[] : memref<f32>
      }
    } {wgtile.block_loop}
    gpu.return
  }
}
