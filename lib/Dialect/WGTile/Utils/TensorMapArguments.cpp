//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"

using namespace mlir;
using namespace wgtile;

bool wgtile::hasSwizzledRows(RankedTensorType tile) {
  return getNumWarpgroups(tile) != 0 &&
         tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8 == kRowSwizzle;
}

TensorMapArguments::TensorMapArguments(gpu::GPUFuncOp kernel, LaunchOp launch)
    : kernel(kernel), launch(launch), arguments(launch.getArgs()) {
  for (auto [argument, value] : llvm::zip(kernel.getArguments(), arguments)) {
    auto map = value.getDefiningOp<TensorMapOp>();
    if (!map)
      continue;
    auto *source = llvm::find(arguments, map.getSource());
    if (source != arguments.end())
      maps[{kernel.getArgument(source - arguments.begin()), map.getType()}] =
          argument;
  }
}

BlockArgument TensorMapArguments::getArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &kernel.getBody().front()
             ? argument
             : BlockArgument();
}

Value TensorMapArguments::getMap(BlockArgument source, TensorMapType type,
                                 Location loc) {
  Value &map = maps[{source, type}];
  if (!map) {
    OpBuilder b(launch);
    arguments.push_back(
        TensorMapOp::create(b, loc, type, arguments[source.getArgNumber()]));
    unsigned position = kernel.getNumArguments();
    // Fails only if the function's type cannot be changed.
    LogicalResult inserted =
        kernel.insertArgument(position, type, DictionaryAttr(), loc);
    assert(succeeded(inserted) && "the type of a gpu.func can be changed");
    (void)inserted;
    map = kernel.getArgument(position);
  }
  return map;
}

void TensorMapArguments::finish() {
  for (int64_t i = static_cast<int64_t>(arguments.size()) - 1; i >= 0; --i)
    if (kernel.getArgument(i).use_empty()) {
      LogicalResult erased = kernel.eraseArgument(i);
      assert(succeeded(erased) && "the type of a gpu.func can be changed");
      (void)erased;
      arguments.erase(arguments.begin() + i);
    }
  launch.getArgsMutable().assign(arguments);
}
