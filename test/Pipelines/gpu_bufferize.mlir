// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-before=wgtile-outline-kernels \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=memref.alloc \
// RUN:   --implicit-check-not=memref.copy --implicit-check-not=linalg. \
// RUN:   --implicit-check-not=tensor. --implicit-check-not=bufferization. \
// RUN:   --implicit-check-not='tensor<'

// One-shot bufferization allocates nothing and copies nothing: tiles are vectors
// between reads and writes of the function's arguments.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @dynamic(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @constants(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                     %out: tensor<?x?xbf16>)
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

// CHECK-LABEL: func.func @in_place(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @in_place(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                    %out: tensor<?x?xbf16>)
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

// CHECK-LABEL: func.func @alpha_zero(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @alpha_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                      %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 0.5 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @both_zero(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @both_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                     %out: tensor<?x?xbf16>)
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

// CHECK-LABEL: func.func @exact(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @exact(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<512x256xbf16>, %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// CHECK-LABEL: func.func @ragged(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @ragged(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<512x200xbf16>, %out: tensor<512x200xbf16>)
    -> tensor<512x200xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x200xbf16>)
      outs(%out : tensor<512x200xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x200xbf16>
  return %0 : tensor<512x200xbf16>
}

// CHECK-LABEL: func.func @narrow(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @narrow(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                  %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                  %b: tensor<512x24xbf16>, %out: tensor<512x24xbf16>)
    -> tensor<512x24xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x24xbf16>)
      outs(%out : tensor<512x24xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x24xbf16>
  return %0 : tensor<512x24xbf16>
}

// CHECK-LABEL: func.func @one_tile(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @one_tile(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<64x128xbf16>, %out: tensor<64x128xbf16>)
    -> tensor<64x128xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<64x128xbf16>)
      outs(%out : tensor<64x128xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<64x128xbf16>
  return %0 : tensor<64x128xbf16>
}

// Nothing to compute.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT:     scf.forall
// CHECK:         return %{{.*}} : memref<
func.func @empty(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                 %b: tensor<?x0xbf16>, %out: tensor<0x0xbf16>)
    -> tensor<0x0xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x0xbf16>)
      outs(%out : tensor<0x0xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<0x0xbf16>
  return %0 : tensor<0x0xbf16>
}

// CHECK-LABEL: func.func @operands(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @operands(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                    %left: tensor<?xbf16>, %right: tensor<?xf32>,
                    %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      right(%right : tensor<?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @operands_constants(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @operands_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                              %right: tensor<?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @input_constants(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @input_constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                           %input: tensor<?x?xbf16>, %left: tensor<?xbf16>,
                           %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @copy(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @copy(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                %input: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
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

// CHECK-LABEL: func.func @batched(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @batched(%alpha: f32, %beta: f32, %crow: tensor<2x?xi32>,
                   %col: tensor<2x?xi32>, %values: tensor<2x?x64x64xbf16>,
                   %b: tensor<3x2x?x?xbf16>, %out: tensor<3x2x?x?xbf16>)
    -> tensor<3x2x?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<2x?xi32>, tensor<2x?xi32>,
          tensor<2x?x64x64xbf16>, tensor<3x2x?x?xbf16>)
      outs(%out : tensor<3x2x?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x2x?x?xbf16>
  return %0 : tensor<3x2x?x?xbf16>
}

// CHECK-LABEL: func.func @batched_exact(
// CHECK:         vector.transfer_write {{.*}} memref<
// CHECK:         return %{{.*}} : memref<
func.func @batched_exact(%alpha: f32, %beta: f32, %crow: tensor<3x?xi32>,
                         %col: tensor<3x?xi32>, %values: tensor<3x?x64x64xbf16>,
                         %b: tensor<3x512x256xbf16>,
                         %out: tensor<3x512x256xbf16>)
    -> tensor<3x512x256xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3x?xi32>, tensor<3x?xi32>,
          tensor<3x?x64x64xbf16>, tensor<3x512x256xbf16>)
      outs(%out : tensor<3x512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x512x256xbf16>
  return %0 : tensor<3x512x256xbf16>
}
