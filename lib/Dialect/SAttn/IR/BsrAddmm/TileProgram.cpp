//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sequential program of one output tile of sattn.bsr_addmm: a loop over the
// stored blocks of one block row, then the epilogue. Everything here is tensor
// and linalg ops on static tiles; where a tile passes the end of N, operands
// are padded and the result is clipped. In every layout the stored block is the
// left operand and the tile is M x N: a transposed b is a transposed right
// operand, and a transposed out gets the transposed tile.

#include "../ProductTypes.h"
#include "../ResultTiling.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

FailureOr<SmallVector<OpFoldResult>> BsrAddmmOp::getTileSizes(OpBuilder &b) {
  if (isEncoded())
    return emitOpError() << "expected 'crow' and 'col' before it is tiled, but "
                            "got "
                         << getValues().getType()
                         << " (sattn-unpack-bsr makes them of it)";
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError() << "expected a 'meta' attribute with tile sizes, but "
                            "got none (sattn-inject-meta attaches one)";
  int64_t rows = getTileRows();
  if (meta.getTile()[0] != rows * getBlockRowsPerTile())
    return emitOpError()
           << "expected a tile of " << getBlockRowsPerTile() << " block rows ("
           << rows * getBlockRowsPerTile() << " rows), but got "
           << meta.getTile()[0]
           << " (sattn-plan-row-block-groups makes a plan for more)";
  SmallVector<OpFoldResult> sizes(getBatchRank(), b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(rows));
  sizes.push_back(b.getIndexAttr(meta.getTile()[1]));
  return sizes;
}

SmallVector<int64_t> BsrAddmmOp::getTileGroups() {
  SmallVector<int64_t> groups(getBatchRank() + 2, 1);
  groups[getBatchRank()] = getBlockRowsPerTile();
  return groups;
}

TileSchedule BsrAddmmOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &b, BsrAddmmOp op)
      : b(b), op(op), loc(op.getLoc()), alpha(op.getAlpha()),
        beta(op.getBeta()), rows(op.getBlockRows()),
        columns(op.getMeta()->getTile()[1]), depth(op.getMeta()->getTile()[2]),
        outType(op.getOut().getType()) {}

  Value build() {
    Value accumulator;
    if (!alpha.isZero)
      accumulator = blockLoop();
    Value tile = scaleProduct(accumulator);
    return writeBack(tile);
  }

private:
  OpBuilder &b;
  BsrAddmmOp op;
  Location loc;
  Scale alpha, beta;
  int64_t rows, columns, depth;
  RankedTensorType outType;
  /// Whether the loop over stored blocks has any.
  Value hasBlocks;

  /// Columns of a slice that lie inside N, which is dimension `dim` from the
  /// last, -1.
  OpFoldResult width(Value slice, int64_t dim = -1) {
    return tensor::getMixedSize(
        b, loc, slice, cast<RankedTensorType>(slice.getType()).getRank() + dim);
  }

  /// A pair that belongs to rows and columns in the order of a matrix in
  /// memory.
  template <typename T>
  static std::array<T, 2> orient(bool isTransposed, T ofRows, T ofColumns) {
    return isTransposed ? std::array<T, 2>{ofColumns, ofRows}
                        : std::array<T, 2>{ofRows, ofColumns};
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  Value isNotZero(Value scalar) { return sattn::isNotZero(b, loc, scalar); }

  /// An entry of an index tensor, of the only batch of the tile, at the given
  /// place of its last dimensions.
  Value loadIndex(TypedValue<RankedTensorType> tensor, ValueRange position) {
    SmallVector<Value> indices(tensor.getType().getRank() - position.size(),
                               index(0));
    llvm::append_range(indices, position);
    Value entry = tensor::ExtractOp::create(b, loc, tensor, indices);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
  }

  /// The window of the given sizes at the given offsets of the last dimensions,
  /// all other dimensions dropped.
  Value window(TypedValue<RankedTensorType> tensor,
               ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
               int64_t resultRank) {
    RankedTensorType type = tensor.getType();
    int64_t leading = type.getRank() - offsets.size();
    SmallVector<OpFoldResult> allOffsets(leading, b.getIndexAttr(0));
    SmallVector<OpFoldResult> allSizes(leading, b.getIndexAttr(1));
    allOffsets.append(offsets.begin(), offsets.end());
    allSizes.append(sizes.begin(), sizes.end());
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    SmallVector<int64_t> resultShape;
    for (OpFoldResult size : ArrayRef(allSizes).take_back(resultRank))
      resultShape.push_back(
          getConstantIntValue(size).value_or(ShapedType::kDynamic));
    return tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(resultShape, type.getElementType()),
        tensor, allOffsets, allSizes, strides);
  }

  /// Pads dimension `dim` from the last, -1, with zeros to the width of the
  /// tile.
  Value padColumns(Value source, int64_t dim = -1) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t &size = *(shape.end() + dim);
    if (size == columns)
      return source;
    size = columns;
    SmallVector<OpFoldResult> low(shape.size(), b.getIndexAttr(0)), high = low;
    *(high.end() + dim) = affine::makeComposedFoldedAffineApply(
        b, loc, columns - b.getAffineDimExpr(0), {width(source, dim)});
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    auto padded = RankedTensorType::get(shape, type.getElementType());
    return tensor::PadOp::create(b, loc, padded, source, low, high, zero);
  }

  Value emptyTile(Type elementType) {
    return tensor::EmptyOp::create(b, loc, {rows, columns}, elementType);
  }

  Value zeroTile(Type elementType) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
    return linalg::FillOp::create(b, loc, zero, emptyTile(elementType))
        .getResult(0);
  }

  /// Sum of values[p] @ b[col[p] * BK : , :] over the stored blocks, in f32,
  /// of integers in i32 and of f64 in f64. An iteration of the loop covers
  /// `depth` of the block's BK columns. With a plan the loop goes over all
  /// steps of the row's row-block group, in some of which the row has no block.
  Value blockLoop() {
    int64_t blockColumns = op.getBlockColumns();
    int64_t stepsPerBlock = blockColumns / depth;
    bool isPlanned = static_cast<bool>(op.getSteps());
    Value begin = loadIndex(op.getCrow(), index(0));
    Value end = loadIndex(op.getCrow(), index(1));
    // alpha = 0 leaves the loop empty: nothing of A and B is read.
    Value isUsed = alpha.isConstant ? Value() : isNotZero(alpha.value);
    auto endIfUsed = [&](Value first, Value last) -> Value {
      return isUsed ? arith::SelectOp::create(b, loc, isUsed, last, first)
                    : last;
    };
    end = endIfUsed(begin, end);
    hasBlocks =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
    if (isPlanned) {
      begin = loadIndex(op.getRowBlockGroups(), {index(0), index(0)});
      end = endIfUsed(begin,
                      loadIndex(op.getRowBlockGroups(), {index(0), index(1)}));
    }
    AffineExpr d0 = b.getAffineDimExpr(0);
    auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
      return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
    };
    auto asValue = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(b, loc, value);
    };
    begin = asValue(apply(d0 * stepsPerBlock, {begin}));
    end = asValue(apply(d0 * stepsPerBlock, {end}));

    auto loop = scf::ForOp::create(
        b, loc, begin, end, index(1),
        ValueRange{zeroTile(getSumType(op.getB().getType().getElementType()))});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    if (op.getPrecision() == "tf32")
      loop->setAttr(kTF32AttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getInductionVar();
    Value accumulator = loop.getRegionIterArgs().front();
    Value step = asValue(apply(d0.floorDiv(stepsPerBlock), {iteration}));
    OpFoldResult inBlock = apply((d0 % stepsPerBlock) * depth, {iteration});
    if (!isPlanned) {
      Value column = loadIndex(op.getCol(), step);
      Value right = rightTile(column, inBlock);
      scf::YieldOp::create(b, loc, product(step, inBlock, right, accumulator));
      return loop.getResult(0);
    }
    Value column = loadIndex(op.getSteps(), {step, index(0)});
    Value block = loadIndex(op.getSteps(), {step, index(1)});
    Value right = rightTile(column, inBlock);
    Value isPresent = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            block, index(0));
    scf::YieldOp::create(
        b, loc,
        branch(
            isPresent,
            [&] { return product(block, inBlock, right, accumulator); },
            [&] { return accumulator; }));
    return loop.getResult(0);
  }

  /// `depth` rows of b, or columns of a transposed one, from `inBlock` on in a
  /// block column.
  Value rightTile(Value column, OpFoldResult inBlock) {
    OpFoldResult k = affine::makeComposedFoldedAffineApply(
        b, loc,
        b.getAffineDimExpr(0) * op.getBlockColumns() + b.getAffineDimExpr(1),
        {OpFoldResult(column), inBlock});
    bool isTransposed = op.getTransposeB();
    int64_t columnDim = op.getBColumnDim();
    OpFoldResult zero = b.getIndexAttr(0), size = b.getIndexAttr(depth);
    return padColumns(
        window(op.getB(), orient(isTransposed, k, zero),
               orient(isTransposed, size, width(op.getB(), columnDim)), 2),
        columnDim);
  }

  /// `depth` columns of a stored block, from `inBlock` on, times `right`, added
  /// to the accumulator.
  Value product(Value block, OpFoldResult inBlock, Value right,
                Value accumulator) {
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0),
                 height = b.getIndexAttr(rows), width = b.getIndexAttr(depth);
    if (op.getOrder())
      block = loadIndex(op.getOrder(), block);
    bool isTransposed = op.getTransposeA();
    SmallVector<OpFoldResult> offsets = {block}, sizes = {one};
    llvm::append_range(offsets, orient(isTransposed, zero, inBlock));
    llvm::append_range(sizes, orient(isTransposed, height, width));
    Value left = window(op.getValues(), offsets, sizes, 2);
    return multiplyTiles(b, loc, left, isTransposed, right, op.getTransposeB(),
                         accumulator);
  }

  /// A tensor of tiles, from one of two programs if it depends on a value known
  /// only at run time.
  Value branch(Value condition, function_ref<Value()> thenProgram,
               function_ref<Value()> elseProgram) {
    auto ifOp = scf::IfOp::create(
        b, loc, condition,
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc, thenProgram());
        },
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc, elseProgram());
        });
    return ifOp.getResult(0);
  }

  /// Scales a product. If nothing was multiplied, the result is beta * input
  /// for any alpha, left and right: left and right are not read, and alpha is
  /// not applied to the loop's zero.
  Value scaleProduct(Value accumulator) {
    if (!accumulator)
      return addInput(Value());
    if (op.getLeft() || op.getRight())
      return branch(
          hasBlocks, [&] { return addInput(accumulator); },
          [&] { return addInput(Value()); });
    if (!alpha.isConstant) {
      Value one = arith::ConstantOp::create(
          b, loc, b.getFloatAttr(alpha.value.getType(), 1.0));
      alpha.value =
          arith::SelectOp::create(b, loc, hasBlocks, alpha.value, one);
    }
    return addInput(accumulator);
  }

  Value addInput(Value accumulator) {
    if (beta.isConstant)
      return epilogue(accumulator, /*readInput=*/!beta.isZero);
    return branch(
        isNotZero(beta.value), [&] { return epilogue(accumulator, true); },
        [&] { return epilogue(accumulator, false); });
  }

  /// beta * input + left * (alpha * accumulator) * right, rounded once. Without
  /// an accumulator the matrix product is left out.
  Value epilogue(Value accumulator, bool readInput) {
    Type resultType = outType.getElementType();
    if (!accumulator && !readInput)
      return zeroTile(resultType);
    MLIRContext *context = b.getContext();
    AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    auto addOperand = [&](Value value, ArrayRef<AffineExpr> exprs) {
      inputs.push_back(value);
      maps.push_back(AffineMap::get(2, 0, exprs, context));
      return inputs.size() - 1;
    };
    std::optional<size_t> product, input, left, right;
    OpFoldResult zero = b.getIndexAttr(0), height = b.getIndexAttr(rows);
    if (accumulator) {
      product = addOperand(accumulator, {i, j});
      if (op.getLeft())
        left = addOperand(window(op.getLeft(), {zero}, {height}, 1), {i});
      if (op.getRight())
        right = addOperand(padColumns(window(op.getRight(), {zero},
                                             {width(op.getRight())}, 1)),
                           {j});
    }
    if (readInput) {
      Value matrix = op.getInputOrOut();
      int64_t columnDim = op.getColumnDim();
      bool isTransposed = op.getTransposeOut();
      input = addOperand(
          padColumns(
              window(op.getInputOrOut(), {zero, zero},
                     orient(isTransposed, height, width(matrix, columnDim)), 2),
              columnDim),
          orient(isTransposed, i, j));
    }
    maps.push_back(AffineMap::get(2, 0, {i, j}, context));
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    bool isProductScaled = product && (!alpha.isOne || left || right);
    Type computed =
        getEpilogueType(resultType, isProductScaled || (input && !beta.isOne),
                        product && input);
    auto scalar = [&](const Scale &scale, bool isUsed) {
      return isUsed ? convertNumber(b, loc, scale.value, computed) : Value();
    };
    Value factor = scalar(alpha, product && !alpha.isOne),
          inputFactor = scalar(beta, input && !beta.isOne);
    auto generic = linalg::GenericOp::create(
        b, loc, RankedTensorType::get({rows, columns}, resultType), inputs,
        ValueRange{emptyTile(resultType)}, maps, iterators,
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          auto convert = [&](size_t position) {
            return convertNumber(nested, loc, args[position], computed);
          };
          Value sum;
          if (product) {
            sum = convert(*product);
            if (factor)
              sum = multiply(nested, loc, factor, sum);
            if (left)
              sum = multiply(nested, loc, convert(*left), sum);
            if (right)
              sum = multiply(nested, loc, sum, convert(*right));
          }
          if (input) {
            Value scaled = convert(*input);
            if (inputFactor)
              scaled = multiply(nested, loc, inputFactor, scaled);
            sum = sum ? add(nested, loc, scaled, sum) : scaled;
          }
          linalg::YieldOp::create(nested, loc,
                                  convertNumber(nested, loc, sum, resultType));
        });
    return generic.getResult(0);
  }

  /// The tile as it lies in a transposed `out`.
  Value transposeTile(Value tile) {
    AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
    Value empty = tensor::EmptyOp::create(b, loc, {columns, rows},
                                          outType.getElementType());
    SmallVector<AffineMap> maps = {
        AffineMap::get(2, 0, {i, j}, b.getContext()),
        AffineMap::get(2, 0, {j, i}, b.getContext())};
    return linalg::GenericOp::create(
               b, loc, empty.getType(), tile, empty, maps,
               SmallVector<utils::IteratorType>(2,
                                                utils::IteratorType::parallel),
               [](OpBuilder &nested, Location loc, ValueRange args) {
                 linalg::YieldOp::create(nested, loc, args[0]);
               })
        .getResult(0);
  }

  /// Clips the tile to N and puts it into the op's slice of out.
  Value writeBack(Value tile) {
    int64_t columnDim = op.getColumnDim();
    if (op.getTransposeOut())
      tile = transposeTile(tile);
    int64_t leading = outType.getRank() - 2;
    SmallVector<OpFoldResult> zeros(outType.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(outType.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes(leading, b.getIndexAttr(1));
    llvm::append_range(
        sizes, orient<OpFoldResult>(op.getTransposeOut(), b.getIndexAttr(rows),
                                    width(op.getOut(), columnDim)));
    if (*(outType.getShape().end() + columnDim) != columns)
      tile = tensor::ExtractSliceOp::create(
          b, loc, tile, ArrayRef(zeros).take_front(2),
          ArrayRef(sizes).take_back(2), ArrayRef(ones).take_front(2));
    return tensor::InsertSliceOp::create(b, loc, tile, op.getOut(), zeros,
                                         sizes, ones);
  }
};
} // namespace

bool BsrAddmmOp::writeInto(Value destination) {
  if (!getInput() && !Scale(getBeta()).isZero) {
    // The old content is read as input, of whose type it may not be.
    Type out = getOut().getType().getElementType();
    if (out != getAddedType(getValues().getType().getElementType(), out))
      return false;
    getInputMutable().assign(getOut());
  }
  getOutMutable().assign(destination);
  return true;
}

FailureOr<SmallVector<Value>> BsrAddmmOp::lowerToTileProgram(OpBuilder &b) {
  ArrayRef<int64_t> shape = getOut().getType().getShape();
  for (int64_t size : shape.drop_back(2))
    if (size != 1)
      return emitOpError() << "expected a tile of one batch, but got "
                           << getOut().getType();
  if (*(shape.end() + getRowDim()) != getBlockRows())
    return emitOpError() << "expected a tile of " << getBlockRows()
                         << " rows, but got " << getOut().getType();
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
