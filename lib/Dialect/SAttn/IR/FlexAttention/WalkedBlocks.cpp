//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkedBlocks.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// The number of the head among the arguments of mask_mod.
static constexpr unsigned kHeadArgument = 1;

WalkedBlocks::WalkedBlocks(TileBuilder &b, Value unmasked, bool skips)
    : b(b), op(b.op), mask(op.getMask().value_or(MaskAttr())),
      mayMaskAll(bool(unmasked)) {
  bool isByKeys = op.isByKeys();
  first = b.getAffineDimExpr(0);
  length = b.getAffineDimExpr(1);
  past = op.isPacked() ? b.getAffineDimExpr(2) : first + b.rows;
  numbers = {isByKeys ? b.getFirstRow() : b.getFirstQuery(),
             isByKeys ? b.getQueryCount() : b.getLength()};
  if (op.isPacked())
    numbers.push_back(b.getQueryCount());
  std::optional<int64_t> known = getConstantIntValue(numbers[1]);
  int64_t unit =
      op.hasLists() ? (*op.getBlockSize())[isByKeys ? 0 : 1] : b.walked;
  // Zeros beyond the last query contribute nothing, unless a function makes
  // infinities of them. Stored blocks end where the sequence ends (C11).
  isRagged = (!known || *known % unit != 0) && !op.getCrow() &&
             !(isByKeys && op.getScoreMod().empty());
  isMasked = isRagged || mask || !op.getMaskMod().empty() ||
             (isByKeys && op.getKeyLengths());
  shift = b.getIndexAttr(0);
  if (mask && mask.getBottomRight()) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    shift = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 - d1, {b.getLength(), b.getQueryCount()});
    for (unsigned place = 0; place < numbers.size(); place += 2)
      numbers[place] = affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), isByKeys ? d0 - d1 : d0 + d1, {numbers[place], shift});
  }
  if (!skips) {
    isMasked = isAllMasked = true;
    end = b.asValue(compute(length.ceilDiv(b.walked)));
  } else if (op.getCrow()) {
    fromStored();
  } else if (op.hasLists()) {
    fromLists();
  } else if (!fromRanges()) {
    isByKeys ? fromTransposedMask() : fromMask();
  }
  if (!unmasked || isAllMasked)
    return;
  Value masked = isMasked ? bound : b.index(0);
  bound = arith::SelectOp::create(b, unmasked, masked, end);
  isMasked = true;
}

OpFoldResult WalkedBlocks::compute(AffineExpr expr) {
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, expr), numbers);
}

OpFoldResult WalkedBlocks::computeMin(ArrayRef<AffineExpr> exprs) {
  return affine::makeComposedFoldedAffineMin(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, exprs, b.getContext()),
      numbers);
}

OpFoldResult WalkedBlocks::computeMax(ArrayRef<AffineExpr> exprs) {
  return affine::makeComposedFoldedAffineMax(
      b, b.getLoc(), AffineMap::get(numbers.size(), 0, exprs, b.getContext()),
      numbers);
}

//===----------------------------------------------------------------------===//
// Functions, and bands beside a prefix
//===----------------------------------------------------------------------===//

bool WalkedBlocks::fromRanges() {
  // Packed rows may have different heads.
  if (op.isPacked() && !op.getMaskMod().empty() &&
      !op.getMaskMod().getArgument(kHeadArgument).use_empty())
    return false;
  bool isBandAndPrefix = mask && mask.getPrefix().value_or(0) > 0 &&
                         (mask.getLeft() || op.isByKeys());
  if (op.getMaskMod().empty() && !isBandAndPrefix)
    return false;
  derived.emplace(b, shift, isRagged || !op.isByKeys());
  if (derived->isTrivial() && !isBandAndPrefix) {
    derived.reset();
    return false;
  }
  end = derived->getEnd();
  bound = derived->getMixedEnd();
  isAllMasked = !bound || (op.isByKeys() && op.getKeyLengths());
  return true;
}

//===----------------------------------------------------------------------===//
// Structured masks
//===----------------------------------------------------------------------===//

void WalkedBlocks::fromMask() {
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
    AffineExpr visible = (past + *right).ceilDiv(keys);
    AffineExpr seenByAll = (first + *right + 1).floorDiv(keys);
    if (prefix.value_or(0) > 0) {
      auto atLeast = [&](OpFoldResult band, int64_t least, AffineExpr most) {
        Value larger =
            arith::MaxSIOp::create(b, b.asValue(band), b.index(least));
        return OpFoldResult(
            arith::MinSIOp::create(b, larger, b.asValue(compute(most)))
                .getResult());
      };
      stop = atLeast(compute(visible), llvm::divideCeil(*prefix, keys), blocks);
      full = atLeast(compute(seenByAll), *prefix / keys, whole);
    } else {
      stop = computeMin({visible, blocks});
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
    return walkBand(b.asValue(stop), full, *left);
  walkDown(stop, full);
}

/// The band of the queries that see a key: what is left of a query is right of
/// a key. The last block needs no mask for its end alone.
void WalkedBlocks::fromTransposedMask() {
  AffineExpr blocks = length.ceilDiv(b.walked);
  std::optional<int64_t> left, right;
  if (mask) {
    left = mask.getRight();
    right = mask.getLeft();
  }
  isAllMasked = !op.getMaskMod().empty() || op.getKeyLengths();
  OpFoldResult stop = compute(blocks);
  OpFoldResult full = isRagged ? compute(length.floorDiv(b.walked)) : stop;
  if (right) {
    auto limit = [&](AffineExpr expr, OpFoldResult most) {
      Value value = b.asValue(compute(expr));
      value = arith::MaxSIOp::create(b, value, b.index(0));
      return OpFoldResult(
          arith::MinSIOp::create(b, value, b.asValue(most)).getResult());
    };
    stop = limit((past + *right).ceilDiv(b.walked), stop);
    full = limit((first + *right + 1).floorDiv(b.walked), full);
  }
  if (left)
    return walkBand(b.asValue(stop), full, *left);
  walkDown(stop, full);
}

void WalkedBlocks::walkDown(OpFoldResult stop, OpFoldResult full) {
  end = b.asValue(stop);
  if (isMasked && !isAllMasked)
    bound = arith::SubIOp::create(b, end, b.asValue(full));
}

void WalkedBlocks::walkBand(Value stop, OpFoldResult full, int64_t before) {
  // Blocks from `start` to `inner` have what some row no longer sees.
  AffineExpr zero = b.getAffineConstantExpr(0);
  Value start =
      b.asValue(computeMax({(first - before).floorDiv(b.walked), zero}));
  start = arith::MinSIOp::create(b, start, stop);
  Value inner =
      b.asValue(computeMax({(past + (-1 - before)).ceilDiv(b.walked), zero}));
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

SmallVector<Value> WalkedBlocks::placeInLists(Value list) {
  SmallVector<Value> indices;
  for (OpFoldResult place : b.leadOf(list, b.getHead()))
    indices.push_back(b.asValue(place));
  indices.push_back(b.asValue(blockOfTile()));
  return indices;
}

OpFoldResult WalkedBlocks::blockOfTile(int64_t more) {
  int64_t unit = (*op.getBlockSize())[op.isByKeys() ? 1 : 0];
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(unit) + more,
      {op.isByKeys() ? b.getFirstRow() : b.getFirstQuery()});
}

Value WalkedBlocks::listCount(Value counts) {
  Value count = tensor::ExtractOp::create(b, counts, placeInLists(counts));
  return arith::IndexCastOp::create(b, b.getIndexType(), count);
}

Value WalkedBlocks::listEntry(Value list, Value entry) {
  SmallVector<Value> indices = placeInLists(list);
  indices.push_back(entry);
  Value block = tensor::ExtractOp::create(b, list, indices);
  return arith::IndexCastOp::create(b, b.getIndexType(), block);
}

OpFoldResult WalkedBlocks::getExtent() {
  if (op.isByKeys())
    return b.getQueryCount();
  return tensor::getMixedSize(b, b.getLoc(), op.getK(), op.getLeadRank());
}

Value WalkedBlocks::countRaggedFull(Value count) {
  // Its number is that of the blocks that end where all ends, or before.
  OpFoldResult extent = getExtent();
  int64_t size = (*op.getBlockSize())[op.isByKeys() ? 0 : 1];
  if (std::optional<int64_t> known = getConstantIntValue(extent);
      known && *known % size == 0)
    return {};
  Value whole = b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(size), {extent}));
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

void WalkedBlocks::fromLists() {
  blocksInEntry = (*op.getBlockSize())[op.isByKeys() ? 0 : 1] / b.walked;
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
    if (!isAllMasked && (isRagged || !op.isByKeys()))
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

Value WalkedBlocks::storedEntry(Value list, OpFoldResult place) {
  SmallVector<Value> indices;
  for (OpFoldResult lead : b.leadOf(list, b.getHead()))
    indices.push_back(b.asValue(lead));
  indices.push_back(b.asValue(place));
  Value entry = tensor::ExtractOp::create(b, list, indices);
  return arith::IndexCastOp::create(b, b.getIndexType(), entry);
}

void WalkedBlocks::fromStored() {
  blocksInEntry = (*op.getBlockSize())[op.isByKeys() ? 0 : 1] / b.walked;
  appliesMask = false;
  storedBegin = storedEntry(op.getCrow(), blockOfTile());
  Value stop = storedEntry(op.getCrow(), blockOfTile(1));
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  end = b.asValue(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), (d1 - d0) * blocksInEntry,
      {OpFoldResult(storedBegin), OpFoldResult(stop)}));
}

Value WalkedBlocks::isFull(Value iteration) {
  if ((!isAllMasked && !mayMaskAll) || !partialEnd || !op.getFullCounts())
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, iteration,
                               partialEnd);
}

Value WalkedBlocks::isPartial(Value iteration) {
  if (!partialEnd || !op.getFullCounts())
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration,
                               partialEnd);
}

OpFoldResult WalkedBlocks::getFirst(Value iteration) {
  OpFoldResult place = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0) * b.walked, {getBlock(iteration)});
  bool endsWithBlock = !isRagged && (!op.isByKeys() || op.getCrow());
  if (blocksInEntry == 1 || endsWithBlock)
    return place;
  // A block of the lists may go on after the end, by more than a tile.
  return arith::MinSIOp::create(b, b.asValue(place), b.asValue(getExtent()))
      .getResult();
}

OpFoldResult WalkedBlocks::getBlock(Value iteration) {
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
    if (op.getCrow()) {
      entry = storedEntry(
          op.getCol(),
          affine::makeComposedFoldedAffineApply(
              b, b.getLoc(), d0 + d1.floorDiv(blocksInEntry),
              {OpFoldResult(storedBegin), OpFoldResult(iteration)}));
    } else if (!op.getFullCounts()) {
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
