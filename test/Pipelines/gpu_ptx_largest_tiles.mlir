// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills ptxas=%ptxas" -o /dev/null

// The largest tiles: 128 accumulators a thread, and an epilogue that reads C.
// All but the first two commands fail where registers spill.

// One block row of 128.
// CHECK-LABEL: .entry left_constants(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                          %values: tensor<?x128x128xbf16>,
                          %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                          %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry right_constants(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}right_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @right_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %values: tensor<?x128x128xbf16>,
                           %b: tensor<?x?xbf16>, %right: tensor<?xf32>,
                           %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_right_constants(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_right_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_right_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                                %values: tensor<?x128x128xbf16>,
                                %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                                %right: tensor<?xf32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry left_scalars(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}left_scalars: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @left_scalars(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                        %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                        %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry all(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}all: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @all(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
               %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
               %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
               %left: tensor<?xbf16>, %right: tensor<?xf32>,
               %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry f32_result(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}f32_result: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @f32_result(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>,
                      %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                      %right: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: .entry narrower(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}narrower: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @narrower(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x128x128xbf16>, %b: tensor<?x?xbf16>,
                    %left: tensor<?xbf16>, %right: tensor<?xf32>,
                    %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 192, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Row-block groups of two block rows.
// CHECK-LABEL: .entry grouped(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}grouped: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @grouped(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry grouped_left_right(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}grouped_left_right: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @grouped_left_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                            %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                            %right: tensor<?xf32>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry grouped_left_right_constants(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}grouped_left_right_constants: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @grouped_left_right_constants(%crow: tensor<?xi32>,
                                      %col: tensor<?xi32>,
                                      %values: tensor<?x64x64xbf16>,
                                      %b: tensor<?x?xbf16>,
                                      %left: tensor<?xbf16>,
                                      %right: tensor<?xf32>,
                                      %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>) right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry grouped_batches(
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}grouped_batches: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @grouped_batches(%alpha: f32, %beta: f32, %crow: tensor<?x?x?xi32>,
                         %col: tensor<?x?x?xi32>,
                         %values: tensor<?x?x?x64x64xbf16>,
                         %b: tensor<?x?x?x?xbf16>, %out: tensor<?x?x?x?xbf16>)
    -> tensor<?x?x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x?x?xi32>, tensor<?x?x?xi32>,
          tensor<?x?x?x64x64xbf16>, tensor<?x?x?x?xbf16>)
      outs(%out : tensor<?x?x?x?xbf16>)
      {meta = #sattn.meta<tile = [128, 256, 64]>} -> tensor<?x?x?x?xbf16>
  return %0 : tensor<?x?x?x?xbf16>
}
