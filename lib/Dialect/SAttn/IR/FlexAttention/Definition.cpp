//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.flex_attention. The constraint numbers
// are those of the op's description.

#include "ScoreChecks.h"

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.cpp.inc"

/// The bound of positions, so that these and their differences are i32.
static constexpr int64_t kMaxDistance = int64_t(1) << 30;

MutableOperandRange FlexAttentionOp::getDpsInitsMutable() {
  return getOutsMutable();
}

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               std::optional<int64_t> left,
                               std::optional<int64_t> right,
                               std::optional<int64_t> prefix, bool) {
  if (!left && !right)
    return emitError() << "expected 'left' or 'right'";
  std::pair<StringRef, std::optional<int64_t>> numbers[] = {
      {"left", left}, {"right", right}, {"prefix", prefix}};
  for (auto [name, number] : numbers)
    if (number && std::abs(*number) > kMaxDistance)
      return emitError() << "expected '" << name << "' from -2^30 to 2^30, but "
                         << "got " << *number;
  if (prefix && *prefix < 0)
    return emitError() << "expected 'prefix' of at least 0, but got "
                       << *prefix;
  return success();
}

/// Results of one number a row; null where they are not wanted.
static std::array<std::pair<StringRef, Value>, 2>
rowResults(FlexAttentionOp op) {
  return {{{"lse", op.getLse()}, {"max_scores", op.getMaxScores()}}};
}

/// Verifies (C4) of results.
static LogicalResult verifyResultExtents(FlexAttentionOp op) {
  bool isTile = !op.getOrigin().empty();
  if (!(isTile && op.splitsColumns()) &&
      failed(verifyExtent(op, "out", op.getOut(), -1, "E", op.getValueDim())))
    return failure();
  if (isTile)
    return success();
  if (failed(verifyRows(op, "out", op.getOut())))
    return failure();
  for (auto [name, rows] : rowResults(op))
    if (rows && failed(verifyRows(op, name, rows)))
      return failure();
  return success();
}

LogicalResult FlexAttentionOp::verify() {
  if (getOuts().empty() || getOuts().size() > 3) // (C6)
    return emitOpError() << "expected 'out' and at most 'lse' and 'max_scores' "
                         << "in 'outs', but got " << getOuts().size()
                         << " operands";
  if (getResultTypes() != getOuts().getTypes()) // (C6)
    return emitOpError() << "expected results of the types of 'outs', ("
                         << getOuts().getTypes() << "), but got ("
                         << getResultTypes() << ")";
  SmallVector<NamedOperand> operands = nameOperands(*this);
  RankedTensorType q = getQ().getType(), out = getOut().getType();
  operands.push_back({"out", out, q.getRank(), q.getElementType()});
  for (auto [name, rows] : rowResults(*this))
    if (rows)
      operands.push_back({name, cast<RankedTensorType>(rows.getType()),
                          q.getRank() - 1, getScale().getType()});
  if (failed(verifyTypes(*this, operands)) ||
      failed(verifyOrigin(*this, getNumLoops())) || failed(verifyScores(*this)))
    return failure();
  return verifyResultExtents(*this);
}
