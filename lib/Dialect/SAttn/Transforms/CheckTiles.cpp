//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTiles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace sattn;

/// Units of rows and columns of one instruction.
static constexpr int64_t kMultiple = 8;
/// Unit of the K of 8-bit elements: what is loaded as one.
static constexpr int64_t kMultipleOf8Bits = 16;
/// Most rows of a tile that is loaded, those of one box of a tensor map, and
/// most columns of operands whose rows are multiplied with each other.
static constexpr int64_t kMaxRows = 256, kMaxColumns = 512;

static LogicalResult checkType(TileProgramOpInterface op,
                               linalg::MatmulOp product,
                               const tuning::Target &target) {
  for (Value factor : product.getInputs()) {
    Type type = getElementTypeOrSelf(factor);
    if (!type.isF16() && !type.isBF16() && !type.isF32() &&
        (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 8))
      return op->emitOpError()
             << "expected products of f16, bf16, f32, i8 or f8 on "
             << target.name << ", but got " << type;
  }
  return success();
}

static LogicalResult checkShape(TileProgramOpInterface op,
                                linalg::MatmulOp product,
                                const tuning::Target &target) {
  auto a = cast<RankedTensorType>(product.getInputs()[0].getType());
  auto out = cast<RankedTensorType>(product.getResult(0).getType());
  int64_t m = a.getDimSize(0), k = a.getDimSize(1), n = out.getDimSize(1);
  AffineMap right = product.getIndexingMapsArray()[1];
  bool isTransposed = right.getDimPosition(0) == 1; // The rows are N.
  int64_t unit = a.getElementTypeBitWidth() == 8 ? kMultipleOf8Bits : kMultiple;
  bool isMultiple = m % kMultiple == 0 && n % kMultiple == 0 && k % unit == 0;
  if (isMultiple && m <= kMaxRows && (isTransposed ? n : k) <= kMaxRows &&
      k <= kMaxColumns)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected a tile, M x N x K, of multiples of "
                            << kMultiple;
  if (unit != kMultiple)
    diag << " (K of " << unit << ", with " << a.getElementType() << ")";
  diag << " with M and " << (isTransposed ? "N" : "K") << " up to " << kMaxRows;
  if (isTransposed)
    diag << " and K up to " << kMaxColumns;
  return diag << ", on " << target.name << ", but got " << m << " x " << n
              << " x " << k;
}

static LogicalResult checkBytes(TileProgramOpInterface op,
                                linalg::MatmulOp product, int64_t groups,
                                const tuning::Target &target) {
  auto sizeOf = [](Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  };
  int64_t bytes =
      groups * sizeOf(product.getInputs()[0]) + sizeOf(product.getInputs()[1]);
  if (bytes <= target.sharedBytes)
    return success();
  return op->emitOpError() << "expected operands of one step, M x K and K x N, "
                              "of at most "
                           << target.sharedBytes << " bytes on " << target.name
                           << ", but got " << bytes
                           << "; choose a smaller tile";
}

/// Refuses tiles of f64, whatever an op computes: neither registers nor MMAs
/// have them.
static LogicalResult checkElements(TileProgramOpInterface op,
                                   const tuning::Target &target) {
  for (Type type : op->getOperandTypes())
    if (getElementTypeOrSelf(type).isF64())
      return op->emitOpError()
             << "expected elements of 32 bits or fewer on " << target.name
             << ", but got f64, which the CPU alone has";
  return success();
}

LogicalResult sattn::checkTileProgram(TileProgramOpInterface op,
                                      Block::iterator begin,
                                      Block::iterator end,
                                      const tuning::Target &target) {
  if (target.kind == tuning::TargetKind::CPU)
    return success();
  if (failed(checkElements(op, target)))
    return failure();
  int64_t groups = 1;
  for (int64_t count : op.getTileGroups())
    groups *= count;
  for (Operation &top : llvm::make_range(begin, end)) {
    WalkResult walk = top.walk([&](linalg::MatmulOp product) {
      if (failed(checkType(op, product, target)) ||
          failed(checkShape(op, product, target)) ||
          failed(checkBytes(op, product, groups, target)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
