//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.block_counts. The constraint numbers are
// those of the op's description.

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"
#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.cpp.inc"

/// Elements of a block, which are counted in i32.
static constexpr int64_t kMaxBlock = std::numeric_limits<int32_t>::max();

static constexpr StringRef kOutNames[] = {"out", "transposed"};

/// Verifies (C1).
static LogicalResult verifyTransposed(BlockCountsOp op) {
  Value transposed = op.getTransposed();
  if (!transposed)
    return success();
  ArrayRef<int64_t> out = op.getOut().getType().getShape();
  int64_t expected[] = {out[0], out[1], out[3], out[2]};
  NamedOperand operand{"transposed",
                       cast<TypedValue<RankedTensorType>>(transposed), 4};
  static constexpr StringRef kDims[] = {"B", "H", "C", "R"};
  for (auto [dim, name] : llvm::enumerate(kDims))
    if (failed(verifySize(op, operand, dim, name, expected[dim])))
      return failure();
  return success();
}

/// Verifies (C6).
static LogicalResult verifyBounds(BlockCountsOp op) {
  ArrayRef<int64_t> bounded = op.getBounded().value_or(ArrayRef<int64_t>());
  if (op.getBounds().size() != 4 * bounded.size())
    return op.emitOpError()
           << "expected four 'bounds' for each of 'bounded', "
           << 4 * bounded.size() << ", but got " << op.getBounds().size();
  for (int64_t number : bounded) {
    bool isCapture =
        number >= 0 && number < static_cast<int64_t>(op.getCaptures().size());
    auto type =
        isCapture
            ? dyn_cast<RankedTensorType>(op.getCaptures()[number].getType())
            : RankedTensorType();
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger())
      return op.emitOpError() << "expected 'bounded' of numbers of captured "
                                 "vectors of integers, but got "
                              << number;
  }
  for (auto [number, value] : llvm::enumerate(op.getBounds())) {
    auto bound = cast<TypedValue<RankedTensorType>>(value);
    Type element = bound.getType().getElementType();
    if (bound.getType().getRank() != 1 ||
        !(element.isSignlessInteger(32) || element.isSignlessInteger(64)))
      return op.emitOpError()
             << "expected 'bounds' of rank 1 and element type i32 or i64, but "
                "got "
             << bound.getType();
    bool isOfKeys = number % 4 >= 2;
    int64_t blocks = op.getOut().getType().getDimSize(isOfKeys ? 3 : 2);
    if (op.getOrigin().empty() && // Only the results are cut.
        failed(verifySize(op, {"bounds", bound, 1}, 0, isOfKeys ? "C" : "R",
                          blocks)))
      return failure();
  }
  return success();
}

MutableOperandRange BlockCountsOp::getDpsInitsMutable() {
  return getOutsMutable();
}

LogicalResult BlockCountsOp::verify() {
  if (getOuts().size() != 1 && getOuts().size() != 2) // (C1)
    return emitOpError() << "expected one or two 'outs', but got "
                         << getOuts().size();
  for (auto [out, name] : llvm::zip(getOuts().getTypes(), kOutNames)) { // (C1)
    auto type = cast<RankedTensorType>(out);
    if (type.getRank() != 4 || !type.getElementType().isSignlessInteger(32))
      return emitOpError() << "expected '" << name
                           << "' of rank 4 and element type i32, but got "
                           << type;
  }
  if (getResultTypes() != getOuts().getTypes()) // (C1)
    return emitOpError() << "expected the results to have the types of 'outs'";
  ArrayRef<int64_t> size = getBlockSize();
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || // (C2)
      size[0] > kMaxBlock / size[1])
    return emitOpError() << "expected 'block_size' of two positive numbers "
                            "with a product below 2^31, but got ["
                         << size << "]";
  if (!getOrigin().empty() && getOrigin().size() != 4) // (C5)
    return emitOpError() << "expected 4 numbers in 'origin', but got "
                         << getOrigin().size();
  if (failed(verifyCaptures(*this, getCaptures())) || // (C4)
      failed(verifyTransposed(*this)) || failed(verifyBounds(*this)))
    return failure();
  return verifyElementFunction(*this, "mask_mod", getMaskMod(), // (C3)
                               getCaptures().getTypes(), /*score=*/Type());
}
