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

def SAttnSelectVersions
    : Pass<"sattn-select-versions", "::mlir::ModuleOp"> {
  let summary = "Select which kernel specializations to compile";
  let description = [{
    Where the host chooses between specializations of a kernel (`wgtile-version-kernels`),
    `versions=tma` erases the generic one, and keeps the one for arguments whose
    strides and alignment TMA takes, which chips without TMA copy by `cp.async`. The
    launch of an erased one becomes a `cf.assert` with its name, which holds if
    there is nothing to launch; the manifest then says that this specialization is missing. `versions=generic` keeps the
    generic specialization alone, which takes all arguments. Kernels without
    specializations stay.

    Before:
    ```mlir
    scf.if %compatible {
      wgtile.launch @kernels::@f grid(%n) args(%b, %out)
    } else {
      wgtile.launch @kernels::@f_generic grid(%n) args(%b, %out)
    }
    ```
    After, with `versions=tma`:
    ```mlir
    scf.if %compatible {
      wgtile.launch @kernels::@f grid(%n) args(%b, %out)
    } else {
      %empty = arith.cmpi eq, %n, %c0 : index
      cf.assert %empty, "f_generic"
    }
    ```
  }];
  let options = [
    Option<"versions", "versions", "::sattn::KernelVersions",
           /*default=*/"::sattn::KernelVersions::All",
           "Specializations to compile of a kernel that has several",
           "::sattn::getKernelVersionsValues()">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def SAttnEmitManifests : Pass<"sattn-emit-manifests", "::mlir::ModuleOp"> {
  let summary = "Write the host functions as manifests for the runtime";
  let description = [{
    Puts the attribute `sattn.manifest` on every public function: a JSON text
    (docs/Manifest.md) from which the runtime, which has no compiler, checks
    arguments and launches kernels. A function that launches kernels must consist
    of the restricted set of host ops; any other op is refused by name, and so is an
    argument that the runtime cannot pass, such as a scalar that is neither f32 nor f64. The
    names of arguments come from the function's attribute `sattn.names`, an array of
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
    MMAs. A cubin with serialized wgmma is refused with ptxas's message; of spilled
    registers there is a warning, or with `refuse-spills` an error.

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
           "Path of ptxas; empty: searched on PATH">,
    Option<"refuseSpills", "refuse-spills", "bool", /*default=*/"false",
           "Refuse a cubin whose registers spill">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // SATTN_TARGET_PASSES_TD
