//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistVectorReads.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Predicates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESPLITRANGE
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Loops that one loop becomes at most: each has the whole program of an
/// iteration.
static constexpr int64_t kMaxParts = 4;

namespace {
/// Where a loop is cut: iterations with iv + shift < bound come first.
struct Cut {
  arith::CmpIOp condition;
  int64_t shift;
  Value bound;
  /// Whether the condition holds in the first part; else in the second.
  bool holdsFirst;
};
} // namespace

/// The cut that makes a condition a constant on either side, if there is one.
static std::optional<Cut> findCut(scf::ForOp loop, arith::CmpIOp condition) {
  Value index = condition.getLhs(), bound = condition.getRhs();
  arith::CmpIPredicate predicate = condition.getPredicate();
  if (loop.isDefinedOutsideOfLoop(index)) {
    std::swap(index, bound);
    predicate = swapOperands(predicate);
  }
  if (!index.getType().isIndex() || !loop.isDefinedOutsideOfLoop(bound))
    return std::nullopt;
  FailureOr<int64_t> shift = ValueBoundsConstraintSet::computeConstantDelta(
      index, loop.getInductionVar());
  if (failed(shift))
    return std::nullopt;
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return Cut{condition, *shift, bound, /*holdsFirst=*/true};
  case arith::CmpIPredicate::sge:
    return Cut{condition, *shift, bound, /*holdsFirst=*/false};
  case arith::CmpIPredicate::sle: // iv + shift - 1 < bound
    return Cut{condition, *shift - 1, bound, /*holdsFirst=*/true};
  case arith::CmpIPredicate::sgt:
    return Cut{condition, *shift - 1, bound, /*holdsFirst=*/false};
  default:
    return std::nullopt;
  }
}

/// The cut for the first branch of the body that has one.
static std::optional<Cut> findCut(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex())
    return std::nullopt;
  for (auto branch : loop.getBody()->getOps<scf::IfOp>())
    if (auto condition = branch.getCondition().getDefiningOp<arith::CmpIOp>();
        condition && !loop.isDefinedOutsideOfLoop(condition))
      if (std::optional<Cut> cut = findCut(loop, condition))
        return cut;
  return std::nullopt;
}

/// Replaces a branch by one of its sides.
static void takeSide(scf::IfOp branch, bool side) {
  if (Block *block = side ? branch.thenBlock() : branch.elseBlock()) {
    Operation *yield = block->getTerminator();
    branch.replaceAllUsesWith(yield->getOperands());
    branch->getBlock()->getOperations().splice(
        branch->getIterator(), block->getOperations(), block->begin(),
        yield->getIterator());
  }
  branch.erase();
}

/// Resolves the uses of a condition whose value is known.
static void resolve(arith::CmpIOp condition, bool value) {
  // Inner branches first: an erased side erases the branches in it.
  SmallVector<scf::IfOp> branches;
  condition->getBlock()->walk([&](scf::IfOp branch) {
    if (branch.getCondition() == condition.getResult())
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    takeSide(branch, value);
  OpBuilder b(condition);
  condition.replaceAllUsesWith(
      arith::ConstantOp::create(b, condition.getLoc(), b.getBoolAttr(value))
          .getResult());
  condition.erase();
}

/// Whether the condition of `other` is a constant in a part of a loop that was
/// cut, and which: all before `cut` is before `other`, if that comes later.
static std::optional<bool> decide(const Cut &cut, const Cut &other,
                                  bool isFirst) {
  using Bounds = ValueBoundsConstraintSet;
  Builder b(cut.bound.getContext());
  AffineExpr d0 = b.getAffineDimExpr(0);
  Bounds::Variable otherEnd(
      AffineMap::get(1, 0, d0 + (cut.shift - other.shift)),
      ValueRange{other.bound});
  if (!Bounds::compare(otherEnd, isFirst ? Bounds::GE : Bounds::LE, cut.bound))
    return std::nullopt;
  return isFirst == other.holdsFirst;
}

/// Resolves conditions that follow from a part's place before or after a cut.
static void resolveImplied(scf::ForOp part, const Cut &cut, bool isFirst) {
  auto resolveOne = [&](arith::CmpIOp condition) {
    if (std::optional<Cut> other = findCut(part, condition))
      if (std::optional<bool> value = decide(cut, *other, isFirst)) {
        resolve(condition, *value);
        // Others may have been in a branch that is no longer there.
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  };
  while (part.getBody()->walk(resolveOne).wasInterrupted())
    ;
}

/// Cuts a loop in two: the loop itself becomes the second part, and the first
/// is returned.
static scf::ForOp split(scf::ForOp loop, Cut cut) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value middle = arith::SubIOp::create(
      b, loc, cut.bound, arith::ConstantIndexOp::create(b, loc, cut.shift));
  middle = arith::MaxSIOp::create(b, loc, middle, loop.getLowerBound());
  middle = arith::MinSIOp::create(b, loc, middle, loop.getUpperBound());
  // An empty range may have bounds in any order.
  middle = arith::MaxSIOp::create(b, loc, middle, loop.getLowerBound());
  IRMapping mapping;
  auto first = cast<scf::ForOp>(b.clone(*loop.getOperation(), mapping));
  first.setUpperBound(middle);
  loop.setLowerBound(middle);
  loop.getInitArgsMutable().assign(first.getResults());
  resolveImplied(first, cut, /*isFirst=*/true);
  resolveImplied(loop, cut, /*isFirst=*/false);
  return first;
}

namespace {
struct SplitRangePass
    : public wgtile::impl::WGTileSplitRangeBase<SplitRangePass> {
  using WGTileSplitRangeBase::WGTileSplitRangeBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kBlockLoopAttrName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      if (!hasMmaSync(loop)) {
        for (scf::ForOp part : splitAll(loop))
          hoistVectorReads(part);
        for (auto branch : loop->getBlock()->getOps<scf::IfOp>())
          hoistVectorReads(branch);
      } else if (findCut(loop)) {
        explain(loop) << "a loop whose MMAs are by mma.sync is not cut";
      }
    }
  }

private:
  static bool hasMmaSync(scf::ForOp loop) {
    return llvm::any_of(loop.getBody()->getOps<MmaOp>(),
                        [](MmaOp mma) { return mma.getMmaSync(); });
  }

  /// A remark on why a loop is not split.
  static remark::detail::InFlightRemark explain(scf::ForOp loop) {
    return remark::missed(
        loop.getLoc(),
        remark::RemarkOpts::name("SplitRange").category("wgtile-split-range"));
  }

  /// Returns the parts.
  SmallVector<scf::ForOp> splitAll(scf::ForOp loop) {
    SmallVector<scf::ForOp> parts = {loop}, all = {loop};
    for (int64_t count = 1; !parts.empty();) {
      scf::ForOp part = parts.pop_back_val();
      std::optional<Cut> cut = findCut(part);
      if (!cut)
        continue;
      if (count == kMaxParts) {
        explain(part) << "a loop is cut into at most " +
                             std::to_string(kMaxParts) + " parts";
        return all;
      }
      if (!isConstantIntValue(part.getStep(), 1)) {
        explain(part) << "a loop whose step is not 1 is not cut";
        continue;
      }
      parts.push_back(split(part, *cut));
      all.push_back(parts.back());
      parts.push_back(part);
      ++count;
      ++numSplit;
    }
    return all;
  }
};
} // namespace
