// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// The optional operands, in narrow and wide tiles.

// CHECK-LABEL: .entry left(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                          %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                          %left: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_no_beta(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_no_beta: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_no_beta(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                        %left: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_wide(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_wide: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_wide(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                     %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                     %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                    %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                    %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x?xbf16>, %right: tensor<?xf32>,
                 %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                           %right: tensor<?xf32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right_no_beta(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right_no_beta: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right_no_beta(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                         %right: tensor<?xf32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right_wide(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right_wide: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right_wide(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %right: tensor<?xf32>,
                      %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                     %b: tensor<?x?xbf16>, %right: tensor<?xf32>,
                     %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                      %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                %values: tensor<?x64x64xbf16>,
                                %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                                %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right_no_beta(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right_no_beta: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right_no_beta(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                              %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right_wide(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right_wide: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right_wide(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                           %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                          %b: tensor<?x?xbf16>, %left: tensor<?xf32>,
                          %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry input(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}input: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                 %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry input_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}input_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @input_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                           %input: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry input_no_beta(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}input_no_beta: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @input_no_beta(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                         %input: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry input_wide(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}input_wide: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @input_wide(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                      %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry input_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}input_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @input_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                     %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                     %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry all(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
               %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
               %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
               %left: tensor<?xf32>, %right: tensor<?xf32>,
               %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry all_constants(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                         %input: tensor<?x?xbf16>, %left: tensor<?xf32>,
                         %right: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry all_no_beta(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all_no_beta: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all_no_beta(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                       %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                       %input: tensor<?x?xbf16>, %left: tensor<?xf32>,
                       %right: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry all_wide(
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all_wide: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all_wide(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                    %left: tensor<?xf32>, %right: tensor<?xf32>,
                    %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry all_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all_128(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                   %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                   %left: tensor<?xf32>, %right: tensor<?xf32>,
                   %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
