// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @for_each_tile_c1_too_few(%n: index) {
  // expected-error @below {{expected 2 index arguments of the body, but got 'index'}}
  wgtile.for_each_tile (%i) in (%n, %n) {
  }
  return
}

// -----

func.func @for_each_tile_c1_type(%n: index) {
  // expected-error @below {{expected 1 index arguments of the body, but got 'i32'}}
  "wgtile.for_each_tile"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> ({
  ^bb0(%i: i32):
    wgtile.end
  }) : (index) -> ()
  return
}

// -----

func.func @for_each_tile_c4(%n: index, %counter: memref<1xi32>) {
  // expected-error @below {{expected 'persistent' with a counter}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<1xi32> {
    %next = arith.constant 0 : i32
    wgtile.end %next : i32
  }
  return
}

// -----

func.func @for_each_tile_c5(%n: index, %counter: memref<1xi32>, %is: i1) {
  // expected-error @below {{expected one 'wgtile.next_tile' on every path through the body, or none on any}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<1xi32> attributes {persistent = 1 : i64} {
    %next = scf.if %is -> (i32) {
      %number = wgtile.next_tile
      scf.yield %number : i32
    } else {
      %none = arith.constant 0 : i32
      scf.yield %none : i32
    }
    wgtile.end %next : i32
  }
  return
}

// -----

func.func @for_each_tile_c5_once(%n: index, %counter: memref<1xi32>) {
  // expected-error @below {{expected one 'wgtile.next_tile' on every path through the body, or none on any}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<1xi32> attributes {persistent = 1 : i64} {
    %next = wgtile.next_tile
    %last = wgtile.next_tile
    wgtile.end %last : i32
  }
  return
}

// -----

func.func @for_each_tile_c5_in_loop(%n: index, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected one 'wgtile.next_tile' on every path through the body, or none on any}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<1xi32> attributes {persistent = 1 : i64} {
    %none = arith.constant 0 : i32
    %next = scf.for %k = %c0 to %n step %c1 iter_args(%taken = %none) -> (i32) {
      %number = wgtile.next_tile
      scf.yield %number : i32
    }
    wgtile.end %next : i32
  }
  return
}

// -----

func.func @end_has_parent() {
  // expected-error @below {{expects parent op to be one of 'wgtile.for_each_tile, wgtile.roles'}}
  wgtile.end
}

// -----

func.func @broadcast_c1_size(%v: tensor<64xf32>) {
  // expected-error @below {{expected a vector of the size of the tile's dimension 0 or 1, but got 'tensor<64xf32>', dimension 1 and 'tensor<64x128xf32>'}}
  %0 = wgtile.broadcast %v dimension 1 : tensor<64xf32> -> tensor<64x128xf32>
  return
}

// -----

func.func @broadcast_c1_dimension(%v: tensor<64xf32>) {
  // expected-error @below {{but got 'tensor<64xf32>', dimension 2 and 'tensor<64x64xf32>'}}
  %0 = wgtile.broadcast %v dimension 2 : tensor<64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @broadcast_c1_negative_dimension(%v: tensor<64xf32>) {
  // expected-error @below {{but got 'tensor<64xf32>', dimension -1 and 'tensor<64x64xf32>'}}
  %0 = wgtile.broadcast %v dimension -1 : tensor<64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @broadcast_c1_element_type(%v: tensor<64xbf16>) {
  // expected-error @below {{but got 'tensor<64xbf16>', dimension 0 and 'tensor<64x64xf32>'}}
  %0 = wgtile.broadcast %v dimension 0 : tensor<64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @broadcast_c1_rank(%v: tensor<64x1xf32>) {
  // expected-error @below {{but got 'tensor<64x1xf32>', dimension 0 and 'tensor<64x64xf32>'}}
  %0 = wgtile.broadcast %v dimension 0 : tensor<64x1xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @warpgroup_mma_wait_c1_none() {
  // expected-error @below {{expected at least one tile}}
  "wgtile.warpgroup_mma_wait"() <{pending = 0 : i64}> : () -> ()
  return
}

// -----

func.func @warpgroup_mma_wait_c1_type(%t: tensor<64x64xi64>) {
  // expected-error @below {{expected tiles of f32, i32, f16 or bf16, but got 'tensor<64x64xi64>'}}
  %0 = wgtile.warpgroup_mma_wait %t pending 0 : tensor<64x64xi64>
  return
}

// -----

func.func @step_c1_type() {
  // expected-error @below {{expected a vector of i32 or f32, but got 'tensor<64xf16>'}}
  %0 = wgtile.step : tensor<64xf16>
  return
}

// -----

func.func @step_c1_rank() {
  // expected-error @below {{expected a vector of i32 or f32, but got 'tensor<64x64xi32>'}}
  %0 = wgtile.step : tensor<64x64xi32>
  return
}

// -----

func.func @row_combine_c1_rank(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected a vector of f32, but got 'tensor<64x64xf32>'}}
  %0 = wgtile.row_combine addf %t : tensor<64x64xf32>
  return
}

// -----

func.func @row_combine_c1_type(%v: tensor<64xbf16>) {
  // expected-error @below {{expected a vector of f32, but got 'tensor<64xbf16>'}}
  %0 = wgtile.row_combine addf %v : tensor<64xbf16>
  return
}

// -----

func.func @row_combine_c1_kind(%v: tensor<64xf32>) {
  // expected-error @below {{expected a kind of reduction that applies to 'f32', but got 'addi'}}
  %0 = wgtile.row_combine addi %v : tensor<64xf32>
  return
}

// -----

func.func @row_combine_c1_assign(%v: tensor<64xf32>) {
  // expected-error @below {{expected a kind of reduction that applies to 'f32', but got 'assign'}}
  %0 = wgtile.row_combine assign %v : tensor<64xf32>
  return
}

// -----

func.func @row_reduce_c1_kind(%t: tensor<64x64xi32>) {
  // expected-error @below {{expected a kind of reduction that applies to 'i32', but got 'addf'}}
  %0 = wgtile.row_reduce addf %t : tensor<64x64xi32> -> tensor<64xi32>
  return
}

// -----

func.func @tile_reduce_c1_rank(%t: tensor<2x64x8xi32>) {
  // expected-error @below {{expected a tile of at most two dimensions and a number of its element type, of 32 or 64 bits, but got 'tensor<2x64x8xi32>' and 'i32'}}
  %0 = wgtile.tile_reduce addi %t : tensor<2x64x8xi32> -> i32
  return
}

// -----

func.func @tile_reduce_c1_columns(%v: tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>) {
  // expected-error @below {{expected a vector of rows, but got 'tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>'}}
  %0 = wgtile.tile_reduce addf %v : tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>> -> f32
  return
}

// -----

func.func @tile_reduce_c1_result(%t: tensor<16x8xi32>) {
  // expected-error @below {{expected a tile of at most two dimensions and a number of its element type, of 32 or 64 bits, but got 'tensor<16x8xi32>' and 'i64'}}
  %0 = wgtile.tile_reduce addi %t : tensor<16x8xi32> -> i64
  return
}

// -----

func.func @tile_reduce_c1_width(%t: tensor<16x8xf16>) {
  // expected-error @below {{expected a tile of at most two dimensions and a number of its element type, of 32 or 64 bits, but got 'tensor<16x8xf16>' and 'f16'}}
  %0 = wgtile.tile_reduce addf %t : tensor<16x8xf16> -> f16
  return
}

// -----

// A maximum of 16 bits is of a tile alone.
func.func @tile_reduce_c1_narrow_rows(%v: tensor<16xf16>) {
  // expected-error @below {{expected a tile of at most two dimensions and a number of its element type, of 32 or 64 bits, but got 'tensor<16xf16>' and 'f16'}}
  %0 = wgtile.tile_reduce maxnumf %v : tensor<16xf16> -> f16
  return
}

// -----

func.func @tile_reduce_c1_kind(%t: tensor<16x8xi32>) {
  // expected-error @below {{expected a kind of reduction that applies to 'i32', but got 'addf'}}
  %0 = wgtile.tile_reduce addf %t : tensor<16x8xi32> -> i32
  return
}

// -----

func.func @tile_reduce_c2(%v: tensor<16xf32>) {
  // expected-error @below {{expected parts of a tile of two dimensions, but got 'tensor<16xf32>'}}
  %0 = wgtile.tile_reduce addf %v partial : tensor<16xf32> -> f32
  return
}

// -----

func.func @tile_combine_c1_width(%x: f16) {
  // expected-error @below {{expected a number of 32 or 64 bits, but got 'f16'}}
  %0 = wgtile.tile_combine maxnumf %x : f16
  return
}

// -----

func.func @tile_combine_c1_kind(%x: i32) {
  // expected-error @below {{expected a kind of reduction that applies to 'i32', but got 'addf'}}
  %0 = wgtile.tile_combine addf %x : i32
  return
}

// -----

func.func @tile_scan_c1_rank(%t: tensor<64xi32>, %x: i32) {
  // expected-error @below {{expected a tile of two dimensions, but got 'tensor<64xi32>'}}
  %0 = wgtile.tile_scan addi %t from %x : tensor<64xi32>, i32
  return
}

// -----

func.func @tile_scan_c1_initial(%t: tensor<16x8xi32>, %x: f32) {
  // expected-error @below {{expected a tile of at most two dimensions and a number of its element type, of 32 or 64 bits, but got 'tensor<16x8xi32>' and 'f32'}}
  %0 = wgtile.tile_scan addi %t from %x : tensor<16x8xi32>, f32
  return
}

// -----

func.func @tile_scan_c1_kind(%t: tensor<16x8xi32>, %x: i32) {
  // expected-error @below {{expected a kind of reduction that applies to 'i32', but got 'mulf'}}
  %0 = wgtile.tile_scan mulf %t from %x : tensor<16x8xi32>, i32
  return
}

// -----

func.func @order_init_warpgroups() {
  // expected-error @below {{attribute 'warpgroups' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  "wgtile.order_init"() <{warpgroups = 1 : i64}> : () -> ()
  return
}

// -----

func.func @order_wait_warpgroups() {
  // expected-error @below {{attribute 'warpgroups' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  "wgtile.order_wait"() <{warpgroups = 0 : i64}> : () -> ()
  return
}

// -----

func.func @order_arrive_warpgroups() {
  // expected-error @below {{attribute 'warpgroups' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  "wgtile.order_arrive"() <{warpgroups = -1 : i64}> : () -> ()
  return
}

// -----

func.func @ramp_c1_rows(%start: tensor<32xf32>, %slope: f32) {
  // expected-error @below {{expected a vector of the tile's rows, a slope and a tile, all of i32 or of f32, but got 'tensor<32xf32>', 'f32' and 'tensor<64x64xf32>'}}
  %0 = wgtile.ramp %start, %slope : tensor<32xf32>, f32 -> tensor<64x64xf32>
  return
}

// -----

func.func @ramp_c1_types(%start: tensor<64xf32>, %slope: i32) {
  // expected-error @below {{all of i32 or of f32, but got 'tensor<64xf32>', 'i32'}}
  %0 = wgtile.ramp %start, %slope : tensor<64xf32>, i32 -> tensor<64x64xf32>
  return
}

// -----

func.func @ramp_c2_element(%start: tensor<64xf32>, %slope: f32) {
  // expected-error @below {{expected 'nsw' of i32 without a tile, but got 'tensor<64x64xf32>'}}
  %0 = wgtile.ramp %start, %slope nsw : tensor<64xf32>, f32 -> tensor<64x64xf32>
  return
}

// -----

func.func @ramp_c2_tile(%start: tensor<64xi32>, %slope: i32, %tile: tensor<64x64xi32>) {
  // expected-error @below {{expected 'nsw' of i32 without a tile, but got 'tensor<64x64xi32>' with a tile}}
  %0 = wgtile.ramp %start, %slope plus %tile times %slope nsw : tensor<64xi32>, i32 -> tensor<64x64xi32>
  return
}

// -----

func.func @gather_c1_number(%table: memref<?x?xf32>, %at: tensor<64x64xi64>) {
  // expected-error @below {{expected one tile of indices for each dimension of 'memref<?x?xf32>', but got 1}}
  %0 = wgtile.gather %table[%at : tensor<64x64xi64>] : memref<?x?xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @gather_c1_type(%table: memref<?xf32>, %at: tensor<64x64xi32>) {
  // expected-error @below {{expected indices of i64 in the shape of 'tensor<64x64xf32>', but got 'tensor<64x64xi32>'}}
  %0 = wgtile.gather %table[%at : tensor<64x64xi32>] : memref<?xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @gather_c2(%table: memref<?xf16>, %at: tensor<64x64xi64>) {
  // expected-error @below {{expected a tile of elements of 'memref<?xf16>', but got 'tensor<64x64xf32>'}}
  %0 = wgtile.gather %table[%at : tensor<64x64xi64>] : memref<?xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @scatter_c1_number(%table: memref<?x?xf32>, %t: tensor<16x16xf32>, %at: tensor<16x16xi64>, %m: tensor<16x16xi1>) {
  // expected-error @below {{expected one tile of indices for each dimension of 'memref<?x?xf32>', but got 1}}
  wgtile.scatter %t, %table[%at : tensor<16x16xi64>] mask %m : tensor<16x16xf32>, tensor<16x16xi1>, memref<?x?xf32>
  return
}

// -----

func.func @scatter_c1_type(%table: memref<?xf32>, %t: tensor<16x16xf32>, %at: tensor<16x16xi32>, %m: tensor<16x16xi1>) {
  // expected-error @below {{expected indices of i64 in the shape of 'tensor<16x16xf32>', but got 'tensor<16x16xi32>'}}
  wgtile.scatter %t, %table[%at : tensor<16x16xi32>] mask %m : tensor<16x16xf32>, tensor<16x16xi1>, memref<?xf32>
  return
}

// -----

func.func @scatter_c2_element(%table: memref<?xf16>, %t: tensor<16x16xf32>, %at: tensor<16x16xi64>, %m: tensor<16x16xi1>) {
  // expected-error @below {{expected a tile of elements of 'memref<?xf16>', but got 'tensor<16x16xf32>'}}
  wgtile.scatter %t, %table[%at : tensor<16x16xi64>] mask %m : tensor<16x16xf32>, tensor<16x16xi1>, memref<?xf16>
  return
}

// -----

func.func @scatter_c2_mask(%table: memref<?xf32>, %t: tensor<16x16xf32>, %at: tensor<16x16xi64>, %m: tensor<16x8xi1>) {
  // expected-error @below {{expected a mask of i1 in the shape of 'tensor<16x16xf32>', but got 'tensor<16x8xi1>'}}
  wgtile.scatter %t, %table[%at : tensor<16x16xi64>] mask %m : tensor<16x16xf32>, tensor<16x8xi1>, memref<?xf32>
  return
}
