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

/// Adds the passes that every target begins with: they settle which arguments
/// the functions have, and record which argument is which operand. A second run
/// changes nothing. Products of f32 that are raised get `precision`, as ops of
/// `sattn` have it.
void buildSAttnEntryPipeline(mlir::OpPassManager &pm,
                             llvm::StringRef precision = "ieee");

} // namespace sattn

#endif // SATTN_PIPELINES_SATTNENTRY_H
