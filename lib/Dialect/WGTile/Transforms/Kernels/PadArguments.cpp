//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadArguments.h"

#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace wgtile;

int64_t wgtile::getChunk(MemRefType type) {
  return 8 * kRowAlignment / type.getElementTypeBitWidth();
}

/// The type of the copy: the innermost stride is 1, the others are its own.
static MemRefType getPaddedType(MemRefType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides));
}

bool wgtile::canPad(MemRefType type) {
  // Memory without a layout is dense.
  if (type.getRank() < 2 || type.getLayout().isIdentity())
    return false;
  // Tiles whose static rows are not whole chunks have their own padding.
  int64_t columns = type.getShape().back();
  return (ShapedType::isDynamic(columns) || columns % getChunk(type) == 0) &&
         memref::CastOp::areCastCompatible(getPaddedType(type), type);
}

static Value createConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static SmallVector<Value> createSizes(OpBuilder &b, Location loc,
                                      Value memref) {
  SmallVector<Value> sizes;
  for (auto [dim, size] :
       llvm::enumerate(cast<MemRefType>(memref.getType()).getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? memref::DimOp::create(b, loc, memref, dim)
                        : createConstant(b, loc, size));
  return sizes;
}

/// The columns of the copy's rows, with their padding.
static Value createPaddedColumns(OpBuilder &b, Location loc, MemRefType type,
                                 Value columns) {
  Value chunk = createConstant(b, loc, getChunk(type));
  Value chunks = b.createOrFold<arith::CeilDivSIOp>(loc, columns, chunk);
  return b.createOrFold<arith::MulIOp>(loc, chunks, chunk);
}

Value wgtile::createFits(OpBuilder &b, Location loc, Value memref,
                         int64_t maxBytes) {
  auto type = cast<MemRefType>(memref.getType());
  // Products of two numbers up to it fit in 64 bits.
  int64_t most = std::min<int64_t>(maxBytes / kRowAlignment * getChunk(type),
                                   std::numeric_limits<int32_t>::max() - 1);
  Value tooMany = createConstant(b, loc, most + 1);
  auto clamp = [&](Value value) {
    return b.createOrFold<arith::MinSIOp>(loc, value, tooMany);
  };
  SmallVector<Value> sizes = createSizes(b, loc, memref);
  Value elements = clamp(createPaddedColumns(b, loc, type, sizes.back()));
  for (Value size : ArrayRef<Value>(sizes).drop_back())
    elements = clamp(b.createOrFold<arith::MulIOp>(loc, elements, clamp(size)));
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, elements,
                                       createConstant(b, loc, most));
}

static Value createScratch(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> sizes = createSizes(b, loc, memref), strides, dynamicSizes;
  Value stride = createPaddedColumns(b, loc, type, sizes.back());
  strides.push_back(stride);
  for (int64_t dim = type.getRank() - 2; dim > 0; --dim) {
    stride = b.createOrFold<arith::MulIOp>(loc, stride, sizes[dim]);
    strides.push_back(stride);
  }
  std::reverse(strides.begin(), strides.end());
  for (auto [size, value] : llvm::zip_equal(type.getShape(), sizes))
    if (ShapedType::isDynamic(size))
      dynamicSizes.push_back(value);
  return memref::AllocOp::create(b, loc, getPaddedType(type), dynamicSizes,
                                 strides, /*alignment=*/IntegerAttr());
}

Value wgtile::createPadded(OpBuilder &b, Location loc, Value memref,
                           Value isPadded, bool isRead) {
  auto branch = scf::IfOp::create(
      b, loc, isPadded,
      [&](OpBuilder &b, Location loc) {
        Value scratch = createScratch(b, loc, memref);
        if (isRead)
          memref::CopyOp::create(b, loc, memref, scratch);
        Value cast = memref::CastOp::create(b, loc, memref.getType(), scratch);
        scf::YieldOp::create(b, loc, cast);
      },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, memref);
      });
  return branch.getResult(0);
}

/// Whether a value is the size of a dimension of the argument.
static bool isSize(Value value, BlockArgument argument, int64_t dim) {
  auto op = value.getDefiningOp<memref::DimOp>();
  return op && op.getSource() == argument && op.getConstantIndex() == dim;
}

/// Whether a count is the number of tiles of `size` elements along a dimension
/// of the argument.
static bool isCountOf(Value count, BlockArgument argument, int64_t dim,
                      int64_t size) {
  int64_t extent = cast<MemRefType>(argument.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent))
    return getConstantIntValue(count) == llvm::divideCeil(extent, size);
  if (size == 1)
    return isSize(count, argument, dim);
  auto quotient = count.getDefiningOp<arith::CeilDivSIOp>();
  return quotient && isSize(quotient.getLhs(), argument, dim) &&
         getConstantIntValue(quotient.getRhs()) == size;
}

/// Elements of a stored tile along each dimension of its destination.
static SmallVector<int64_t> getTileSizes(StoreOp store) {
  int64_t rank = cast<MemRefType>(store.getDest().getType()).getRank();
  SmallVector<int64_t> sizes(store.getTile().getType().getShape());
  if (store.getTransposed())
    std::swap(sizes[0], sizes[1]);
  sizes.insert(sizes.begin(), rank - sizes.size(), 1);
  return sizes;
}

/// Whether the tiles of the loop that a store is in, which cover what the loop
/// stores, are as many as those of the whole destination.
static bool coversDestination(StoreOp store, BlockArgument dest) {
  auto loop = store->getParentOfType<ForEachTileOp>();
  if (!loop || !loop->hasAttr(sattn::kTileCoversResultsAttrName))
    return false;
  SmallVector<Value> counts(loop.getCounts());
  for (auto [dim, size] : llvm::enumerate(getTileSizes(store))) {
    auto *count = llvm::find_if(counts, [&, dim = dim, size = size](Value c) {
      return isCountOf(c, dest, dim, size);
    });
    if (count == counts.end())
      return false;
    counts.erase(count);
  }
  return true;
}

bool wgtile::isOverwritten(BlockArgument argument) {
  bool isCovered = false;
  for (Operation *user : argument.getUsers()) {
    if (isa<memref::DimOp>(user))
      continue;
    auto store = dyn_cast<StoreOp>(user);
    if (!store)
      return false;
    isCovered |= coversDestination(store, argument);
  }
  return isCovered;
}
