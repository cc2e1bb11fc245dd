// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @stages(%n: index) {
  // expected-error @below {{'scf.forall' op expected a positive i64 as 'sattn.stages', but got 0}}
  scf.forall (%i) in (%n) {
  } {sattn.stages = 0 : i64}
  return
}

// -----

func.func @warps(%n: index) {
  // expected-error @below {{'scf.forall' op expected a positive i64 as 'sattn.warps', but got 4 : i32}}
  scf.forall (%i) in (%n) {
  } {sattn.warps = 4 : i32}
  return
}

// -----

func.func @raster_group(%n: index) {
  // expected-error @below {{'scf.forall' op expected a positive i64 as 'sattn.raster_group', but got "8"}}
  scf.forall (%i) in (%n) {
  } {sattn.raster_group = "8"}
  return
}

// -----

func.func @consumer_groups(%n: index) {
  // expected-error @below {{'scf.forall' op expected an array of positive i64 as 'sattn.consumer_groups', but got array<i64: 2, 0>}}
  scf.forall (%i, %j) in (%n, %n) {
  } {sattn.consumer_groups = array<i64: 2, 0>}
  return
}

// -----

func.func @tuning(%n: index) {
  // expected-error @below {{'scf.forall' op expected a dictionary of the strings 'parameters' and 'origin' as 'sattn.tuning', but got {origin = "a table"}}}
  scf.forall (%i) in (%n) {
  } {sattn.tuning = {origin = "a table"}}
  return
}
