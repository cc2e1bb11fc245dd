//===- OldOptions.h - Options of passes that have other names ---*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_OLDOPTIONS_H
#define SATTN_SUPPORT_OLDOPTIONS_H

#include "sattn/Support/OldNames.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace sattn {

/// A pass that refuses old names of its options, with a hint.
template <typename Base> struct OldOptionHints : Base {
  using Base::Base;

  llvm::LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                        error) override {
    llvm::SmallVector<llvm::StringRef> parts;
    options.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    llvm::StringRef pass = this->getArgument();
    for (llvm::StringRef part : parts) {
      std::string renaming = findRenaming(part.split('=').first, pass);
      if (!renaming.empty())
        return error("option of " + pass + ": " + renaming);
    }
    return Base::initializeOptions(options, error);
  }
};

} // namespace sattn

#endif // SATTN_SUPPORT_OLDOPTIONS_H
