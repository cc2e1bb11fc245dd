//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_PASSES_TD
#define SATTN_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SAttnEmitManifests : Pass<"sattn-emit-manifests", "::mlir::ModuleOp"> {
  let summary = "Write the host functions as manifests for the runtime";
  let description = [{
    Puts the attribute `sattn.manifest` on every public function: a JSON text
    (docs/Manifest.md) from which the runtime, which has no compiler, checks
    arguments and launches kernels. A function that launches kernels must consist
    of the restricted set of host ops; any other op is refused by name. The names of
    arguments come from the function's attribute `sattn.names`, an array of
    strings, or else from the operands that they are.

    Before:
    ```mlir
    func.func @f(%out: memref<?x?xf32>) {
      %grid = memref.dim %out, %c0 : memref<?x?xf32>
      wgtile.launch @kernels::@f grid(%grid) args(%out) : memref<?x?xf32>
    ```
    After:
    ```mlir
    func.func @f(...) attributes {sattn.manifest = "{\"version\":1,...}"}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "Target of the program: a chip, or cpu">
  ];
}

def SAttnSerializeKernels
    : Pass<"sattn-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile kernels to PTX or to a cubin";
  let description = [{
    Replaces every `gpu.module` of LLVM-dialect kernels by a `gpu.binary` with PTX
    or a cubin. Each kernel is compiled in a thread of its own, and the texts are
    joined. LLVM's loop unrolling is off, since it copies loops of asynchronous
    MMAs. A cubin with spilled registers or serialized wgmma is refused with
    ptxas's message.

    Before:
    ```mlir
    gpu.module @kernels { llvm.func @f(...) attributes {nvvm.kernel} { ... } }
    ```
    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">,
        assembly = "...">]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "Chip to compile for">,
    Option<"format", "format", "std::string", /*default=*/"\"ptx\"",
           "ptx or cubin">,
    Option<"ptxas", "ptxas", "std::string", /*default=*/"\"\"",
           "Path of ptxas; empty: searched on PATH">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // SATTN_TARGET_PASSES_TD
