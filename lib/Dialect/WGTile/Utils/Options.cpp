//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/Options.h"

#include "sattn/Support/OldNames.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult wgtile::verifyOption(Operation *root, StringRef name,
                                   int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return success();
  return root->emitError() << "expected '" << name << "' to be from " << least
                           << " to " << most << ", but got " << value;
}

LogicalResult
wgtile::verifyOptionNames(StringRef pass, StringRef options,
                          function_ref<LogicalResult(const Twine &)> error) {
  SmallVector<StringRef> parts;
  options.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    std::string renaming = sattn::findRenaming(part.split('=').first, pass);
    if (!renaming.empty())
      return error("option of " + pass + ": " + renaming);
  }
  return success();
}
