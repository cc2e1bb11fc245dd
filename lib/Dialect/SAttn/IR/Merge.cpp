//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.merge. The constraint numbers are those
// of the op's description.

#include "OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.cpp.inc"

MutableOperandRange MergeOp::getDpsInitsMutable() {
  // The inits are the last operands and adjacent.
  return MutableOperandRange(getOperation(),
                             getCountsMutable().getOperandNumber(), 2);
}

SmallVector<Value> MergeOp::getRead() {
  return {getOffsets(), getQ(), getP() ? getP() : getR()};
}

void MergeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

static bool isList(Type element) {
  return element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

LogicalResult MergeOp::verify() {
  if (!getP() == !getR()) // (C3)
    return emitOpError() << "expected either 'p' or 'r', but got "
                         << (getP() ? "both" : "neither");
  struct {
    StringRef name;
    Value value;
    int64_t rank;
  } operands[] = {{"offsets", getOffsets(), 1},
                  {"q", getQ(), 1},
                  {getP() ? "p" : "r", getP() ? getP() : getR(), 1},
                  {"counts", getCounts(), 1},
                  {"steps", getSteps(), 2}};
  bool areMemRefs = isa<MemRefType>(getOffsets().getType());
  for (const auto &operand : operands) {
    auto type = cast<ShapedType>(operand.value.getType());
    if (isa<MemRefType>(type) != areMemRefs) // (C5)
      return emitOpError()
             << "expected tensors or memrefs alone, but 'offsets' is "
             << getOffsets().getType() << " and '" << operand.name << "' "
             << type;
    if (type.getRank() != operand.rank) // (C1)
      return emitOpError() << "expected '" << operand.name << "' of rank "
                           << operand.rank << ", but got " << type;
    if (!isList(type.getElementType())) // (C2)
      return emitOpError() << "expected element type i32 or i64 of '"
                           << operand.name << "', but got "
                           << type.getElementType();
  }
  auto widthOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getElementTypeBitWidth();
  };
  if (widthOf(getCounts()) != 32) // (C2)
    return emitOpError() << "expected element type i32 of 'counts', but got "
                         << getElementTypeOrSelf(getCounts());
  unsigned width = std::max(widthOf(getQ()), getP() ? widthOf(getP()) : 32);
  if (widthOf(getSteps()) != width) // (C2)
    return emitOpError() << "expected element type i" << width
                         << " of 'steps', but got "
                         << getElementTypeOrSelf(getSteps());
  int64_t lists = getLists();
  if (lists < 2 || lists > kMaxLists) // (C4)
    return emitOpError() << "expected 2 to " << kMaxLists << " lists, but got "
                         << lists;
  if (static_cast<int64_t>(getRows()) < 1) // (C4)
    return emitOpError() << "expected at least 1 row of a matrix, but got "
                         << static_cast<int64_t>(getRows());
  auto steps = cast<ShapedType>(getSteps().getType());
  if (steps.getDimSize(1) != 1 + lists) // (C4)
    return emitOpError() << "expected 'steps' with rows of " << 1 + lists
                         << ", q and " << lists << " entries of p, but got "
                         << steps;
  auto sizeOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getDimSize(0);
  };
  int64_t pairs = sizeOf(getQ());
  if (getP() && !mayMatch(sizeOf(getP()), pairs)) // (C6)
    return emitOpError() << "expected 'p' of " << pairs << ", as 'q', but got "
                         << sizeOf(getP());
  if (!mayMatch(sizeOf(getSteps()), pairs)) // (C6)
    return emitOpError() << "expected 'steps' of " << pairs
                         << " rows, as 'q', but got " << sizeOf(getSteps());
  int64_t entries = sizeOf(getR() ? getR() : getOffsets());
  if (ShapedType::isDynamic(entries))
    return success();
  int64_t groups =
      llvm::divideCeil(std::max<int64_t>(entries - (getR() ? 0 : 1), 0), lists);
  if (!mayMatch(sizeOf(getCounts()), groups)) // (C6)
    return emitOpError() << "expected 'counts' of " << groups
                         << ", one for each group of " << lists
                         << " entries, but got " << sizeOf(getCounts());
  return success();
}

void MergeOp::constrainExtents(ExtentConstraints &constraints) {
  AffineExpr entries = constraints.getExtent(getOffsets(), 0) - 1;
  AffineExpr pairs = constraints.getExtent(getQ(), 0);
  if (getR())
    entries = constraints.getExtent(getR(), 0);
  else
    constraints.requireEqual(constraints.getExtent(getP(), 0), pairs);
  constraints.requireEqual(constraints.getExtent(getCounts(), 0),
                           entries.ceilDiv(getLists()));
  constraints.requireEqual(constraints.getExtent(getSteps(), 0), pairs);
}
