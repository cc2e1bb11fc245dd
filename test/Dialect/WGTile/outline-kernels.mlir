// RUN: sparse-opt %s --wgtile-outline-kernels --cse --split-input-file | FileCheck %s

// CHECK-DAG:   #[[I:.*]] = affine_map<(d0) -> (d0 * 64)>
// CHECK-DAG:   #[[J:.*]] = affine_map<(d0) -> (d0 * 128)>
// CHECK:       module attributes {gpu.container_module} {
// CHECK:         gpu.module @kernels {
//                  The kernel computes sizes again; it takes what it uses only.
// CHECK-LABEL:     gpu.func @f
// CHECK-SAME:        (%[[OUT:.*]]: memref<?x?xf32>, %[[X:.*]]: f32) kernel {
// CHECK-DAG:         %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:         %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:         %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:         %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:         %[[M:.*]] = memref.dim %[[OUT]], %[[C0]]
// CHECK-DAG:         %[[N:.*]] = memref.dim %[[OUT]], %[[C1]]
// CHECK-DAG:         %[[TM:.*]] = arith.ceildivsi %[[M]], %[[C64]]
// CHECK-DAG:         %[[TN:.*]] = arith.ceildivsi %[[N]], %[[C128]]
// CHECK:             wgtile.for_each_tile (%[[TI:.*]], %[[TJ:.*]]) in (%[[TM]], %[[TN]]) {
// CHECK-DAG:           %[[ROW:.*]] = affine.apply #[[I]](%[[TI]])
// CHECK-DAG:           %[[COLUMN:.*]] = affine.apply #[[J]](%[[TJ]])
// CHECK:               memref.store %[[X]], %[[OUT]][%[[ROW]], %[[COLUMN]]]
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-LABEL:   func.func @f
// CHECK-SAME:      (%{{.*}}: f32, %[[HOST_OUT:.*]]: memref<?x?xf32>, %[[HOST_X:.*]]: f32) {
// CHECK-DAG:       %[[HTM:.*]] = arith.ceildivsi
// CHECK-DAG:       %[[HTN:.*]] = arith.ceildivsi
// CHECK:           %[[GRID:.*]] = arith.muli %[[HTM]], %[[HTN]] : index
// CHECK:           wgtile.launch @kernels::@f grid(%[[GRID]]) args(%[[HOST_OUT]], %[[HOST_X]]) : memref<?x?xf32>, f32
// CHECK-NOT:       scf.forall
// CHECK:           return{{$}}
func.func @f(%unused: f32, %out: memref<?x?xf32>, %x: f32) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %out, %c0 : memref<?x?xf32>
  %n = memref.dim %out, %c1 : memref<?x?xf32>
  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) {
    memref.store %x, %out[%i, %j] : memref<?x?xf32>
  } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %out : memref<?x?xf32>
}

// -----

// Lower bounds, and two loops of one function.
// CHECK-DAG:   #[[I:.*]] = affine_map<(d0) -> (d0 * 2 + 8)>
// CHECK-LABEL:   gpu.func @two(
// CHECK-SAME:      %[[OUT:.*]]: memref<?xf32>, %{{.*}}: index, %[[X:.*]]: f32) kernel
// CHECK:           wgtile.for_each_tile (%[[T:.*]]) in
// CHECK:             %[[I0:.*]] = affine.apply #[[I]](%[[T]])
// CHECK:             memref.store %[[X]], %[[OUT]][%[[I0]]]
// CHECK:         gpu.func @two_0(%{{.*}}: memref<?xf32>, %{{.*}}: f32) kernel
// CHECK-LABEL: func.func @two
// CHECK-SAME:    %{{.*}}: memref<?xf32>, %[[N:.*]]: index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         %[[RANGE:.*]] = arith.subi %[[N]], %[[C8]] : index
// CHECK:         %[[GRID:.*]] = arith.ceildivsi %[[RANGE]], %[[C2]] : index
// CHECK:         wgtile.launch @kernels::@two grid(%[[GRID]])
// CHECK:         wgtile.launch @kernels::@two_0
func.func @two(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) = (8) to (%n) step (2) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  scf.forall (%i) = (0) to (16) step (2) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// -----

// Loops that are not mapped to CTAs stay.
// CHECK-LABEL: func.func @unmapped
// CHECK-COUNT-2: scf.forall
// CHECK-NOT:     wgtile.launch
func.func @unmapped(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Hints begin the kernel's schedule.
// CHECK-LABEL: gpu.func @hints
// CHECK-SAME:    wgtile.schedule = #wgtile.schedule<warps = 8, stages = 3, raster_group = 2>
// CHECK:         wgtile.for_each_tile {{.*}} attributes {consumer_groups = array<i64: 4>}
func.func @hints(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {mapping = [#gpu.block<linear_dim_0>], sattn.consumer_groups = array<i64: 4>, sattn.raster_group = 2 : i64, sattn.stages = 3 : i64, sattn.warps = 8 : i64}
  return
}

// -----

// A view of an argument that is cast is one of the argument.
// CHECK-LABEL: gpu.func @cast(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK:         memref.subview %[[A]]
// CHECK-NOT:     memref.cast
func.func @cast(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %b = memref.cast %a : memref<?x?xf32, strided<[?, ?], offset: ?>> to memref<?x8xf32, strided<[?, ?], offset: ?>>
  scf.forall (%i) in (%n) {
    %view = memref.subview %b[%i, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[?, ?], offset: ?>> to memref<1x8xf32, strided<[?, ?], offset: ?>>
    memref.store %x, %view[%c0, %c0] : memref<1x8xf32, strided<[?, ?], offset: ?>>
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}
