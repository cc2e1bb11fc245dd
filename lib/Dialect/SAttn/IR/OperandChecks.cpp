//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandChecks.h"

#include "ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

bool sattn::isSmallFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

bool sattn::mayMatch(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

LogicalResult sattn::verifySize(Operation *op, const NamedOperand &operand,
                                int64_t dim, StringRef dimName,
                                int64_t expected) {
  int64_t actual = operand.size(dim);
  if (mayMatch(actual, expected))
    return success();
  return op->emitOpError() << "expected " << dimName << " of '" << operand.name
                           << "' (dimension " << operand.batchRank() + dim
                           << ") to be " << expected << ", but got " << actual;
}

LogicalResult sattn::verifyBatchRanks(Operation *op,
                                      ArrayRef<NamedOperand> operands,
                                      int64_t batchRank) {
  for (const NamedOperand &operand : operands) {
    int64_t rank = operand.value.getType().getRank();
    if (rank < operand.baseRank || rank > operand.baseRank + batchRank)
      return op->emitOpError()
             << "expected '" << operand.name << "' of rank " << operand.baseRank
             << " to " << operand.baseRank + batchRank << ", but got "
             << operand.value.getType();
  }
  return success();
}

LogicalResult sattn::verifyBatch(Operation *op, const NamedOperand &operand,
                                 ArrayRef<int64_t> batch) {
  int64_t skipped = batch.size() - operand.batchRank();
  for (int64_t i = 0; i < operand.batchRank(); ++i) {
    int64_t size = operand.value.getType().getDimSize(i);
    int64_t expected = batch[skipped + i];
    if (size != 1 && !mayMatch(size, expected))
      return op->emitOpError()
             << "expected batch dimension " << i << " of '" << operand.name
             << "' to be 1 or " << expected << ", but got " << size;
  }
  return success();
}

LogicalResult sattn::verifyBytes(Operation *op,
                                 ArrayRef<NamedOperand> operands) {
  for (const NamedOperand &operand : operands) {
    RankedTensorType type = operand.value.getType();
    if (isSparseEncoded(type))
      continue;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape())
      // A size of 0 does not excuse the others.
      if (!ShapedType::isDynamic(size) && size != 0 &&
          llvm::MulOverflow(bytes, size, bytes))
        return op->emitOpError()
               << "expected '" << operand.name
               << "' of less than 2^63 bytes, but got " << type;
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, StringRef name, Type element,
                                   ArrayRef<StringRef> allowed) {
  if (isNamed(element, allowed))
    return success();
  return op->emitOpError() << "expected element type " << listNames(allowed)
                           << " of '" << name << "', but got " << element;
}

LogicalResult sattn::verifyFloat(Operation *op, StringRef name, Type element) {
  return verifyElement(op, name, element, getFloatNames());
}

LogicalResult sattn::verifyProductTypes(Operation *op, StringRef name,
                                        Type factor, Type out) {
  if (failed(verifyElement(op, name, factor, getFactorNames())))
    return failure();
  return verifyResultType(op, name, factor, out);
}

LogicalResult sattn::verifyResultType(Operation *op, StringRef name,
                                      Type factor, Type out) {
  ArrayRef<StringRef> results = getResultNames(factor);
  if (isNamed(out, results))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected element type " << listNames(results)
                            << " of 'out'";
  if (results != getResultNames(Float32Type::get(op->getContext())))
    diag << " with '" << name << "' of " << factor;
  return diag << ", but got " << out;
}

LogicalResult sattn::verifyOtherFactor(Operation *op, StringRef name,
                                       Type factor, Type other) {
  ArrayRef<StringRef> others = getOtherFactorNames(factor);
  if (isNamed(other, others))
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "expected element type ";
  if (others.size() == 1)
    diag << factor;
  else
    diag << listNames(others);
  return diag << " of '" << name << "', but got " << other;
}

LogicalResult sattn::verifyPrecision(Operation *op, StringRef precision,
                                     Type type, StringRef elements) {
  bool isF32 = type.isF32();
  if (precision == "ieee" || (precision == "tf32" && isF32))
    return success();
  return op->emitOpError() << "expected precision \"ieee\""
                           << (isF32 ? " or \"tf32\"" : "") << ", but got \""
                           << precision << "\" for " << elements << " of "
                           << type;
}
