//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

FailureOr<Value>
sattn::loopOverBand(RewriterBase &rewriter, Location loc, Value strip,
                    RowBand band,
                    function_ref<FailureOr<Value>(Value, Value)> makeTile) {
  OpBuilder::InsertionGuard guard(rewriter);
  OpFoldResult columns = tensor::getMixedSize(rewriter, loc, strip, 1);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto tiles =
      scf::ForOp::create(rewriter, loc, constant(band.begin),
                         constant(band.end), constant(band.rows), strip);
  rewriter.setInsertionPointToStart(tiles.getBody());
  Value row = tiles.getInductionVar(), whole = tiles.getRegionIterArg(0);
  SmallVector<OpFoldResult> place = {row, rewriter.getIndexAttr(0)},
                            extent = {rewriter.getIndexAttr(band.rows),
                                      columns},
                            ones(2, rewriter.getIndexAttr(1));
  Value tile =
      tensor::ExtractSliceOp::create(rewriter, loc, whole, place, extent, ones);
  FailureOr<Value> made = makeTile(row, tile);
  if (failed(made))
    return failure();
  Value result = tensor::InsertSliceOp::create(rewriter, loc, *made, whole,
                                               place, extent, ones);
  scf::YieldOp::create(rewriter, loc, result);
  return tiles.getResult(0);
}
