//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

LogicalResult sattn::verifyCaptures(Operation *op, OperandRange captures) {
  for (auto [number, capture] : llvm::enumerate(captures)) {
    Type type = getElementTypeOrSelf(capture.getType());
    bool isTensor = isa<RankedTensorType>(capture.getType());
    if ((!isTensor && capture.getType() != type) ||
        !(type.isF16() || type.isBF16() || type.isF32() ||
          type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
          type.isSignlessInteger(64)))
      return op->emitOpError()
             << "expected capture " << number
             << " to be a number or tensor of f16, bf16, f32, i8, i32 or i64, "
                "but got "
             << capture.getType();
  }
  return success();
}

LogicalResult sattn::verifyElementFunction(Operation *op, StringRef name,
                                           Region &region, TypeRange captures,
                                           bool isScore) {
  if (region.empty())
    return success();
  Builder b(op->getContext());
  Type i32 = b.getI32Type();
  SmallVector<Type> types(4, i32);
  if (isScore)
    types.insert(types.begin(), b.getF32Type());
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
      Type expected = isScore ? Type(b.getF32Type()) : b.getI1Type();
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

Value sattn::readCapture(OpBuilder &b, Location loc, Value tensor,
                         ValueRange indices) {
  SmallVector<Value> clamped;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value size = getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, tensor, dim));
    Value last = b.createOrFold<arith::SubIOp>(
        loc, size, arith::ConstantIndexOp::create(b, loc, 1));
    Value most = b.createOrFold<arith::MinSIOp>(loc, index, last);
    clamped.push_back(b.createOrFold<arith::MaxSIOp>(loc, most, zero));
  }
  return tensor::ExtractOp::create(b, loc, tensor, clamped);
}
