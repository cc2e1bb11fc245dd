// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s

// CHECK-LABEL: func.func @for_each_tile
// CHECK-SAME:    %[[M:.*]]: index, %[[N:.*]]: index
// CHECK:         wgtile.for_each_tile (%[[I:.*]], %[[J:.*]]) in (%[[M]], %[[N]]) {
// CHECK-NEXT:      arith.addi %[[I]], %[[J]] : index
// CHECK-NEXT:    }
// CHECK:         wgtile.for_each_tile (%{{.*}}) in (%[[M]]) attributes {note = "kept"} {
// CHECK-NEXT:    }
// CHECK:         wgtile.for_each_tile () in () {
// CHECK-NEXT:    }
func.func @for_each_tile(%m: index, %n: index) {
  wgtile.for_each_tile (%i, %j) in (%m, %n) {
    %0 = arith.addi %i, %j : index
  }
  wgtile.for_each_tile (%i) in (%m) attributes {note = "kept"} {
    wgtile.end
  }
  wgtile.for_each_tile () in () {
  }
  return
}

// CHECK-LABEL: func.func @load
// CHECK-SAME:    %[[SOURCE:.*]]: memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>>, %[[MAP:.*]]: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>, %[[I:.*]]: index
// CHECK:         wgtile.load %[[SOURCE]][%[[I]], %[[I]], %[[I]]] : memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>> -> !wgtile.shared<64x64xbf16>
// CHECK:         wgtile.load %[[MAP]][%[[I]], %[[I]], %[[I]]] {barrier = 8192 : i64, offset = 0 : i64} : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128> -> !wgtile.shared<64x64xbf16, swizzle = 128>
func.func @load(%source: memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>>,
                %map: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>,
                %i: index) {
  %0 = wgtile.load %source[%i, %i, %i]
      : memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>>
      -> !wgtile.shared<64x64xbf16>
  %1 = wgtile.load %map[%i, %i, %i] {barrier = 8192 : i64, offset = 0 : i64}
      : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
      -> !wgtile.shared<64x64xbf16, swizzle = 128>
  return
}

// CHECK-LABEL: func.func @mma
// CHECK-SAME:    %[[A:.*]]: !wgtile.shared<64x64xf16>, %[[B:.*]]: !wgtile.shared<64x128xf16>, %[[ACC:.*]]: tensor<64x128xf32>
// CHECK:         wgtile.mma %[[A]], %[[B]], %[[ACC]] : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16> -> tensor<64x128xf32>
func.func @mma(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<64x128xf16>,
               %acc: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16>
      -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @mma_with_layouts
// CHECK:         wgtile.mma %{{.*}}, %{{.*}}, %{{.*}} : !wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128> -> tensor<128x64xf32, #wgtile.mma<warps = 8>>
func.func @mma_with_layouts(
    %a: !wgtile.shared<128x64xbf16, swizzle = 128>,
    %b: !wgtile.shared<64x64xbf16, swizzle = 128>,
    %acc: tensor<128x64xf32, #wgtile.mma<warps = 8>>)
    -> tensor<128x64xf32, #wgtile.mma<warps = 8>> {
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<128x64xbf16, swizzle = 128>,
        !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<128x64xf32, #wgtile.mma<warps = 8>>
  return %0 : tensor<128x64xf32, #wgtile.mma<warps = 8>>
}

// CHECK-LABEL: func.func @mma_rows
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         wgtile.mma %{{.*}}, %{{.*}}, %{{.*}} rows %[[N]] mma_sync : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16> -> tensor<64x128xf32>
// CHECK:         wgtile.mma_async %{{.*}}, %{{.*}}, %{{.*}} rows %[[N]] : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16> -> tensor<64x128xf32>
func.func @mma_rows(%n: index, %a: !wgtile.shared<64x64xf16>,
                    %b: !wgtile.shared<64x128xf16>,
                    %acc: tensor<64x128xf32>) {
  %0 = wgtile.mma %a, %b, %acc rows %n mma_sync
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16>
      -> tensor<64x128xf32>
  %1 = wgtile.mma_async %a, %b, %acc rows %n
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x128xf16>
      -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @mma_transposed
// CHECK:         wgtile.mma %{{.*}}, %{{.*}}, %{{.*}} transpose_b : !wgtile.shared<64x32xf16>, !wgtile.shared<128x32xf16> -> tensor<64x128xf32>
// CHECK:         wgtile.mma_async %{{.*}}, %{{.*}}, %{{.*}} transpose_b : !wgtile.shared<64x32xf16>, !wgtile.shared<128x32xf16> -> tensor<64x128xf32>
// CHECK:         wgtile.mma %{{.*}}, %{{.*}}, %{{.*}} mma_sync transpose_b {note = "kept"} : tensor<64x32xf16>, !wgtile.shared<128x32xf16> -> tensor<64x128xf32>
func.func @mma_transposed(%a: !wgtile.shared<64x32xf16>,
                          %registers: tensor<64x32xf16>,
                          %b: !wgtile.shared<128x32xf16>,
                          %acc: tensor<64x128xf32>) {
  %0 = wgtile.mma %a, %b, %acc transpose_b
      : !wgtile.shared<64x32xf16>, !wgtile.shared<128x32xf16>
      -> tensor<64x128xf32>
  %1 = wgtile.mma_async %a, %b, %acc transpose_b
      : !wgtile.shared<64x32xf16>, !wgtile.shared<128x32xf16>
      -> tensor<64x128xf32>
  %2 = wgtile.mma %registers, %b, %acc mma_sync transpose_b {note = "kept"}
      : tensor<64x32xf16>, !wgtile.shared<128x32xf16> -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @read
// CHECK-SAME:    %[[SOURCE:.*]]: memref<?x?xbf16>, %[[VECTOR:.*]]: memref<?xf32>, %[[I:.*]]: index
// CHECK:         wgtile.read %[[SOURCE]][%[[I]], %[[I]]] in_bounds [true, false] : memref<?x?xbf16> -> tensor<64x128xbf16>
// CHECK:         wgtile.read %[[SOURCE]][%[[I]], %[[I]]] in_bounds [false] : memref<?x?xbf16> -> tensor<128xbf16>
// CHECK:         wgtile.read %[[SOURCE]][%[[I]], %[[I]]] in_bounds [false] padding 0xFF80 : bf16 : memref<?x?xbf16> -> tensor<128xbf16>
// CHECK:         wgtile.read %[[VECTOR]][%[[I]]] in_bounds [true] : memref<?xf32> -> tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
func.func @read(%source: memref<?x?xbf16>, %vector: memref<?xf32>, %i: index)
    -> (tensor<64x128xbf16>, tensor<128xbf16>, tensor<128xbf16>,
        tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>) {
  %0 = wgtile.read %source[%i, %i] in_bounds [true, false]
      : memref<?x?xbf16> -> tensor<64x128xbf16>
  %1 = wgtile.read %source[%i, %i] in_bounds [false]
      : memref<?x?xbf16> -> tensor<128xbf16>
  %2 = wgtile.read %source[%i, %i] in_bounds [false] padding 0xFF80 : bf16
      : memref<?x?xbf16> -> tensor<128xbf16>
  %3 = wgtile.read %vector[%i] in_bounds [true]
      : memref<?xf32> -> tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
  return %0, %1, %2, %3 : tensor<64x128xbf16>, tensor<128xbf16>, tensor<128xbf16>,
      tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
}

// CHECK-LABEL: func.func @store
// CHECK-SAME:    %[[TILE:.*]]: tensor<64x128xf32>, %[[DEST:.*]]: memref<3x?x?xf32>, %[[I:.*]]: index
// CHECK:         wgtile.store %[[TILE]], %[[DEST]][%[[I]], %[[I]], %[[I]]] in_bounds [false, true] aligned : tensor<64x128xf32>, memref<3x?x?xf32>
// CHECK:         %[[OLD:.*]] = wgtile.read %[[DEST]][%[[I]], %[[I]], %[[I]]] in_bounds [true, true] transposed : memref<3x?x?xf32> -> tensor<64x128xf32>
// CHECK:         wgtile.store %[[OLD]], %[[DEST]][%[[I]], %[[I]], %[[I]]] in_bounds [true, true] aligned transposed :
func.func @store(%tile: tensor<64x128xf32>, %dest: memref<3x?x?xf32>,
                 %i: index) {
  wgtile.store %tile, %dest[%i, %i, %i] in_bounds [false, true] aligned
      : tensor<64x128xf32>, memref<3x?x?xf32>
  %old = wgtile.read %dest[%i, %i, %i] in_bounds [true, true] transposed
      : memref<3x?x?xf32> -> tensor<64x128xf32>
  wgtile.store %old, %dest[%i, %i, %i] in_bounds [true, true] aligned transposed
      : tensor<64x128xf32>, memref<3x?x?xf32>
  return
}

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[ROW:.*]]: tensor<64xf32>, %[[COLUMN:.*]]: tensor<128xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
// CHECK:         wgtile.broadcast %[[ROW]] dimension 0 : tensor<64xf32> -> tensor<64x128xf32>
// CHECK:         wgtile.broadcast %[[COLUMN]] dimension 1 : tensor<128xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>> -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
func.func @broadcast(%row: tensor<64xf32>,
                     %column: tensor<128xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>)
    -> (tensor<64x128xf32>, tensor<64x128xf32, #wgtile.mma<warps = 4>>) {
  %0 = wgtile.broadcast %row dimension 0 : tensor<64xf32> -> tensor<64x128xf32>
  %1 = wgtile.broadcast %column dimension 1
      : tensor<128xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
      -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32, #wgtile.mma<warps = 4>>
}

// CHECK-LABEL: func.func @extract_columns
// CHECK:         wgtile.extract_columns %{{.*}} from 32 : tensor<64x128xf32> -> tensor<64x32xf32>
// CHECK:         wgtile.extract_columns %{{.*}} from 0 : tensor<128xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>> -> tensor<64xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
func.func @extract_columns(%tile: tensor<64x128xf32>,
                           %v: tensor<128xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>) {
  %0 = wgtile.extract_columns %tile from 32
      : tensor<64x128xf32> -> tensor<64x32xf32>
  %1 = wgtile.extract_columns %v from 0
      : tensor<128xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
      -> tensor<64xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
  return
}

// CHECK-LABEL: func.func @vectors
// CHECK:         wgtile.step : tensor<128xi32>
// CHECK:         wgtile.step : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
// CHECK:         wgtile.row_reduce maximumf %{{.*}} : tensor<64x128xf32> -> tensor<64xf32>
// CHECK:         %[[PARTS:.*]] = wgtile.row_reduce addf %{{.*}} partial : tensor<64x128xf32> -> tensor<64xf32>
// CHECK:         wgtile.row_combine addf %[[PARTS]] : tensor<64xf32>
// CHECK:         wgtile.tile_reduce maxnumf %{{.*}} : tensor<64xf32> -> f32
// CHECK:         %[[MAXIMUM:.*]] = wgtile.tile_reduce maximumf %{{.*}} : tensor<64x128xf32> -> f32
// CHECK:         wgtile.tile_scan addf %{{.*}} from %[[MAXIMUM]] : tensor<64x128xf32>, f32
// CHECK:         %[[OWN:.*]] = wgtile.tile_reduce addf %{{.*}} partial : tensor<64x128xf32> -> f32
// CHECK:         wgtile.tile_combine addf %[[OWN]] {offset = 8 : i64} : f32
// CHECK:         wgtile.tile_reduce minnumf %{{.*}} {offset = 16 : i64} : tensor<64x128xbf16> -> bf16
func.func @vectors(%tile: tensor<64x128xf32>, %narrow: tensor<64x128xbf16>) {
  %0 = wgtile.step : tensor<128xi32>
  %1 = wgtile.step : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
  %2 = wgtile.row_reduce maximumf %tile : tensor<64x128xf32> -> tensor<64xf32>
  %3 = wgtile.row_reduce addf %tile partial
      : tensor<64x128xf32> -> tensor<64xf32>
  %4 = wgtile.row_combine addf %3 : tensor<64xf32>
  %5 = wgtile.tile_reduce maxnumf %2 : tensor<64xf32> -> f32
  %6 = wgtile.tile_reduce maximumf %tile : tensor<64x128xf32> -> f32
  %7 = wgtile.tile_scan addf %tile from %6 : tensor<64x128xf32>, f32
  %8 = wgtile.tile_reduce addf %tile partial : tensor<64x128xf32> -> f32
  %9 = wgtile.tile_combine addf %8 {offset = 8 : i64} : f32
  %10 = wgtile.tile_reduce minnumf %narrow {offset = 16 : i64} : tensor<64x128xbf16> -> bf16
  return
}

// CHECK-LABEL: func.func @bits
// CHECK:         %[[LANE:.*]] = wgtile.lane_bits %{{.*}}, %{{.*}}
// CHECK:         %[[WORDS:.*]] = wgtile.bits_below %{{.*}} : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
// CHECK:         wgtile.test_bits %[[WORDS]] : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>> -> tensor<64x64xi1, #wgtile.mma<warps = 4>>
func.func @bits(%p: i1, %q: i1, %bounds: tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>) {
  %0 = wgtile.lane_bits %p, %q
  %1 = wgtile.bits_below %bounds : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
  %2 = wgtile.test_bits %1 : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>> -> tensor<64x64xi1, #wgtile.mma<warps = 4>>
  return
}

// CHECK-LABEL: func.func @order
// CHECK-NEXT:    wgtile.order_init warpgroups 2
// CHECK-NEXT:    wgtile.order_wait warpgroups 2 {note = "kept"}
// CHECK-NEXT:    wgtile.order_arrive warpgroups 2
func.func @order() {
  wgtile.order_init warpgroups 2
  wgtile.order_wait warpgroups 2 {note = "kept"}
  wgtile.order_arrive warpgroups 2
  return
}

gpu.module @kernels {
  gpu.func @kernel(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                   %out: memref<?x?xbf16>) kernel {
    gpu.return
  }
}

// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[B:.*]]: memref<?x?xbf16>, %[[N:.*]]: index
// CHECK:         %[[MAP:.*]] = wgtile.tensor_map %[[B]] : memref<?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.launch @kernels::@kernel grid(%[[N]]) args(%[[MAP]], %[[B]]) : !wgtile.tensor_map<64x64xbf16, swizzle = 128>, memref<?x?xbf16>
func.func @host(%b: memref<?x?xbf16>, %n: index) {
  %map = wgtile.tensor_map %b
      : memref<?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  wgtile.launch @kernels::@kernel grid(%n) args(%map, %b)
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>, memref<?x?xbf16>
  return
}

// Kernels that are serialized have no symbols.
gpu.binary @binary [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]

// CHECK-LABEL: func.func @host_of_binary
// CHECK:         wgtile.launch @binary::@any grid(%{{.*}}) args(%{{.*}}) : index
func.func @host_of_binary(%n: index) {
  wgtile.launch @binary::@any grid(%n) args(%n) : index
  return
}

// CHECK-LABEL: func.func @peek
// CHECK:         wgtile.peek %{{.*}}[%{{.*}}] : memref<?xi32>
func.func @peek(%m: memref<?xi32>, %i: index) -> i32 {
  %0 = wgtile.peek %m[%i] : memref<?xi32>
  return %0 : i32
}

// CHECK-LABEL: func.func @ramp
// CHECK-SAME:    %[[START:.*]]: tensor<64xf32>, %[[SLOPE:.*]]: f32, %[[T:.*]]: tensor<64x128xf32>, %[[I:.*]]: tensor<64xi32>, %[[ONE:.*]]: i32
// CHECK:         wgtile.ramp %[[START]], %[[SLOPE]] : tensor<64xf32>, f32 -> tensor<64x128xf32>
// CHECK:         wgtile.ramp %[[START]], %[[SLOPE]] plus %[[T]] times %[[SLOPE]] : tensor<64xf32>, f32 -> tensor<64x128xf32>
// CHECK:         wgtile.ramp %[[I]], %[[ONE]] nsw : tensor<64xi32>, i32 -> tensor<64x128xi32>
func.func @ramp(%start: tensor<64xf32>, %slope: f32, %tile: tensor<64x128xf32>, %i: tensor<64xi32>, %one: i32) {
  %0 = wgtile.ramp %start, %slope : tensor<64xf32>, f32 -> tensor<64x128xf32>
  %1 = wgtile.ramp %start, %slope plus %tile times %slope : tensor<64xf32>, f32 -> tensor<64x128xf32>
  %2 = wgtile.ramp %i, %one nsw : tensor<64xi32>, i32 -> tensor<64x128xi32>
  return
}

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[TABLE:.*]]: memref<?x?xf32>, %[[I:.*]]: tensor<64x128xi64>
// CHECK:         wgtile.gather %[[TABLE]][%[[I]], %[[I]] : tensor<64x128xi64>, tensor<64x128xi64>] : memref<?x?xf32> -> tensor<64x128xf32>
func.func @gather(%table: memref<?x?xf32>, %i: tensor<64x128xi64>, %vector: memref<?xf32>, %rows: tensor<64xi64>) {
  %0 = wgtile.gather %table[%i, %i : tensor<64x128xi64>, tensor<64x128xi64>] : memref<?x?xf32> -> tensor<64x128xf32>
  // CHECK:       wgtile.gather %{{.+}}[%{{.+}} : tensor<64xi64>] : memref<?xf32> -> tensor<64xf32>
  %1 = wgtile.gather %vector[%rows : tensor<64xi64>] : memref<?xf32> -> tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    %[[TABLE:.*]]: memref<?x?xf32>, %[[TILE:.*]]: tensor<64x128xf32>, %[[I:.*]]: tensor<64x128xi64>, %[[MASK:.*]]: tensor<64x128xi1>
// CHECK:         wgtile.scatter %[[TILE]], %[[TABLE]][%[[I]], %[[I]] : tensor<64x128xi64>, tensor<64x128xi64>] mask %[[MASK]] : tensor<64x128xf32>, tensor<64x128xi1>, memref<?x?xf32>
func.func @scatter(%table: memref<?x?xf32>, %tile: tensor<64x128xf32>, %i: tensor<64x128xi64>, %mask: tensor<64x128xi1>) {
  wgtile.scatter %tile, %table[%i, %i : tensor<64x128xi64>, tensor<64x128xi64>] mask %mask
      : tensor<64x128xf32>, tensor<64x128xi1>, memref<?x?xf32>
  return
}
