//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_CONTRACTATTR_H
#define SATTN_SUPPORT_CONTRACTATTR_H

#include "mlir/IR/BuiltinAttributes.h"

namespace sattn {

/// Array of dictionaries on a function, each a contract, in the form in which
/// the manifest has it (docs/Manifest.md; `sattn-record-contracts`).
inline constexpr llvm::StringLiteral kContractsAttrName = "sattn.contracts";

/// Visits the dictionaries of a list of all contracts: `operands` or `checks`.
/// `contracts` may be null.
inline void
forEachContractEntry(mlir::ArrayAttr contracts, llvm::StringRef list,
                     llvm::function_ref<void(mlir::DictionaryAttr)> visit) {
  if (!contracts)
    return;
  for (mlir::Attribute attr : contracts) {
    auto contract = llvm::dyn_cast<mlir::DictionaryAttr>(attr);
    auto entries = contract ? contract.getAs<mlir::ArrayAttr>(list) : nullptr;
    for (mlir::Attribute entry :
         entries ? entries.getValue() : llvm::ArrayRef<mlir::Attribute>())
      if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(entry))
        visit(dictionary);
  }
}

/// Whether an entry of a contract is about an argument of the function.
inline bool isOfArgument(mlir::DictionaryAttr entry, int64_t argument) {
  auto index = entry.getAs<mlir::IntegerAttr>("argument");
  return index && index.getInt() == argument;
}

/// Whether a contract describes the contents of an array of offsets or indices.
inline bool isIndexArray(mlir::ArrayAttr contracts, int64_t argument) {
  bool found = false;
  forEachContractEntry(contracts, "checks", [&](mlir::DictionaryAttr check) {
    auto kind = check.getAs<mlir::StringAttr>("check");
    found |= kind && (kind == "offsets" || kind == "indices") &&
             isOfArgument(check, argument);
  });
  return found;
}

} // namespace sattn

#endif // SATTN_SUPPORT_CONTRACTATTR_H
