//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "GlobalWindow.h"
#include "Scan.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/WGTile/IR/MmaTypes.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_CONVERTVECTORTOWGTILE
#include "sattn/Conversion/Passes.h.inc"
} // namespace sattn

using namespace sattn;

//===----------------------------------------------------------------------===//
// Products: contractions and the reads that feed them
//===----------------------------------------------------------------------===//

/// The shared tiles that reads were loaded to, by what was read.
using LoadedTiles = DenseMap<Value, Value>;

/// The read of an MMA's operand, as a load of shared memory; MMAs of one read
/// share its tile. `rows`, if it is given, becomes the number of rows of what
/// is read that count, if these may be fewer than are loaded. Such a tile is
/// that of one MMA, which clears the other rows in its place.
static FailureOr<Value> createLoad(OpBuilder &b, vector::ContractionOp contract,
                                   LoadedTiles &loaded, Value operand,
                                   StringRef name, Value *rows = nullptr) {
  auto read = operand.getDefiningOp<vector::TransferReadOp>();
  if (!read || read.getMask() ||
      !llvm::all_of(read.getPermutationMap().getResults(),
                    [](AffineExpr expr) { return isa<AffineDimExpr>(expr); }))
    return contract.emitOpError() << "expected the " << name
                                  << " operand to be read from memory as it is";
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(read);
  FailureOr<GlobalWindow> window =
      resolveWindow(b, cast<VectorTransferOpInterface>(read.getOperation()),
                    rows ? WindowUse::SharedRows : WindowUse::Shared);
  if (failed(window))
    return failure();
  if (rows && window->rowsEnd) {
    AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
    *rows = affine::makeComposedAffineApply(
        b, read.getLoc(), s0 - s1,
        {OpFoldResult(window->rowsEnd),
         OpFoldResult(window->indices.end()[-2])});
  }
  bool isShared = !rows || !*rows;
  if (Value tile = isShared ? loaded.lookup(operand) : Value())
    return tile;
  VectorType type = read.getVectorType();
  auto tile = wgtile::SharedType::get(b.getContext(), type.getShape(),
                                      type.getElementType(), /*swizzle=*/0);
  Value load =
      wgtile::LoadOp::create(b, read.getLoc(), tile, window->memref,
                             window->indices, IntegerAttr(), IntegerAttr())
          .getResult();
  if (isShared)
    loaded[operand] = load;
  return load;
}

/// Creates a left operand; one that was computed stays in registers.
static FailureOr<Value> createLeftOperand(OpBuilder &b,
                                          vector::ContractionOp contract,
                                          LoadedTiles &loaded, Value operand) {
  if (operand.getDefiningOp<vector::TransferReadOp>())
    return createLoad(b, contract, loaded, operand, "left");
  auto type = cast<VectorType>(operand.getType());
  return UnrealizedConversionCastOp::create(
             b, contract.getLoc(),
             RankedTensorType::get(type.getShape(), type.getElementType()),
             operand)
      .getResult(0);
}

namespace {
/// Which operands of an MMA are stored transposed.
struct Transposed {
  bool left, right;
};
} // namespace

/// Which factors of an MMA are transposed; nothing if the contraction is no
/// MMA.
static std::optional<Transposed> findTransposed(vector::ContractionOp op) {
  if (op.getKind() != vector::CombiningKind::ADD ||
      op.getIteratorTypesArray().size() != 3)
    return std::nullopt;
  Builder b(op.getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(3, 0, exprs, op.getContext());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Transposed result = {maps[0] == map({k, m}), maps[1] == map({n, k})};
  bool isProduct = (result.left || maps[0] == map({m, k})) &&
                   (result.right || maps[1] == map({k, n})) &&
                   maps[2] == map({m, n});
  return isProduct ? std::optional(result) : std::nullopt;
}

/// Whether a loop around an MMA allows its operands to be rounded.
static bool allowsTF32(Operation *op) {
  while ((op = op->getParentOp()))
    if (op->hasAttr(kTF32AttrName))
      return true;
  return false;
}

/// The factors of a contraction. Factors of two types, which a contraction
/// cannot have, were widened to its type; these are the narrow ones.
static std::array<Value, 2> findFactors(vector::ContractionOp op) {
  auto lhs = op.getLhs().getDefiningOp<arith::ExtFOp>(),
       rhs = op.getRhs().getDefiningOp<arith::ExtFOp>();
  if (!lhs || !rhs ||
      !wgtile::canMultiply(getElementTypeOrSelf(lhs.getIn()),
                           getElementTypeOrSelf(rhs.getIn())))
    return {op.getLhs(), op.getRhs()};
  return {lhs.getIn(), rhs.getIn()};
}

/// Replaces sums of the products of two tensors' elements, along rows of tiles
/// or of all of two vectors or tiles, which are no MMA, by their parts; false
/// if the contraction is no such sum.
static bool splitDotProduct(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<bool> reduced;
  for (vector::IteratorType iterator : op.getIteratorTypesArray())
    reduced.push_back(iterator == vector::IteratorType::reduction);
  if (reduced.size() > 2 || !reduced.back() || !maps[0].isIdentity() ||
      !maps[1].isIdentity() || op.getKind() != vector::CombiningKind::ADD ||
      !getElementTypeOrSelf(op.getAccType()).isF32())
    return false;
  OpBuilder b(op);
  SmallVector<Value> factors = {op.getLhs(), op.getRhs()};
  for (Value &factor : factors) {
    auto type = cast<VectorType>(factor.getType());
    if (!isa<FloatType>(type.getElementType()) ||
        type.getElementTypeBitWidth() > 32)
      return false;
    if (!type.getElementType().isF32())
      factor = arith::ExtFOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                                     factor);
  }
  Value products =
      arith::MulFOp::create(b, op.getLoc(), factors[0], factors[1]);
  op.replaceAllUsesWith(
      vector::MultiDimReductionOp::create(b, op.getLoc(), products, op.getAcc(),
                                          reduced, op.getKind())
          .getResult());
  op.erase();
  return true;
}

static LogicalResult convertContract(vector::ContractionOp op,
                                     LoadedTiles &loaded) {
  if (splitDotProduct(op))
    return success();
  std::optional<Transposed> transposed = findTransposed(op);
  if (!transposed)
    return op.emitOpError("expected a product of tiles of rows");
  auto [left, other] = findFactors(op);
  Type element = getElementTypeOrSelf(left);
  auto accType = dyn_cast<VectorType>(op.getResultType());
  if (!wgtile::canMultiply(element, getElementTypeOrSelf(other)) || !accType ||
      accType.getElementType() != wgtile::getMmaAccumulator(element))
    return op.emitOpError()
           << "expected a product of f16, bf16, f32 or f8 tiles that "
              "accumulates in f32, or of i8 in i32, but got "
           << left.getType() << ", " << other.getType() << " and "
           << op.getAccType();
  if (transposed->left && element.getIntOrFloatBitWidth() != 16)
    return op.emitOpError()
           << "expected a left tile of 16-bit elements, or one "
              "whose rows run along K, but got "
           << left.getType();
  if (element.getIntOrFloatBitWidth() == 8 && !transposed->right)
    return op.emitOpError() << "expected a right tile of 8-bit elements whose "
                               "rows run along K, but got "
                            << other.getType();
  OpBuilder b(op);
  FailureOr<Value> lhs = transposed->left
                             ? createLoad(b, op, loaded, left, "left")
                             : createLeftOperand(b, op, loaded, left);
  if (failed(lhs))
    return failure();
  Value rows;
  FailureOr<Value> rhs = createLoad(b, op, loaded, other, "right",
                                    transposed->right ? nullptr : &rows);
  if (failed(rhs))
    return failure();
  auto tensorType =
      RankedTensorType::get(accType.getShape(), accType.getElementType());
  // The accumulator's vector becomes a tensor below; casts stand between.
  Value acc = UnrealizedConversionCastOp::create(b, op.getLoc(), tensorType,
                                                 op.getAcc())
                  .getResult(0);
  auto mma =
      wgtile::MmaOp::create(b, op.getLoc(), tensorType, *lhs, *rhs, acc, rows);
  mma.setTransposeA(transposed->left);
  mma.setTransposeB(transposed->right);
  mma.setIeee(element.isF32() && !allowsTF32(op));
  Value result = mma.getResult();
  result = UnrealizedConversionCastOp::create(b, op.getLoc(), accType, result)
               .getResult(0);
  // Users first.
  Operation *replaced[] = {
      op.getLhs().getDefiningOp<arith::ExtFOp>(),
      op.getRhs().getDefiningOp<arith::ExtFOp>(),
      left.getDefiningOp<vector::TransferReadOp>(),
      other.getDefiningOp<vector::TransferReadOp>(),
  };
  op.replaceAllUsesWith(result);
  op.erase();
  for (Operation *producer : replaced)
    if (producer && producer->use_empty()) {
      loaded.erase(producer->getResult(0));
      producer->erase();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Indices of elements
//===----------------------------------------------------------------------===//

namespace {
/// index_cast (broadcast %x) -> broadcast (index_cast %x), and transposed: the
/// numbers along a tile are cast while they are a vector.
template <typename Op>
struct HoistIndexCast : OpRewritePattern<arith::IndexCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::IndexCastOp op,
                                PatternRewriter &rewriter) const override {
    auto source = op.getIn().getDefiningOp<Op>();
    auto type = dyn_cast<VectorType>(op.getType());
    if (!source || !type)
      return rewriter.notifyMatchFailure(op, "not of a vector that is spread");
    Type from = source->getOperand(0).getType();
    Type element = type.getElementType();
    if (auto vector = dyn_cast<VectorType>(from))
      element = vector.clone(element);
    Value cast = arith::IndexCastOp::create(rewriter, op.getLoc(), element,
                                            source->getOperand(0));
    Operation *spread = rewriter.clone(*source);
    rewriter.modifyOpInPlace(spread, [&] {
      spread->setOperand(0, cast);
      spread->getResult(0).setType(type);
    });
    rewriter.replaceOp(op, spread->getResults());
    if (source->use_empty())
      rewriter.eraseOp(source);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

namespace {
/// Converts vectors of one or two static dimensions to tensors.
struct TileTypeConverter : TypeConverter {
  TileTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](VectorType type) -> std::optional<Type> {
      if (type.getRank() < 1 || type.getRank() > 2 || type.isScalable())
        return std::nullopt;
      Type element = type.getElementType();
      if (element.isIndex()) // Registers have a width.
        element = IntegerType::get(type.getContext(), 64);
      return RankedTensorType::get(type.getShape(), element);
    });
    auto cast = [](OpBuilder &b, Type type, ValueRange inputs, Location loc) {
      return UnrealizedConversionCastOp::create(b, loc, type, inputs)
          .getResult(0);
    };
    addSourceMaterialization(cast);
    addTargetMaterialization(cast);
  }
};

struct ConstantLowering : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!dense || !type || !dense.isSplat())
      return rewriter.notifyMatchFailure(op, "not a splat of a tile");
    if (dense.getElementType().isIndex())
      dense = DenseElementsAttr::get(type, dense.getSplatValue<APInt>());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, dense.reshape(type));
    return success();
  }
};

/// Numbers in i64, as which index tiles are in registers.
static Value convertToI64(OpBuilder &b, Location loc, Value number) {
  Type i64 = b.getI64Type();
  auto tile = dyn_cast<RankedTensorType>(number.getType());
  Type type = tile ? Type(tile.clone(i64)) : i64;
  if (number.getType() == type)
    return number;
  if (getElementTypeOrSelf(number).isIndex())
    return arith::IndexCastOp::create(b, loc, type, number);
  return arith::ExtSIOp::create(b, loc, type, number);
}

/// Lowers a cast to index to a widening, and one from index to a narrowing or
/// to nothing.
struct IndexCastLowering : OpConversionPattern<arith::IndexCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::IndexCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type || !isa<VectorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of a tile");
    Value number = adaptor.getIn();
    int64_t from = getElementTypeOrSelf(number).getIntOrFloatBitWidth();
    int64_t to = type.getElementType().getIntOrFloatBitWidth();
    if (from < to)
      number = arith::ExtSIOp::create(rewriter, op.getLoc(), type, number);
    else if (from > to)
      number = arith::TruncIOp::create(rewriter, op.getLoc(), type, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};

/// Lowers elementwise ops to the same ops on tensors.
struct ElementwiseLowering : ConversionPattern {
  ElementwiseLowering(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "not an elementwise op");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "not on tiles");
    Operation *converted =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        types, op->getAttrs());
    rewriter.replaceOp(op, converted->getResults());
    return success();
  }
};

struct BroadcastLowering : OpConversionPattern<vector::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "not to a tile");
    auto source = dyn_cast<VectorType>(op.getSource().getType());
    if (!source) {
      Value scalar = adaptor.getSource();
      if (scalar.getType().isIndex())
        scalar = convertToI64(rewriter, op.getLoc(), scalar);
      rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, scalar, type);
      return success();
    }
    if (source.getRank() != 1 || type.getRank() != 2)
      return rewriter.notifyMatchFailure(op, "not of a vector to a tile");
    rewriter.replaceOpWithNewOp<wgtile::BroadcastOp>(
        op, type, adaptor.getSource(), rewriter.getI64IntegerAttr(1));
    return success();
  }
};

/// Lowers the transpose of a broadcast vector to a vector of rows.
struct TransposeLowering : OpConversionPattern<vector::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::TransposeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto broadcast = op.getVector().getDefiningOp<vector::BroadcastOp>();
    auto source =
        broadcast ? dyn_cast<VectorType>(broadcast.getSourceType()) : nullptr;
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!source || source.getRank() != 1 || !type || type.getRank() != 2 ||
        op.getPermutation() != ArrayRef<int64_t>{1, 0})
      return rewriter.notifyMatchFailure(op, "not of a vector to a tile");
    Value vector = rewriter.getRemappedValue(broadcast.getSource());
    if (!vector)
      return rewriter.notifyMatchFailure(op, "of what is not converted");
    rewriter.replaceOpWithNewOp<wgtile::BroadcastOp>(
        op, type, vector, rewriter.getI64IntegerAttr(0));
    return success();
  }
};

struct StepLowering : OpConversionPattern<vector::StepOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::StepOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a vector of static size");
    Value steps = wgtile::StepOp::create(rewriter, op.getLoc(),
                                         type.clone(rewriter.getI32Type()));
    rewriter.replaceOp(op, convertToI64(rewriter, op.getLoc(), steps));
    return success();
  }
};

struct ReductionLowering : OpConversionPattern<vector::MultiDimReductionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::MultiDimReductionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getDestType());
    std::optional<arith::AtomicRMWKind> kind;
    if (type)
      kind = convertKind(op.getKind(), getElementTypeOrSelf(type));
    int64_t rank = op.getSourceVectorType().getRank(),
            reduced = op.getReductionDims().size();
    bool isRowwise = rank == 2 && op.getReductionDims() == ArrayRef<int64_t>(1);
    if (!kind || rank > 2 || (!isRowwise && reduced != rank))
      return rewriter.notifyMatchFailure(
          op, "not a reduction of the rows of a tile or of all of it, of f32 "
              "or integers");
    auto source = cast<Tile>(adaptor.getSource());
    Value part =
        isRowwise
            ? reduce<wgtile::RowReduceOp>(rewriter, op, *kind, type, source)
            : reduce<wgtile::TileReduceOp>(rewriter, op, *kind, type, source);
    rewriter.replaceOp(op, arith::getReductionOp(*kind, rewriter, op.getLoc(),
                                                 adaptor.getAcc(), part));
    return success();
  }

private:
  using Tile = TypedValue<RankedTensorType>;

  /// Reduces a tile. The largest of widened elements is the largest of the
  /// narrow ones, widened: those of 16 bits are compared two at a time.
  template <typename OpTy>
  static Value reduce(ConversionPatternRewriter &rewriter,
                      vector::MultiDimReductionOp op, arith::AtomicRMWKind kind,
                      Type type, Tile source) {
    auto widened = op.getSource().getDefiningOp<arith::ExtFOp>();
    Tile narrow;
    if (widened && (kind == arith::AtomicRMWKind::maxnumf ||
                    kind == arith::AtomicRMWKind::minnumf))
      narrow =
          dyn_cast_or_null<Tile>(rewriter.getRemappedValue(widened.getIn()));
    if (!narrow || narrow.getType().getRank() != 2 ||
        narrow.getType().getElementTypeBitWidth() != 16)
      return OpTy::create(rewriter, op.getLoc(), type, kind, source);
    Type element = narrow.getType().getElementType();
    if (auto rows = dyn_cast<RankedTensorType>(type))
      element = rows.clone(element);
    Value part = OpTy::create(rewriter, op.getLoc(), element, kind, narrow);
    return arith::ExtFOp::create(rewriter, op.getLoc(), type, part);
  }
};

/// The value of elements past the end of the source; null if no element is, or
/// if it is zero.
static FailureOr<TypedAttr> findPadding(vector::TransferReadOp op,
                                        ArrayRef<bool> inBounds) {
  if (llvm::all_of(inBounds, [](bool isInBounds) { return isInBounds; }) ||
      op.getPadding().getDefiningOp<ub::PoisonOp>())
    return TypedAttr();
  Attribute padding;
  if (!matchPattern(op.getPadding(), m_Constant(&padding)) ||
      !isa<FloatAttr, IntegerAttr>(padding))
    return failure();
  auto typed = cast<TypedAttr>(padding);
  bool isZero = typed == Builder(op.getContext()).getZeroAttr(typed.getType());
  return isZero ? TypedAttr() : typed;
}

struct ReadLowering : OpConversionPattern<vector::TransferReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::TransferReadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type || op.getMask())
      return rewriter.notifyMatchFailure(op, "not an unmasked tile");
    // Dimensions of the tile that come from memory; the rest is broadcast.
    SmallVector<int64_t> dims, sizes;
    for (auto [dim, expr] :
         llvm::enumerate(op.getPermutationMap().getResults()))
      if (isa<AffineDimExpr>(expr)) {
        dims.push_back(dim);
        sizes.push_back(type.getDimSize(dim));
      }
    if (dims.empty())
      return rewriter.notifyMatchFailure(op, "reads a single element");
    FailureOr<GlobalWindow> window = resolveWindow(
        rewriter, cast<VectorTransferOpInterface>(op.getOperation()),
        WindowUse::Registers);
    if (failed(window))
      return failure();
    FailureOr<TypedAttr> padding = findPadding(op, window->inBounds);
    if (failed(padding))
      return rewriter.notifyMatchFailure(op, "padding that is no constant");
    auto readType = RankedTensorType::get(sizes, type.getElementType());
    Value tile = wgtile::ReadOp::create(
        rewriter, op.getLoc(), readType, window->memref, window->indices,
        rewriter.getDenseBoolArrayAttr(window->inBounds),
        /*aligned=*/UnitAttr(),
        window->isTransposed ? rewriter.getUnitAttr() : UnitAttr(), *padding);
    if (readType != type)
      tile = wgtile::BroadcastOp::create(rewriter, op.getLoc(), type, tile,
                                         rewriter.getI64IntegerAttr(dims[0]));
    rewriter.replaceOp(op, tile);
    return success();
  }
};

/// Whether a vector has the extent of a dimension of a memref in each element.
static bool isExtent(Value vector, Value memref, int64_t dim) {
  int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size)) {
    DenseElementsAttr constant;
    return matchPattern(vector, m_Constant(&constant)) && constant.isSplat() &&
           constant.getSplatValue<APInt>().getSExtValue() == size;
  }
  auto splat = vector.getDefiningOp<vector::BroadcastOp>();
  auto extent = splat ? splat.getSource().getDefiningOp<memref::DimOp>()
                      : memref::DimOp();
  return extent && extent.getSource() == memref &&
         extent.getConstantIndex() == dim;
}

/// The factor x and the term y of x * extent + y, as an access by indices is
/// vectorized, or null.
static std::pair<Value, Value> splitSum(Value number, Value memref,
                                        int64_t dim) {
  auto sum = number.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return {};
  for (auto [product, term] : {std::pair(sum.getLhs(), sum.getRhs()),
                               std::pair(sum.getRhs(), sum.getLhs())}) {
    auto mul = product.getDefiningOp<arith::MulIOp>();
    if (!mul)
      continue;
    if (isExtent(mul.getRhs(), memref, dim))
      return {mul.getLhs(), term};
    if (isExtent(mul.getLhs(), memref, dim))
      return {mul.getRhs(), term};
  }
  return {};
}

/// Splits numbers of elements in a memref into one tile of indices for each
/// dimension. Divides only where the sum that a number was computed by is not
/// known: three divisions of 64 bits for each element of a tile take most of a
/// kernel's time and registers.
static SmallVector<Value> splitNumbers(ConversionPatternRewriter &rewriter,
                                       Location loc, Value numbers,
                                       Value memref) {
  ImplicitLocOpBuilder b(loc, rewriter);
  ArrayRef<int64_t> shape = cast<MemRefType>(memref.getType()).getShape();
  int64_t rank = shape.size();
  auto convert = [&](Value vector) {
    return convertToI64(b, loc, rewriter.getRemappedValue(vector));
  };
  SmallVector<Value> indices(rank);
  int64_t dim = rank - 1;
  for (; dim > 0; --dim) {
    auto [factor, term] = splitSum(numbers, memref, dim);
    if (!factor)
      break;
    indices[dim] = convert(term);
    numbers = factor;
  }
  Value number = convert(numbers);
  auto type = cast<RankedTensorType>(number.getType());
  for (; dim > 0; --dim) {
    // Nothing is left for dimensions of 1.
    if (llvm::all_of(shape.take_front(dim),
                     [](int64_t size) { return size == 1; })) {
      Value zero = arith::ConstantOp::create(
          b, DenseElementsAttr::get(type, b.getI64IntegerAttr(0).getValue()));
      std::fill_n(indices.begin(), dim, zero);
      indices[dim] = number;
      return indices;
    }
    Value extent =
        convertToI64(b, b.getLoc(), memref::DimOp::create(b, memref, dim));
    extent = tensor::SplatOp::create(b, extent, type);
    indices[dim] = arith::RemUIOp::create(b, number, extent);
    number = arith::DivUIOp::create(b, number, extent);
  }
  indices[0] = number;
  return indices;
}

/// Whether an op accesses all of a memref by numbers of its elements.
template <typename Op> static bool isOfWholeMemRef(Op op) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  return type && type.getRank() != 0 &&
         llvm::all_of(op.getOffsets(), isZeroInteger);
}

struct GatherLowering : OpConversionPattern<vector::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type || !isOfWholeMemRef(op) || !matchPattern(op.getMask(), m_One()))
      return rewriter.notifyMatchFailure(op, "not all of a memref");
    rewriter.replaceOpWithNewOp<wgtile::GatherOp>(
        op, type, op.getBase(),
        splitNumbers(rewriter, op.getLoc(), op.getIndices(), op.getBase()));
    return success();
  }
};

struct ScatterLowering : OpConversionPattern<vector::ScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(adaptor.getValueToStore().getType()) ||
        !isOfWholeMemRef(op))
      return rewriter.notifyMatchFailure(op, "not a tile to a memref");
    rewriter.replaceOpWithNewOp<wgtile::ScatterOp>(
        op, adaptor.getValueToStore(), op.getBase(),
        splitNumbers(rewriter, op.getLoc(), op.getIndices(), op.getBase()),
        adaptor.getMask());
    return success();
  }
};

struct WriteLowering : OpConversionPattern<vector::TransferWriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(vector::TransferWriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getMask())
      return rewriter.notifyMatchFailure(op, "not an unmasked tile");
    FailureOr<GlobalWindow> window = resolveWindow(
        rewriter, cast<VectorTransferOpInterface>(op.getOperation()),
        WindowUse::Registers);
    if (failed(window))
      return failure();
    rewriter.replaceOpWithNewOp<wgtile::StoreOp>(
        op, adaptor.getValueToStore(), window->memref, window->indices,
        rewriter.getDenseBoolArrayAttr(window->inBounds),
        /*aligned=*/UnitAttr(),
        window->isTransposed ? rewriter.getUnitAttr() : UnitAttr());
    return success();
  }
};

struct ConvertVectorToWGTilePass
    : public sattn::impl::ConvertVectorToWGTileBase<ConvertVectorToWGTilePass> {
  void runOnOperation() override {
    SmallVector<vector::ContractionOp> contracts;
    getOperation().walk(
        [&](vector::ContractionOp op) { contracts.push_back(op); });
    LoadedTiles loaded;
    for (vector::ContractionOp op : contracts)
      if (failed(convertContract(op, loaded)))
        return signalPassFailure();

    SmallVector<vector::ScanOp> scans;
    getOperation().walk([&](vector::ScanOp op) { scans.push_back(op); });
    for (vector::ScanOp op : scans)
      if (failed(convertScan(op)))
        return signalPassFailure();

    if (failed(hoistIndexCasts()))
      return signalPassFailure();

    TileTypeConverter converter;
    ConversionTarget target(getContext());
    RewritePatternSet patterns(&getContext());
    target.addIllegalDialect<vector::VectorDialect>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    target.addLegalOp<UnrealizedConversionCastOp>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    patterns
        .add<BroadcastLowering, ConstantLowering, ElementwiseLowering,
             GatherLowering, ReadLowering, ReductionLowering, ScatterLowering,
             StepLowering, TransposeLowering, WriteLowering>(converter,
                                                             &getContext());
    patterns.add<IndexCastLowering>(converter, &getContext(),
                                    PatternBenefit(2));
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();

    getOperation().walk([](Operation *op) {
      op->removeAttr(kTF32AttrName);
      if (Attribute attr = op->removeAttr(sattn::kBlockLoopAttrName))
        op->setAttr(wgtile::kBlockLoopAttrName, attr);
    });
    reconcileCasts();
  }

private:
  LogicalResult hoistIndexCasts() {
    SmallVector<Operation *> casts;
    getOperation().walk([&](arith::IndexCastOp op) { casts.push_back(op); });
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistIndexCast<vector::BroadcastOp>,
                 HoistIndexCast<vector::TransposeOp>>(&getContext());
    return applyOpPatternsGreedily(
        casts, std::move(patterns),
        GreedyRewriteConfig().enableFolding(false).setStrictness(
            GreedyRewriteStrictness::ExistingAndNewOps));
  }

  /// Erases vector -> tensor casts of tensor -> vector casts.
  void reconcileCasts() {
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp op) { casts.push_back(op); });
    reconcileUnrealizedCasts(casts);
  }
};
} // namespace
