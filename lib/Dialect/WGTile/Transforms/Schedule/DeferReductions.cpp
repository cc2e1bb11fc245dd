//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEDEFERREDUCTIONS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Whether `value` is the loop-carried vector `carried`, or that vector scaled.
/// Nothing else may use the threads' parts.
static bool isAtMostScaled(Value value, BlockArgument carried) {
  if (value == carried)
    return true;
  auto scaled = value.getDefiningOp<arith::MulFOp>();
  return scaled && scaled->hasOneUse() &&
         llvm::is_contained(scaled.getOperands(), carried);
}

/// The sum of a tile's rows that an iteration adds to the i-th value that the
/// loop carries, if that value is nothing but a sum of these.
static RowReduceOp findSum(scf::ForOp loop, unsigned i) {
  BlockArgument carried = loop.getRegionIterArg(i);
  if (!matchPattern(loop.getInitArgs()[i], m_AnyZeroFloat()) ||
      !carried.hasOneUse())
    return {};
  auto sum = loop.getYieldedValues()[i].getDefiningOp<arith::AddFOp>();
  if (!sum || !sum->hasOneUse())
    return {};
  for (auto [old, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                            std::pair(sum.getRhs(), sum.getLhs())}) {
    auto reduce = added.getDefiningOp<RowReduceOp>();
    if (reduce && reduce.getKind() == arith::AtomicRMWKind::addf &&
        reduce->hasOneUse() && isAtMostScaled(old, carried))
      return reduce;
  }
  return {};
}

namespace {
struct DeferReductionsPass
    : public wgtile::impl::WGTileDeferReductionsBase<DeferReductionsPass> {
  using WGTileDeferReductionsBase::WGTileDeferReductionsBase;

  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop->hasAttr(kBlockLoopAttrName))
        return;
      b.setInsertionPointAfter(loop);
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        RowReduceOp reduce = findSum(loop, i);
        if (!reduce || reduce.getPartial())
          continue;
        reduce.setPartial(true);
        auto whole = RowCombineOp::create(b, reduce.getLoc(), result.getType(),
                                          reduce.getKind(), result);
        result.replaceAllUsesExcept(whole.getResult(), whole);
        ++numDeferred;
      }
    });
  }
};
} // namespace
