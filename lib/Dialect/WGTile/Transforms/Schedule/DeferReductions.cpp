//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeferScalarReductions.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

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

/// Why the vector that a loop carries is not a sum of `reduce` alone, to which
/// `old` is added; empty if it is.
static StringRef findObstacle(scf::ForOp loop, unsigned i, RowReduceOp reduce,
                              arith::AddFOp sum, Value old) {
  BlockArgument carried = loop.getRegionIterArg(i);
  if (!matchPattern(loop.getInitArgs()[i], m_AnyZeroFloat()))
    return "it does not start at zero";
  if (!carried.hasOneUse() || !sum->hasOneUse() || !reduce->hasOneUse())
    return "the loop uses it for something else too";
  if (!isAtMostScaled(old, carried))
    return "it is more than scaled between two iterations";
  return "";
}

/// The sum of a tile's rows that an iteration adds to the i-th value that the
/// loop carries, if that value is nothing but a sum of these. A remark says why
/// another sum is not deferred.
static RowReduceOp findSum(scf::ForOp loop, unsigned i) {
  auto sum = loop.getYieldedValues()[i].getDefiningOp<arith::AddFOp>();
  if (!sum)
    return {};
  StringRef obstacle;
  for (auto [old, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                            std::pair(sum.getRhs(), sum.getLhs())}) {
    auto reduce = added.getDefiningOp<RowReduceOp>();
    if (!reduce || reduce.getKind() != arith::AtomicRMWKind::addf ||
        reduce.getPartial())
      continue;
    obstacle = findObstacle(loop, i, reduce, sum, old);
    if (obstacle.empty())
      return reduce;
  }
  if (!obstacle.empty())
    remark::missed(sum.getLoc(), remark::RemarkOpts::name("DeferReductions")
                                     .category("wgtile-defer-reductions"))
        << ("threads combine a row's sum in each iteration: " + obstacle).str();
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
        if (!reduce)
          continue;
        reduce.setPartial(true);
        auto whole = RowCombineOp::create(b, reduce.getLoc(), result.getType(),
                                          reduce.getKind(), result);
        result.replaceAllUsesExcept(whole.getResult(), whole);
        ++numDeferred;
      }
    });
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      numDeferred += deferScalarReductions(kernel);
  }
};
} // namespace
