//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_OPTIONS_H
#define SATTN_DIALECT_WGTILE_UTILS_OPTIONS_H

#include "mlir/IR/Operation.h"

namespace wgtile {

/// Most bytes that an option may give a CTA: offsets have 32 bits.
inline constexpr int64_t kMaxSharedBytes = INT32_MAX;

/// Checks a pass's numeric option; the error is emitted at the op that the pass
/// runs on.
mlir::LogicalResult verifyOption(mlir::Operation *root, llvm::StringRef name,
                                 int64_t value, int64_t least, int64_t most);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_OPTIONS_H
