//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Numbers that are sums of tiles' sums, and scaled. All threads agree on a
// scale, and parts add up to the whole: zero is a part, and the values that
// loops and branches forward are parts if all that they forward are.

#include "DeferScalarReductions.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace wgtile;

static bool isSumOfTile(Operation *op) {
  auto reduce = dyn_cast_if_present<TileReduceOp>(op);
  return reduce && reduce.getKind() == arith::AtomicRMWKind::addf &&
         !reduce.getPartial() && reduce.getType().isF32() &&
         reduce.getTile().getType().getRank() == 2;
}

/// Whether a value is one that a loop carries from zero on.
static bool isCarriedFromZero(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : nullptr;
  return loop && argument != loop.getInductionVar() &&
         matchPattern(loop.getTiedLoopInit(argument)->get(), m_AnyZeroFloat());
}

namespace {
/// The values that must be parts together. `others` are parts of other numbers:
/// threads do not agree on these, so that they are no scale.
class Parts {
public:
  explicit Parts(const DenseSet<Value> &others) : others(others) {}

  /// Whether a tile's sum can be a part.
  bool findFrom(TileReduceOp reduce) {
    if (!require(reduce.getResult()))
      return false;
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!follow(use))
          return false;
    // A use counted as an end only until another part's use was followed.
    llvm::erase_if(ends, [&](OpOperand *use) {
      return isa<arith::AddFOp>(use->getOwner()) &&
             values.contains(use->getOwner()->getResult(0));
    });
    return llvm::all_of(values, [&](Value value) {
      auto product = value.getDefiningOp<arith::MulFOp>();
      return !product || values.contains(product.getLhs()) !=
                             values.contains(product.getRhs());
    });
  }

  /// Whether the parts are worth combining later: they are of several sums, or
  /// a loop adds to them.
  bool areWorth() const {
    return llvm::count_if(values,
                          [](Value value) {
                            return isSumOfTile(value.getDefiningOp());
                          }) > 1 ||
           llvm::any_of(values, [](Value value) {
             return value.getDefiningOp<scf::ForOp>() != nullptr;
           });
  }

  /// Adds the values to those of all numbers, and returns the number of sums of
  /// tiles.
  int64_t apply(DenseSet<Value> &all) {
    int64_t sums = 0;
    all.insert(values.begin(), values.end());
    for (Value value : values)
      if (isSumOfTile(value.getDefiningOp())) {
        value.getDefiningOp<TileReduceOp>().setPartial(true);
        ++sums;
      }
    DenseMap<Value, Value> wholes;
    for (OpOperand *use : ends) {
      Value value = use->get();
      Value &whole = wholes[value];
      if (!whole) {
        OpBuilder b(value.getContext());
        b.setInsertionPointAfterValue(value);
        whole = TileCombineOp::create(b, value.getLoc(), value.getType(),
                                      arith::AtomicRMWKind::addf, value,
                                      /*offset=*/IntegerAttr());
      }
      use->set(whole);
    }
    return sums;
  }

private:
  const DenseSet<Value> &others;
  llvm::SetVector<Value> values;
  /// Uses that need the whole number.
  SmallVector<OpOperand *> ends;

  /// Makes a value one of the parts, and what it is computed of.
  bool require(Value value) {
    if (matchPattern(value, m_AnyZeroFloat()) || !values.insert(value))
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument != loop.getInductionVar() &&
             require(loop.getTiedLoopResult(argument));
    }
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (isSumOfTile(op))
      return true;
    if (auto sum = dyn_cast<arith::AddFOp>(op))
      return require(sum.getLhs()) && require(sum.getRhs());
    if (auto product = dyn_cast<arith::MulFOp>(op))
      return requireFactor(product);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return require(branch.thenYield().getOperand(number)) &&
             require(branch.elseYield().getOperand(number));
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return false;
    values.insert(loop.getRegionIterArg(number));
    return require(loop.getInitArgs()[number]) &&
           require(loop.getYieldedValues()[number]);
  }

  bool mayBePart(Value value) const {
    return values.contains(value) || isCarriedFromZero(value);
  }

  /// Requires the factor of a product that a loop carries, or that is a part,
  /// to be a part; the other factor is a scale.
  bool requireFactor(arith::MulFOp product) {
    for (auto [part, scale] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())})
      if (mayBePart(part) && !values.contains(scale) && !others.contains(scale))
        return require(part);
    return false;
  }

  /// Follows a use of a part: adds the values that it makes parts, or ends
  /// there. False if the use forbids parts.
  bool follow(OpOperand &use) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (isa<arith::AddFOp>(user)) {
      Value other = user->getOperand(1 - number);
      if (matchPattern(other, m_AnyZeroFloat()) || mayBePart(other) ||
          isSumOfTile(other.getDefiningOp()) || isScaled(other))
        return require(user->getResult(0));
    } else if (isa<arith::MulFOp>(user)) {
      Value other = user->getOperand(1 - number);
      if (!values.contains(other) && !others.contains(other)) {
        values.insert(user->getResult(0));
        return true;
      }
    } else if (auto yield = dyn_cast<scf::YieldOp>(user)) {
      if (isa<scf::IfOp, scf::ForOp>(yield->getParentOp()))
        return require(yield->getParentOp()->getResult(number));
    } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
        return require(loop.getTiedLoopResult(argument));
    }
    ends.push_back(&use);
    return true;
  }

  /// Whether a value is a product with a part.
  bool isScaled(Value value) const {
    auto product = value.getDefiningOp<arith::MulFOp>();
    return product && llvm::any_of(product.getOperands(), [&](Value factor) {
             return mayBePart(factor);
           });
  }
};
} // namespace

int64_t wgtile::deferScalarReductions(gpu::GPUFuncOp kernel) {
  SmallVector<TileReduceOp> reduces;
  kernel.walk([&](TileReduceOp reduce) {
    if (isSumOfTile(reduce))
      reduces.push_back(reduce);
  });
  int64_t sums = 0;
  DenseSet<Value> all;
  for (TileReduceOp reduce : reduces) {
    Parts parts(all);
    if (!reduce.getPartial() && parts.findFrom(reduce) && parts.areWorth())
      sums += parts.apply(all);
  }
  return sums;
}
