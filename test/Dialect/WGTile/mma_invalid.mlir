// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_m(%a: !wgtile.shared<128x64xf16>, %b: !wgtile.shared<64x32xf16>,
                %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, KxN and MxN, but got '!wgtile.shared<128x64xf16>', '!wgtile.shared<64x32xf16>' and 'tensor<64x32xf32>'}}
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<128x64xf16>, !wgtile.shared<64x32xf16>
      -> tensor<64x32xf32>
  return
}

// -----

func.func @c1_k(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<32x32xf16>,
                %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, KxN and MxN}}
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<32x32xf16>
      -> tensor<64x32xf32>
  return
}

// -----

func.func @c1_n(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<64x64xf16>,
                %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, KxN and MxN}}
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16>
      -> tensor<64x32xf32>
  return
}

// -----

func.func @c1_rank(%a: !wgtile.shared<64x64xf16>,
                   %b: !wgtile.shared<64x64xf16>, %acc: tensor<64xf32>) {
  // expected-error @below {{expected tiles MxK, KxN and MxN}}
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64xf32>
  return
}

// -----

func.func @c2_two_types(%a: !wgtile.shared<64x64xf16>,
                        %b: !wgtile.shared<64x64xbf16>,
                        %acc: tensor<64x64xf32>) {
  // expected-error @below {{expected two tiles of f16, of bf16, of f32 or of f8 and an f32 accumulator, or two of i8 and an i32 accumulator, but got '!wgtile.shared<64x64xf16>', '!wgtile.shared<64x64xbf16>' and 'tensor<64x64xf32>'}}
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  return
}

// -----

func.func @c2_i16(%a: !wgtile.shared<64x64xi16>, %acc: tensor<64x64xi32>) {
  // expected-error @below {{expected two tiles of f16}}
  %0 = wgtile.mma %a, %a, %acc transpose_b
      : !wgtile.shared<64x64xi16>, !wgtile.shared<64x64xi16>
      -> tensor<64x64xi32>
  return
}

// -----

func.func @c2_two_8_bit_types(%a: !wgtile.shared<64x64xi8>,
                              %b: !wgtile.shared<64x64xf8E4M3FN>,
                              %acc: tensor<64x64xf32>) {
  // expected-error @below {{expected two tiles of f16}}
  %0 = wgtile.mma %a, %b, %acc transpose_b
      : !wgtile.shared<64x64xi8>, !wgtile.shared<64x64xf8E4M3FN>
      -> tensor<64x64xf32>
  return
}

// -----

func.func @c3_not_transposed(%a: !wgtile.shared<64x64xi8>, %acc: tensor<64x64xi32>) {
  // expected-error @below {{expected tiles of 8-bit elements in shared memory, the right one transposed, but got '!wgtile.shared<64x64xi8>' and '!wgtile.shared<64x64xi8>', which is not}}
  %0 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xi8>, !wgtile.shared<64x64xi8>
      -> tensor<64x64xi32>
  return
}

// -----

func.func @c2_i8(%a: !wgtile.shared<64x64xi8>, %acc: tensor<64x64xf32>) {
  // expected-error @below {{expected two tiles of f16, of bf16, of f32 or of f8 and an f32 accumulator, or two of i8 and an i32 accumulator}}
  %0 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xi8>, !wgtile.shared<64x64xi8>
      -> tensor<64x64xf32>
  return
}

// -----

func.func @row_reduce_c1(%t: tensor<64x32xf32>) {
  // expected-error @below {{expected one element for each row of the tile, but got 'tensor<64x32xf32>' and 'tensor<32xf32>'}}
  %0 = wgtile.row_reduce maximumf %t : tensor<64x32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @c2_accumulator(%a: !wgtile.shared<64x64xf16>,
                          %acc: tensor<64x64xf16>) {
  // expected-error @below {{expected two tiles of f16, of bf16, of f32 or of f8 and an f32 accumulator, or two of i8 and an i32 accumulator}}
  %0 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16>
      -> tensor<64x64xf16>
  return
}

// -----

func.func @dynamic(%a: tensor<?x64xbf16>, %b: !wgtile.shared<64x64xbf16>,
                   %acc: tensor<?x64xf32>) {
  // expected-error @below {{expected tiles MxK, KxN and MxN}}
  %0 = wgtile.mma %a, %b, %acc
      : tensor<?x64xbf16>, !wgtile.shared<64x64xbf16> -> tensor<?x64xf32>
  return
}

// -----

// The right operand's rows are its columns.
func.func @transposed_c1_m(%a: !wgtile.shared<128x64xf16>, %b: !wgtile.shared<32x64xf16>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, NxK and MxN, but got '!wgtile.shared<128x64xf16>', '!wgtile.shared<32x64xf16>' and 'tensor<64x32xf32>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<128x64xf16>, !wgtile.shared<32x64xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @transposed_c1_k(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<32x32xf16>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, NxK and MxN}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<32x32xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @transposed_c1_n(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<64x64xf16>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, NxK and MxN}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @transposed_c1_not_transposed(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<64x32xf16>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles MxK, NxK and MxN, but got '!wgtile.shared<64x64xf16>', '!wgtile.shared<64x32xf16>' and 'tensor<64x32xf32>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<64x32xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @transposed_c1_rank(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<64x64xf16>,
                  %acc: tensor<64xf32>) {
  // expected-error @below {{expected tiles MxK, NxK and MxN}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64xf32>
  return
}

// -----

func.func @transposed_c2_two_types(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<32x64xbf16>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected two tiles of f16, of bf16, of f32 or of f8 and an f32 accumulator, or two of i8 and an i32 accumulator, but got '!wgtile.shared<64x64xf16>', '!wgtile.shared<32x64xbf16>' and 'tensor<64x32xf32>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<32x64xbf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @transposed_c2_accumulator(%a: !wgtile.shared<64x64xf16>, %b: !wgtile.shared<32x64xf16>,
                  %acc: tensor<64x32xf16>) {
  // expected-error @below {{expected two tiles of f16, of bf16, of f32 or of f8 and an f32 accumulator, or two of i8 and an i32 accumulator}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<32x64xf16> -> tensor<64x32xf16>
  return
}

// -----

func.func @transposed_c2_register_f32(%a: tensor<64x64xf32>, %b: !wgtile.shared<32x64xf32>,
                  %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected a register tile of f16 or bf16 beside a transposed tile, but got 'tensor<64x64xf32>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_b : tensor<64x64xf32>, !wgtile.shared<32x64xf32> -> tensor<64x32xf32>
  return
}

// -----

func.func @mma_async_c1(%a: !wgtile.shared<64x64xf16>, %acc: tensor<64x32xf32>) {
  // expected-error @below {{'wgtile.mma_async' op expected tiles MxK, NxK and MxN, but got '!wgtile.shared<64x64xf16>', '!wgtile.shared<64x64xf16>' and 'tensor<64x32xf32>'}}
  %0 = wgtile.mma_async %a, %a, %acc transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @c4(%a: !wgtile.shared<64x64xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @below {{expected 'ieee' with tiles of f32, but got '!wgtile.shared<64x64xf16>'}}
  %0 = wgtile.mma %a, %a, %acc ieee : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @c5(%a: !wgtile.shared<64x64xf16>, %acc: tensor<64x64xf32>, %n: index) {
  // expected-error @below {{expected 'rows' with a tile that is neither transposed nor packed}}
  %0 = wgtile.mma %a, %a, %acc rows %n transpose_b : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @c5_packed(%a: !wgtile.shared<16x16xbf16>, %b: !wgtile.shared<16x16xbf16, swizzle = 128, packed>, %acc: tensor<16x16xf32>, %n: index) {
  // expected-error @below {{expected 'rows' with a tile that is neither transposed nor packed}}
  %0 = wgtile.mma %a, %b, %acc rows %n : !wgtile.shared<16x16xbf16>, !wgtile.shared<16x16xbf16, swizzle = 128, packed> -> tensor<16x16xf32>
  return
}

// -----

func.func @c1_transposed_a(%a: !wgtile.shared<64x128xf16>, %b: !wgtile.shared<64x32xf16>, %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected tiles KxM, KxN and MxN, but got '!wgtile.shared<64x128xf16>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_a : !wgtile.shared<64x128xf16>, !wgtile.shared<64x32xf16> -> tensor<64x32xf32>
  return
}

// -----

func.func @c6_f32(%a: !wgtile.shared<32x64xf32>, %b: !wgtile.shared<32x32xf32>, %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected a transposed left tile of f16 or bf16 in shared memory that is not packed, but got '!wgtile.shared<32x64xf32>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_a : !wgtile.shared<32x64xf32>, !wgtile.shared<32x32xf32> -> tensor<64x32xf32>
  return
}

// -----

func.func @c6_registers(%a: tensor<64x64xf16>, %b: !wgtile.shared<64x32xf16>, %acc: tensor<64x32xf32>) {
  // expected-error @below {{expected a transposed left tile of f16 or bf16 in shared memory that is not packed, but got 'tensor<64x64xf16>'}}
  %0 = wgtile.mma %a, %b, %acc transpose_a : tensor<64x64xf16>, !wgtile.shared<64x32xf16> -> tensor<64x32xf32>
  return
}
