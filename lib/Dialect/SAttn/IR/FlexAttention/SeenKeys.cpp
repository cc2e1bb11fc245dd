//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeenKeys.h"

#include "DerivedBlocks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// Of the parts of a mask_mod; of more the last key is not asked for.
static constexpr unsigned kMostRanges = 12;
static constexpr unsigned kHeadArgument = 1;

/// Whether a range's end is computed from something that the function captures.
/// What only says that the range is empty, its begin among that, does not
/// count.
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

Value flex_attention::findSeenEnd(TileBuilder &b) {
  Region &mask = b.op.getMaskMod();
  if (mask.empty() || b.op.getCaptures().empty())
    return {};
  // Of packed rows each may have another head.
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
