//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_MANIFEST_H
#define SATTN_TARGET_MANIFEST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace sattn {

/// String attribute on a function that holds its manifest
/// (`sattn-emit-manifests`).
inline constexpr llvm::StringLiteral kManifestAttrName = "sattn.manifest";

/// Array of strings on such a function: what diagnostics of the program call
/// its first arguments, in order. Others, and those with "", are called by the
/// operand that they are.
inline constexpr llvm::StringLiteral kNamesAttrName = "sattn.names";

/// Manifest (docs/Manifest.md) of a function: its arguments, the contracts that
/// `sattn-record-contracts` put on it and, where it launches kernels, what to
/// compute and to launch. `target` is the name of a chip, or kCPUTarget. Emits
/// an error for an op or a type that a manifest cannot say.
mlir::FailureOr<std::string> emitManifest(mlir::func::FuncOp function,
                                          llvm::StringRef target);

} // namespace sattn

#endif // SATTN_TARGET_MANIFEST_H
