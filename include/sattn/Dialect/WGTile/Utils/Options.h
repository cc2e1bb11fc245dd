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
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace wgtile {

/// Most bytes that an option may give a thread block: offsets have 32 bits.
inline constexpr int64_t kMaxSharedBytes = INT32_MAX;

/// Checks a pass's numeric option; the error is emitted at the op that the pass
/// runs on.
mlir::LogicalResult verifyOption(mlir::Operation *root, llvm::StringRef name,
                                 int64_t value, int64_t least, int64_t most);

/// Fails with a hint where the text of a pass's options has an old name.
mlir::LogicalResult verifyOptionNames(
    llvm::StringRef pass, llvm::StringRef options,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> error);

/// A pass that refuses old names of its options.
template <typename Base> struct OldOptionHints : Base {
  using Base::Base;

  llvm::LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                        error) override {
    if (llvm::failed(verifyOptionNames(this->getArgument(), options, error)))
      return llvm::failure();
    return Base::initializeOptions(options, error);
  }
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_OPTIONS_H
