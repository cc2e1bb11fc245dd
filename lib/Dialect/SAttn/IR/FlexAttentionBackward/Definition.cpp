//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.flex_attention_dq,
// sattn.flex_attention_dkdv and sattn.flex_attention_dcapture. The constraint
// numbers are those of the ops' descriptions.

#include "../FlexAttention/ScoreChecks.h"

#include "llvm/ADT/STLExtras.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.cpp.inc"
#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.cpp.inc"
#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.cpp.inc"

MutableOperandRange FlexAttentionDqOp::getDpsInitsMutable() {
  return getOutsMutable();
}

MutableOperandRange FlexAttentionDkdvOp::getDpsInitsMutable() {
  return getOutsMutable();
}

MutableOperandRange FlexAttentionDcaptureOp::getDpsInitsMutable() {
  return getOutsMutable();
}

/// Verifies the operands, that is, all but the results, whose elements are of
/// this type.
template <typename OpTy>
static LogicalResult verifyOperands(OpTy op, ArrayRef<StringRef> results,
                                    Type element) {
  if (op.getOuts().size() != results.size()) // (C6)
    return op.emitOpError() << "expected " << results.size() << " operand"
                            << (results.size() == 1 ? "" : "s")
                            << " in 'outs', '" << llvm::join(results, "' and '")
                            << "', but got " << op.getOuts().size();
  if (op.getResultTypes() != op.getOuts().getTypes()) // (C6)
    return op.emitOpError() << "expected results of the types of 'outs', ("
                            << op.getOuts().getTypes() << "), but got ("
                            << op.getResultTypes() << ")";
  SmallVector<NamedOperand> operands = nameOperands(op);
  RankedTensorType q = op.getQ().getType();
  auto add = [&](StringRef name, Value value, int64_t rank, Type element) {
    operands.push_back(
        {name, cast<RankedTensorType>(value.getType()), rank, element});
  };
  add("grad_out", op.getGradOut(), q.getRank(), q.getElementType());
  std::pair<StringRef, Value> numbers[] = {{"lse2", op.getLse2()},
                                           {"delta", op.getDelta()},
                                           {"max_scores", op.getMaxScores()}};
  for (auto [name, rows] : numbers)
    if (rows)
      add(name, rows, q.getRank() - 1, op.getScale().getType());
  for (auto [name, out] : llvm::zip_equal(results, op.getOuts()))
    add(name, out, q.getRank(), element);
  if (failed(verifyTypes(op, operands)) ||
      failed(verifyOrigin(op, op.getNumLoops())) || failed(verifyScores(op)) ||
      failed(verifyExtent(op, "grad_out", op.getGradOut(), -1, "E",
                          op.getValueDim())) ||
      failed(verifyRows(op, "grad_out", op.getGradOut())))
    return failure();
  for (auto [name, rows] : numbers)
    if (rows && failed(verifyRows(op, name, rows)))
      return failure();
  return success();
}

LogicalResult FlexAttentionDqOp::verify() {
  if (failed(verifyOperands(*this, {"dq"}, getQ().getType().getElementType())))
    return failure();
  Value dq = getOuts()[0];
  bool isTile = !getOrigin().empty();
  if (!(isTile && splitsColumns()) && // (C4)
      failed(verifyExtent(*this, "dq", dq, -1, "D", getHeadDim())))
    return failure();
  return isTile ? success() : verifyRows(*this, "dq", dq);
}

ArrayRef<StringRef> FlexAttentionDkdvOp::getGradients() {
  static constexpr StringRef kNames[] = {"dk", "dv"};
  ArrayRef names(kNames);
  std::optional<StringRef> only = getOnly();
  return !only ? names : names.slice(*only == "dk" ? 0 : 1, 1);
}

Value FlexAttentionDkdvOp::getGradient(StringRef name) {
  for (auto [own, out] : llvm::zip_equal(getGradients(), getOuts()))
    if (own == name)
      return out;
  return {};
}

int64_t FlexAttentionDkdvOp::getTiledColumns() {
  int64_t widest = 0;
  for (StringRef name : getGradients())
    widest = std::max(widest, name == "dk" ? getHeadDim() : getValueDim());
  return widest;
}

LogicalResult FlexAttentionDkdvOp::verify() {
  if (std::optional<StringRef> only = getOnly();
      only && *only != "dk" && *only != "dv") // (C6)
    return emitOpError() << "expected 'only' to be \"dk\" or \"dv\", but got \""
                         << *only << "\"";
  ArrayRef<StringRef> names = getGradients();
  if (failed(verifyOperands(*this, names, getQ().getType().getElementType())))
    return failure();
  ArrayRef<int64_t> k = getK().getType().getShape();
  static constexpr StringRef kExtents[] = {"B", "heads", "N"};
  bool isTile = !getOrigin().empty();
  for (auto [name, out] : llvm::zip_equal(names, getOuts())) {
    bool isOfKeys = name == "dk";
    if (!(isTile && splitsColumns()) && // (C4)
        failed(verifyExtent(*this, name, out, -1, isOfKeys ? "D" : "E",
                            isOfKeys ? getHeadDim() : getValueDim())))
      return failure();
    if (isTile)
      continue;
    for (unsigned i = 0; i + 1 < k.size(); ++i)
      if (failed(verifyExtent(*this, name, out, i, kExtents[i + 4 - k.size()],
                              k[i])))
        return failure();
  }
  return success();
}

LogicalResult FlexAttentionDcaptureOp::verify() {
  if (failed(verifyOperands(*this, {"grad"}, getScale().getType())))
    return failure();
  if (getScoreMod().empty()) // (C7)
    return emitOpError("expected 'score_mod'");
  int64_t number = getNumber(), count = getCaptures().size();
  if (number < 0 || number >= count) // (C11)
    return emitOpError() << "expected 'number' of one of " << count
                         << " captures, but got " << number;
  if (Type type = getCaptures()[number].getType();
      type != getScale().getType()) // (C11)
    return emitOpError() << "expected capture " << number
                         << " to be a number of "
                         << "type " << getScale().getType() << ", but got "
                         << type;
  if (splitsColumns()) // (C8)
    return emitOpError() << "expected N of the tile to be at least the "
                         << getValueDim() << " columns of 'v', but got "
                         << getMetaAttr().getTile()[1];
  Value grad = getOuts()[0];
  if (failed(verifyExtent(*this, "grad", grad, -1, "N", // (C4)
                          getK().getType().getShape().end()[-2])))
    return failure();
  return getOrigin().empty() ? verifyRows(*this, "grad", grad) : success();
}
