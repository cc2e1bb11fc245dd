// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @stages(%n: index) {
  // expected-error @below {{'scf.forall' op expected 'sattn.stages' to be a positive i64 of a loop, but got 0}}
  scf.forall (%i) in (%n) {
  } {sattn.stages = 0 : i64}
  return
}

// -----

func.func @warps(%n: index) {
  // expected-error @below {{'scf.forall' op expected 'sattn.warps' to be a positive i64 of a loop, but got 4 : i32}}
  scf.forall (%i) in (%n) {
  } {sattn.warps = 4 : i32}
  return
}

// -----

func.func @raster_group(%n: index) {
  // expected-error @below {{'scf.forall' op expected 'sattn.raster_group' to be a positive i64 of a loop, but got "8"}}
  scf.forall (%i) in (%n) {
  } {sattn.raster_group = "8"}
  return
}

// -----

func.func @consumer_groups(%n: index) {
  // expected-error @below {{'scf.forall' op expected 'sattn.consumer_groups' to be an array of positive i64 of a loop, but got array<i64: 2, 0>}}
  scf.forall (%i, %j) in (%n, %n) {
  } {sattn.consumer_groups = array<i64: 2, 0>}
  return
}

// -----

func.func @tuning(%n: index) {
  // expected-error @below {{'scf.forall' op expected 'sattn.tuning' to be a dictionary of the strings 'parameters' and 'origin' of an op, but got {origin = "a table"}}}
  scf.forall (%i) in (%n) {
  } {sattn.tuning = {origin = "a table"}}
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.covers_results' to be a unit attribute of a loop, but got unit}}
func.func @no_loop_covers() attributes {sattn.covers_results} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.skips_results' to be a unit attribute of a loop, but got unit}}
func.func @no_loop_skips() attributes {sattn.skips_results} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.block_loop' to be a unit attribute of a loop, but got unit}}
func.func @no_loop() attributes {sattn.block_loop} {
  return
}

// -----

func.func @tf32(%n: index) {
  // expected-error @below {{'scf.for' op expected 'sattn.tf32' to be a unit attribute of a loop, but got true}}
  scf.for %i = %n to %n step %n {
  } {sattn.tf32 = true}
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.contracts' to be an array of dictionaries of a function, but got [1]}}
func.func @contracts() attributes {sattn.contracts = [1]} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.extent_checks' to be a dictionary of a function, but got "none"}}
func.func @extent_checks() attributes {sattn.extent_checks = "none"} {
  return
}

// -----

func.func @unchecked(%x: f32) {
  // expected-error @below {{'arith.addf' op expected 'sattn.unchecked' to be a unit attribute of a function, but got unit}}
  %0 = arith.addf %x, %x {sattn.unchecked} : f32
  return
}
