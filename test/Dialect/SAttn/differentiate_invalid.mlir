// RUN: sparse-opt %s --sattn-differentiate --split-input-file --verify-diagnostics

func.func @no_rule(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  // expected-error @below {{expected an op whose derivative is known, but got 'math.sincos'}}
  %sin, %cos = math.sincos %x : f32
  %0 = arith.addf %sin, %cos : f32
  return %0 : f32
}

// -----

// Upstream's documentation and its expansion disagree with the order of bounds.
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  // expected-error @below {{expected an op whose derivative is known, but got 'math.clampf'}}
  %0 = math.clampf %x to [%low, %high] : f32
  return %0 : f32
}

// -----

func.func @bits(%x: f16) -> bf16 attributes {sattn.differentiate = array<i64: 0>} {
  // expected-error @below {{expected an op whose derivative is known, but got 'arith.bitcast'}}
  %0 = arith.bitcast %x : f16 to bf16
  return %0 : bf16
}

// -----

func.func @of_a_vector(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  %0 = arith.mulf %x, %x : f32
  %2 = vector.broadcast %0 : f32 to vector<4xf32>
  // expected-error @below {{expected an op whose derivative is known, but got 'vector.extract'}}
  %1 = vector.extract %2[0] : f32 from vector<4xf32>
  return %1 : f32
}

// -----

// expected-error @below {{expected numbers of its 1 arguments in 'sattn.differentiate', but got 1}}
func.func @number(%x: f32) -> f32 attributes {sattn.differentiate = array<i64: 1>} {
  return %x : f32
}

// -----

// expected-error @below {{expected argument 0 of 'sattn.differentiate' to be a float or a tensor of floats, but got 'i32'}}
func.func @integer(%x: i32, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  return %y : f32
}

// -----

// expected-error @below {{expected argument 0 of 'sattn.differentiate' to be a float or a tensor of floats, but got 'vector<4xf32>'}}
func.func @vector(%x: vector<4xf32>, %y: f32) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  return %y : f32
}

// -----

// expected-error @below {{expected one block and one result, a float, for 'sattn.differentiate', but got 1 blocks and results ('i32')}}
func.func @result(%x: f32) -> i32 attributes {sattn.differentiate = array<i64: 0>} {
  %0 = arith.fptosi %x : f32 to i32
  return %0 : i32
}

// -----

// expected-error @below {{but got 3 blocks and results ('f32')}}
func.func @blocks(%x: f32, %c: i1) -> f32 attributes {sattn.differentiate = array<i64: 0>} {
  cf.cond_br %c, ^one, ^two
^one:
  return %x : f32
^two:
  return %x : f32
}

// -----

// expected-error @below {{expected 'sattn.differentiate' to be an array of i64 of a function, but got 0}}
func.func @kind(%x: f32) -> f32 attributes {sattn.differentiate = 0 : i64} {
  return %x : f32
}
