//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.plan. The constraint numbers are those
// of the op's description.

#include "OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.cpp.inc"

MutableOperandRange PlanOp::getDpsInitsMutable() {
  // The inits are the last operands and adjacent.
  return MutableOperandRange(getOperation(),
                             getRowBlockGroupsMutable().getOperandNumber(), 2);
}

void PlanOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getCrowMutable(), &getColMutable()})
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand &operand : getDpsInitsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

LogicalResult PlanOp::verify() {
  auto crow = cast<ShapedType>(getCrow().getType());
  struct {
    StringRef name;
    ShapedType type;
    int64_t baseRank;
    Type element;
  } operands[] = {
      {"crow", crow, 1, crow.getElementType()},
      {"col", cast<ShapedType>(getCol().getType()), 1, crow.getElementType()},
      {"row_block_groups", cast<ShapedType>(getRowBlockGroups().getType()), 2,
       IntegerType::get(getContext(), 32)},
      {"steps", cast<ShapedType>(getSteps().getType()), 2,
       IntegerType::get(getContext(), 32)}};
  int64_t batchRank = crow.getRank() - 1;
  if (batchRank < 0) // (C1)
    return emitOpError() << "expected 'crow' of rank at least 1, but got "
                         << crow;
  if (!crow.getElementType().isSignlessInteger(32) &&
      !crow.getElementType().isSignlessInteger(64)) // (C2)
    return emitOpError()
           << "expected element type i32 or i64 of 'crow', but got "
           << crow.getElementType();
  for (const auto &operand : operands) {
    if (isa<MemRefType>(operand.type) != isa<MemRefType>(crow)) // (C6)
      return emitOpError() << "expected tensors or memrefs alone, but 'crow' "
                              "is "
                           << crow << " and '" << operand.name << "' "
                           << operand.type;
    if (operand.type.getRank() != batchRank + operand.baseRank) // (C1)
      return emitOpError() << "expected '" << operand.name << "' of rank "
                           << batchRank + operand.baseRank << ", but got "
                           << operand.type;
    if (operand.type.getElementType() != operand.element) // (C2)
      return emitOpError() << "expected element type " << operand.element
                           << " of '" << operand.name << "', but got "
                           << operand.type.getElementType();
    for (int64_t i = 0; i < batchRank; ++i) // (C1)
      if (!mayMatch(operand.type.getDimSize(i), crow.getDimSize(i)))
        return emitOpError()
               << "expected batch dimension " << i << " of '" << operand.name
               << "' to be " << crow.getDimSize(i) << ", as of 'crow', but got "
               << operand.type.getDimSize(i);
  }

  int64_t groups = getGroups();
  if (groups < 1 || groups > kMaxGroups) // (C3)
    return emitOpError() << "expected 1 to " << kMaxGroups
                         << " groups, but got " << groups;

  ArrayRef<int64_t> groupsShape = operands[2].type.getShape();
  if (groupsShape.back() != 2 + groups) // (C4)
    return emitOpError() << "expected 'row_block_groups' with rows of "
                         << 2 + groups << ", two steps and " << groups
                         << " block rows, but got " << operands[2].type;
  int64_t crowSize = crow.getShape().back();
  if (!ShapedType::isDynamic(crowSize)) { // (C4)
    if (crowSize < 1)
      return emitOpError() << "expected 'crow' of at least one entry, but got "
                           << crow;
    int64_t rowBlockGroups = llvm::divideCeil(crowSize - 1, groups);
    int64_t actual = groupsShape[batchRank];
    if (!mayMatch(actual, rowBlockGroups))
      return emitOpError() << "expected 'row_block_groups' of "
                           << rowBlockGroups << " rows, but got " << actual;
  }

  int64_t nnz = operands[1].type.getShape().back();
  ArrayRef<int64_t> stepsShape = operands[3].type.getShape();
  if (!mayMatch(stepsShape[batchRank], nnz)) // (C5)
    return emitOpError() << "expected 'steps' of " << nnz
                         << " rows, the nnz of 'col', but got "
                         << stepsShape[batchRank];
  if (stepsShape.back() != 1 + groups)
    return emitOpError() << "expected 'steps' with rows of " << 1 + groups
                         << ", a column and " << groups << " groups, but got "
                         << operands[3].type;
  return success();
}

void sattn::constrainPlanExtents(ExtentConstraints &constraints, Value crow,
                                 Value col, Value rowBlockGroups, Value steps) {
  auto groups =
      cast<ShapedType>(rowBlockGroups.getType()).getShape().back() - 2;
  constraints.requireEqual(
      constraints.getExtent(rowBlockGroups, -2),
      (constraints.getExtent(crow, -1) - 1).ceilDiv(groups));
  constraints.requireEqual(constraints.getExtent(steps, -2),
                           constraints.getExtent(col, -1));
}

void PlanOp::constrainExtents(ExtentConstraints &constraints) {
  constraints.requireAtLeast(constraints.getExtent(getCrow(), -1), // (C4)
                             constraints.getConstant(1));
  constrainPlanExtents(constraints, getCrow(), getCol(), getRowBlockGroups(),
                       getSteps());
  int64_t batchRank = cast<ShapedType>(getCrow().getType()).getRank() - 1;
  for (Value operand : {getCol(), getRowBlockGroups(), getSteps()})
    for (int64_t i = 0; i < batchRank; ++i) // (C1)
      constraints.requireEqual(constraints.getExtent(operand, i),
                               constraints.getExtent(getCrow(), i));
}
