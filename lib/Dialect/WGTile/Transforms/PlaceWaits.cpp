//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEWAITS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The loop's result that a product accumulates, turn after turn, or null: its
/// accumulator is an iteration argument that has no other use, and its result
/// only goes back to that argument.
static OpResult getAccumulatedResult(MmaOp op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(op.getAcc());
  if (!loop || !argument || argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar() || !argument.hasOneUse() ||
      !op.getResult().hasOneUse())
    return {};
  OpOperand &yield = *op.getResult().getUses().begin();
  OpResult result = loop.getTiedLoopResult(argument);
  if (yield.getOwner() != loop.getBody()->getTerminator() ||
      yield.getOperandNumber() != result.getResultNumber())
    return {};
  return result;
}

namespace {
struct PlaceWaitsPass
    : public wgtile::impl::WGTilePlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    getOperation().walk([](MmaOp op) {
      OpResult result = getAccumulatedResult(op);
      if (!result || op.getAsync())
        return;
      op.setAsync(true);
      OpBuilder b(op.getContext());
      b.setInsertionPointAfter(result.getOwner());
      auto wait = WaitMmaOp::create(b, op.getLoc(), result.getType(), result,
                                    /*pending=*/0);
      result.replaceAllUsesExcept(wait.getResult(), wait);
    });
  }
};
} // namespace
