//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PIPELINES_SATTNENTRY_H
#define SATTN_PIPELINES_SATTNENTRY_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace sattn {

/// What every target begins with: passes that settle which arguments the
/// functions have, and record which of them is which operand. A second run
/// changes nothing. Products of f32 that are raised have the given precision,
/// that of ops of `sattn`.
void buildSAttnEntryPipeline(mlir::OpPassManager &pm,
                             llvm::StringRef precision = "ieee");

} // namespace sattn

#endif // SATTN_PIPELINES_SATTNENTRY_H
