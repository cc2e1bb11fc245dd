//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.block_counts, a square of blocks or many
// blocks of keys of one block of queries. What the mask's function is over all
// of them is computed first; where that is neither nothing nor everything, over
// each of them: of all at once, or, where captured tensors are read at the
// keys, of a group of blocks and then of those of an undecided group. Only
// elements of blocks that stay undecided are evaluated, one block after
// another.

#include "CaptureRange.h"
#include "TileSizes.h"

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"
#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"
#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.h"
#include "sattn/Support/TileLoopAttributes.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::block_counts;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, BlockCountsOp op)
      : b(op.getLoc(), builder), op(op), i32(b.getI32Type()),
        isSquare(hasSquareTiles(op)),
        rows(tensor::getMixedSize(b, b.getLoc(), op.getOut(), /*dim=*/2)),
        blocks(tensor::getMixedSize(b, b.getLoc(), op.getOut(), /*dim=*/3)),
        endRow(b.asI32(rows)), end(b.asI32(blocks)) {
    batch = b.asI32(OpFoldResult(op.getOrigin()[0]));
    head = b.asI32(OpFoldResult(op.getOrigin()[1]));
    firstQuery = apply(b.getAffineDimExpr(0) * op.getBlockQueries(),
                       {OpFoldResult(op.getOrigin()[2])});
    firstKey = apply(b.getAffineDimExpr(0) * op.getBlockKeys(),
                     {OpFoldResult(op.getOrigin()[3])});
    own.batch = widen(OpFoldResult(op.getOrigin()[0]));
    own.head = widen(OpFoldResult(op.getOrigin()[1]));
    AffineExpr first = b.getAffineDimExpr(0), number = b.getAffineDimExpr(1);
    own.query = {widen(firstQuery),
                 widen(apply(first + number * op.getBlockQueries() - 1,
                             {firstQuery, rows}))};
    own.key.lower = widen(firstKey);
    for (Value capture : op.getCaptures())
      if (isa<RankedTensorType>(capture.getType()))
        lastIndices[capture] = findLastIndices(b, b.getLoc(), capture);
  }

  SmallVector<Value> build() {
    places = b.number(b.i32(0), kShape);
    mask::Verdict ofTile = interpret(b, widen(b.index(0)), widen(blocks));
    Value counts = b.fill(getCount(b, ofTile), kShape);
    counts = onlyIf(isUndecided(b, ofTile), counts, [&](Value counts) {
      counts = isReadAtKeys ? decideGroups(counts) : decideAll(counts);
      if (op.getApproximate())
        counts = sampleUndecided(counts);
      return countUndecided(dropOthers(counts));
    });
    SmallVector<Value> results = {insert(counts, op.getOut(), rows, blocks)};
    if (Value transposed = op.getTransposed())
      results.push_back(insert(isSquare ? transpose(counts) : counts,
                               transposed, blocks, rows));
    return results;
  }

private:
  using Inner = ImplicitLocOpBuilder;

  TileOpBuilder b;
  BlockCountsOp op;
  Type i32;
  bool isSquare;
  /// Blocks of queries and of keys of the tile, as i32 too.
  OpFoldResult rows, blocks;
  Value endRow, end;
  /// The tile's batch and head, of i32.
  Value batch, head;
  OpFoldResult firstQuery, firstKey;
  /// The operands of the mask over the tile; `key` begins with the tile.
  mask::BlockOperands own;
  /// The number of each block within the tile.
  Value places;
  /// The last indices of captured tensors.
  DenseMap<Value, SmallVector<Value>> lastIndices;
  /// The ranges of captured vectors at the queries.
  DenseMap<Value, mask::Interval> queryRanges;
  /// Whether the analysis asks for the elements of a captured tensor that the
  /// keys of blocks read, or the queries after other indices.
  bool isReadAtKeys = false;

  Value widen(OpFoldResult value) {
    return arith::IndexCastOp::create(b, b.getI64Type(), b.asValue(value));
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }
  Value select(Inner &inner, Value condition, Value one, Value other) {
    return arith::SelectOp::create(inner, condition, one, other);
  }
  Value compare(Inner &inner, arith::CmpIPredicate predicate, Value lhs,
                Value rhs) {
    return arith::CmpIOp::create(inner, predicate, lhs, rhs);
  }
  static Value constant(Inner &inner, Type type, int64_t value) {
    return arith::ConstantOp::create(inner, inner.getIntegerAttr(type, value));
  }

  /// The verdict on `number` blocks of keys from `first` on, both of i64, for
  /// the tile's queries or, unless it is null, for block `row` of them.
  mask::Verdict interpret(Inner &inner, Value first, Value number,
                          Value row = Value()) {
    Type wide = b.getI64Type();
    mask::BlockOperands operands = own;
    if (row) {
      Value size = constant(inner, wide, op.getBlockQueries());
      Value start = arith::AddIOp::create(
          inner, own.query.lower, arith::MulIOp::create(inner, row, size));
      Value next = arith::AddIOp::create(inner, start, size);
      operands.query = {
          start, arith::SubIOp::create(inner, next, constant(inner, wide, 1))};
    }
    Value keys = constant(inner, wide, op.getBlockKeys());
    Value start = arith::AddIOp::create(
        inner, own.key.lower, arith::MulIOp::create(inner, first, keys));
    Value last = arith::AddIOp::create(
        inner, start, arith::MulIOp::create(inner, number, keys));
    operands.key = {
        start, arith::SubIOp::create(inner, last, constant(inner, wide, 1))};
    operands.getNumber = [&](unsigned capture) -> Value {
      Value value = op.getCaptures()[capture];
      return value.getType().isIntOrFloat() ? value : Value();
    };
    operands.getElement = [&](unsigned capture, ValueRange indices) -> Value {
      return read(inner, op.getCaptures()[capture], indices);
    };
    operands.getElements =
        [&](unsigned capture, ValueRange lead,
            mask::Axis axis) -> std::optional<mask::Interval> {
      Value tensor = op.getCaptures()[capture];
      bool isOfKeys = axis == mask::Axis::Key;
      if (isSquare)
        return readBounds(inner, capture, isOfKeys,
                          row && isOfKeys ? first : row);
      // Elements of queries are the same for all blocks, and the first is asked
      // of all.
      if (!isOfKeys && lead.empty())
        if (auto known = queryRanges.find(tensor); known != queryRanges.end())
          return known->second;
      mask::Interval range =
          findCaptureRange(b, tensor, lastIndices[tensor], lead,
                           isOfKeys ? operands.key : operands.query);
      if (!isOfKeys && lead.empty())
        queryRanges[tensor] = range;
      else
        isReadAtKeys = true;
      return range;
    };
    return mask::MaskBlocks(inner, b.getLoc(), op.getMaskMod(), operands)
        .getVerdict();
  }
  /// The least and the greatest element of a captured vector in a block of the
  /// tile, whose number is of i64, or, where that is null, in all of them.
  std::optional<mask::Interval> readBounds(Inner &inner, unsigned capture,
                                           bool isOfKeys, Value block) {
    ArrayRef<int64_t> bounded = op.getBounded().value_or(ArrayRef<int64_t>());
    const int64_t *entry = llvm::find(bounded, capture);
    if (entry == bounded.end())
      return std::nullopt;
    size_t place = 4 * (entry - bounded.begin()) + 2 * isOfKeys;
    Value origin = op.getOrigin()[isOfKeys ? 3 : 2];
    // Blocks after the tile's last one are decided otherwise.
    Value last = arith::SubIOp::create(b, b.asValue(isOfKeys ? blocks : rows),
                                       b.index(1));
    auto read = [&](Inner &inner, Value bound, Value block) -> Value {
      block = arith::MinSIOp::create(inner, block, last);
      block = arith::AddIOp::create(inner, block, origin);
      Value element = tensor::ExtractOp::create(inner, bound, block);
      if (element.getType() == b.getI64Type())
        return element;
      return arith::ExtSIOp::create(inner, b.getI64Type(), element);
    };
    Value least = op.getBounds()[place], greatest = op.getBounds()[place + 1];
    if (block) {
      block = arith::IndexCastOp::create(inner, b.getIndexType(), block);
      return mask::Interval{read(inner, least, block),
                            read(inner, greatest, block)};
    }
    auto ofAll = [&](Value bound) -> Value {
      return b.map(
          {}, kShape, b.getI64Type(), [&](Inner &inner, ValueRange) -> Value {
            return read(inner, bound, linalg::IndexOp::create(inner, 1));
          });
    };
    return mask::Interval{
        b.reduce<arith::MinSIOp>(ofAll(least),
                                 std::numeric_limits<int64_t>::max()),
        b.reduce<arith::MaxSIOp>(ofAll(greatest),
                                 std::numeric_limits<int64_t>::min())};
  }
  Value read(OpBuilder &inner, Value capture, ValueRange indices) {
    return readCapture(inner, b.getLoc(), capture, indices,
                       lastIndices.lookup(capture));
  }

  /// Whether a block is neither empty nor full.
  Value isUndecided(Inner &inner, const mask::Verdict &verdict) {
    Value isFull = constant(inner, inner.getI1Type(), 1);
    isFull = arith::XOrIOp::create(inner, verdict.all, isFull);
    return arith::AndIOp::create(inner, verdict.any, isFull);
  }
  Value isUndecided(Inner &inner, Value count) {
    return compare(inner, arith::CmpIPredicate::slt, count,
                   constant(inner, i32, 0));
  }
  /// The visible elements of a block, -1 if it is undecided.
  Value getCount(Inner &inner, const mask::Verdict &verdict) {
    Value none = constant(inner, i32, 0), undecided = constant(inner, i32, -1),
          all = constant(inner, i32, op.getBlockQueries() * op.getBlockKeys());
    return select(inner, verdict.all, all,
                  select(inner, verdict.any, undecided, none));
  }

  /// A loop of `number` iterations that carries a tile.
  Value repeat(Value number, Value tile,
               function_ref<Value(Value iteration, Value tile)> body) {
    auto loop = scf::ForOp::create(b, b.index(0), number, b.index(1), tile);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }
  /// Computes new counts by `body` from the blocks' numbers and counts.
  Value update(Value counts, TileOpBuilder::Body body) {
    return b.map(places, counts, body);
  }
  Value onlyIf(Value condition, Value tile, function_ref<Value(Value)> body) {
    auto branch = scf::IfOp::create(b, tile.getType(), condition,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, tile);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, body(tile));
    return branch.getResult(0);
  }
  /// The index of an element of a square tile: its block of queries, or of
  /// keys.
  Value position(Inner &inner, int64_t dim) {
    return arith::IndexCastOp::create(inner, i32,
                                      linalg::IndexOp::create(inner, dim));
  }

  /// Counts of the blocks on which the analysis decides.
  Value decideAll(Value counts) {
    return update(counts, [&](Inner &inner, ValueRange args) -> Value {
      Type wide = inner.getI64Type();
      Value place = isSquare ? position(inner, 1) : args[0], row;
      if (isSquare)
        row = arith::ExtSIOp::create(inner, wide, position(inner, 0));
      Value first = arith::ExtSIOp::create(inner, wide, place);
      return getCount(inner,
                      interpret(inner, first, constant(inner, wide, 1), row));
    });
  }

  /// Counts of groups of blocks on which the analysis decides, then of the
  /// blocks of undecided groups.
  Value decideGroups(Value counts) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value groups = b.asValue(apply(d0.ceilDiv(kGroupBlocks), {blocks}));
    auto decideGroup = [&](Value group, Value counts) -> Value {
      OpFoldResult first = apply(d0 * kGroupBlocks, {OpFoldResult(group)});
      OpFoldResult number = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(),
          AffineMap::get(2, 0, {b.getAffineConstantExpr(kGroupBlocks), d0 - d1},
                         b.getContext()),
          {blocks, first});
      mask::Verdict verdict = interpret(b, widen(first), widen(number));
      Value own = b.fill(getCount(b, verdict), kShape);
      Value undecided = arith::SelectOp::create(b, isUndecided(b, verdict),
                                                b.asValue(number), b.index(0));
      own = repeat(undecided, own, [&](Value within, Value own) {
        OpFoldResult block = apply(d0 + d1, {first, OpFoldResult(within)});
        mask::Verdict verdict = interpret(b, widen(block), widen(b.index(1)));
        return setCount(own, b.asI32(block), getCount(b, verdict));
      });
      Value begin = b.asI32(first), size = b.i32(kGroupBlocks);
      return b.map(
          {places, own}, counts, [&](Inner &inner, ValueRange args) -> Value {
            Value within = arith::SubIOp::create(inner, args[0], begin);
            Value isOwn =
                compare(inner, arith::CmpIPredicate::ult, within, size);
            return select(inner, isOwn, args[1], args[2]);
          });
    };
    return repeat(groups, counts, decideGroup);
  }

  Value setCount(Value counts, Value place, Value count) {
    return update(counts, [&](Inner &inner, ValueRange args) -> Value {
      Value isSet = compare(inner, arith::CmpIPredicate::eq, args[0], place);
      return select(inner, isSet, count, args[1]);
    });
  }

  /// Marks positions after the tile's blocks as decided, with a count of 0.
  Value dropOthers(Value counts) {
    Value none = b.i32(0);
    return update(counts, [&](Inner &inner, ValueRange args) -> Value {
      if (!isSquare) {
        Value isBlock = compare(inner, arith::CmpIPredicate::slt, args[0], end);
        return select(inner, isBlock, args[1], none);
      }
      Value count = args[1];
      for (auto [dim, size] : llvm::enumerate(ValueRange{endRow, end})) {
        Value isBlock = compare(inner, arith::CmpIPredicate::slt,
                                position(inner, dim), size);
        count = select(inner, isBlock, count, none);
      }
      return count;
    });
  }

  /// Writes counts to a result of `rows` x `columns`.
  Value insert(Value counts, Value out, OpFoldResult rows,
               OpFoldResult columns) {
    if (!isSquare) // A row or a column.
      return b.scatter(counts, out, places,
                       b.compare(arith::CmpIPredicate::slt, places, end));
    SmallVector<OpFoldResult> zeros(4, b.getIndexAttr(0)),
        ones(4, b.getIndexAttr(1)), sizes = {ones[0], ones[1], rows, columns};
    Value clip = tensor::ExtractSliceOp::create(
        b, counts, ArrayRef(zeros).drop_front(2), ArrayRef(sizes).drop_front(2),
        ArrayRef(ones).drop_front(2));
    return tensor::InsertSliceOp::create(b, clip, out, zeros, sizes, ones);
  }

  Value transpose(Value counts) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    return b.generic(counts, AffineMap::get(2, 0, {d0, d1}, b.getContext()),
                     b.empty(kShape, i32),
                     AffineMap::get(2, 0, {d1, d0}, b.getContext()),
                     [](Inner &, ValueRange args) { return args[0]; });
  }

  /// Evaluates a few elements of each undecided block: its corners, and as many
  /// inside. A block whose elements differ is decided.
  Value sampleUndecided(Value counts) {
    constexpr int64_t kSamples = 8;
    int64_t height = op.getBlockQueries(), width = op.getBlockKeys();
    Value none = b.i32(0), one = b.i32(1), both = b.i32(3);
    Value visible = repeat(
        b.index(kSamples), b.fill(none, kShape),
        [&](Value number, Value visible) -> Value {
          auto bit = [&](Value value) -> Value {
            value = arith::AndIOp::create(b, value, one);
            return compare(b, arith::CmpIPredicate::ne, value, none);
          };
          Value sample = b.asI32(OpFoldResult(number));
          Value isInside =
              compare(b, arith::CmpIPredicate::sge, sample, b.i32(4));
          // Opposite corners of both diagonals, one after another.
          Value isLow = bit(sample);
          Value half = arith::ShRUIOp::create(b, sample, one);
          Value isLeft = bit(arith::XOrIOp::create(b, sample, half));
          auto locate = [&](int64_t size, int64_t inset, Value isLast) {
            Value from = select(b, isInside, b.i32(inset), none);
            Value to = arith::SubIOp::create(b, b.i32(size - 1), from);
            return select(b, isLast, to, from);
          };
          Value query = locate(height, height / 3, isLow);
          Value key = arith::SubIOp::create(b, b.i32(width - 1),
                                            locate(width, width / 4, isLeft));
          query = arith::AddIOp::create(b, query, b.asI32(firstQuery));
          key = arith::AddIOp::create(b, key, b.asI32(firstKey));
          return b.map(
              {}, visible, [&](Inner &inner, ValueRange args) -> Value {
                auto at = [&](Value first, Value block, int64_t size) -> Value {
                  block = arith::MulIOp::create(inner, block,
                                                constant(inner, i32, size));
                  return arith::AddIOp::create(inner, first, block);
                };
                Value row = isSquare ? position(inner, 0) : Value();
                Value block = position(inner, 1);
                if (!isSquare)
                  block = at(block, position(inner, 0), kLanes);
                Value isVisible =
                    evaluate(inner, row ? at(query, row, height) : query,
                             at(key, block, width));
                // No reduction to linalg::vectorize, as in countElements.
                auto add = [&](int64_t mark) -> Value {
                  return arith::OrIOp::create(inner, args[0],
                                              constant(inner, i32, mark));
                };
                return select(inner, isVisible, add(1), add(2));
              });
        });
    return b.map({visible}, counts,
                 [&](Inner &inner, ValueRange args) -> Value {
                   Value isMixed =
                       compare(inner, arith::CmpIPredicate::eq, args[0], both);
                   isMixed = arith::AndIOp::create(inner, isMixed,
                                                   isUndecided(inner, args[1]));
                   return select(inner, isMixed, one, args[1]);
                 });
  }

  Value countUndecided(Value counts) {
    Value zero = b.i32(0), one = b.i32(1), none = b.i32(kTileBlocks);
    Value marks =
        b.map(counts, kShape, i32, [&](Inner &inner, ValueRange args) -> Value {
          return select(inner, isUndecided(inner, args[0]), one, zero);
        });
    Value number = arith::IndexCastOp::create(
        b, b.getIndexType(), b.reduce<arith::AddIOp>(marks, 0));
    return repeat(number, counts, [&](Value, Value counts) -> Value {
      // The first one that is left.
      Value left = b.map({counts, places}, kShape, i32,
                         [&](Inner &inner, ValueRange args) -> Value {
                           return select(inner, isUndecided(inner, args[0]),
                                         args[1], none);
                         });
      Value place = b.reduce<arith::MinSIOp>(left, kTileBlocks);
      OpFoldResult block = OpFoldResult(
          arith::IndexCastOp::create(b, b.getIndexType(), place).getResult());
      OpFoldResult query = firstQuery;
      if (isSquare) {
        AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
        query = apply(d0 + d1.floorDiv(kLanes) * op.getBlockQueries(),
                      {firstQuery, block});
        block = apply(d0 % kLanes, {block});
      }
      return setCount(counts, place, count(query, b.asValue(block)));
    });
  }

  /// Visible elements of block `block` of keys and the block of queries from
  /// `query` on. Each iteration takes some of its keys and queries.
  Value count(OpFoldResult query, Value block) {
    int64_t rowGroups = llvm::divideCeil(op.getBlockKeys(), kRows),
            laneGroups = llvm::divideCeil(op.getBlockQueries(), kLanes);
    Value iterations = b.index(rowGroups * laneGroups), isMixed;
    if (op.getApproximate()) {
      isMixed = isSurelyMixed(query, block);
      iterations = arith::SelectOp::create(b, isMixed, b.index(0), iterations);
    }
    auto loop = scf::ForOp::create(b, b.index(0), iterations, b.index(1),
                                   b.fill(b.i32(0), kShape));
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b, countElements(query, block, rowGroups,
                                            loop.getInductionVar(),
                                            loop.getRegionIterArg(0)));
    }
    Value sum = b.reduce<arith::AddIOp>(loop.getResult(0), 0);
    return isMixed ? select(b, isMixed, b.i32(1), sum) : sum;
  }

  /// Whether a few elements from all over a block, its corners among them,
  /// differ, so that the block is mixed.
  Value isSurelyMixed(OpFoldResult firstQuery, Value block) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value key0 = b.asI32(
        apply(d0 + d1 * op.getBlockKeys(), {firstKey, OpFoldResult(block)}));
    Value query0 = b.asI32(firstQuery);
    // From the first to the last position, with steps that differ by 1 at most.
    auto locate = [&](Inner &inner, int64_t dim, int64_t places, int64_t size,
                      Value first) -> Value {
      int64_t step = (size - 1) / (places - 1),
              rest = (size - 1) % (places - 1);
      Value place = arith::IndexCastOp::create(
          inner, i32, linalg::IndexOp::create(inner, dim));
      Value longer =
          arith::MinUIOp::create(inner, place, constant(inner, i32, rest));
      place = arith::MulIOp::create(inner, place, constant(inner, i32, step));
      place = arith::AddIOp::create(inner, place, longer);
      return arith::AddIOp::create(inner, place, first);
    };
    Value one = b.i32(1), zero = b.i32(0);
    Value visible =
        b.map({}, kShape, i32, [&](Inner &inner, ValueRange) -> Value {
          Value query = locate(inner, 1, kLanes, op.getBlockQueries(), query0);
          Value key = locate(inner, 0, kRows, op.getBlockKeys(), key0);
          return select(inner, evaluate(inner, query, key), one, zero);
        });
    Value number = b.reduce<arith::AddIOp>(visible, 0);
    Value isSome = compare(b, arith::CmpIPredicate::sgt, number, zero);
    Value isNotAll =
        compare(b, arith::CmpIPredicate::slt, number, b.i32(kTileBlocks));
    return arith::AndIOp::create(b, isSome, isNotAll);
  }

  /// Counts elements of a block; a row has a key, and a column a query.
  Value countElements(OpFoldResult firstQuery, Value block, int64_t rowGroups,
                      Value iteration, Value counts) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    int64_t keys = op.getBlockKeys(), queries = op.getBlockQueries();
    // Within the block, and in all.
    OpFoldResult row = apply(d0 % rowGroups * kRows, {OpFoldResult(iteration)});
    OpFoldResult lane =
        apply(d0.floorDiv(rowGroups) * kLanes, {OpFoldResult(iteration)});
    Value firstRow = b.asI32(row), firstLane = b.asI32(lane);
    OpFoldResult start = apply(d0 + d1 * keys, {firstKey, OpFoldResult(block)});
    Value key0 = b.asI32(apply(d0 + d1, {start, row}));
    Value query0 = b.asI32(apply(d0 + d1, {firstQuery, lane}));
    Value width = b.i32(keys), height = b.i32(queries), one = b.i32(1);
    return b.map({}, counts, [&](Inner &inner, ValueRange args) -> Value {
      auto position = [&](int64_t dim) -> Value {
        return arith::IndexCastOp::create(inner, i32,
                                          linalg::IndexOp::create(inner, dim));
      };
      auto add = [&](Value lhs, Value rhs) -> Value {
        return arith::AddIOp::create(inner, lhs, rhs);
      };
      auto restrict = [&](Value condition, Value place, Value end) {
        Value isInside =
            arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, place, end);
        return arith::AndIOp::create(inner, condition, isInside).getResult();
      };
      Value ownRow = position(0), ownLane = position(1);
      Value isVisible =
          evaluate(inner, add(ownLane, query0), add(ownRow, key0));
      if (keys % kRows != 0)
        isVisible = restrict(isVisible, add(ownRow, firstRow), width);
      if (queries % kLanes != 0)
        isVisible = restrict(isVisible, add(ownLane, firstLane), height);
      // Not a sum of what the function gives: where that is the same along
      // a dimension, linalg::vectorize takes such a sum for a reduction.
      Value more = add(args[0], one);
      return arith::SelectOp::create(inner, isVisible, more, args[0]);
    });
  }

  /// The mask's function of an element.
  Value evaluate(Inner &inner, Value query, Value key) {
    Block &body = op.getMaskMod().front();
    SmallVector<Value> arguments = {batch, head, query, key};
    llvm::append_range(arguments, op.getCaptures());
    IRMapping values;
    values.map(body.getArguments(), arguments);
    for (Operation &step : body.without_terminator()) {
      auto read = dyn_cast<tensor::ExtractOp>(step);
      if (!read) {
        inner.clone(step, values);
        continue;
      }
      SmallVector<Value> indices;
      for (Value place : read.getIndices())
        indices.push_back(values.lookup(place));
      values.map(read.getResult(),
                 this->read(inner, values.lookup(read.getTensor()), indices));
    }
    return values.lookup(cast<YieldOp>(body.getTerminator()).getValue());
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BlockCountsOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  return TileProgram(builder, *this).build();
}
