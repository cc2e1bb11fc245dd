//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Verification of layouts and of the types of shared memory.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;

using EmitError = function_ref<InFlightDiagnostic()>;

using sattn::kMaxWarpsPerCTA;

/// Whether a size is static and a positive multiple of a factor: registers hold
/// no dynamic size.
static bool isMultipleOf(int64_t size, int64_t factor) {
  return !ShapedType::isDynamic(size) && size > 0 && size <= kMaxTileSize &&
         size % factor == 0;
}

LogicalResult MmaAttr::verify(EmitError emitError, int64_t warps,
                              int64_t columnWarps, int64_t run) {
  if (warps <= 0)
    return emitError() << "expected a positive number of warps, but got "
                       << warps;
  if (warps > kMaxWarpsPerCTA)
    return emitError() << "expected at most " << kMaxWarpsPerCTA
                       << " warps, but got " << warps;
  if (columnWarps <= 0 || warps % columnWarps != 0)
    return emitError() << "expected a divisor of the " << warps
                       << " warps along the columns, but got " << columnWarps;
  if (run != 2 && run != 4 && run != sattn::layout::kMostRun)
    return emitError() << "expected a run of 2, 4 or 8 columns, but got "
                       << run;
  return success();
}

LogicalResult SliceAttr::verify(EmitError emitError, int64_t dim, MmaAttr) {
  // (C1)
  if (dim == 0 || dim == 1)
    return success();
  return emitError() << "expected dim 0 or 1, but got " << dim;
}

/// Verifies that elements are numbers, which registers hold.
static LogicalResult verifyRegisters(EmitError emitError, Type elementType) {
  // The parser also verifies an element type that it has refused.
  if (!elementType)
    return failure();
  if (elementType.isIntOrFloat() &&
      elementType.getIntOrFloatBitWidth() <= kMaxElementBits)
    return success();
  return emitError()
         << "expected elements that are integers or floats of up to "
         << kMaxElementBits << " bits, but got " << elementType;
}

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                      EmitError emitError) const {
  if (failed(verifyRegisters(emitError, elementType)))
    return failure();
  if (shape.size() == 2 && isMultipleOf(shape[0], 8) &&
      isMultipleOf(shape[1], getColumnStep()))
    return success();
  return emitError() << "expected a tile of a multiple of 8 rows and of "
                     << getColumnStep() << " columns for " << *this;
}

LogicalResult SliceAttr::verifyEncoding(ArrayRef<int64_t> shape,
                                        Type elementType,
                                        EmitError emitError) const {
  if (failed(verifyRegisters(emitError, elementType)))
    return failure();
  int64_t multiple = getDim() == 1 ? 8 : getParent().getColumnStep();
  if (shape.size() == 1 && isMultipleOf(shape[0], multiple))
    return success();
  return emitError() << "expected a vector of a multiple of " << multiple
                     << " elements for " << *this;
}

static LogicalResult verifyElementType(EmitError emitError, Type type) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0 &&
      type.getIntOrFloatBitWidth() > 0 &&
      type.getIntOrFloatBitWidth() <= kMaxElementBits)
    return success();
  return emitError() << "expected elements of whole bytes up to "
                     << kMaxElementBits << " bits, but got " << type;
}

/// Bytes along K of one MMA, and rows of a fragment: tiles are stored in
/// multiples of both.
static constexpr int64_t kDepthBytes = 32;
static constexpr int64_t kFragmentRows = 16;

/// How a tile is stored, padding included: the last box of several has its
/// whole place.
static sattn::layout::SharedTile makeTile(ArrayRef<int64_t> shape,
                                          Type elementType, int64_t swizzle,
                                          bool packed) {
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  if (packed)
    return {shape[0], shape[1], bytes, swizzle, packed};
  auto align = [](int64_t size, int64_t multiple) {
    return static_cast<int64_t>(llvm::alignTo(size, multiple));
  };
  int64_t row = align(shape[1] * bytes, kDepthBytes);
  if (swizzle != 0 && row > swizzle)
    row = align(row, swizzle);
  return {align(shape[0], kFragmentRows), row / bytes, bytes, swizzle};
}

LogicalResult SharedType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                                 Type elementType, int64_t swizzle,
                                 bool packed) {
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0)
    return emitError() << "expected two positive sizes, but got [" << shape
                       << "]";
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, but "
                          "got "
                       << swizzle;
  if (shape[0] > kMaxTileSize || shape[1] > kMaxTileSize)
    return emitError() << "expected sizes up to " << kMaxTileSize
                       << ", but got [" << shape << "]";
  if (packed && swizzle != kPackedSwizzle)
    return emitError() << "expected a swizzle of " << kPackedSwizzle
                       << " bytes for a packed tile, but got " << swizzle;
  if (swizzle == 0)
    return success();
  if (std::optional<std::string> reason =
          makeTile(shape, elementType, swizzle, packed).invalidReason())
    return emitError() << *reason;
  return success();
}

sattn::layout::SharedTile SharedType::getTile() const {
  return makeTile(getShape(), getElementType(), getSwizzle(), getPacked());
}

LogicalResult TensorMapType::verify(EmitError emitError, ArrayRef<int64_t> box,
                                    Type elementType, int64_t swizzle,
                                    bool packed) {
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
  if (packed &&
      (box.size() < 2 ||
       box.back() * elementType.getIntOrFloatBitWidth() != 8 * kPackedSwizzle))
    return emitError() << "expected a packed box with rows of "
                       << kPackedSwizzle << " bytes, but got [" << box << "]";
  return success();
}

/// Whether a warpgroup can fill a tile with its rows, or with its rows as
/// columns, for TMA.
static bool isStagingTile(Type type) {
  auto tile = dyn_cast<SharedType>(type);
  if (!tile || tile.getPacked())
    return false;
  bool isUpright = tile.getRows() == sattn::layout::kWgmmaRows &&
                   tile.getColumns() == tile.getTile().boxColumns();
  bool isTransposed = tile.getColumns() == sattn::layout::kWgmmaRows &&
                      tile.getRows() % sattn::layout::kSwizzleRows == 0;
  return isUpright || isTransposed;
}

LogicalResult RingType::verify(EmitError emitError, int64_t stages,
                               ArrayRef<Type> tiles,
                               ArrayRef<int64_t> instances,
                               int64_t warpgroups) {
  if (stages < 1 || stages > kMaxStages)
    return emitError() << "expected from 1 to " << kMaxStages
                       << " stages, but got " << stages;
  // A tile is in a swizzle, by which it is placed.
  auto isTile = [&](Type type) {
    auto tile = dyn_cast<SharedType>(type);
    return tile ? tile.getSwizzle() != 0 : type.isSignlessInteger(32);
  };
  if (tiles.empty() || !llvm::all_of(tiles, isTile))
    return emitError() << "expected the types of shared tiles with a swizzle, "
                          "or i32, but got ["
                       << tiles << "]";
  if (!instances.empty() && (instances.size() != tiles.size() ||
                             llvm::any_of(instances, [](int64_t count) {
                               return count < 1 || count > kMaxGroupSize;
                             })))
    return emitError() << "expected from 1 to " << kMaxGroupSize
                       << " instances for each of " << tiles.size()
                       << " tiles, but got [" << instances << "]";
  for (auto [tile, count] : llvm::zip(tiles, instances))
    if (tile.isInteger() && count != 1)
      return emitError() << "expected one instance of a number, but got "
                         << count;
  if (warpgroups < 0 || warpgroups > kMaxWarpgroups)
    return emitError() << "expected from 1 to " << kMaxWarpgroups
                       << " warpgroups, but got " << warpgroups;
  if (warpgroups == 0)
    return success();
  if (!instances.empty())
    return emitError() << "expected no instances beside those of warpgroups, "
                          "but got ["
                       << instances << "]";
  for (Type tile : tiles)
    if (!isStagingTile(tile))
      return emitError()
             << "expected a tile of " << sattn::layout::kWgmmaRows
             << " rows, each one row of its swizzle, or of as many columns and "
                "a multiple of "
             << sattn::layout::kSwizzleRows << " rows, but got " << tile;
  return success();
}

sattn::layout::AccumulatorFragment wgtile::getFragment(RankedTensorType type) {
  auto make = [](MmaAttr layout, int64_t rows, int64_t columns) {
    sattn::layout::AccumulatorFragment fragment{layout.getWarps(), columns,
                                                layout.getColumnWarps()};
    fragment.run = layout.getRun();
    fragment.rowTiles = llvm::divideCeil(rows, fragment.rows());
    return fragment;
  };
  Attribute encoding = type.getEncoding();
  if (auto mma = dyn_cast<MmaAttr>(encoding))
    return make(mma, type.getDimSize(0), type.getDimSize(1));
  MmaAttr parent = cast<SliceAttr>(encoding).getParent();
  if (isColumnVector(encoding))
    return make(parent, 1, type.getDimSize(0));
  return make(parent, type.getDimSize(0), parent.getColumnStep());
}
