//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_H
#define SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_H

#include "sattn/Dialect/SAttn/IR/SAttnAttrs.h"
#include "sattn/Tuning/NamedFacts.h"

#include "mlir/IR/OpDefinition.h"

namespace sattn {

/// Facts that the types leave open and the caller knows, used only to choose
/// parameters.
struct TuningHints {
  /// M, N and K.
  std::optional<int64_t> m, n, k;
  /// Part of the blocks that is not stored, in hundredths.
  std::optional<int64_t> sparsity;
};

} // namespace sattn

#include "sattn/Dialect/SAttn/IR/TuningOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_H
