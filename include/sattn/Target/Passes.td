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
    arguments and makes launches. A function that launches kernels must be of the
    restricted set of host ops; any other op is refused by name. Arguments are
    named by the function's attribute `sattn.names`, an array of strings, else by
    the operand that they are.

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
           "What the program runs on: a chip, or cpu">
  ];
}

def SAttnSerializeKernels
    : Pass<"sattn-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile kernels to PTX or to a cubin";
  let description = [{
    Replaces every `gpu.module` of LLVM-dialect kernels by a `gpu.binary` that
    holds PTX, or what ptxas makes of it. The kernels are compiled side by side,
    a thread each, to one text. LLVM's loop unrolling is off: it copies loops of
    asynchronous products. A cubin whose registers spill, or whose
    products ptxas had to serialize, is refused with ptxas's own words.

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
