//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VisibleKeys.h"

#include "DerivedBlocks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// The most parts of a mask_mod for which the last key is computed.
static constexpr unsigned kMostRanges = 12;
static constexpr unsigned kHeadArgument = 1;

/// Whether a range's end is computed from something that the function captures.
/// A condition that only says that the range is empty, such as its begin, does
/// not count.
static bool usesCapture(const mask::Interval &range, ValueRange captures) {
  SmallVector<Value> begins = {range.lower};
  if (auto select = range.lower.getDefiningOp<arith::SelectOp>())
    llvm::append_values(begins, select.getTrueValue(), select.getFalseValue());
  llvm::SmallSetVector<Value, 16> reached;
  reached.insert(range.upper);
  for (unsigned next = 0; next < reached.size(); ++next) {
    Value value = reached[next];
    if (llvm::is_contained(captures, value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || llvm::is_contained(begins, value))
      continue;
    reached.insert_range(isa<arith::SelectOp>(op)
                             ? op->getOperands().drop_front()
                             : op->getOperands());
  }
  return false;
}

/// The key, an index from 0 to the number of keys, from which on mask_mod is
/// false for all queries of the tile, where that depends on what it captures.
/// Null where that is not known, or positions alone say it: as in a causal
/// mask, whose last key is that of the last query.
static Value findSeenEnd(TileBuilder &b) {
  Region &mask = b.op.getMaskMod();
  if (mask.empty() || b.op.getCaptures().empty())
    return {};
  // Packed rows may have different heads.
  if (b.op.isPacked() && !mask.getArgument(kHeadArgument).use_empty())
    return {};
  mask::BlockOperands operands = makeBlockOperands(b);
  mask::MaskBlocks analysis(b, b.getLoc(), mask, operands);
  auto ranges = analysis.getKeyRanges(/*isNegated=*/false, kMostRanges);
  if (!ranges)
    return {};
  Value last;
  for (const mask::Interval &range : *ranges) {
    if (range.upper == operands.key.upper ||
        !usesCapture(range, b.op.getCaptures()))
      return {};
    last =
        last ? b.createOrFold<arith::MaxSIOp>(last, range.upper) : range.upper;
  }
  if (!last)
    return {};
  last = b.createOrFold<arith::MinSIOp>(last, operands.key.upper);
  Value end = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::IndexCastOp>(b.getIndexType(), last), b.index(1));
  return b.createOrFold<arith::MaxSIOp>(end, b.index(0));
}

VisibleKeys::VisibleKeys(TileBuilder &b, WalkedBlocks &range)
    : b(b), range(range) {
  if (range.appliesMask)
    end = findSeenEnd(b);
}

OpFoldResult VisibleKeys::countRows(Value iteration) {
  if (!b.op.getKeyLengths() && !end)
    return {};
  Value last = b.asValue(b.getLength());
  if (end) {
    Value here = end;
    if (Value isPartial = range.isPartial(iteration))
      here = arith::SelectOp::create(b, isPartial, end, last);
    last = arith::MinSIOp::create(b, here, last);
  }
  // The end has 32 bits, so that a loop keeps it in one register.
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  Value rows =
      arith::SubIOp::create(b, b.asI32(last), b.asI32(b.getKeyStart()));
  rows = arith::MinSIOp::create(b, rows, constant(b.keys));
  rows = arith::MaxSIOp::create(b, rows, constant(0));
  // Iterations without a mask have whole blocks.
  if (!range.isAllMasked) {
    Value isMasked = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                           iteration, range.bound);
    rows = arith::SelectOp::create(b, isMasked, rows, constant(b.keys));
  }
  return arith::IndexCastOp::create(b, b.getIndexType(), rows).getResult();
}
