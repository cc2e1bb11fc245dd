//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Verification of layouts and of the types of shared memory.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

using namespace mlir;
using namespace wgtile;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyWarps(EmitError emitError, int64_t warps) {
  if (warps > 0)
    return success();
  return emitError() << "expected a positive number of warps, but got "
                     << warps;
}

/// Columns come in eights; a dynamic size has no place in registers.
static bool isMultipleOf8(int64_t size) {
  return !ShapedType::isDynamic(size) && size > 0 && size % 8 == 0;
}

LogicalResult MmaAttr::verify(EmitError emitError, int64_t warps) {
  return verifyWarps(emitError, warps);
}

LogicalResult RowAttr::verify(EmitError emitError, int64_t warps) {
  return verifyWarps(emitError, warps);
}

LogicalResult ColumnAttr::verify(EmitError emitError, int64_t warps) {
  return verifyWarps(emitError, warps);
}

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  if (shape.size() == 2 && shape[0] == 16 * getWarps() &&
      isMultipleOf8(shape[1]))
    return success();
  return emitError() << "expected a tile of " << 16 * getWarps()
                     << " rows and a multiple of 8 columns for " << *this;
}

LogicalResult RowAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  if (shape.size() == 1 && shape[0] == 16 * getWarps())
    return success();
  return emitError() << "expected a vector of " << 16 * getWarps()
                     << " elements for " << *this;
}

LogicalResult ColumnAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         EmitError emitError) const {
  if (shape.size() == 1 && isMultipleOf8(shape[0]))
    return success();
  return emitError() << "expected a vector of a multiple of 8 elements for "
                     << *this;
}

static LogicalResult verifyElementType(EmitError emitError, Type type) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0)
    return success();
  return emitError() << "expected elements of whole bytes, but got " << type;
}

LogicalResult SharedType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                                 Type elementType, int64_t swizzle) {
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0)
    return emitError() << "expected two positive sizes, but got [" << shape
                       << "]";
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  if (swizzle != 0 && swizzle != 128)
    return emitError() << "expected a swizzle of 0 or 128 bytes, but got "
                       << swizzle;
  return success();
}

LogicalResult TensorMapType::verify(EmitError emitError, ArrayRef<int64_t> box,
                                    Type elementType, int64_t swizzle) {
  // Limits of cuTensorMapEncodeTiled.
  if (box.empty() || box.size() > 5)
    return emitError() << "expected a box of 1 to 5 dimensions, but got "
                       << box.size();
  for (int64_t size : box)
    if (size < 1 || size > 256)
      return emitError() << "expected box sizes from 1 to 256, but got "
                         << size;
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  if (swizzle != 128)
    return emitError() << "expected a swizzle of 128 bytes, but got "
                       << swizzle;
  return success();
}

LogicalResult RingType::verify(EmitError emitError, int64_t stages,
                               ArrayRef<Type> tiles) {
  if (stages < 1)
    return emitError() << "expected at least one stage, but got " << stages;
  if (tiles.empty() ||
      !llvm::all_of(tiles, [](Type type) { return isa<SharedType>(type); }))
    return emitError() << "expected the types of shared tiles, but got ["
                       << tiles << "]";
  return success();
}
