//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/Resources.h"

#include "sattn/Resources/Mma.h"

using namespace mlir;
using namespace wgtile;
using sattn::resources::kLeftOperandRegisters;
using sattn::resources::kWgmmaRegisters;

FailureOr<ResourceModel> ResourceModel::get(Operation *op) {
  auto module = isa<gpu::GPUModuleOp>(op)
                    ? cast<gpu::GPUModuleOp>(op)
                    : op->getParentOfType<gpu::GPUModuleOp>();
  auto target = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName)
                       : TargetAttr();
  if (target)
    return ResourceModel(target.getResources());
  return op->emitOpError() << "expected a gpu.module with '" << kTargetAttrName
                           << "' (wgtile-attach-target)";
}

int64_t ResourceModel::getTileRegisters(Operation *root, int64_t threads) {
  DenseMap<Block *, int64_t> inBlock;
  int64_t most = 0;
  root->walk([&](MmaOpInterface op) {
    int64_t &count = inBlock[op->getBlock()];
    count += op.getResult().getType().getNumElements() / threads;
    if (auto left = dyn_cast<RankedTensorType>(op.getA().getType()))
      count +=
          left.getElementTypeBitWidth() * left.getNumElements() / 32 / threads +
          kLeftOperandRegisters;
    most = std::max(most, count);
  });
  return most;
}

int64_t ResourceModel::getWgmmaRegisters(Operation *root, int64_t threads) {
  int64_t most = 0;
  root->walk([&](MmaOpInterface op) {
    if (!op.getMmaSync())
      most =
          std::max(most, op.getResult().getType().getNumElements() / threads +
                             kWgmmaRegisters);
  });
  return most;
}

bool ResourceModel::fitsWgmma(MmaOp op) {
  using sattn::layout::Major;
  // An operand in registers has the layout that wgmma takes.
  auto fits = [](Type type, Major major) {
    auto tile = dyn_cast<SharedType>(type);
    return !tile ||
           sattn::resources::isWgmmaOperand({tile.getRows(), tile.getColumns(),
                                             tile.getElementBytes(), major});
  };
  RankedTensorType type = op.getResult().getType();
  return sattn::layout::isWgmmaResult(type.getDimSize(0), type.getDimSize(1),
                                      type.getElementType().isInteger()) &&
         fits(op.getA().getType(), op.getTransposeA() ? Major::MN : Major::K) &&
         fits(op.getB().getType(), op.getTransposeB() ? Major::K : Major::MN);
}
