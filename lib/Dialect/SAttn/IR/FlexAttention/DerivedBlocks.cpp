//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DerivedBlocks.h"

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

Value DerivedBlocks::min(Value x, Value y) const {
  return b.createOrFold<arith::MinSIOp>(x, y);
}

Value DerivedBlocks::max(Value x, Value y) const {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}

Value DerivedBlocks::clamp(Value x, const Blocks &to) const {
  return min(max(x, to.begin), to.end);
}

Value DerivedBlocks::less(Value x, Value y) const {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}

/// The blocks of `first` to `last`, indices; none where `last` is less.
DerivedBlocks::Blocks DerivedBlocks::toBlocks(Value first, Value last) const {
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, Value value) {
    return b.asValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), expr, {OpFoldResult(value)}));
  };
  // Positive, so that the division is one.
  Value from = apply(d0.floorDiv(b.walked), max(first, index(0)));
  Value to = apply((d0 + b.walked).floorDiv(b.walked), max(last, index(-1)));
  Value isSome =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, first, last);
  to = b.createOrFold<arith::SelectOp>(isSome, min(to, blocks), index(0));
  from = min(from, to);
  return {from, to};
}

mask::BlockOperands flex_attention::makeBlockOperands(TileBuilder &b) {
  auto widen = [&](Value position) {
    return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), position);
  };
  auto lessOne = [&](Value end) {
    return b.createOrFold<arith::SubIOp>(end, b.index(1));
  };
  auto toLast = [&](OpFoldResult end) {
    return widen(lessOne(b.asValue(end)));
  };
  auto all = [&](OpFoldResult count) {
    return mask::Interval{widen(b.index(0)), toLast(count)};
  };
  Value first =
      b.asValue(b.op.isByKeys() ? b.getFirstRow() : b.getFirstQuery());
  // A tile of keys begins before the last of them, whatever the key lengths.
  OpFoldResult count =
      b.op.isByKeys()
          ? tensor::getMixedSize(b, b.getLoc(), b.op.getK(), b.op.getLeadRank())
          : b.getQueryCount();
  Value past = b.asValue(count);
  if (!b.op.isPacked())
    past = b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::AddIOp>(first, b.index(b.rows)), past);
  mask::BlockOperands operands;
  operands.batch = widen(b.asValue(b.getBatch()));
  operands.head = widen(b.asValue(b.getHead()));
  // The analysis looks for ranges of what it takes for keys.
  operands.isTransposed = b.op.isByKeys();
  operands.query = {widen(first), toLast(past)};
  operands.key = all(b.op.isByKeys() ? b.getQueryCount() : b.getLength());
  operands.getNumber = [&b](unsigned capture) -> Value {
    Value value = b.op.getCaptures()[capture];
    return value.getType().isIntOrFloat() ? value : Value();
  };
  operands.getElement = [&b](unsigned capture, ValueRange indices) -> Value {
    Value tensor = b.op.getCaptures()[capture];
    return readCapture(b, b.getLoc(), tensor, indices,
                       findLastIndices(b, b.getLoc(), tensor));
  };
  return operands;
}

DerivedBlocks::DerivedBlocks(TileBuilder &b, OpFoldResult shift, bool hasTail)
    : b(b), hasTail(hasTail),
      length(b.op.isByKeys() ? b.getQueryCount() : b.getLength()) {
  ScoreOpInterface op = b.op;
  AffineExpr d0 = b.getAffineDimExpr(0);
  blocks = b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.ceilDiv(b.walked), {length}));

  first = b.asValue(op.isByKeys() ? b.getFirstRow() : b.getFirstQuery());
  // Rows of packed heads may have any query.
  past = op.isPacked() ? b.asValue(b.getQueryCount())
                       : b.createOrFold<arith::AddIOp>(first, index(b.rows));
  if (op.getMaskMod().empty())
    visible.push_back({index(0), blocks});
  else
    interpret(makeBlockOperands(b));
  excludeBand(shift);
  makeDisjoint();
  order(hasCore ? findCore() : Blocks());
}

/// Finds the blocks that the function restricts.
void DerivedBlocks::interpret(const mask::BlockOperands &operands) {
  auto narrow = [&](Value position) {
    return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), position);
  };
  mask::MaskBlocks analysis(b, b.getLoc(), b.op.getMaskMod(), operands);
  // A few parts more than ranges: all of them are then in one.
  auto ranges = analysis.getKeyRanges(/*isNegated=*/false, 4 * kMostRanges);
  if (!ranges)
    ranges = SmallVector<mask::Interval>{operands.key};
  auto isAll = [&](const mask::Interval &range) {
    return range.lower == operands.key.lower &&
           range.upper == operands.key.upper;
  };
  bool mayBeAnywhere = llvm::any_of(*ranges, isAll);
  for (const mask::Interval &range : *ranges)
    visible.push_back(toBlocks(narrow(range.lower), narrow(range.upper)));
  auto without = analysis.getKeyRanges(/*isNegated=*/true, kMostExcluded);
  hasCore = without && llvm::none_of(*without, isAll);
  tellsNothing = mayBeAnywhere && !hasCore;
  if (hasCore)
    for (const mask::Interval &range : *without)
      excluded.push_back(toBlocks(narrow(range.lower), narrow(range.upper)));
}

/// Excludes the blocks that `mask` and the end of the walk restrict.
void DerivedBlocks::excludeBand(OpFoldResult shift) {
  Value end = b.asValue(length);
  Value last = b.createOrFold<arith::SubIOp>(end, index(1));
  AffineExpr d0 = b.getAffineDimExpr(0);
  // The last block, where it ends beyond that.
  Value whole = b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.floorDiv(b.walked) * b.walked, {length}));
  std::optional<int64_t> known = getConstantIntValue(end);
  if (hasTail && hasCore && (!known || getConstantIntValue(whole) != known))
    excluded.push_back(toBlocks(whole, last));
  MaskAttr mask = b.op.getMask().value_or(MaskAttr());
  if (!mask)
    return;
  if (b.op.isByKeys())
    return excludeBandOfQueries(mask, shift, last);
  auto plus = [&](Value query, int64_t distance) {
    Value position = b.createOrFold<arith::AddIOp>(query, b.asValue(shift));
    return b.createOrFold<arith::AddIOp>(position, index(distance));
  };
  int64_t prefix = mask.getPrefix().value_or(0);
  Value from = index(0), to = last;
  if (std::optional<int64_t> right = mask.getRight()) {
    to = min(plus(past, *right - 1), last);
    if (hasCore)
      excluded.push_back(
          toBlocks(max(plus(first, *right + 1), index(prefix)), last));
  }
  if (std::optional<int64_t> left = mask.getLeft()) {
    from = plus(first, -*left);
    if (hasCore)
      excluded.push_back(toBlocks(index(prefix), plus(past, -2 - *left)));
  }
  SmallVector<Blocks> bands = {toBlocks(from, to)};
  if (prefix > 0)
    bands.push_back(toBlocks(index(0), min(index(prefix - 1), last)));
  SmallVector<Blocks> both;
  for (const Blocks &range : visible)
    for (const Blocks &band : bands) {
      Value from = max(range.begin, band.begin);
      both.push_back({from, max(min(range.end, band.end), from)});
    }
  visible = both;
}

/// Excludes blocks for a tile of keys: all queries see a key of the prefix.
void DerivedBlocks::excludeBandOfQueries(MaskAttr mask, OpFoldResult shift,
                                         Value last) {
  auto plus = [&](Value key, int64_t distance) {
    Value position = b.createOrFold<arith::SubIOp>(key, b.asValue(shift));
    return b.createOrFold<arith::AddIOp>(position, index(distance));
  };
  // The tile's keys after the prefix, if there are any.
  Value afterPrefix = first, isPrefixed, isAllPrefixed;
  if (int64_t prefix = mask.getPrefix().value_or(0)) {
    afterPrefix = max(first, index(prefix));
    isPrefixed = less(first, index(prefix));
    isAllPrefixed = less(past, index(prefix + 1));
  }
  auto choose = [&](Value condition, Value yes, Value no) {
    return condition ? b.createOrFold<arith::SelectOp>(condition, yes, no) : no;
  };
  auto exclude = [&](Value from, Value to) {
    if (hasCore)
      excluded.push_back(toBlocks(from, choose(isAllPrefixed, index(-1), to)));
  };
  Value from = index(0), to = last;
  if (std::optional<int64_t> left = mask.getLeft()) {
    to = choose(isPrefixed, last, min(plus(past, *left - 1), last));
    exclude(plus(afterPrefix, *left + 1), last);
  }
  if (std::optional<int64_t> right = mask.getRight()) {
    from = choose(isPrefixed, index(0), plus(first, -*right));
    exclude(index(0), plus(past, -2 - *right));
  }
  Blocks band = toBlocks(from, to);
  for (Blocks &range : visible) {
    range.begin = max(range.begin, band.begin);
    range.end = max(min(range.end, band.end), range.begin);
  }
}

/// Sorts the parts, and removes blocks from parts that an earlier part has.
void DerivedBlocks::makeDisjoint() {
  if (visible.empty())
    visible.push_back({index(0), index(0)});
  if (visible.size() > kMostRanges) {
    // An empty range begins anywhere.
    Blocks all{blocks, index(0)};
    for (const Blocks &range : visible) {
      Value isSome = less(range.begin, range.end);
      all.begin = b.createOrFold<arith::SelectOp>(
          isSome, min(all.begin, range.begin), all.begin);
      all.end = b.createOrFold<arith::SelectOp>(isSome, max(all.end, range.end),
                                                all.end);
    }
    all.begin = min(all.begin, all.end);
    visible = {all};
  }
  if (visible.size() == 1)
    return;
  auto [x, y] = std::pair(visible[0], visible[1]);
  Value isOrdered = less(x.begin, y.begin);
  auto choose = [&](Value yes, Value no) {
    return b.createOrFold<arith::SelectOp>(isOrdered, yes, no);
  };
  visible[0] = {choose(x.begin, y.begin), choose(x.end, y.end)};
  visible[1] = {choose(y.begin, x.begin), choose(y.end, x.end)};
  visible[1].begin = max(visible[1].begin, visible[0].end);
  visible[1].end = max(visible[1].begin, visible[1].end);
}

/// The longest run of blocks outside of all excluded ranges, among runs that
/// begin where a range begins or an excluded one ends.
DerivedBlocks::Blocks DerivedBlocks::findCore() const {
  Blocks best{index(0), index(0)};
  for (const Blocks &range : visible) {
    SmallVector<Value> starts = {range.begin};
    for (const Blocks &out : excluded)
      starts.push_back(clamp(out.end, range));
    for (Value start : starts) {
      // To the first block of an excluded range that ends later.
      Value stop = range.end;
      for (const Blocks &out : excluded) {
        Value isLater = less(start, out.end);
        stop = b.createOrFold<arith::SelectOp>(
            isLater, min(stop, max(out.begin, start)), stop);
      }
      Value isBetter = less(b.createOrFold<arith::SubIOp>(best.end, best.begin),
                            b.createOrFold<arith::SubIOp>(stop, start));
      best.begin = b.createOrFold<arith::SelectOp>(isBetter, start, best.begin);
      best.end = b.createOrFold<arith::SelectOp>(isBetter, stop, best.end);
    }
  }
  return best;
}

/// Orders the iterations: blocks outside the core first, each part from its
/// last block to its first.
void DerivedBlocks::order(const Blocks &core) {
  end = index(0);
  auto asI32 = [&](Value number) {
    return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), number);
  };
  auto add = [&](Value from, Value to) {
    Value last = b.createOrFold<arith::SubIOp>(
        b.createOrFold<arith::AddIOp>(end, to), index(1));
    parts.push_back({asI32(end), asI32(last)});
    end = b.createOrFold<arith::AddIOp>(
        end, b.createOrFold<arith::SubIOp>(to, from));
  };
  for (const Blocks &range : llvm::reverse(visible)) {
    if (!hasCore) {
      add(range.begin, range.end);
      continue;
    }
    add(clamp(core.end, range), range.end);
    add(range.begin, clamp(core.begin, range));
  }
  if (!hasCore)
    return;
  mixedEnd = end;
  add(core.begin, core.end);
}

Value DerivedBlocks::getBlock(Value iteration) const {
  Value number = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), iteration);
  Value sum = parts.front().sum;
  for (const Part &part : ArrayRef(parts).drop_front()) {
    Value isBefore = less(number, part.begin);
    sum = b.createOrFold<arith::SelectOp>(isBefore, sum, part.sum);
  }
  return b.createOrFold<arith::IndexCastOp>(
      b.getIndexType(), b.createOrFold<arith::SubIOp>(sum, number));
}
