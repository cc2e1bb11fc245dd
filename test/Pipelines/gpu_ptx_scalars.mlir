// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// Every form of alpha and beta: zero, one, another constant, known at run time
// only.

// CHECK-LABEL: .entry alpha_zero_beta_zero(
// PTXAS-DAG: {{^}}alpha_zero_beta_zero: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_zero_beta_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                %values: tensor<?x64x64xbf16>,
                                %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_zero_beta_two(
// PTXAS-DAG: {{^}}alpha_zero_beta_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_zero_beta_two(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_zero_beta_arg(
// PTXAS-DAG: {{^}}alpha_zero_beta_arg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_zero_beta_arg(%beta: f32, %crow: tensor<?xi32>,
                               %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_one_beta_zero(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_one_beta_zero: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_one_beta_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_one_beta_one(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_one_beta_one: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_one_beta_one(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_one_beta_two(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_one_beta_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_one_beta_two(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_one_beta_arg(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_one_beta_arg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_one_beta_arg(%beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_two_beta_zero(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_two_beta_zero: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_two_beta_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_two_beta_one(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_two_beta_one: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_two_beta_one(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_two_beta_two(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_two_beta_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_two_beta_two(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_two_beta_arg(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_two_beta_arg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_two_beta_arg(%beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_arg_beta_zero(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_arg_beta_zero: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_arg_beta_zero(%alpha: f32, %crow: tensor<?xi32>,
                               %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_arg_beta_one(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_arg_beta_one: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_arg_beta_one(%alpha: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_arg_beta_two(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_arg_beta_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_arg_beta_two(%alpha: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %beta = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry alpha_arg_beta_arg(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}alpha_arg_beta_arg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_arg_beta_arg(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// The most columns.
// CHECK-LABEL: .entry wide_alpha_one_beta_one(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}wide_alpha_one_beta_one: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @wide_alpha_one_beta_one(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                   %values: tensor<?x64x64xbf16>,
                                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry wide_alpha_two_beta_two(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}wide_alpha_two_beta_two: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @wide_alpha_two_beta_two(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                   %values: tensor<?x64x64xbf16>,
                                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 2.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry wide_alpha_arg_beta_arg(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}wide_alpha_arg_beta_arg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @wide_alpha_arg_beta_arg(%alpha: f32, %beta: f32,
                                   %crow: tensor<?xi32>, %col: tensor<?xi32>,
                                   %values: tensor<?x64x64xbf16>,
                                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// A copy of the input.
// CHECK-LABEL: .entry alpha_zero_beta_one_input(
// CHECK: st.global.b16
// PTXAS-DAG: {{^}}alpha_zero_beta_one_input: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @alpha_zero_beta_one_input(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                     %values: tensor<?x64x64xbf16>,
                                     %b: tensor<?x?xbf16>,
                                     %input: tensor<?x?xbf16>,
                                     %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
