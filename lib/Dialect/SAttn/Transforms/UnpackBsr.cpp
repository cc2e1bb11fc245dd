//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNUNPACKBSR
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

static bool hasEncoded(TypeRange types) {
  return llvm::any_of(types, isSparseEncoded);
}

/// Offsets of all batches, (B x R + 1), as offsets of each, (B, R + 1): the
/// last of a batch is the first of the next. Not a gather in memory: reads of
/// single offsets fold into it (sattn-tile).
static Value unstackOffsets(OpBuilder &b, Location loc, Value offsets,
                            ArrayRef<int64_t> batch) {
  auto type = cast<RankedTensorType>(offsets.getType());
  int64_t numBatches = llvm::product_of(batch);
  AffineExpr s0 = b.getAffineSymbolExpr(0), d0 = b.getAffineDimExpr(0),
             d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
  };
  OpFoldResult rows = apply((s0 - 1).floorDiv(std::max<int64_t>(numBatches, 1)),
                            {tensor::getMixedSize(b, loc, offsets, 0)});
  OpFoldResult entries = apply(s0 + 1, {rows});
  SmallVector<int64_t> shape(batch);
  SmallVector<Value> sizes;
  shape.push_back(getConstantIntValue(entries).value_or(ShapedType::kDynamic));
  if (ShapedType::isDynamic(shape.back()))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, entries));
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), sizes,
      [&](OpBuilder &b, Location loc, ValueRange indices) {
        OpFoldResult position = b.getIndexAttr(0);
        for (auto [index, size] : llvm::zip(indices.drop_back(), batch))
          position = affine::makeComposedFoldedAffineApply(
              b, loc, d0 * size + d1, {position, OpFoldResult(index)});
        position = affine::makeComposedFoldedAffineApply(
            b, loc, d0 * s0 + d1,
            {position, OpFoldResult(indices.back()), rows});
        Value entry = tensor::ExtractOp::create(
            b, loc, offsets, getValueOrCreateConstantIndexOp(b, loc, position));
        tensor::YieldOp::create(b, loc, entry);
      });
}

namespace {
/// Unpacks an op's operands in an encoding into the tensors that store them. A
/// result in an encoding has the offsets and columns of the operand that it is
/// tied to.
struct UnpackOperands : OpInterfaceConversionPattern<StorageOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(StorageOpInterface op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto unpacked = cast<StorageOpInterface>(rewriter.clone(*op));
    for (auto [i, operand] : llvm::enumerate(op.getSparseOperands()))
      if (operand.isEncoded())
        unpack(unpacked, i, operand.values,
               getParts(op, operand.values, operands), rewriter);
    SmallVector<SmallVector<Value>> results;
    for (auto [result, part] :
         llvm::zip_equal(op->getResults(), unpacked->getResults())) {
      results.push_back({part});
      if (!isSparseEncoded(result.getType()))
        continue;
      Value init = cast<DestinationStyleOpInterface>(*op)
                       .getTiedOpOperand(result)
                       ->get();
      ValueRange parts = getParts(op, init, operands);
      results.back() = {parts[0], parts[1], part};
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  static ValueRange getParts(Operation *op, Value encoded,
                             ArrayRef<ValueRange> operands) {
    return operands[std::distance(op->operand_begin(),
                                  llvm::find(op->getOperands(), encoded))];
  }

  static void unpack(StorageOpInterface op, unsigned index, Value encoded,
                     ValueRange parts, ConversionPatternRewriter &b) {
    auto type = cast<RankedTensorType>(encoded.getType());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    Value crow = parts[0];
    if (getBsrStorage(type)->isStacked)
      crow = unstackOffsets(b, op.getLoc(), crow, type.getShape().drop_back(2));
    b.modifyOpInPlace(op,
                      [&] { op.setStorage(index, crow, parts[1], parts[2]); });
  }
};

/// Unpacks a select into one for each part.
struct UnpackSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [a, b] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), llvm::getSingleElement(adaptor.getCondition()),
          a, b));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// Unpacks a cast, where sizes become known or unknown, into one for each part.
struct UnpackCast : OpConversionPattern<tensor::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::CastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "result has no parts");
    SmallVector<Value> parts;
    for (auto [part, type] : llvm::zip_equal(adaptor.getSource(), types))
      parts.push_back(
          part.getType() == type
              ? part
              : tensor::CastOp::create(rewriter, op.getLoc(), type, part));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct UnpackBsrPass : public sattn::impl::SAttnUnpackBsrBase<UnpackBsrPass> {
  void runOnOperation() override {
    if (failed(checkEncoded()))
      return signalPassFailure();
    spreadAttributes();
    if (failed(convert()))
      return signalPassFailure();
  }

private:
  /// Refuses encoded tensors that would be left.
  LogicalResult checkEncoded() {
    bool isRefused = false;
    getOperation().walk([&](Operation *op) {
      SmallVector<Type> types(op->getOperandTypes());
      llvm::append_range(types, op->getResultTypes());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(types, block.getArgumentTypes());
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        llvm::append_range(types, function.getArgumentTypes());
        llvm::append_range(types, function.getResultTypes());
      }
      auto encoded = llvm::find_if(types, isSparseEncoded);
      if (encoded == types.end())
        return;
      std::string reason;
      for (Type type : types) {
        if (isSparseEncoded(type) &&
            failed(getBsrStorage(cast<RankedTensorType>(type), &reason))) {
          op->emitOpError() << "expected encoded tensors to be matrices of "
                               "blocks: "
                            << reason << ", in " << type;
          isRefused = true;
          return;
        }
      }
      bool isSupported =
          isa<func::FuncOp, func::CallOp, func::ReturnOp, scf::IfOp, scf::ForOp,
              scf::WhileOp, scf::ConditionOp, scf::YieldOp, StorageOpInterface,
              arith::SelectOp>(op) ||
          (isa<tensor::CastOp>(op) &&
           isSameEncoding(op->getOperand(0).getType(),
                          op->getResult(0).getType()));
      if (auto yield = dyn_cast<scf::YieldOp>(op))
        isSupported = !isa<scf::IndexSwitchOp>(yield->getParentOp());
      if (auto function = dyn_cast<func::FuncOp>(op))
        isSupported = function.isExternal() || function.getBody().hasOneBlock();
      if (!isSupported) {
        op->emitOpError()
            << "expected no encoded tensor, since sattn-unpack-bsr cannot "
               "unpack it here and bufferization would make it dense, but got "
            << *encoded;
        isRefused = true;
      }
    });
    return success(!isRefused);
  }

  static bool isSameEncoding(Type a, Type b) {
    return cast<RankedTensorType>(a).getEncoding() ==
           cast<RankedTensorType>(b).getEncoding();
  }

  /// Moves attributes of arguments and results, which upstream's conversion of
  /// signatures leaves at their old places. Attributes of an encoded tensor
  /// (bufferization.writable, llvm.noalias) hold for each of its parts.
  void spreadAttributes() {
    getOperation().walk([](func::FuncOp function) {
      auto spread = [](ArrayAttr attrs, TypeRange types) {
        SmallVector<Attribute> result;
        for (auto [attr, type] : llvm::zip_equal(attrs, types))
          result.append(isSparseEncoded(type) ? 3 : 1, attr);
        return ArrayAttr::get(attrs.getContext(), result);
      };
      if (ArrayAttr attrs = function.getArgAttrsAttr())
        function.setArgAttrsAttr(spread(attrs, function.getArgumentTypes()));
      if (ArrayAttr attrs = function.getResAttrsAttr())
        function.setResAttrsAttr(spread(attrs, function.getResultTypes()));
    });
  }

  LogicalResult convert() {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(
        [](RankedTensorType type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          if (!isSparseEncoded(type))
            return std::nullopt;
          FailureOr<BsrStorage> storage = getBsrStorage(type);
          if (failed(storage))
            return failure();
          parts.append({storage->crow, storage->col, storage->values});
          return success();
        });

    ConversionTarget target(*context);
    RewritePatternSet patterns(context);
    patterns.add<UnpackOperands, UnpackSelect, UnpackCast>(converter, context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addDynamicallyLegalOp<func::FuncOp>([](func::FuncOp op) {
      return !hasEncoded(op.getArgumentTypes()) &&
             !hasEncoded(op.getResultTypes());
    });
    target.markUnknownOpDynamicallyLegal([](Operation *op) {
      return !hasEncoded(op->getOperandTypes()) &&
             !hasEncoded(op->getResultTypes());
    });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
