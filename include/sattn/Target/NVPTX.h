//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_NVPTX_H
#define SATTN_TARGET_NVPTX_H

#include "sattn/Target/Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace sattn {

/// LLVM IR of a module of LLVM-dialect kernels, optimized for the chip. Emits
/// an error and returns null where the module cannot be translated.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::gpu::GPUModuleOp module,
                                                llvm::LLVMContext &context,
                                                const Chip &chip);

/// PTX of a module of LLVM-dialect kernels.
mlir::FailureOr<std::string> translateToPTX(mlir::gpu::GPUModuleOp module,
                                            const Chip &chip);

/// The path of ptxas: `ptxas` if it is not empty, else SATTN_PTXAS from the
/// environment, else the one on PATH. Empty where there is none.
std::string findAssembler(llvm::StringRef ptxas = "");

/// The cubin that ptxas (see findAssembler) makes of PTX. Emits an error where
/// ptxas is missing, fails, or serializes wgmma, and a warning, or with
/// `refusesSpills` an error, where registers spill; `emitAt` gets the name of
/// the kernel, or none where ptxas names none.
mlir::FailureOr<std::string>
assemble(llvm::StringRef ptx, const Chip &chip, llvm::StringRef ptxas,
         bool refusesSpills,
         llvm::function_ref<mlir::InFlightDiagnostic(llvm::StringRef kernel,
                                                     bool isWarning)>
             emitAt);

} // namespace sattn

#endif // SATTN_TARGET_NVPTX_H
