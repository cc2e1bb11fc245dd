// RUN: sparse-opt %s --split-input-file --verify-diagnostics

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
func.func @tma_load_c1_tile(%ring: !ring, %none: !wgtile.token, %m: !m, %i: index) {
  // expected-error @below {{expected a tile of the ring (0 to 0), but got 1}}
  wgtile.tma_load %ring[%none] 1, %m[%i, %i] : !ring, !m
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
func.func @tma_load_c1_indices(%ring: !ring, %none: !wgtile.token, %m: !m, %i: index) {
  // expected-error @below {{expected 2 indices, but got 1}}
  wgtile.tma_load %ring[%none] 0, %m[%i] : !ring, !m
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @ring_tile_c1(%ring: !ring, %none: !wgtile.token) {
  // expected-error @below {{expected a tile of type '!wgtile.shared<64x64xbf16, swizzle = 128>', but got '!wgtile.shared<64x128xbf16, swizzle = 128>'}}
  %a = wgtile.ring_tile %ring[%none] 0 : !ring -> !wgtile.shared<64x128xbf16, swizzle = 128>
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @ring_tile_c2(%ring: !ring, %none: !wgtile.token, %i: index) {
  // expected-error @below {{expected an instance exactly where the tile has several, but it has 1}}
  %a = wgtile.ring_tile %ring[%none] 0 instance %i : !ring -> !wgtile.shared<64x64xbf16, swizzle = 128>
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
func.func @tma_load_c1_instance(%ring: !ring, %none: !wgtile.token, %m: !m, %i: index) {
  // expected-error @below {{expected an instance of the tile (0 to 1), but got 2}}
  wgtile.tma_load %ring[%none] 0 instance 2, %m[%i, %i] : !ring, !m
  return
}

// -----

// expected-error @below {{expected from 1 to 32 instances for each of 1 tiles, but got [1, 2]}}
func.func private @ring_instances(!wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [1, 2]>)

// -----

// expected-error @below {{expected from 1 to 64 stages, but got 0}}
func.func private @ring_stages(!wgtile.ring<0, [!wgtile.shared<64x64xbf16>]>)

// -----

// expected-error @below {{expected the types of shared tiles}}
func.func private @ring_tiles(!wgtile.ring<2, [f32]>)

// -----

func.func @for_each_tile_c2(%n: index) {
  // expected-error @below {{expected 'persistent' to be positive, of at least two counts, but got 4 of 1}}
  wgtile.for_each_tile (%i) in (%n) attributes {persistent = 4 : i64} {
  }
  return
}

// -----

func.func @for_each_tile_c3_count(%n: index) {
  // expected-error @below {{expected 2 factors in 'consumer_groups', but got 1}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2>} {
  }
  return
}

// -----

func.func @for_each_tile_c3_two(%n: index) {
  // expected-error @below {{expected factors from 1 to 32 in 'consumer_groups', at most one of them above 1, but got array<i64: 2, 2>}}
  wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2, 2>} {
  }
  return
}

// -----

func.func @next_tile_c1_counter(%n: index) {
  wgtile.roles producer warps 4 registers 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      // expected-error @below {{expected a loop with a counter, in no role with register tiles}}
      %next = wgtile.next_tile
    }
  }, consumer warps 4 registers 0 consumer_groups 1 {
  }
  return
}

// -----

func.func @next_tile_c1_loop() {
  // expected-error @below {{expected a loop over tiles around it}}
  %next = wgtile.next_tile
  return
}

// -----

func.func @next_tile_c1_tiles(%n: index, %counter: memref<?xi32>) {
  wgtile.roles consumer warps 4 registers 0 consumer_groups 1 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      // expected-error @below {{expected a loop with a counter, in no role with register tiles}}
      %next = wgtile.next_tile
      wgtile.end %next : i32
    }
  }
  return
}

// -----

func.func @for_each_tile_c1_next_tile(%n: index, %counter: memref<?xi32>, %x: index) {
  wgtile.roles producer warps 4 registers 0 {
    // expected-error @below {{expected an end with the next tile's number (i32) first, but got types 'index'}}
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      wgtile.end %x : index
    }
  }
  return
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, i32]>
func.func @ring_store_c1(%ring: !ring, %s: !wgtile.token, %x: i32) {
  // expected-error @below {{expected a number, but tile 0 is of type '!wgtile.shared<64x64xbf16, swizzle = 128>'}}
  wgtile.ring_store %x, %ring[%s] 0 : i32, !ring
  return
}

// -----

!ring = !wgtile.ring<2, [i32]>
func.func @ring_load_c1(%ring: !ring, %s: !wgtile.token) {
  // expected-error @below {{expected a tile of the ring (0 to 0), but got 1}}
  %x = wgtile.ring_load %ring[%s] 1 : !ring
  return
}

// -----

!ring = !wgtile.ring<2, [i32]>
func.func @tma_load_c1_number(%ring: !ring, %s: !wgtile.token, %m: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %i: index) {
  // expected-error @below {{expected a shared tile, but tile 0 is of type 'i32'}}
  wgtile.tma_load %ring[%s] 0, %m[%i, %i] : !ring, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// -----

// expected-error @below {{expected one instance of a number, but got 2}}
func.func @ring_of_two_numbers(%ring: !wgtile.ring<2, [i32], instances = [2]>) {
  return
}

// -----

func.func @roles_c1_names() {
  // expected-error @below {{expected a name of its own for each role, but got "a" again}}
  wgtile.roles a warps 4 registers 0 {
  }, a warps 4 registers 0 {
  }
  return
}

// -----

func.func @roles_c1_warps() {
  // expected-error @below {{expected a positive number of warps that the consumer groups divide, but got 4 and 3 in role "a"}}
  wgtile.roles a warps 4 registers 0 consumer_groups 3 {
  }
  return
}

// -----

func.func @roles_c1_counts() {
  // expected-error @below {{expected a name, warps, registers and consumer groups for each of 1 roles}}
  "wgtile.roles"() <{names = ["a"], warps = array<i64: 4>, registers = array<i64>, consumer_groups = array<i64: 0>}> ({
    "wgtile.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @roles_c2() {
  // expected-error @below {{expected whole warpgroups before role "consumer", but got 1 warps}}
  wgtile.roles producer warps 1 registers 0 {
  }, consumer warps 4 registers 0 consumer_groups 1 {
  }
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @consumer_wait_c1(%ring: !ring, %stage: i32) {
  // expected-error @below {{expected a stage and a phase, but got 1 values}}
  %full = wgtile.consumer_wait %ring at %stage : !ring
  return
}

// -----

!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @producer_acquire_c1(%ring: !ring, %stage: i32) {
  // expected-error @below {{expected a stage and a phase, but got 3 values}}
  %filled = wgtile.producer_acquire %ring at %stage, %stage, %stage : !ring
  return
}

// -----

func.func @for_each_tile_c1_end(%n: index, %x: i32) {
  // expected-error @below {{expected results and an end of types 'i32', but got 'i32' and 'index'}}
  %r = wgtile.for_each_tile (%i) in (%n) iter_args(%y = %x) -> (i32) {
    wgtile.end %i : index
  }
  return
}

// -----

func.func @end_c1(%x: i32) {
  wgtile.roles a warps 4 registers 0 {
    // expected-error @below {{expected no values at the end of a role's program}}
    wgtile.end %x : i32
  }
  return
}

// -----

func.func @async_copy_c1_tile(%b: memref<?x?xbf16>, %i: index, %s: !wgtile.token) {
  %ring = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a tile of the ring (0 to 0), but got 1}}
  wgtile.async_copy %ring[%s] 1, %b[%i, %i]
      : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16>
  return
}

// -----

func.func @async_copy_c1_type(%b: memref<?x?xf16>, %i: index, %s: !wgtile.token) {
  %ring = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a source of element type 'bf16', but got 'memref<?x?xf16>'}}
  wgtile.async_copy %ring[%s] 0, %b[%i, %i]
      : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xf16>
  return
}

// -----

func.func @async_copy_c2(%b: memref<?x?xbf16>, %i: index, %s: !wgtile.token) {
  %ring = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a source of rank at least 2 and as many indices, but got 'memref<?x?xbf16>' and 1}}
  wgtile.async_copy %ring[%s] 0, %b[%i]
      : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16>
  return
}

// -----

#layout = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
func.func @async_copy_layout(%b: memref<?x?xbf16, #layout>, %i: index, %s: !wgtile.token) {
  %ring = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a strided source, but got}}
  wgtile.async_copy %ring[%s] 0, %b[%i, %i]
      : !wgtile.ring<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16, #layout>
  return
}

// -----

// The types of rings of warpgroups.
func.func private @staging_rows(
    // expected-error @below {{expected a tile of 64 rows, each one row of its swizzle, or of as many columns and a multiple of 8 rows, but got '!wgtile.shared<12x64xbf16, swizzle = 128>'}}
    !wgtile.ring<1, [!wgtile.shared<12x64xbf16, swizzle = 128>], warpgroups = 1>)

// -----

func.func private @staging_columns(
    // expected-error @below {{expected a tile of 64 rows, each one row of its swizzle}}
    !wgtile.ring<1, [!wgtile.shared<64x128xbf16, swizzle = 128>], warpgroups = 1>)

// -----

func.func private @staging_number(
    // expected-error @below {{expected a tile of 64 rows, each one row of its swizzle, or of as many columns and a multiple of 8 rows, but got 'i32'}}
    !wgtile.ring<1, [i32], warpgroups = 1>)

// -----

func.func private @staging_warpgroups(
    // expected-error @below {{expected from 1 to 8 warpgroups, but got 9}}
    !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 9>)

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
func.func @ring_store_c1_tile(%ring: !staging, %s: !wgtile.token,
                              %t: tensor<64x64xbf16, #wgtile.mma<warps = 4>>) {
  // expected-error @below {{expected a tile of the ring (0 to 0), but got 1}}
  wgtile.ring_store %t, %ring[%s] 1 : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, !staging
  return
}

// -----

!ring = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @ring_store_c1_ring(%ring: !ring, %s: !wgtile.token,
                              %t: tensor<64x64xbf16, #wgtile.mma<warps = 4>>) {
  // expected-error @below {{expected a ring of warpgroups, but got '!wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>'}}
  wgtile.ring_store %t, %ring[%s] 0 : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, !ring
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
func.func @ring_store_c2_warps(%ring: !staging, %s: !wgtile.token,
                               %t: tensor<32x64xbf16, #wgtile.mma<warps = 2>>) {
  // expected-error @below {{expected a tile of whole warpgroups}}
  wgtile.ring_store %t, %ring[%s] 0 : tensor<32x64xbf16, #wgtile.mma<warps = 2>>, !staging
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<16x64xbf16, swizzle = 128>], warpgroups = 1>
func.func @ring_store_c2_transposed(%ring: !staging, %s: !wgtile.token,
                                    %t: tensor<64x32xbf16, #wgtile.mma<warps = 4>>) {
  // expected-error @below {{expected a tile of 16 columns of 'bf16', of 16 or 32 bits}}
  wgtile.ring_store %t, %ring[%s] 0 transposed
      : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, !staging
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
func.func @ring_store_c2_element(%ring: !staging, %s: !wgtile.token,
                                 %t: tensor<64x64xf16, #wgtile.mma<warps = 4>>) {
  // expected-error @below {{expected a tile of 64 columns of 'bf16', of 16 or 32 bits}}
  wgtile.ring_store %t, %ring[%s] 0 : tensor<64x64xf16, #wgtile.mma<warps = 4>>, !staging
  return
}

// -----

!ring = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
func.func @tma_store_c1_ring(%ring: !ring, %s: !wgtile.token, %map: !map, %i: index) {
  // expected-error @below {{expected a ring of warpgroups}}
  wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 1 : !ring, !map
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
func.func @tma_store_c1_indices(%ring: !staging, %s: !wgtile.token, %map: !map, %i: index) {
  // expected-error @below {{expected 3 indices, but got 2}}
  wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 1 : !staging, !map
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
func.func @tma_store_c2(%ring: !staging, %s: !wgtile.token, %map: !map, %i: index) {
  // expected-error @below {{expected a map whose box is the tile}}
  wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 1 : !staging, !map
  return
}

// -----

!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
func.func @tma_store_c3(%ring: !staging, %s: !wgtile.token, %map: !map, %i: index) {
  // expected-error @below {{attribute 'warpgroups' failed to satisfy constraint}}
  wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 0 : !staging, !map
  return
}

// -----

!lender = !wgtile.ring<2, [i32]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @ring_c1_lender(%lender: !lender) {
  // expected-error @below {{expected a lender of shared tiles, not of warpgroups, but got '!wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>' in '!wgtile.ring<2, [i32]>'}}
  %staging = wgtile.ring in %lender of !lender : !staging
  return
}

// -----

!lender = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!ring = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
func.func @ring_c1_warpgroups(%lender: !lender) {
  // expected-error @below {{expected a ring of warpgroups in another ring}}
  %ring = wgtile.ring in %lender of !lender : !ring
  return
}

// -----

!lender = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @ring_c2(%lender: !lender) {
  // expected-error @below {{expected a ring that fits into a stage of its lender}}
  %staging = wgtile.ring in %lender of !lender : !staging
  return
}

// -----

!lender = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @stage_borrow_c1(%lender: !lender) {
  %staging = wgtile.ring : !staging
  %s = wgtile.consumer_wait %lender : !lender
  // expected-error @below {{expected a ring that lies in another ring}}
  wgtile.stage_borrow %staging from %s : !staging
  return
}

// -----

!lender = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @stage_borrow_c1_twice(%lender: !lender) {
  %staging = wgtile.ring in %lender of !lender : !staging
  %s = wgtile.consumer_wait %lender : !lender
  // expected-error @below {{expected that nothing else borrows for the ring}}
  wgtile.stage_borrow %staging from %s : !staging
  wgtile.stage_borrow %staging from %s : !staging
  return
}

// -----

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!lender = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @stage_borrow_c2(%lender: !lender) {
  %staging = wgtile.ring in %lender of !lender : !staging
  %s = wgtile.consumer_wait %lender : !lender
  %a = wgtile.ring_tile %lender[%s] 0 : !lender -> !a
  // expected-error @below {{expected the token of a wait for a stage of the enclosing ring, and no use of the stage's tiles}}
  wgtile.stage_borrow %staging from %s : !staging
  return
}
