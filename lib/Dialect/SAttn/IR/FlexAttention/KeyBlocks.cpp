//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyBlocks.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// Of mask_mod.
static constexpr unsigned kHeadArgument = 1;

KeyBlocks::KeyBlocks(TileBuilder &b, Value unmasked)
    : b(b), op(b.op), mask(op.getMask().value_or(MaskAttr())),
      mayMaskAll(bool(unmasked)) {
  first = b.getAffineDimExpr(0);
  length = b.getAffineDimExpr(1);
  past = op.isPacked() ? b.getAffineDimExpr(2) : first + b.queries;
  numbers = {b.getFirstQuery(), b.getLength()};
  if (op.isPacked())
    numbers.push_back(b.getQueryCount());
  std::optional<int64_t> known = getConstantIntValue(numbers[1]);
  int64_t unit = op.hasLists() ? (*op.getBlockSize())[1] : b.keys;
  isRagged = !known || *known % unit != 0;
  isMasked = isRagged || mask || !op.getMaskMod().empty();
  shift = b.getIndexAttr(0);
  if (mask && mask.getBottomRight()) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    shift = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 - d1, {numbers[1], b.getQueryCount()});
    for (unsigned query = 0; query < numbers.size(); query += 2)
      numbers[query] = affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), d0 + d1, {numbers[query], shift});
  }
  if (op.hasLists())
    fromLists();
  else if (!fromRanges())
    fromMask();
  if (!unmasked || isAllMasked)
    return;
  Value masked = isMasked ? bound : b.index(0);
  bound = arith::SelectOp::create(b, unmasked, masked, end);
  isMasked = true;
}

OpFoldResult KeyBlocks::compute(AffineExpr expr) {
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, expr), numbers);
}

OpFoldResult KeyBlocks::computeMin(ArrayRef<AffineExpr> exprs) {
  return affine::makeComposedFoldedAffineMin(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, exprs, b.getContext()),
      numbers);
}

OpFoldResult KeyBlocks::computeMax(ArrayRef<AffineExpr> exprs) {
  return affine::makeComposedFoldedAffineMax(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, exprs, b.getContext()),
      numbers);
}

//===----------------------------------------------------------------------===//
// Functions, and bands beside a prefix
//===----------------------------------------------------------------------===//

bool KeyBlocks::fromRanges() {
  // Of packed rows each may have another head.
  if (op.isPacked() && !op.getMaskMod().empty() &&
      !op.getMaskMod().getArgument(kHeadArgument).use_empty())
    return false;
  bool isBandAndPrefix =
      mask && mask.getLeft() && mask.getPrefix().value_or(0) > 0;
  if (op.getMaskMod().empty() && !isBandAndPrefix)
    return false;
  derived.emplace(b, shift);
  if (derived->isTrivial() && !isBandAndPrefix) {
    derived.reset();
    return false;
  }
  end = derived->getEnd();
  bound = derived->getMixedEnd();
  isAllMasked = !bound;
  return true;
}

//===----------------------------------------------------------------------===//
// Structured masks
//===----------------------------------------------------------------------===//

void KeyBlocks::fromMask() {
  int64_t keys = b.keys;
  AffineExpr blocks = length.ceilDiv(keys);
  AffineExpr whole = isRagged ? length.floorDiv(keys) : blocks;
  std::optional<int64_t> left, right, prefix;
  if (mask) {
    left = mask.getLeft();
    right = mask.getRight();
    prefix = mask.getPrefix();
  }
  // From `stop` on no query of the tile sees a key; all see all keys of the
  // blocks before `full`, but for those that are too far to the left.
  OpFoldResult stop, full;
  if (!right) {
    stop = compute(blocks);
    full = compute(whole);
  } else {
    AffineExpr seen = (past + *right).ceilDiv(keys);
    AffineExpr seenByAll = (first + *right + 1).floorDiv(keys);
    if (prefix.value_or(0) > 0) {
      auto atLeast = [&](OpFoldResult band, int64_t least, AffineExpr most) {
        Value larger =
            arith::MaxSIOp::create(b, b.asValue(band), b.index(least));
        return OpFoldResult(
            arith::MinSIOp::create(b, larger, b.asValue(compute(most)))
                .getResult());
      };
      stop = atLeast(compute(seen), llvm::divideCeil(*prefix, keys), blocks);
      full = atLeast(compute(seenByAll), *prefix / keys, whole);
    } else {
      stop = computeMin({seen, blocks});
      full = computeMin({seenByAll, whole});
      if (*right < 0 || mask.getBottomRight()) { // The first queries see none.
        stop =
            arith::MaxSIOp::create(b, b.asValue(stop), b.index(0)).getResult();
        full =
            arith::MaxSIOp::create(b, b.asValue(full), b.index(0)).getResult();
      }
    }
  }
  isAllMasked = !op.getMaskMod().empty() || (left && prefix.value_or(0) > 0);
  if (left && prefix.value_or(0) == 0)
    return walkBand(b.asValue(stop), full);
  walkDown(stop, full);
}

void KeyBlocks::walkDown(OpFoldResult stop, OpFoldResult full) {
  end = b.asValue(stop);
  if (isMasked && !isAllMasked)
    bound = arith::SubIOp::create(b, end, b.asValue(full));
}

void KeyBlocks::walkBand(Value stop, OpFoldResult full) {
  // Blocks from `start` to `inner` have keys that some query no longer sees.
  AffineExpr zero = b.getAffineConstantExpr(0);
  int64_t left = *mask.getLeft(), keys = b.keys;
  Value start = b.asValue(computeMax({(first - left).floorDiv(keys), zero}));
  start = arith::MinSIOp::create(b, start, stop);
  Value inner =
      b.asValue(computeMax({(past + (-1 - left)).ceilDiv(keys), zero}));
  inner = arith::MaxSIOp::create(b, inner, start);
  inner = arith::MinSIOp::create(b, inner, stop);
  Value fullEnd = arith::MaxSIOp::create(b, b.asValue(full), inner);
  above = arith::SubIOp::create(b, stop, fullEnd);
  Value below = arith::SubIOp::create(b, inner, start);
  if (!isAllMasked)
    bound = arith::AddIOp::create(b, above, below);
  end = arith::SubIOp::create(b, stop, start);
  last = arith::SubIOp::create(b, stop, b.index(1));
  offset = arith::SubIOp::create(b, start, above);
}

//===----------------------------------------------------------------------===//
// Lists of blocks
//===----------------------------------------------------------------------===//

Value KeyBlocks::listCount(Value counts) {
  SmallVector<Value> indices;
  for (OpFoldResult place : b.leadOf(counts, b.getHead()))
    indices.push_back(b.asValue(place));
  AffineExpr d0 = b.getAffineDimExpr(0);
  indices.push_back(b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.floorDiv((*op.getBlockSize())[0]),
      {b.getFirstQuery()})));
  Value count = tensor::ExtractOp::create(b, counts, indices);
  return arith::IndexCastOp::create(b, b.getIndexType(), count);
}

Value KeyBlocks::listEntry(Value list, Value entry) {
  SmallVector<Value> indices;
  for (OpFoldResult place : b.leadOf(list, b.getHead()))
    indices.push_back(b.asValue(place));
  AffineExpr d0 = b.getAffineDimExpr(0);
  indices.push_back(b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.floorDiv((*op.getBlockSize())[0]),
      {b.getFirstQuery()})));
  indices.push_back(entry);
  Value block = tensor::ExtractOp::create(b, list, indices);
  return arith::IndexCastOp::create(b, b.getIndexType(), block);
}

Value KeyBlocks::countRaggedFull(Value count) {
  // Its number is that of the blocks that end where the keys end, or before.
  OpFoldResult keys =
      tensor::getMixedSize(b, b.getLoc(), op.getK(), op.getLeadRank());
  int64_t size = (*op.getBlockSize())[1];
  if (std::optional<int64_t> known = getConstantIntValue(keys);
      known && *known % size == 0)
    return {};
  Value whole = b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(size), {keys}));
  // No branch: it would make a second copy of the loops. Without an entry the
  // first one, which is there, may be anything.
  Value place = arith::SubIOp::create(b, count, b.index(1));
  Value last = listEntry(op.getFullIndices(),
                         arith::MaxSIOp::create(b, place, b.index(0)));
  Value isRagged =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last, whole);
  return arith::SelectOp::create(b, isRagged, b.index(blocksInEntry),
                                 b.index(0));
}

void KeyBlocks::fromLists() {
  blocksInEntry = (*op.getBlockSize())[1] / b.keys;
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto iterations = [&](Value count) {
    return b.asValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 * blocksInEntry, {OpFoldResult(count)}));
  };
  // Key lengths may end in any block.
  isAllMasked = isMasked && (!op.getFullCounts() || op.getKeyLengths());
  isMasked = isAllMasked || (isMasked && op.getPartialCounts());
  appliesMask = bool(op.getPartialCounts());
  if (op.getPartialCounts())
    partialEnd = iterations(listCount(op.getPartialCounts()));
  Value ragged;
  if (op.getFullCounts()) {
    Value count = listCount(op.getFullCounts());
    fullEnd = iterations(count);
    if (!isAllMasked)
      ragged = countRaggedFull(count);
  }
  if (partialEnd && fullEnd)
    end = arith::AddIOp::create(b, partialEnd, fullEnd);
  else
    end = partialEnd ? partialEnd : fullEnd;
  if (isMasked && !isAllMasked)
    bound = partialEnd;
  if (!ragged)
    return;
  bound = isMasked ? arith::AddIOp::create(b, partialEnd, ragged).getResult()
                   : ragged;
  isMasked = mayMaskAll = true;
}

Value KeyBlocks::isFull(Value iteration) {
  if ((!isAllMasked && !mayMaskAll) || !partialEnd || !op.getFullCounts())
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, iteration,
                               partialEnd);
}

Value KeyBlocks::isPartial(Value iteration) {
  if (!partialEnd || !op.getFullCounts())
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration,
                               partialEnd);
}

OpFoldResult KeyBlocks::getFirstKey(Value iteration) {
  OpFoldResult key = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0) * b.keys, {getBlock(iteration)});
  if (blocksInEntry == 1 || !isRagged)
    return key;
  // A block of the lists may go on after the keys, by more than a tile.
  OpFoldResult keys =
      tensor::getMixedSize(b, b.getLoc(), op.getK(), op.getLeadRank());
  return arith::MinSIOp::create(b, b.asValue(key), b.asValue(keys)).getResult();
}

OpFoldResult KeyBlocks::getBlock(Value iteration) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  if (op.hasLists()) {
    auto entryOf = [&](Value position) {
      return b.asValue(affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), d0.floorDiv(blocksInEntry), {OpFoldResult(position)}));
    };
    // The last entry first: it may be of the block that ends beyond the keys.
    auto fullEntry = [&](Value position) {
      AffineExpr reversed = (d1 - 1 - d0).floorDiv(blocksInEntry);
      return listEntry(op.getFullIndices(),
                       b.asValue(affine::makeComposedFoldedAffineApply(
                           b, b.getLoc(), reversed,
                           {OpFoldResult(position), OpFoldResult(fullEnd)})));
    };
    Value entry;
    if (!op.getFullCounts()) {
      entry = listEntry(op.getPartialIndices(), entryOf(iteration));
    } else if (!op.getPartialCounts()) {
      entry = fullEntry(iteration);
    } else {
      Value isPartial = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                              iteration, partialEnd);
      auto branch = scf::IfOp::create(b, b.getIndexType(), isPartial,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(
          b, listEntry(op.getPartialIndices(), entryOf(iteration)));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(
          b, fullEntry(arith::SubIOp::create(b, iteration, partialEnd)));
      entry = branch.getResult(0);
    }
    if (blocksInEntry == 1)
      return entry;
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 * blocksInEntry + d1 % blocksInEntry,
        {OpFoldResult(entry), OpFoldResult(iteration)});
  }
  if (derived)
    return derived->getBlock(iteration);
  if (above) {
    Value isAbove =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration, above);
    Value down = arith::SubIOp::create(b, last, iteration);
    Value up = arith::AddIOp::create(b, offset, iteration);
    return arith::SelectOp::create(b, isAbove, down, up).getResult();
  }
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d1 - 1 - d0, {OpFoldResult(iteration), OpFoldResult(end)});
}
