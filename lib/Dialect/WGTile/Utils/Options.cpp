//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/Options.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult wgtile::verifyOption(Operation *root, StringRef name,
                                   int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return success();
  return root->emitError() << "expected '" << name << "' to be from " << least
                           << " to " << most << ", but got " << value;
}
