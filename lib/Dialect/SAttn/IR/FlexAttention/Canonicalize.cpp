//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Masks that are written as functions become attributes: a comparison of the
// query's and the key's position that is linear in both is an end of a band,
// `and` intersects bands, and `or` with a bound of the key alone is a prefix.

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sattn;

namespace {
/// query * i + key * j + constant.
struct Linear {
  int64_t query = 0, key = 0, constant = 0;

  Linear operator-() const { return {-query, -key, -constant}; }
  Linear operator+(const Linear &other) const {
    return {query + other.query, key + other.key, constant + other.constant};
  }
};

/// A band as in the attribute; at least one end is set.
struct Band {
  std::optional<int64_t> left, right;

  void intersect(const Band &other) {
    auto least = [](std::optional<int64_t> &mine,
                    std::optional<int64_t> theirs) {
      if (theirs)
        mine = mine ? std::min(*mine, *theirs) : *theirs;
    };
    least(left, other.left);
    least(right, other.right);
  }
};

/// The values of a mask_mod.
class MaskFunction {
public:
  explicit MaskFunction(Block &block)
      : query(block.getArgument(2)), key(block.getArgument(3)) {}

  /// The linear form that must not be negative for a comparison to hold.
  std::optional<Linear> findCondition(Value value) const {
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    std::optional<Linear> left = findLinear(compare.getLhs()),
                          right = findLinear(compare.getRhs());
    if (!left || !right)
      return std::nullopt;
    Linear difference = *left + -*right, one = {0, 0, 1};
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::sge:
      return difference;
    case arith::CmpIPredicate::sgt:
      return difference + -one;
    case arith::CmpIPredicate::sle:
      return -difference;
    case arith::CmpIPredicate::slt:
      return -difference + -one;
    default:
      return std::nullopt;
    }
  }

  std::optional<Band> findBand(Value value) const {
    std::optional<Linear> condition = findCondition(value);
    if (condition && condition->query == 1 && condition->key == -1)
      return Band{std::nullopt, condition->constant};
    if (condition && condition->query == -1 && condition->key == 1)
      return Band{condition->constant, std::nullopt};
    return std::nullopt;
  }

  std::optional<int64_t> findPrefix(Value value) const {
    std::optional<Linear> condition = findCondition(value);
    if (condition && condition->query == 0 && condition->key == -1)
      return condition->constant + 1;
    return std::nullopt;
  }

private:
  std::optional<Linear> findLinear(Value value) const {
    if (value == query)
      return Linear{1, 0, 0};
    if (value == key)
      return Linear{0, 1, 0};
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return Linear{0, 0, constant.getSExtValue()};
    Operation *op = value.getDefiningOp();
    if (!op || !isa<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    std::optional<Linear> left = findLinear(op->getOperand(0)),
                          right = findLinear(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *left + *right : *left + -*right;
  }

  Value query, key;
};

/// mask_mod {and(i >= j, rest)} -> mask_mod {rest} {mask = <right = 0>}
struct MaskToAttribute : OpRewritePattern<FlexAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FlexAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMaskMod().empty())
      return rewriter.notifyMatchFailure(op, "no mask_mod");
    Block &block = op.getMaskMod().front();
    auto yield = cast<YieldOp>(block.getTerminator());
    if (matchPattern(yield.getValue(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&block); });
      return success();
    }
    // Another's offset or prefix is not that of a band in the function.
    MaskAttr mask = op.getMaskAttr();
    if (mask && (mask.getPrefix().value_or(0) != 0 || mask.getBottomRight()))
      return rewriter.notifyMatchFailure(op, "a mask of another kind");
    MaskFunction function(block);
    Band band;
    SmallVector<Value> rest;
    split(function, yield.getValue(), band, rest);
    std::optional<int64_t> prefix;
    if (!mask && !band.left && !band.right && rest.size() == 1)
      if (auto either = rest.front().getDefiningOp<arith::OrIOp>())
        for (auto [first, second] :
             {std::pair(either.getLhs(), either.getRhs()),
              std::pair(either.getRhs(), either.getLhs())}) {
          prefix = function.findPrefix(first);
          if (!prefix)
            continue;
          rest.clear();
          split(function, second, band, rest);
          if (rest.empty())
            break;
          return rewriter.notifyMatchFailure(op, "no band beside a prefix");
        }
    if (!band.left && !band.right)
      return rewriter.notifyMatchFailure(op, "no band");
    if (mask)
      band.intersect({mask.getLeft(), mask.getRight()});
    for (std::optional<int64_t> number : {band.left, band.right, prefix})
      if (number && std::abs(*number) > kMost)
        return rewriter.notifyMatchFailure(op, "a number out of range");
    if (prefix)
      prefix = std::max<int64_t>(*prefix, 0);
    rewriter.modifyOpInPlace(op, [&] {
      op.setMaskAttr(MaskAttr::get(op.getContext(), band.left, band.right,
                                   prefix, /*bottom_right=*/false));
      if (rest.empty())
        return rewriter.eraseBlock(&block);
      rewriter.setInsertionPoint(yield);
      Value both = rest.front();
      for (Value value : ArrayRef(rest).drop_front())
        both = arith::AndIOp::create(rewriter, yield.getLoc(), both, value);
      yield.getValueMutable().assign(both);
    });
    return success();
  }

private:
  /// The bound of the attribute's numbers.
  static constexpr int64_t kMost = int64_t(1) << 30;

  /// Splits a conjunction into its bands and its other terms.
  static void split(const MaskFunction &function, Value value, Band &band,
                    SmallVectorImpl<Value> &rest) {
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      split(function, both.getLhs(), band, rest);
      split(function, both.getRhs(), band, rest);
      return;
    }
    if (std::optional<Band> found = function.findBand(value))
      band.intersect(*found);
    else
      rest.push_back(value);
  }
};
} // namespace

void FlexAttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<MaskToAttribute>(context);
}
