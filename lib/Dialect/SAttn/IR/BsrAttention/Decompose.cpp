//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// sattn.bsr_attention as the ops that it fuses: a sampled product, a softmax
// and a product at the blocks of the mask. Scores and weights are in memory, in
// f32 or f64 up to the softmax.

#include "../Dropout.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;

/// Bits of the number of a block row.
static constexpr int kRowBits = 31;

namespace {
class Decomposition {
public:
  Decomposition(OpBuilder &builder, BsrAttentionOp op)
      : b(op.getLoc(), builder), op(op),
        element(op.getQ().getType().getElementType()),
        wide(op.getScale().getType()) {
    sizes = tensor::getMixedSizes(b, b.getLoc(), op.getOut());
    sizes.resize(op.getBatchRank());
    sizes.append({sizeOf(op.getCol(), -1), b.getIndexAttr(op.getBlockRows()),
                  b.getIndexAttr(op.getBlockColumns())});
  }

  Value build();

private:
  using Tensor = TypedValue<RankedTensorType>;

  ImplicitLocOpBuilder b;
  BsrAttentionOp op;
  /// Element types: of the operands, and of scores and weights before they are
  /// multiplied.
  Type element, wide;
  /// Sizes of scores and weights: those of the batches, then those of the
  /// stored blocks.
  SmallVector<OpFoldResult> sizes;

  OpFoldResult sizeOf(Tensor tensor, int64_t dim) {
    return tensor::getMixedSize(b, b.getLoc(), tensor,
                                tensor.getType().getRank() + dim);
  }
  Value empty(Type type) { return tensor::EmptyOp::create(b, sizes, type); }
  Value constant(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(wide, value));
  }
  Value withBatches(Tensor list);
  Value findRows();
  Value readInBatch(ImplicitLocOpBuilder &inner, Value list,
                    ArrayRef<Value> extents);
  Value finishWeights(Value weights);
};
} // namespace

Value Decomposition::build() {
  Value one = constant(1), zero = constant(0);
  Value blocks = empty(wide);
  Value scores = SampledAddmmOp::create(
      b, blocks.getType(), op.getScale(), zero, op.getCrow(), op.getCol(),
      op.getQ(), op.getK(), /*input=*/Value(), /*origin=*/ValueRange(), blocks,
      /*meta=*/MetaAttr(), /*block_size=*/DenseI64ArrayAttr(),
      op.getPrecisionAttr(), /*transpose_mat1=*/UnitAttr(),
      /*transpose_mat2=*/b.getUnitAttr());
  Value weights =
      BsrSoftmaxOp::create(b, blocks.getType(), op.getCrow(), op.getCol(),
                           scores, empty(wide), /*meta=*/MetaAttr());
  weights = finishWeights(weights);
  auto product = BsrAddmmOp::create(b, one, zero, withBatches(op.getCrow()),
                                    withBatches(op.getCol()), weights,
                                    op.getV(), op.getOut());
  product.setPrecisionAttr(op.getPrecisionAttr());
  return product.getResult();
}

/// The list with as many dimensions as the weights have for their batches: the
/// parts of a stored matrix have equal ranks.
Value Decomposition::withBatches(Tensor list) {
  RankedTensorType type = list.getType();
  int64_t missing = op.getBatchRank() + 1 - type.getRank();
  if (missing == 0)
    return list;
  SmallVector<int64_t> shape(missing, 1);
  llvm::append_range(shape, type.getShape());
  SmallVector<OpFoldResult> extents(missing, b.getIndexAttr(1));
  llvm::append_range(extents, tensor::getMixedSizes(b, b.getLoc(), list));
  SmallVector<ReassociationIndices> groups(type.getRank());
  for (int64_t dim = 0; dim < missing; ++dim)
    groups.front().push_back(dim);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups[dim].push_back(missing + dim);
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), list, groups,
      extents);
}

/// The block row of each stored block: the last row that does not begin after
/// it, found by binary search.
Value Decomposition::findRows() {
  RankedTensorType type = op.getCrow().getType();
  int64_t rank = type.getRank(), entries = type.getShape().back();
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(b, b.getLoc(), op.getCrow());
  Value last = getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), b.getAffineDimExpr(0) - 1, {shape.back()}));
  shape.back() = sizeOf(op.getCol(), -1);
  int bits =
      ShapedType::isDynamic(entries) ? kRowBits : llvm::Log2_64_Ceil(entries);
  Value rows = tensor::EmptyOp::create(b, shape, b.getI32Type());
  auto search = [&](OpBuilder &nested, Location loc, ValueRange) {
    ImplicitLocOpBuilder inner(loc, nested);
    auto constant = [&](int32_t number) -> Value {
      return arith::ConstantOp::create(inner, inner.getI32IntegerAttr(number));
    };
    SmallVector<Value> place;
    for (int64_t dim = 0; dim < rank; ++dim)
      place.push_back(linalg::IndexOp::create(inner, dim));
    Value block =
        arith::IndexCastOp::create(inner, type.getElementType(), place.back());
    Value row = constant(0), none = arith::ConstantIndexOp::create(inner, 0);
    for (int bit = bits - 1; bit >= 0; --bit) {
      Value next = arith::AddIOp::create(inner, row, constant(1 << bit));
      Value entry =
          arith::IndexCastOp::create(inner, inner.getIndexType(), next);
      Value isRow =
          arith::CmpIOp::create(inner, arith::CmpIPredicate::sle, entry, last);
      entry = arith::MinSIOp::create(inner, entry, last);
      place.back() = arith::MaxSIOp::create(inner, entry, none);
      Value begin = tensor::ExtractOp::create(inner, op.getCrow(), place);
      Value isBefore =
          arith::CmpIOp::create(inner, arith::CmpIPredicate::sle, begin, block);
      row = arith::SelectOp::create(
          inner, arith::AndIOp::create(inner, isRow, isBefore), next, row);
    }
    linalg::YieldOp::create(inner, row);
  };
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, rows.getType(), ValueRange(), rows,
                                   b.getMultiDimIdentityMap(rank), iterators,
                                   search)
      .getResult(0);
}

/// The entry of the block of an element of the weights, in i32. An extent of 1
/// serves all batches, and may be known only at run time.
Value Decomposition::readInBatch(ImplicitLocOpBuilder &inner, Value list,
                                 ArrayRef<Value> extents) {
  int64_t batches = op.getBatchRank(), own = extents.size();
  SmallVector<Value> indices;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    Value place = linalg::IndexOp::create(inner, batches - own + dim);
    Value one = arith::ConstantIndexOp::create(inner, 1);
    Value last = arith::SubIOp::create(inner, extent, one);
    indices.push_back(arith::MinSIOp::create(inner, place, last));
  }
  indices.push_back(linalg::IndexOp::create(inner, batches));
  Value entry = tensor::ExtractOp::create(inner, list, indices);
  Value index = arith::IndexCastOp::create(inner, inner.getIndexType(), entry);
  return arith::IndexCastOp::create(inner, inner.getI32Type(), index);
}

/// Drops weights, if any are, and rounds them to the type of V.
Value Decomposition::finishWeights(Value weights) {
  if (!op.getRandom() && element == wide)
    return weights;
  Value target = empty(element), rows;
  std::optional<Dropout> dropout;
  SmallVector<Value> rowBatches, columnBatches, batchSizes;
  if (op.getRandom()) {
    dropout.emplace(b, op.getProbability(), op.getRandom());
    rows = findRows();
    auto batchesOf = [&](Value list) {
      SmallVector<Value> extents;
      auto type = cast<RankedTensorType>(list.getType());
      for (int64_t dim = 0; dim < type.getRank() - 1; ++dim)
        extents.push_back(b.createOrFold<tensor::DimOp>(list, dim));
      return extents;
    };
    rowBatches = batchesOf(rows);
    columnBatches = batchesOf(op.getCol());
    for (int64_t dim = 0; dim < op.getBatchRank(); ++dim)
      batchSizes.push_back(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]));
  }
  int64_t batches = op.getBatchRank();
  auto finish = [&](OpBuilder &nested, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, nested);
    Type i32 = inner.getI32Type();
    auto position = [&](Value block, int64_t size, int64_t dim) -> Value {
      Value first = arith::MulIOp::create(
          inner, block,
          arith::ConstantOp::create(inner, inner.getI32IntegerAttr(size)));
      return arith::AddIOp::create(
          inner, first,
          arith::IndexCastOp::create(inner, i32,
                                     linalg::IndexOp::create(inner, dim)));
    };
    Value weight = args[0];
    if (dropout) {
      Value row = position(readInBatch(inner, rows, rowBatches),
                           op.getBlockRows(), batches + 1);
      Value column = position(readInBatch(inner, op.getCol(), columnBatches),
                              op.getBlockColumns(), batches + 2);
      Value batch = arith::ConstantIndexOp::create(inner, 0);
      for (auto [dim, size] : llvm::enumerate(batchSizes))
        batch = arith::AddIOp::create(inner,
                                      arith::MulIOp::create(inner, batch, size),
                                      linalg::IndexOp::create(inner, dim));
      Value isKept = dropout->isKept(
          inner, column, row, arith::IndexCastOp::create(inner, i32, batch));
      Value kept = arith::MulFOp::create(inner, weight, dropout->factor);
      Value zero = arith::ConstantOp::create(inner, inner.getZeroAttr(wide));
      weight = arith::SelectOp::create(inner, isKept, kept, zero);
    }
    if (element != wide)
      weight = arith::TruncFOp::create(inner, element, weight);
    linalg::YieldOp::create(inner, weight);
  };
  int64_t rank = batches + 3;
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, target.getType(), weights, target, maps,
                                   iterators, finish)
      .getResult(0);
}

FailureOr<SmallVector<Value>> BsrAttentionOp::decomposeOperation(OpBuilder &b) {
  if (isTile())
    return emitOpError("expected a whole problem, but got one tile");
  if (hasParts() || hasLse())
    return emitOpError("expected no results of parts");
  return SmallVector<Value>{Decomposition(b, *this).build()};
}
