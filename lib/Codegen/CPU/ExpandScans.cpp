//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUEXPANDSCANS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// The tile that a vector is, and is read of or written to.
static Value getTile(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (auto read = vector.getDefiningOp<vector::TransferReadOp>())
    if (auto tile = dyn_cast<RankedTensorType>(read.getBase().getType());
        tile && tile.getShape() == type.getShape() && !read.getMask() &&
        read.getPermutationMap().isIdentity() &&
        llvm::all_of(read.getIndices(), isZeroInteger))
      return read.getBase();
  // In memory an element of i1 has a byte, but one of a vector a bit.
  Type element = type.getElementType();
  if (element.isInteger(1)) {
    element = b.getI8Type();
    vector = arith::ExtUIOp::create(b, type.clone(element), vector);
  }
  Value tile = tensor::EmptyOp::create(b, type.getShape(), element);
  SmallVector<Value> zeros(type.getRank(),
                           arith::ConstantIndexOp::create(b, 0));
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferWriteOp::create(b, vector, tile, zeros, inBounds)
      .getResult();
}

/// A loop over all places of a shape, in row-major order, that carries values.
static SmallVector<Value> forEachPlace(
    ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, ValueRange values,
    function_ref<SmallVector<Value>(ValueRange places, ValueRange)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> lower(shape.size(), zero), steps(shape.size(), one), upper;
  for (int64_t size : shape)
    upper.push_back(arith::ConstantIndexOp::create(b, size));
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, values,
      [&](OpBuilder &, Location, ValueRange, ValueRange carried) {
        return scf::ValueVector(carried.begin(), carried.end());
      });
  scf::ForOp inner = nest.loops.back();
  SmallVector<Value> places;
  for (scf::ForOp loop : nest.loops)
    places.push_back(loop.getInductionVar());
  OpBuilder::InsertionGuard guard(b);
  Operation *yield = inner.getBody()->getTerminator();
  b.setInsertionPoint(yield);
  yield->setOperands(body(places, inner.getRegionIterArgs()));
  return nest.results;
}

/// Expands a scan: each element is combined with those before it, one after
/// another.
static LogicalResult expand(vector::ScanOp op) {
  VectorType type = op.getSourceType();
  if (type.getRank() != 1 || type.isScalable())
    return op.emitOpError("expected a scan of a vector of one dimension and "
                          "static size");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value source = op.getSource();
  // A tile's rows stay rows.
  if (auto cast = source.getDefiningOp<vector::ShapeCastOp>())
    source = cast.getSource();
  Value tile = getTile(b, source);
  auto tileType = cast<RankedTensorType>(tile.getType());
  Value result = tensor::EmptyOp::create(b, tileType.getShape(),
                                         tileType.getElementType());
  Value initial = vector::ExtractOp::create(b, op.getInitialValue());
  SmallVector<Value> results = forEachPlace(
      b, tileType.getShape(), {result, initial},
      [&](ValueRange places, ValueRange values) -> SmallVector<Value> {
        Value element = tensor::ExtractOp::create(b, tile, places);
        Value combined = vector::makeArithReduction(b, b.getLoc(), op.getKind(),
                                                    values[1], element);
        Value own = op.getInclusive() ? combined : values[1];
        return {tensor::InsertOp::create(b, own, values[0], places), combined};
      });
  SmallVector<Value> zeros(tileType.getRank(),
                           arith::ConstantIndexOp::create(b, 0));
  SmallVector<bool> inBounds(tileType.getRank(), true);
  Value padding =
      arith::ConstantOp::create(b, b.getZeroAttr(tileType.getElementType()));
  Value vector = vector::TransferReadOp::create(
      b, VectorType::get(tileType.getShape(), tileType.getElementType()),
      results[0], zeros, padding, inBounds);
  vector = vector::ShapeCastOp::create(b, type, vector);
  Value last =
      op.getInclusive()
          ? vector::BroadcastOp::create(b, op.getInitialValueType(), results[1])
                .getResult()
          : Value();
  if (!last && !op.getAccumulatedValue().use_empty())
    return op.emitOpError("expected an inclusive scan, or an accumulated value "
                          "without uses");
  op.getDest().replaceAllUsesWith(vector);
  if (last)
    op.getAccumulatedValue().replaceAllUsesWith(last);
  op.erase();
  return success();
}

/// Expands a scatter: elements are stored one after another.
static LogicalResult expand(vector::ScatterOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getBase().getType());
  if (!type || op.getVectorType().isScalable() ||
      !llvm::all_of(type.getShape().drop_back(),
                    [](int64_t size) { return size == 1; }))
    return op.emitOpError("expected a scatter of a vector of static size to a "
                          "tensor whose dimensions but the last are 1");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value values = getTile(b, op.getValueToStore()),
        indices = getTile(b, op.getIndices()), mask = getTile(b, op.getMask());
  Type element = cast<RankedTensorType>(mask.getType()).getElementType();
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Value result =
      forEachPlace(
          b, op.getVectorType().getShape(), op.getBase(),
          [&](ValueRange places, ValueRange carried) -> SmallVector<Value> {
            Value isStored = arith::CmpIOp::create(
                b, arith::CmpIPredicate::ne,
                tensor::ExtractOp::create(b, mask, places), none);
            auto branch =
                scf::IfOp::create(b, carried.getTypes(), isStored,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(branch.thenBlock());
            Value index = tensor::ExtractOp::create(b, indices, places);
            index = arith::IndexCastOp::create(b, b.getIndexType(), index);
            SmallVector<Value> at(op.getOffsets());
            at.back() = arith::AddIOp::create(b, at.back(), index);
            Value value = tensor::ExtractOp::create(b, values, places);
            Value stored =
                tensor::InsertOp::create(b, value, carried.front(), at);
            scf::YieldOp::create(b, stored);
            b.setInsertionPointToStart(branch.elseBlock());
            scf::YieldOp::create(b, carried);
            return branch.getResults();
          })
          .front();
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}

namespace {
struct CPUExpandScansPass
    : public sattn::impl::SAttnCPUExpandScansBase<CPUExpandScansPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<vector::ScanOp, vector::ScatterOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto scan = dyn_cast<vector::ScanOp>(op);
      if (failed(scan ? expand(scan) : expand(cast<vector::ScatterOp>(op))))
        return signalPassFailure();
    }
  }
};
} // namespace
