// Upstream's mlir-opt knows the dialects and runs passes and pipelines.
//
// REQUIRES: mlir-dylib
// DEFINE: %{plugin} = --load-dialect-plugin=%sattn_lib/SAttnPlugin.so --load-pass-plugin=%sattn_lib/SAttnPlugin.so
//
// RUN: mlir-opt %{plugin} --pass-pipeline='builtin.module(sattn-inject-meta{target=cpu},func.func(sattn-tile))' %s | FileCheck %s --check-prefix=TILE
// RUN: mlir-opt %{plugin} --pass-pipeline='builtin.module(sattn-to-ptx{chip=sm_80})' %s | FileCheck %s --check-prefix=PTX
// RUN: mlir-opt %{plugin} --pass-pipeline='builtin.module(sattn-to-cpu)' %s | FileCheck %s --check-prefix=CPU
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT

// TILE: scf.forall
// TILE: linalg.matmul
// PTX: gpu.binary
// PTX-SAME: .target sm_80
// CPU: llvm.func @_mlir_ciface_product
// WITHOUT: Dialect `sattn' not found
func.func @product(%s: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>,
                   %values: tensor<?x16x16xbf16>, %b: tensor<32x?xbf16>,
                   %out: tensor<32x?xbf16>) -> tensor<32x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%s) beta(%s)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<32x?xbf16>)
      outs(%out : tensor<32x?xbf16>) -> tensor<32x?xbf16>
  return %0 : tensor<32x?xbf16>
}
