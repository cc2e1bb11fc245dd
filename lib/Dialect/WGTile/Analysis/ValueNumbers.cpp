//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SyncState.h"

using namespace mlir;
using namespace wgtile;

ValueNumbers::ValueNumbers(Operation *root) { visit(root); }

void ValueNumbers::visit(Operation *op) {
  auto add = [&](Value value) {
    numbers.try_emplace(value, values.size());
    values.push_back(value);
  };
  for (Value result : op->getResults())
    add(result);
  unsigned first = values.size();
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        add(argument);
      for (Operation &nested : block)
        visit(&nested);
    }
  ranges.try_emplace(op, first, values.size());
}
