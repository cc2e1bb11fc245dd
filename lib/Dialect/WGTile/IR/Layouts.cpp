//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Verification of layouts and of the types of shared memory.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyWarps(EmitError emitError, int64_t warps,
                                 int64_t columns) {
  if (warps <= 0)
    return emitError() << "expected a positive number of warps, but got "
                       << warps;
  if (columns <= 0 || warps % columns != 0)
    return emitError() << "expected a divisor of the " << warps
                       << " warps along the columns, but got " << columns;
  return success();
}

/// A dynamic size has no place in registers.
static bool isMultipleOf(int64_t size, int64_t factor) {
  return !ShapedType::isDynamic(size) && size > 0 && size % factor == 0;
}

LogicalResult MmaAttr::verify(EmitError emitError, int64_t warps,
                              int64_t columns) {
  return verifyWarps(emitError, warps, columns);
}

LogicalResult RowAttr::verify(EmitError emitError, int64_t warps,
                              int64_t columns) {
  return verifyWarps(emitError, warps, columns);
}

LogicalResult ColumnAttr::verify(EmitError emitError, int64_t warps,
                                 int64_t columns) {
  return verifyWarps(emitError, warps, columns);
}

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  if (shape.size() == 2 && isMultipleOf(shape[0], 8) &&
      isMultipleOf(shape[1], 8 * getColumns()))
    return success();
  return emitError() << "expected a tile of a multiple of 8 rows and of "
                     << 8 * getColumns() << " columns for " << *this;
}

LogicalResult RowAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  if (shape.size() == 1 && isMultipleOf(shape[0], 8))
    return success();
  return emitError() << "expected a vector of a multiple of 8 elements for "
                     << *this;
}

LogicalResult ColumnAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         EmitError emitError) const {
  if (shape.size() == 1 && isMultipleOf(shape[0], 8 * getColumns()))
    return success();
  return emitError() << "expected a vector of a multiple of "
                     << 8 * getColumns() << " elements for " << *this;
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
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, but "
                          "got "
                       << swizzle;
  return success();
}

/// What a product takes at a time along the depth, in bytes, and the rows of a
/// fragment: tiles are stored in whole ones.
static constexpr int64_t kDepthBytes = 32;
static constexpr int64_t kFragmentRows = 16;

sattn::layout::SharedTile SharedType::getTile() const {
  int64_t bytes = getElementBytes();
  auto align = [](int64_t size, int64_t multiple) {
    return static_cast<int64_t>(llvm::alignTo(size, multiple));
  };
  return {align(getRows(), kFragmentRows),
          align(getColumns() * bytes, kDepthBytes) / bytes, bytes,
          getSwizzle()};
}

bool SharedType::isPadded() const {
  sattn::layout::SharedTile tile = getTile();
  return tile.rows != getRows() || tile.cols != getColumns();
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
  if (swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "expected a swizzle of 32, 64 or 128 bytes, but got "
                       << swizzle;
  return success();
}

LogicalResult RingType::verify(EmitError emitError, int64_t stages,
                               ArrayRef<Type> tiles,
                               ArrayRef<int64_t> instances) {
  if (stages < 1)
    return emitError() << "expected at least one stage, but got " << stages;
  if (tiles.empty() ||
      !llvm::all_of(tiles, [](Type type) { return isa<SharedType>(type); }))
    return emitError() << "expected the types of shared tiles, but got ["
                       << tiles << "]";
  if (!instances.empty() &&
      (instances.size() != tiles.size() ||
       llvm::any_of(instances, [](int64_t count) { return count < 1; })))
    return emitError() << "expected a positive number of instances for each of "
                       << tiles.size() << " tiles, but got [" << instances
                       << "]";
  return success();
}
