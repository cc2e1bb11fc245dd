//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of a tile's program. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/MmaTypes.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

//===----------------------------------------------------------------------===//
// Accesses of global memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyIndices(Operation *op, int64_t rank,
                                   ValueRange indices) {
  if (static_cast<int64_t>(indices.size()) == rank)
    return success();
  return op->emitOpError() << "expected " << rank << " indices, but got "
                           << indices.size();
}

static LogicalResult verifyElementTypes(Operation *op, Type expected,
                                        Type actual) {
  if (expected == actual)
    return success();
  return op->emitOpError() << "expected a tile of element type " << expected
                           << ", but got " << actual;
}

/// Whether sizes are static and those of a tile.
static bool hasTileSizes(ArrayRef<int64_t> shape) {
  return llvm::all_of(
      shape, [](int64_t size) { return size >= 1 && size <= kMaxTileSize; });
}

/// Verifies (C1), (C2), (C3) of read and store.
static LogicalResult verifyRegisterAccess(Operation *op, MemRefType memref,
                                          ValueRange indices,
                                          RankedTensorType tile,
                                          ArrayRef<bool> inBounds,
                                          bool isTransposed) {
  if (failed(verifyIndices(op, memref.getRank(), indices)) ||
      failed(verifyElementTypes(op, memref.getElementType(),
                                tile.getElementType())))
    return failure();
  Type element = memref.getElementType();
  if (!element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() > kMaxElementBits)
    return op->emitOpError()
           << "expected elements that are integers or floats of up to "
           << kMaxElementBits << " bits, but got " << memref;
  if (!memref.isStrided())
    return op->emitOpError() << "expected a strided memref, but got " << memref;
  int64_t maxRank = std::min<int64_t>(2, memref.getRank());
  if (tile.getRank() < 1 || tile.getRank() > maxRank || !tile.hasStaticShape())
    return op->emitOpError() << "expected a tile of static sizes and rank 1 to "
                             << maxRank << ", but got " << tile;
  if (!hasTileSizes(tile.getShape()))
    return op->emitOpError() << "expected sizes of the tile from 1 to "
                             << kMaxTileSize << ", but got " << tile;
  if (static_cast<int64_t>(inBounds.size()) != tile.getRank())
    return op->emitOpError()
           << "expected " << tile.getRank() << " entries of in_bounds, but got "
           << inBounds.size();
  if (isTransposed && tile.getRank() != 2)
    return op->emitOpError()
           << "expected a tile of rank 2 with 'transposed', but got " << tile;
  return success();
}

LogicalResult LoadOp::verify() {
  Type elementType;
  int64_t rank;
  if (auto map = dyn_cast<TensorMapType>(getSource().getType())) {
    elementType = map.getElementType();
    rank = map.getBox().size();
  } else {
    auto memref = cast<MemRefType>(getSource().getType());
    elementType = memref.getElementType();
    rank = memref.getRank();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return emitOpError() << "expected a strided source, but got " << memref;
    // (C3)
    if (getAligned() && !strides.empty() &&
        !ShapedType::isDynamic(strides.back()) && strides.back() != 1)
      return emitOpError() << "expected a source of innermost stride 1 with "
                              "'aligned', but got "
                           << memref;
  }
  // (C3)
  if (getAligned() && !isa<MemRefType>(getSource().getType()))
    return emitOpError() << "expected a memref with 'aligned', but got "
                         << getSource().getType();
  // (C1)
  if (rank < 2)
    return emitOpError() << "expected a source of rank at least 2, but got "
                         << getSource().getType();
  if (failed(verifyIndices(*this, rank, getIndices())))
    return failure();
  // (C2)
  if (failed(verifyElementTypes(*this, elementType,
                                getTile().getType().getElementType())))
    return failure();
  // (C5)
  if (auto map = dyn_cast<TensorMapType>(getSource().getType());
      map && map.getPacked() != getTile().getType().getPacked())
    return emitOpError() << "expected a packed map for a packed tile, and for "
                            "no other, but got "
                         << map << " and " << getTile().getType();
  // (C4)
  if (getBarrier() && !getOffset())
    return emitOpError("expected 'offset' with 'barrier', but got none");
  return success();
}

LogicalResult PeekOp::verify() {
  // (C1)
  MemRefType source = getSource().getType();
  if (!source.isStrided())
    return emitOpError() << "expected a strided memref, but got " << source;
  return verifyIndices(*this, source.getRank(), getIndices());
}

LogicalResult ReadOp::verify() {
  Type element = getTile().getType().getElementType();
  if (TypedAttr padding = getPaddingAttr();
      padding && padding.getType() != element) // (C5)
    return emitOpError() << "expected padding of type " << element
                         << ", but got " << padding;
  return verifyRegisterAccess(*this, getSource().getType(), getIndices(),
                              getTile().getType(), getInBounds(),
                              getTransposed());
}

TypedAttr ReadOp::getPaddingOrZero() {
  if (TypedAttr padding = getPaddingAttr())
    return padding;
  return Builder(getContext())
      .getZeroAttr(getTile().getType().getElementType());
}

LogicalResult ReadLanesOp::verify() {
  MemRefType source = getSource().getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!source.getElementType().isIntOrFloat() || source.getRank() == 0 ||
      source.getElementTypeBitWidth() != 32 ||
      failed(source.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1) // (C1)
    return emitOpError() << "expected a memref whose elements have 32 bits and "
                            "are next to each other, but got "
                         << source;
  if (failed(verifyIndices(*this, source.getRank(), getIndices())))
    return failure();
  if (int64_t size = getSize(); size < 1 || size > kMaxTileSize) // (C2)
    return emitOpError() << "expected a size from 1 to " << kMaxTileSize
                         << ", but got " << size;
  if (int64_t parts = countParts(getSize());
      parts != static_cast<int64_t>(getNumResults())) // (C2)
    return emitOpError() << "expected " << parts << " parts of " << getSize()
                         << " elements, but got " << getNumResults();
  if (TypedAttr padding = getPaddingAttr();
      padding && padding.getType() != source.getElementType()) // (C3)
    return emitOpError() << "expected padding of type "
                         << source.getElementType() << ", but got " << padding;
  return success();
}

/// Columns of a tile of which a lane has 32 in each row.
static constexpr int64_t kMostBitColumns = 128;

bool SpreadLanesOp::canMake(RankedTensorType type) {
  auto slice = dyn_cast_or_null<SliceAttr>(type.getEncoding());
  return slice && slice.getDim() == 0 && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() == 32 &&
         slice.getParent().getColumnWarps() == 1 &&
         slice.getParent().getRun() == 2;
}

LogicalResult SpreadLanesOp::verify() {
  RankedTensorType type = getTile().getType();
  if (!canMake(type)) // (C1)
    return emitOpError() << "expected a vector of the columns of a tile that "
                            "warps divide along its rows alone, of 32 bits and "
                            "in runs of 2, but got "
                         << type;
  if (int64_t parts = ReadLanesOp::countParts(type.getDimSize(0));
      parts != static_cast<int64_t>(getParts().size())) // (C2)
    return emitOpError() << "expected " << parts << " parts of "
                         << type.getDimSize(0) << " elements, but got "
                         << getParts().size();
  return success();
}

LogicalResult LaneBitsOp::verify() {
  if (size_t parts = getParts().size(); parts != 2 && parts != 4) // (C1)
    return emitOpError() << "expected 2 or 4 parts, but got " << parts;
  return success();
}

/// Whether warps divide the rows of a tile alone, and lanes in runs of 2.
static bool dividesRows(Attribute layout) {
  auto mma = dyn_cast_or_null<MmaAttr>(layout);
  return mma && mma.getColumnWarps() == 1 && mma.getRun() == 2;
}

LogicalResult BitsBelowOp::verify() {
  RankedTensorType type = getBounds().getType();
  auto slice = dyn_cast_or_null<SliceAttr>(type.getEncoding());
  if (!slice || slice.getDim() != 1 || !dividesRows(slice.getParent()) ||
      !type.getElementType().isInteger(32)) // (C1)
    return emitOpError()
           << "expected i32 of the rows of a tile that warps "
              "divide along its rows alone, in runs of 2, but got "
           << type;
  return success();
}

bool TestBitsOp::canMake(RankedTensorType type) {
  return type.getRank() == 2 && type.getDimSize(1) <= kMostBitColumns &&
         dividesRows(type.getEncoding());
}

LogicalResult TestBitsOp::verify() {
  RankedTensorType words = getWords().getType(), type = getTile().getType();
  auto slice = dyn_cast_or_null<SliceAttr>(words.getEncoding());
  if (!canMake(type) || !type.getElementType().isInteger(1)) // (C2)
    return emitOpError() << "expected a tile of i1 of at most "
                         << kMostBitColumns
                         << " columns that warps divide along its rows alone, "
                            "in runs of 2, but got "
                         << type;
  if (!slice || slice.getDim() != 1 ||
      slice.getParent() != type.getEncoding() ||
      !words.getElementType().isInteger(32) ||
      words.getDimSize(0) != type.getDimSize(0)) // (C1)
    return emitOpError() << "expected an i32 for each row of " << type
                         << ", but got " << words;
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyRegisterAccess(*this, getDest().getType(), getIndices(),
                              getTile().getType(), getInBounds(),
                              getTransposed());
}

//===----------------------------------------------------------------------===//
// MmaOp, MmaAsyncOp, WarpgroupMmaWaitOp, BroadcastOp
//===----------------------------------------------------------------------===//

static void addReads(Operation *op,
                     SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<SharedType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
}

/// Adds the effects of clearing rows of b in place.
static void addClear(MmaOpInterface mma, OpOperand &b,
                     SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (mma.getRows())
    effects.emplace_back(MemoryEffects::Write::get(), &b,
                         SideEffects::DefaultResource::get());
}

void MmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(*this, effects);
  addClear(*this, getBMutable(), effects);
}

void MmaAsyncOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(*this, effects);
  addClear(*this, getBMutable(), effects);
  effects.emplace_back(MemoryEffects::Write::get(), AsyncWorkResource::get());
}

/// Adds the effects of an exchange: the CTA's warps exchange numbers at a place
/// in shared memory, and all threads meet.
static void
addExchange(bool exchanges,
            SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (exchanges)
    effects.emplace_back(MemoryEffects::Write::get(), BarrierResource::get());
}

void TileReduceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addExchange(getOffset().has_value(), effects);
}

void TileCombineOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addExchange(getOffset().has_value(), effects);
}

LogicalResult wgtile::detail::verifyMma(Operation *op) {
  auto mma = cast<MmaOpInterface>(op);
  Type a = mma.getA().getType();
  auto sharedA = dyn_cast<SharedType>(a);
  auto registerA = dyn_cast<RankedTensorType>(a);
  SmallVector<int64_t> shapeA(sharedA ? sharedA.getShape()
                                      : registerA.getShape());
  if (mma.getTransposeA() && shapeA.size() == 2)
    std::swap(shapeA[0], shapeA[1]);
  SharedType b = mma.getB().getType();
  RankedTensorType acc = mma.getAcc().getType();
  // (C1)
  if (acc.getRank() != 2 || shapeA.size() != 2 ||
      !hasTileSizes(acc.getShape()) || shapeA[0] != acc.getDimSize(0) ||
      mma.getBColumns() != acc.getDimSize(1) || shapeA[1] != mma.getBRows())
    return op->emitOpError()
           << "expected tiles " << (mma.getTransposeA() ? "KxM" : "MxK") << ", "
           << (mma.getTransposeB() ? "NxK" : "KxN") << " and MxN, but got " << a
           << ", " << b << " and " << acc;
  // (C2)
  Type type = sharedA ? sharedA.getElementType() : registerA.getElementType();
  bool isSmall = type.isF16() || type.isBF16();
  if (!canMultiply(type, b.getElementType()) ||
      acc.getElementType() != getMmaAccumulator(type))
    return op->emitOpError()
           << "expected two tiles of f16, of bf16, of f32 or of f8 and an f32 "
              "accumulator, or two of i8 and an i32 accumulator, but got "
           << a << ", " << b << " and " << acc;
  if (registerA && !isSmall && mma.getTransposeB())
    return op->emitOpError() << "expected a register tile of f16 or bf16 "
                                "beside a transposed tile, but got "
                             << a;
  if (auto product = dyn_cast<MmaOp>(op);
      product && product.getIeee() && !type.isF32()) // (C4)
    return op->emitOpError()
           << "expected 'ieee' with tiles of f32, but got " << a;
  if (mma.getRows() && (mma.getTransposeB() || b.getPacked())) // (C5)
    return op->emitOpError("expected 'rows' with a tile that is neither "
                           "transposed nor packed");
  if (mma.getTransposeA() && // (C6)
      (!sharedA || !isSmall || sharedA.getPacked()))
    return op->emitOpError() << "expected a transposed left tile of f16 or "
                                "bf16 in shared memory that is not packed, but "
                                "got "
                             << a;
  // (C3)
  if (b.getElementBytes() == 1 && (registerA || !mma.getTransposeB()))
    return op->emitOpError() << "expected tiles of 8-bit elements in shared "
                                "memory, the right one "
                                "transposed, but got "
                             << a << " and " << b
                             << (mma.getTransposeB() ? "" : ", which is not");
  return success();
}

LogicalResult WarpgroupMmaWaitOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult WarpgroupMmaWaitOp::verify() {
  // (C1)
  if (getTiles().empty())
    return emitOpError("expected at least one tile");
  for (Type type : getTiles().getTypes())
    if (Type element = cast<RankedTensorType>(type).getElementType();
        !element.isF32() && !element.isSignlessInteger(32) &&
        !element.isF16() && !element.isBF16())
      return emitOpError()
             << "expected tiles of f32, i32, f16 or bf16, but got " << type;
  return success();
}

/// Whether a kind of reduction applies to elements of a type.
static bool appliesTo(arith::AtomicRMWKind kind, Type element) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::mulf:
  case arith::AtomicRMWKind::maximumf:
  case arith::AtomicRMWKind::minimumf:
  case arith::AtomicRMWKind::maxnumf:
  case arith::AtomicRMWKind::minnumf:
    return isa<FloatType>(element);
  case arith::AtomicRMWKind::assign:
    return false;
  default:
    return isa<IntegerType>(element);
  }
}

static LogicalResult verifyKind(Operation *op, arith::AtomicRMWKind kind,
                                Type element) {
  if (appliesTo(kind, element))
    return success();
  return op->emitOpError() << "expected a kind of reduction that applies to "
                           << element << ", but got '"
                           << arith::stringifyAtomicRMWKind(kind) << "'";
}

LogicalResult RowReduceOp::verify() {
  // (C1)
  RankedTensorType tile = getTile().getType(), result = getResult().getType();
  if (tile.getRank() != 2 || result.getRank() != 1 ||
      tile.getDimSize(0) != result.getDimSize(0) ||
      tile.getElementType() != result.getElementType())
    return emitOpError()
           << "expected one element for each row of the tile, but "
              "got "
           << tile << " and " << result;
  return verifyKind(*this, getKind(), tile.getElementType());
}

LogicalResult RowCombineOp::verify() {
  // (C1)
  RankedTensorType type = getVector().getType();
  if (type.getRank() != 1 || !type.getElementType().isF32())
    return emitOpError() << "expected a vector of f32, but got " << type;
  return verifyKind(*this, getKind(), type.getElementType());
}

/// Verifies a tile and a number of its elements that a kind of reduction
/// combines.
static LogicalResult verifyTileAndNumber(Operation *op, RankedTensorType tile,
                                         Type number, arith::AtomicRMWKind kind,
                                         bool mayBeNarrow = false) {
  Type element = tile.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (tile.getRank() > 2 || element != number ||
      (bits != 32 && bits != 64 && !(mayBeNarrow && bits == 16)))
    return op->emitOpError()
           << "expected a tile of at most two dimensions and a number of its "
              "element type, of 32 or 64 bits, but got "
           << tile << " and " << number;
  return verifyKind(op, kind, element);
}

LogicalResult TileReduceOp::verify() { // (C1)
  RankedTensorType tile = getTile().getType();
  if (tile.getEncoding() && isColumnVector(tile.getEncoding()))
    return emitOpError() << "expected a vector of rows, but got " << tile;
  if (getPartial() && tile.getRank() != 2) // (C2)
    return emitOpError()
           << "expected parts of a tile of two dimensions, but got " << tile;
  bool isExtreme = getKind() == arith::AtomicRMWKind::maxnumf ||
                   getKind() == arith::AtomicRMWKind::minnumf;
  return verifyTileAndNumber(*this, tile, getResult().getType(), getKind(),
                             isExtreme && tile.getRank() == 2);
}

/// Bytes for one number of each of the CTA's warps; 0 if it has one warp.
static int64_t countExchangeBytes(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  DenseI32ArrayAttr threads =
      kernel ? kernel.getKnownBlockSizeAttr() : DenseI32ArrayAttr();
  int64_t warps =
      threads ? llvm::divideCeil(threads[0], sattn::layout::kWarpThreads) : 1;
  return warps == 1 ? 0 : warps * kExchangeBytes;
}

int64_t TileReduceOp::getExchangeBytes() {
  return getPartial() ? 0 : countExchangeBytes(*this);
}

int64_t TileCombineOp::getExchangeBytes() { return countExchangeBytes(*this); }

LogicalResult TileCombineOp::verify() { // (C1)
  Type type = getResult().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits != 32 && bits != 64)
    return emitOpError() << "expected a number of 32 or 64 bits, but got "
                         << type;
  return verifyKind(*this, getKind(), type);
}

LogicalResult TileScanOp::verify() { // (C1)
  RankedTensorType tile = getTile().getType();
  if (tile.getRank() != 2)
    return emitOpError() << "expected a tile of two dimensions, but got "
                         << tile;
  return verifyTileAndNumber(*this, tile, getInitial().getType(), getKind());
}

/// Whether elements can be numbers of rows or columns.
static bool isNumber(Type element) {
  return element.isSignlessInteger(32) || element.isF32();
}

LogicalResult StepOp::verify() {
  // (C1)
  RankedTensorType type = getResult().getType();
  if (type.getRank() != 1 || !isNumber(type.getElementType()))
    return emitOpError() << "expected a vector of i32 or f32, but got " << type;
  return success();
}

LogicalResult RampOp::verify() {
  RankedTensorType start = getStart().getType(), result = getResult().getType();
  // (C1)
  Type element = result.getElementType();
  if (start.getRank() != 1 || result.getRank() != 2 ||
      start.getDimSize(0) != result.getDimSize(0) || !isNumber(element) ||
      start.getElementType() != element || getSlope().getType() != element)
    return emitOpError() << "expected a vector of the tile's rows, a slope and "
                            "a tile, all of i32 or of f32, but got "
                         << start << ", " << getSlope().getType() << " and "
                         << result;
  // (C2)
  if (getNsw() && (element.isF32() || getTile()))
    return emitOpError() << "expected 'nsw' of i32 without a tile, but got "
                         << result << (getTile() ? " with a tile" : "");
  return success();
}

/// Verifies that there is one tile of indices for each dimension of a memref,
/// in the shape of a tile of its elements.
static LogicalResult verifyPlaces(Operation *op, RankedTensorType tile,
                                  MemRefType memref, OperandRange indices) {
  // (C1)
  if (static_cast<int64_t>(indices.size()) != memref.getRank() ||
      indices.empty())
    return op->emitOpError()
           << "expected one tile of indices for each dimension of " << memref
           << ", but got " << indices.size();
  for (Value index : indices)
    if (auto type = cast<RankedTensorType>(index.getType());
        type.getShape() != tile.getShape() ||
        !type.getElementType().isSignlessInteger(64))
      return op->emitOpError() << "expected indices of i64 in the shape of "
                               << tile << ", but got " << type;
  // (C2)
  if (tile.getElementType() != memref.getElementType())
    return op->emitOpError() << "expected a tile of elements of " << memref
                             << ", but got " << tile;
  return success();
}

LogicalResult GatherOp::verify() {
  return verifyPlaces(*this, getResult().getType(),
                      cast<MemRefType>(getSource().getType()), getIndices());
}

LogicalResult ScatterOp::verify() {
  RankedTensorType tile = getTile().getType(), mask = getMask().getType();
  if (failed(verifyPlaces(*this, tile, cast<MemRefType>(getDest().getType()),
                          getIndices())))
    return failure();
  // (C2)
  if (mask.getShape() != tile.getShape() ||
      !mask.getElementType().isSignlessInteger(1))
    return emitOpError() << "expected a mask of i1 in the shape of " << tile
                         << ", but got " << mask;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(),
                   result = getResult().getType();
  // (C1)
  int64_t dimension = getDimension();
  if (source.getRank() != 1 || result.getRank() != 2 || dimension < 0 ||
      dimension > 1 || source.getDimSize(0) != result.getDimSize(dimension) ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected a vector of the size of the tile's "
                            "dimension 0 or 1, but got "
                         << source << ", dimension " << dimension << " and "
                         << result;
  return success();
}

LogicalResult ExtractColumnsOp::verify() {
  // (C1)
  RankedTensorType source = getSource().getType(),
                   result = getResult().getType();
  int64_t offset = getOffset();
  if (source.getRank() != result.getRank() || source.getRank() < 1 ||
      source.getRank() > 2 ||
      source.getShape().drop_back() != result.getShape().drop_back() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of the source's rank, rows and "
                            "element type, but got "
                         << source << " and " << result;
  int64_t end = offset + result.getShape().back();
  if (offset < 0 || offset % 8 != 0 || end % 8 != 0 ||
      end > source.getShape().back())
    return emitOpError() << "expected columns between multiples of 8 in "
                         << source << ", but got " << offset << " to " << end;
  return success();
}
