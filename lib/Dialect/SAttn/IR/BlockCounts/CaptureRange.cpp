//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaptureRange.h"

#include "TileSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::block_counts;

mask::Interval block_counts::findCaptureRange(TileOpBuilder &b, Value capture,
                                              ArrayRef<Value> lastIndices,
                                              ValueRange lead,
                                              const mask::Interval &positions) {
  auto asIndex = [&](Value position) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), position);
  };
  auto clamp = [&](Value position, Value last) -> Value {
    position = arith::MinSIOp::create(b, position, last);
    return arith::MaxSIOp::create(b, position, b.index(0));
  };
  SmallVector<Value> indices;
  for (auto [place, end] : llvm::zip(lead, lastIndices))
    indices.push_back(clamp(place, end));
  Value first = asIndex(positions.lower), last = asIndex(positions.upper);
  Value lastRead = b.asI32(clamp(last, lastIndices.back()));
  Type type = getElementTypeOrSelf(capture);
  if (type.getIntOrFloatBitWidth() < 32)
    type = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  int64_t lowest = APInt::getSignedMinValue(bits).getSExtValue(),
          highest = APInt::getSignedMaxValue(bits).getSExtValue();
  Value end = arith::AddIOp::create(b, last, b.index(1));
  auto loop =
      scf::ForOp::create(b, first, end, b.index(kTileBlocks),
                         ValueRange{b.fill(b.integer(type, highest), kShape),
                                    b.fill(b.integer(type, lowest), kShape)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value places = b.number(b.asI32(loop.getInductionVar()), kShape);
    Value elements = b.map(
        places, kShape, type,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          // Positions after the last one read the last one again.
          Value position = arith::MinUIOp::create(inner, args[0], lastRead);
          SmallVector<Value> own(indices);
          own.push_back(arith::IndexCastOp::create(inner, inner.getIndexType(),
                                                   position));
          Value element = tensor::ExtractOp::create(inner, capture, own);
          if (element.getType() != type)
            element = arith::ExtSIOp::create(inner, type, element);
          return element;
        });
    Value least =
        b.map(elements, loop.getRegionIterArg(0),
              [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                return arith::MinSIOp::create(inner, args[0], args[1]);
              });
    Value greatest =
        b.map(elements, loop.getRegionIterArg(1),
              [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                return arith::MaxSIOp::create(inner, args[0], args[1]);
              });
    scf::YieldOp::create(b, ValueRange{least, greatest});
  }
  auto asWide = [&](Value value) -> Value {
    if (type.isInteger(64))
      return value;
    return arith::ExtSIOp::create(b, b.getI64Type(), value);
  };
  return {asWide(b.reduce<arith::MinSIOp>(loop.getResult(0), highest)),
          asWide(b.reduce<arith::MaxSIOp>(loop.getResult(1), lowest))};
}
