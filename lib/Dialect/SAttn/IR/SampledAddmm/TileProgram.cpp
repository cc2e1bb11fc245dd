//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sequential program of one tile of sattn.sampled_addmm, a stored block or
// a part of one: a search for the block row that has it, a loop over K, and the
// epilogue. That of a run of stored blocks goes through block rows, and in each
// through the blocks, which it stores one by one.

#include "../BlockRowSearch.h"
#include "../ProductTypes.h"
#include "../TileParts.h"
#include "Runs.h"

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

/// Block rows whose parts of `mat1` a CTA of several tiles loads at
/// one time, and the columns of a block up to which it does: wider ones leave a
/// thread no registers for a second row's numbers.
static constexpr int64_t kRowsOfPass = 2, kMostColumns = 64;

/// Bits of a row's number that a step of the search for it finds, from as many
/// entries as they have values but one: steps wait for each other. Among other
/// tiles of a CTA a producer has no registers for more than one.
static constexpr int64_t kDigitBits = 2;

namespace {
class TileProgram {
public:
  using Tensor = TypedValue<RankedTensorType>;

  TileProgram(OpBuilder &builder, SampledAddmmOp op)
      : b(op.getLoc(), builder), op(op), alpha(op.getAlpha()),
        beta(op.getBeta()), batchRank(op.getBatchRank()),
        rows(op.getMetaAttr().getTile()[0]), columns(op.getTileColumns()),
        blocksPerTile(op.getBlocksPerTile()),
        depth(op.getMetaAttr().getTile()[2]),
        element(op.getOut().getType().getElementType()),
        sumType(getSumType(op.getMat1().getType().getElementType())) {}

  Value build() {
    if (isRun(op))
      return computeRun();
    if (!alpha.isZero)
      multiplyMatrices();
    return writeBack(addInput());
  }

private:
  ImplicitLocOpBuilder b;
  SampledAddmmOp op;
  Scale alpha, beta;
  int64_t batchRank, rows, columns, blocksPerTile, depth;
  Type element, sumType;
  /// The product's tile, and whether it counts, of i1; null if alpha is 0.
  Value product, isComputed;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  }
  Value asIndex(Value integer) {
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }
  OpFoldResult sizeOf(Tensor tensor, int64_t dim) {
    return tensor::getMixedSize(b, b.getLoc(), tensor,
                                tensor.getType().getRank() + dim);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, predicate, left, right);
  }
  Value both(Value first, Value second) {
    return arith::AndIOp::create(b, first, second);
  }

  Value getBlock() { return op.getOrigin()[batchRank]; }
  /// The tile's place in its block.
  OpFoldResult getRowInBlock() {
    return rows == op.getBlockRows()
               ? OpFoldResult(b.getIndexAttr(0))
               : OpFoldResult(op.getOrigin()[batchRank + 1]);
  }
  OpFoldResult getColumnInBlock() {
    return columns == op.getBlockColumns()
               ? OpFoldResult(b.getIndexAttr(0))
               : OpFoldResult(op.getOrigin()[batchRank + 2]);
  }

  /// The tile's place in the batch dimensions of a tensor, in which an extent
  /// of 1 serves all.
  SmallVector<OpFoldResult> leadOf(Tensor tensor, int64_t baseRank) {
    return placeInBatches(
        b, b.getLoc(), tensor, baseRank,
        llvm::to_vector_of<OpFoldResult>(op.getOrigin().take_front(batchRank)));
  }

  /// An entry of an index tensor, of the tile's batch.
  Value readEntry(Tensor tensor, Value position) {
    SmallVector<Value> indices;
    for (OpFoldResult place : leadOf(tensor, 1))
      indices.push_back(asValue(place));
    indices.push_back(position);
    return tensor::ExtractOp::create(b, tensor, indices);
  }
  Value readIndex(Tensor tensor, Value position) {
    return asIndex(readEntry(tensor, position));
  }

  /// A block's number as an entry of crow, which takes fewer registers than an
  /// index. A number that entries cannot have is in no block row.
  Value asOffset(Value block) {
    return arith::IndexCastOp::create(
        b, op.getCrow().getType().getElementType(), block);
  }

  /// The block row of a block, of `count` rows.
  Value findBlockRow(OpFoldResult count, Value block) {
    return findBlockRows(count, block).front();
  }
  /// The block rows of several blocks, whose loads wait together.
  SmallVector<Value> findBlockRows(OpFoldResult count, ArrayRef<Value> blocks,
                                   int64_t digitBits = kDigitBits) {
    return sattn::findBlockRows(
        b, count, blocks,
        [&](Value row) { return readEntry(op.getCrow(), row); }, digitBits);
  }

  /// The steps of the loop over K: none where `mat1` and `mat2` must not be
  /// read. They are the same for all tiles, so that these need no order.
  Value countSteps(OpFoldResult blockRows) {
    Value steps = asValue(apply(b.getAffineDimExpr(0).ceilDiv(depth),
                                {sizeOf(op.getMat1(), op.getDepthDim())}));
    Value zero = index(0);
    SmallVector<Value> conditions;
    if (!alpha.isConstant)
      conditions.push_back(isNotZero(b, b.getLoc(), alpha.value));
    for (OpFoldResult size :
         {blockRows, sizeOf(op.getMat2(), op.getColumnDim())})
      if (!getConstantIntValue(size))
        conditions.push_back(
            compare(arith::CmpIPredicate::sgt, asValue(size), zero));
      else if (*getConstantIntValue(size) == 0)
        return zero;
    for (Value condition : conditions)
      steps = arith::SelectOp::create(b, condition, steps, zero);
    return steps;
  }

  /// A slice of a matrix of the tile's batch, all of K.
  Tensor sliceOf(Tensor matrix, OpFoldResult first, int64_t size, int64_t dim) {
    SmallVector<OpFoldResult> offsets = leadOf(matrix, 2);
    SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1)), ones;
    offsets.append(2, b.getIndexAttr(0));
    sizes.append({sizeOf(matrix, -2), sizeOf(matrix, -1)});
    *(offsets.end() + dim) = first;
    *(sizes.end() + dim) = b.getIndexAttr(size);
    ones.assign(sizes.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape(matrix.getType().getShape().take_back(2));
    *(shape.end() + dim) = size;
    auto type = RankedTensorType::get(shape, matrix.getType().getElementType());
    return cast<Tensor>(Value(
        tensor::ExtractSliceOp::create(b, type, matrix, offsets, sizes, ones)));
  }

  void multiplyMatrices() {
    Value block = asOffset(getBlock());
    OpFoldResult blockRows =
        apply(b.getAffineDimExpr(0) - 1, {sizeOf(op.getCrow(), -1)});
    Value begin = readEntry(op.getCrow(), index(0));
    Value end = readEntry(op.getCrow(), asValue(blockRows));
    Value isStored = both(compare(arith::CmpIPredicate::sle, begin, block),
                          compare(arith::CmpIPredicate::slt, block, end));
    Value column = blocksPerTile == 1 ? readColumn() : Value();
    Value steps = countSteps(blockRows);
    isComputed =
        both(isStored, compare(arith::CmpIPredicate::slt, index(0), steps));
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
    Value zeros =
        linalg::FillOp::create(b, zero, emptyTile(sumType)).getResult(0);
    if (blocksPerTile != 1) {
      product = multiplyRows(blockRows, begin, end, steps, zeros);
      return;
    }
    Value row = findBlockRow(blockRows, block);
    product = multiplyRow(row, selectColumn(column, isStored), steps,
                          /*isPresent=*/Value(), zeros);
  }

  /// The column of a stored block; 0 for one that no block row has, whose
  /// column may be anything. Selected after the search for the row, during
  /// which the column is loaded.
  Value selectColumn(Value column, Value isStored) {
    return arith::SelectOp::create(b, isStored, column, index(0));
  }

  /// The column of the tile's block. The last tiles of a CTA may be
  /// past the last block.
  Value readColumn() {
    Value block = getBlock();
    if (blocksPerTile != 1) {
      Value last =
          asValue(apply(b.getAffineDimExpr(0) - 1, {sizeOf(op.getCol(), -1)}));
      block = arith::MinSIOp::create(b, block, last);
    }
    return readIndex(op.getCol(), block);
  }

  int64_t countRowsOfPass() const {
    return columns <= kMostColumns ? kRowsOfPass : 1;
  }

  /// The product where a CTA has several tiles: it goes through the
  /// block rows that the tiles' blocks are in, from both ends, two at a time,
  /// or one by one, and a tile takes part in that of its own. All tiles read
  /// one of the same two parts of `mat1` at the same time.
  Value multiplyRows(OpFoldResult blockRows, Value begin, Value end,
                     Value steps, Value zeros) {
    AffineExpr d0 = b.getAffineDimExpr(0);
    auto inTile = [&](int64_t place) {
      return asValue(apply(d0.floorDiv(blocksPerTile) * blocksPerTile + place,
                           {OpFoldResult(getBlock())}));
    };
    begin = arith::MaxSIOp::create(b, begin, asOffset(inTile(0)));
    end = asOffset(
        arith::MinSIOp::create(b, asIndex(end), inTile(blocksPerTile)));
    int64_t passes = llvm::divideCeil(blocksPerTile, countRowsOfPass());
    if (passes == 1)
      return multiplyPass(blockRows, {begin, end}, steps, /*isOnly=*/true,
                          zeros)
          .sum;
    auto loop = scf::ForOp::create(b, index(0), index(passes), index(1),
                                   ValueRange{begin, end, zeros});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Pass pass = multiplyPass(blockRows, {carried[0], carried[1]}, steps,
                             /*isOnly=*/false, carried[2]);
    scf::YieldOp::create(b,
                         ValueRange{pass.left.first, pass.left.end, pass.sum});
    return loop.getResult(2);
  }

  /// A range of blocks; and a pass over two block rows: the sum, and the blocks
  /// that it leaves.
  struct Blocks {
    Value first, end;
  };
  struct Pass {
    Blocks left;
    Value sum;
  };

  /// Walks K once, for the first and the last block row of `blocks`. An only
  /// pass is one for all tiles, as if each had a block: their steps are the
  /// same, and the accumulators of other blocks are not read.
  Pass multiplyPass(OpFoldResult blockRows, Blocks blocks, Value steps,
                    bool isOnly, Value sum) {
    auto isBefore = [&](Value left, Value right) {
      return compare(arith::CmpIPredicate::slt, left, right);
    };
    auto isAtMost = [&](Value left, Value right) {
      return compare(arith::CmpIPredicate::sle, left, right);
    };
    Value block = asOffset(getBlock());
    Value isLeft = isBefore(blocks.first, blocks.end);
    // Read in the loop, where nothing waits for it before the rows are known.
    Value column = readColumn();
    auto [rows, left] = findEnds(blockRows, blocks, isLeft);
    Value isInFirst = isBefore(block, left.first);
    if (countRowsOfPass() == 1) {
      Value isPresent = both(isAtMost(blocks.first, block), isInFirst);
      steps = arith::SelectOp::create(b, isLeft, steps, index(0));
      return {left, multiplyRow(rows.first, selectColumn(column, isPresent),
                                steps, isPresent, sum)};
    }
    Value isInLast = isAtMost(left.end, block);
    Value isPresent =
        both(isAtMost(blocks.first, block), isBefore(block, blocks.end));
    isPresent = both(isPresent, arith::OrIOp::create(b, isInFirst, isInLast));
    Value row = arith::SelectOp::create(b, isInFirst, rows.first, rows.second);
    column = selectColumn(column, isPresent);
    if (isOnly)
      return {left,
              multiplyRow(row, column, steps, /*isPresent=*/Value(), sum)};
    steps = arith::SelectOp::create(b, isLeft, steps, index(0));
    return {left, multiplyRow(row, column, steps, isPresent, sum)};
  }

  /// The block rows of the first and the last of several blocks, and the blocks
  /// between these rows; without `isAsked` 0 and the blocks. Where a pass has
  /// one row, that of the first and what is after it.
  std::pair<std::pair<Value, Value>, Blocks>
  findEnds(OpFoldResult blockRows, Blocks blocks, Value isAsked) {
    bool isOne = countRowsOfPass() == 1;
    Type offset = blocks.first.getType();
    SmallVector<Type> types = {b.getIndexType(), offset};
    if (!isOne)
      types.append({b.getIndexType(), offset});
    auto branch = scf::IfOp::create(b, types, isAsked, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> none = {index(0), blocks.first};
    if (!isOne)
      none.append({none.front(), blocks.end});
    scf::YieldOp::create(b, none);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> asked = {blocks.first};
    if (!isOne) {
      Value one = arith::ConstantOp::create(b, b.getIntegerAttr(offset, 1));
      asked.push_back(arith::SubIOp::create(b, blocks.end, one));
    }
    SmallVector<Value> rows = findBlockRows(blockRows, asked, /*digitBits=*/1);
    Value next =
        asValue(apply(b.getAffineDimExpr(0) + 1, {OpFoldResult(rows[0])}));
    next = arith::MinSIOp::create(b, next, asValue(blockRows));
    SmallVector<Value> found = {rows[0], readEntry(op.getCrow(), next)};
    if (!isOne)
      found.append({rows[1], readEntry(op.getCrow(), rows[1])});
    scf::YieldOp::create(b, found);
    ValueRange results = branch.getResults();
    if (isOne)
      return {{results[0], Value()}, {results[1], blocks.end}};
    return {{results[0], results[2]}, {results[1], results[3]}};
  }

  /// The sum over K of the products with a block row of `mat1`, added to `sum`
  /// where `isPresent`, or always.
  Value multiplyRow(Value row, Value column, Value steps, Value isPresent,
                    Value sum) {
    auto loop =
        scf::ForOp::create(b, index(0), steps, index(1), ValueRange{sum});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    if (op.getPrecision() == "tf32")
      loop->setAttr(kTF32AttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    OpFoldResult firstRow = apply(d0 * op.getBlockRows() + d1,
                                  {OpFoldResult(row), getRowInBlock()});
    OpFoldResult k = apply(d0 * depth, {loop.getInductionVar()});
    Value leftTile = readLeft(firstRow, k);
    sum = loop.getRegionIterArg(0);
    if (!isPresent) {
      scf::YieldOp::create(b, addProduct(leftTile, column, k, sum));
      return loop.getResult(0);
    }
    auto branch = scf::IfOp::create(
        b, isPresent,
        [&](OpBuilder &nested, Location) {
          OpBuilder::InsertionGuard inner(b);
          b.restoreInsertionPoint(nested.saveInsertionPoint());
          scf::YieldOp::create(b, addProduct(leftTile, column, k, sum));
          nested.restoreInsertionPoint(b.saveInsertionPoint());
        },
        [&](OpBuilder &nested, Location loc) {
          scf::YieldOp::create(nested, loc, sum);
        });
    scf::YieldOp::create(b, branch.getResults());
    return loop.getResult(0);
  }

  /// A tile of `mat1` as it lies, of rows and of columns from k on.
  Value readLeft(OpFoldResult firstRow, OpFoldResult k) {
    Tensor matrix = sliceOf(op.getMat1(), firstRow, rows, op.getRowDim());
    OpFoldResult start = b.getIndexAttr(0);
    if (op.getTransposeMat1())
      return readTile(b, b.getLoc(), matrix, {}, {k, start}, {depth, rows});
    return readTile(b, b.getLoc(), matrix, {}, {start, k}, {rows, depth});
  }

  /// sum + left * the tile's columns of `mat2`, from k on.
  Value addProduct(Value left, Value column, OpFoldResult k, Value sum) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    OpFoldResult firstColumn =
        apply(d0 * op.getBlockColumns() + d1,
              {OpFoldResult(column), getColumnInBlock()});
    Tensor matrix =
        sliceOf(op.getMat2(), firstColumn, columns, op.getColumnDim());
    OpFoldResult start = b.getIndexAttr(0);
    bool isTransposed = op.getTransposeMat2();
    Value right =
        isTransposed
            ? readTile(b, b.getLoc(), matrix, {}, {start, k}, {columns, depth})
            : readTile(b, b.getLoc(), matrix, {}, {k, start}, {depth, columns});
    return multiplyTiles(b, b.getLoc(), left, op.getTransposeMat1(), right,
                         isTransposed, sum);
  }

  /// Computes a run. Blocks that no block row has are those before the first
  /// row's and after the last row's, whose loops go over them, too.
  Value computeRun() {
    Value first = getBlock();
    OpFoldResult count =
        tensor::getMixedSize(b, b.getLoc(), op.getOut(), batchRank);
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value end = asValue(apply(d0 + d1, {OpFoldResult(first), count}));
    if (alpha.isZero)
      return computeBlocks(first, end, op.getOut(), /*multiply=*/nullptr);
    OpFoldResult blockRows = apply(d0 - 1, {sizeOf(op.getCrow(), -1)});
    Value begin = readEntry(op.getCrow(), index(0));
    Value stored = readEntry(op.getCrow(), asValue(blockRows));
    Value steps = countSteps(blockRows);
    Value isUsed = compare(arith::CmpIPredicate::slt, index(0), steps);
    Value last = asValue(apply(d0 - 1, {OpFoldResult(end)}));
    SmallVector<Value> ends =
        findBlockRows(blockRows, {asOffset(first), asOffset(last)});
    Value past = asValue(apply(d0 + 1, {OpFoldResult(ends[1])}));
    past = arith::SelectOp::create(b, isUsed, past, ends[0]);
    auto loop =
        scf::ForOp::create(b, ends[0], past, index(1), ValueRange{op.getOut()});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value row = loop.getInductionVar();
      OpFoldResult firstRow =
          apply(d0 * op.getBlockRows(), {OpFoldResult(row)});
      OpFoldResult start = b.getIndexAttr(0);
      Value left = readLeft(firstRow, start);
      Value from = readIndex(op.getCrow(), row);
      Value to =
          readIndex(op.getCrow(), asValue(apply(d0 + 1, {OpFoldResult(row)})));
      from = arith::SelectOp::create(
          b, compare(arith::CmpIPredicate::eq, row, ends[0]), first, from);
      to = arith::SelectOp::create(
          b, compare(arith::CmpIPredicate::eq, row, ends[1]), end, to);
      Value out =
          computeBlocks(from, to, loop.getRegionIterArg(0), [&](Value block) {
            Value offset = asOffset(block);
            isComputed =
                both(compare(arith::CmpIPredicate::sle, begin, offset),
                     compare(arith::CmpIPredicate::slt, offset, stored));
            Value column =
                selectColumn(readIndex(op.getCol(), block), isComputed);
            Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
            Value zeros = linalg::FillOp::create(b, zero, emptyTile(sumType))
                              .getResult(0);
            return addProduct(left, column, start, zeros);
          });
      scf::YieldOp::create(b, out);
    }
    product = isComputed = Value();
    return computeBlocks(first, arith::SelectOp::create(b, isUsed, first, end),
                         loop.getResult(0), /*multiply=*/nullptr);
  }

  /// Computes a run of blocks in a loop, and stores them into `out`.
  Value computeBlocks(Value from, Value to, Value out,
                      function_ref<Value(Value)> multiply) {
    auto loop = scf::ForOp::create(b, from, to, index(1), ValueRange{out});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar();
    if (multiply)
      product = multiply(block);
    Value tile = epilogue(/*readsInput=*/false);
    int64_t rank = op.getOut().getType().getRank();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
        ones(rank, b.getIndexAttr(1)), sizes(rank - 2, b.getIndexAttr(1));
    offsets[batchRank] = apply(b.getAffineDimExpr(0) - b.getAffineDimExpr(1),
                               {OpFoldResult(block), OpFoldResult(getBlock())});
    sizes.append({b.getIndexAttr(rows), b.getIndexAttr(columns)});
    out = tensor::InsertSliceOp::create(b, tile, loop.getRegionIterArg(0),
                                        offsets, sizes, ones);
    scf::YieldOp::create(b, out);
    return loop.getResult(0);
  }

  Value emptyTile(Type type) {
    return tensor::EmptyOp::create(b, {rows, columns}, type);
  }

  Value addInput() {
    if (beta.isConstant)
      return epilogue(/*readsInput=*/!beta.isZero);
    auto branch = scf::IfOp::create(
        b, isNotZero(b, b.getLoc(), beta.value),
        [&](OpBuilder &nested, Location loc) { yieldEpilogue(nested, true); },
        [&](OpBuilder &nested, Location loc) { yieldEpilogue(nested, false); });
    return branch.getResult(0);
  }
  void yieldEpilogue(OpBuilder &nested, bool readsInput) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(nested.saveInsertionPoint());
    scf::YieldOp::create(b, epilogue(readsInput));
    nested.restoreInsertionPoint(b.saveInsertionPoint());
  }

  /// The window of `input` or of the old `out` that the tile is added to.
  Value readInput() {
    Tensor source = op.getInput() ? op.getInput() : op.getOut();
    SmallVector<OpFoldResult> offsets(source.getType().getRank(),
                                      b.getIndexAttr(0));
    if (op.getInput()) {
      offsets = leadOf(source, 3);
      offsets.append({getBlock(), getRowInBlock(), getColumnInBlock()});
    }
    SmallVector<OpFoldResult> sizes(offsets.size() - 2, b.getIndexAttr(1)),
        ones(offsets.size(), b.getIndexAttr(1));
    sizes.append({b.getIndexAttr(rows), b.getIndexAttr(columns)});
    auto type = RankedTensorType::get({rows, columns},
                                      source.getType().getElementType());
    return tensor::ExtractSliceOp::create(b, type, source, offsets, sizes,
                                          ones);
  }

  /// beta * input + alpha * product, rounded once.
  Value epilogue(bool readsInput) {
    SmallVector<Value> inputs;
    if (product)
      inputs.push_back(product);
    if (readsInput)
      inputs.push_back(readInput());
    if (inputs.empty())
      return linalg::FillOp::create(
                 b,
                 arith::ConstantOp::create(b, b.getZeroAttr(element))
                     .getResult(),
                 emptyTile(element))
          .getResult(0);
    SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    Value target = emptyTile(element);
    bool scalesProduct = product && !alpha.isOne,
         scalesInput = readsInput && !beta.isOne;
    Type computed = getEpilogueType(element, scalesProduct || scalesInput,
                                    product && readsInput);
    Location at = b.getLoc();
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(computed));
    Value factor, inputFactor;
    if (scalesProduct)
      factor = convertNumber(b, at, alpha.value, computed);
    if (scalesInput)
      inputFactor = convertNumber(b, at, beta.value, computed);
    auto compute = [&](OpBuilder &nested, Location loc, ValueRange args) {
      Value sum;
      if (product) {
        sum = convertNumber(nested, loc, args.front(), computed);
        if (factor)
          sum = multiply(nested, loc, factor, sum);
        sum = arith::SelectOp::create(nested, loc, isComputed, sum, none);
      }
      if (readsInput) {
        Value old =
            convertNumber(nested, loc, args.drop_back().back(), computed);
        if (inputFactor)
          old = multiply(nested, loc, inputFactor, old);
        sum = sum ? add(nested, loc, old, sum) : old;
      }
      linalg::YieldOp::create(nested, loc,
                              convertNumber(nested, loc, sum, element));
    };
    return linalg::GenericOp::create(b, target.getType(), inputs, target, maps,
                                     iterators, compute)
        .getResult(0);
  }

  Value writeBack(Value tile) {
    int64_t rank = op.getOut().getType().getRank();
    SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)),
        ones(rank, b.getIndexAttr(1)), sizes(rank - 2, b.getIndexAttr(1));
    sizes.append({b.getIndexAttr(rows), b.getIndexAttr(columns)});
    return tensor::InsertSliceOp::create(b, tile, op.getOut(), zeros, sizes,
                                         ones);
  }
};
} // namespace

bool SampledAddmmOp::writeInto(Value destination) {
  if (!getInput() && !Scale(getBeta()).isZero) {
    // The old content is read as input, of whose type it may not be.
    Type out = getOut().getType().getElementType();
    if (out != getAddedType(getMat1().getType().getElementType(), out))
      return false;
    getInputMutable().assign(getOut());
  }
  getOutMutable().assign(destination);
  return true;
}

FailureOr<SmallVector<Value>> SampledAddmmOp::lowerToTileProgram(OpBuilder &b) {
  ArrayRef<int64_t> tile = getMetaAttr().getTile();
  SmallVector<int64_t> shape(getBatchRank() + 1, 1);
  shape.append({tile[0], getTileColumns()});
  // The last run may be shorter.
  if (isRun(*this))
    shape[getBatchRank()] = getOut().getType().getDimSize(getBatchRank());
  if (!isTile() || getOut().getType().getShape() != ArrayRef(shape))
    return emitOpError() << "expected a tile of one block, " << tile[0] << " x "
                         << getTileColumns() << ", but got "
                         << getOut().getType();
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
