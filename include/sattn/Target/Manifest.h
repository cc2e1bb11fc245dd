//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_MANIFEST_H
#define SATTN_TARGET_MANIFEST_H

#include "sattn/Support/ManifestAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace sattn {

/// Manifest (docs/Manifest.md) of a function: its arguments, the contracts that
/// `sattn-record-contracts` put on it and, where it launches kernels, what to
/// compute and to launch. `target` is the name of a chip, or kCPUTarget. Emits
/// an error for an op or a type that a manifest cannot say.
mlir::FailureOr<std::string> emitManifest(mlir::func::FuncOp function,
                                          llvm::StringRef target);

} // namespace sattn

#endif // SATTN_TARGET_MANIFEST_H
