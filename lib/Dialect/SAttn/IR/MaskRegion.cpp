//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.cpp.inc"

LogicalResult YieldOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (parent && parent->getDialect() != (*this)->getDialect()) // (C1)
    return emitOpError() << "expected to end a region of an op of '"
                         << SAttnDialect::getDialectNamespace()
                         << "', but got one of '" << parent->getName() << "'";
  return success();
}

LogicalResult sattn::verifyCaptures(Operation *op, OperandRange captures) {
  for (auto [number, capture] : llvm::enumerate(captures)) {
    Type type = getElementTypeOrSelf(capture.getType());
    bool isTensor = isa<RankedTensorType>(capture.getType());
    if ((!isTensor && capture.getType() != type) ||
        !(type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
          type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
          type.isSignlessInteger(64)))
      return op->emitOpError() << "expected capture " << number
                               << " to be a number or tensor of f16, bf16, "
                                  "f32, f64, i8, i32 or i64, "
                                  "but got "
                               << capture.getType();
  }
  return success();
}

LogicalResult sattn::verifyElementFunction(Operation *op, StringRef name,
                                           Region &region, TypeRange captures,
                                           Type score) {
  if (region.empty())
    return success();
  Builder b(op->getContext());
  Type i32 = b.getI32Type();
  SmallVector<Type> types(4, i32);
  if (score)
    types.insert(types.begin(), score);
  llvm::append_range(types, captures);
  Block &block = region.front();
  if (block.getArgumentTypes() != ArrayRef(types))
    return op->emitOpError()
           << "expected arguments of '" << name << "' of types (" << types
           << "), but got (" << block.getArgumentTypes() << ")";
  if (block.empty() || !isa<YieldOp>(block.back()))
    return op->emitOpError()
           << "expected '" << name << "' to end with 'sattn.yield'";
  for (Operation &inner : block) {
    if (auto yield = dyn_cast<YieldOp>(inner)) {
      Type expected = score ? score : b.getI1Type();
      if (yield.getValue().getType() != expected)
        return yield.emitOpError()
               << "expected a value of type " << expected << " of '" << name
               << "', but got " << yield.getValue().getType();
      continue;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      if (isa<BlockArgument>(extract.getTensor()))
        continue;
      return extract.emitOpError()
             << "expected to read a captured tensor in '" << name << "'";
    }
    bool isScalar = llvm::all_of(inner.getResultTypes(), [](Type type) {
      return type.isIntOrIndexOrFloat();
    });
    if (!isScalar || (!inner.hasTrait<OpTrait::ConstantLike>() &&
                      !OpTrait::hasElementwiseMappableTraits(&inner)))
      return inner.emitOpError()
             << "expected constants, elementwise ops on scalars and reads of "
                "captured tensors in '"
             << name << "'";
  }
  return success();
}

void sattn::constrainCaptures(ExtentConstraints &constraints,
                              ValueRange captures) {
  AffineExpr one = constraints.getConstant(1);
  for (Value capture : captures)
    if (auto type = dyn_cast<RankedTensorType>(capture.getType()))
      for (int64_t i = 0; i < type.getRank(); ++i)
        constraints.requireAtLeast(constraints.getExtent(capture, i), one);
}

SmallVector<Value> sattn::findArguments(ValueRange captures) {
  return llvm::filter_to_vector(captures, [](Value capture) {
    return isa<BlockArgument>(capture) &&
           isa<RankedTensorType>(capture.getType());
  });
}

LogicalResult sattn::addCaptures(Contract &contract, ValueRange captures) {
  static constexpr StringRef types[] = {"i8",  "i32",  "i64", "f16",
                                        "f32", "bf16", "f64"};
  for (auto [number, capture] : llvm::enumerate(captures))
    if (auto type = dyn_cast<RankedTensorType>(capture.getType()))
      if (isa<BlockArgument>(capture) &&
          failed(contract.addTensor("capture_" + std::to_string(number),
                                    capture, type.getRank(), types)))
        return failure();
  return success();
}

void sattn::requireElements(Contract &contract, ValueRange captures) {
  for (Value capture : findArguments(captures))
    for (int64_t i = 0; i < cast<RankedTensorType>(capture.getType()).getRank();
         ++i)
      contract.requireAtLeast(contract.getExtent(capture, i),
                              "element in each dimension", 1);
}

SmallVector<Value> sattn::findLastIndices(OpBuilder &b, Location loc,
                                          Value tensor) {
  SmallVector<Value> last;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, tensor))
    last.push_back(b.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(b, loc, size), one));
  return last;
}

Value sattn::readCapture(OpBuilder &b, Location loc, Value tensor,
                         ValueRange indices, ValueRange last) {
  SmallVector<Value> clamped;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [index, end] : llvm::zip_equal(indices, last)) {
    Value most = b.createOrFold<arith::MinSIOp>(loc, index, end);
    clamped.push_back(b.createOrFold<arith::MaxSIOp>(loc, most, zero));
  }
  return tensor::ExtractOp::create(b, loc, tensor, clamped);
}
