//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products of f32 in IEEE arithmetic, which no MMA has: every thread computes
// the elements of the accumulator that it holds, in the layout of mma.sync.

#include "TileRegisters.h"
#include "WarpPlace.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

/// f32 elements of a chunk: the part of K that is loaded at once.
static constexpr int64_t kChunkDepth = kChunkBytes / sizeof(float);

namespace {
class FmaEmitter {
public:
  FmaEmitter(OpBuilder &builder, MmaOp op, AccumulatorFragment fragment,
             ValueRange aValues, Value bOffset)
      : b(builder), op(op), loc(op.getLoc()), fragment(fragment),
        aValues(aValues),
        bAddress(b, loc, op.getB().getType().getTile(), bOffset),
        warp(b, loc, fragment) {
    laneRow = arith::ShRUIOp::create(b, loc, warp.lane, constant(2));
    lanePair = arith::AndIOp::create(b, loc, warp.lane, constant(3));
  }

  SmallVector<Value> run(ValueRange accumulator) {
    SmallVector<Value> acc(accumulator);
    int64_t chunks = op.getBRows() / kChunkDepth;
    // The columns of a tile in registers have to be known.
    if (!isa<SharedType>(op.getA().getType())) {
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        multiply(acc, constant(chunk), [&](int64_t row) {
          return shuffleRow(row, kChunkDepth * chunk);
        });
      useHere(acc);
      return acc;
    }
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(chunks),
                                   constant(1), acc);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    acc.assign(loop.getRegionIterArgs().begin(),
               loop.getRegionIterArgs().end());
    Value chunk = loop.getInductionVar();
    multiply(acc, chunk, [&](int64_t row) { return loadRow(row, chunk); });
    scf::YieldOp::create(b, loc, acc);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

private:
  OpBuilder &b;
  MmaOp op;
  Location loc;
  AccumulatorFragment fragment;
  ValueRange aValues;
  ChunkAddress bAddress;
  WarpPlace warp;
  /// The lane's row in eight, and its pair of columns.
  Value laneRow, lanePair;

  Value constant(int64_t value) { return createI32(b, loc, value); }
  Value fma(Value left, Value right, Value sum) {
    return LLVM::FMAOp::create(b, loc, left, right, sum);
  }

  /// Uses values at this place. Without a use LLVM sinks the additions past a
  /// branch of copies that follows, but not the loads of B, whose elements
  /// would all be in registers at one time.
  void useHere(ValueRange values) {
    SmallVector<StringRef> constraints(values.size(), "f");
    createInlineAsm(b, loc, TypeRange(), values, /*text=*/"",
                    llvm::join(constraints, ","));
  }

  /// Adds the products of a chunk of K; `elementsOf` gives a row's of A.
  void multiply(SmallVector<Value> &acc, Value chunk,
                llvm::function_ref<SmallVector<Value>(int64_t)> elementsOf) {
    SmallVector<SmallVector<Value>> rows;
    for (int64_t row = 0; row < 2 * fragment.rowTiles; ++row)
      rows.push_back(elementsOf(row));
    for (int64_t eight = 0; eight < fragment.warpEights(); ++eight) {
      auto [left, right] = loadColumns(eight, chunk);
      for (int64_t i = 0; i < kChunkDepth; ++i)
        for (auto [row, elements] : llvm::enumerate(rows)) {
          int64_t first =
              fragment.fragmentRegister(row / 2, eight) + row % 2 * 2;
          acc[first] = fma(elements[i], left[i], acc[first]);
          acc[first + 1] = fma(elements[i], right[i], acc[first + 1]);
        }
    }
  }

  SmallVector<Value> load(Value address, int64_t count) {
    auto type = VectorType::get({count}, b.getF32Type());
    Value loaded =
        LLVM::LoadOp::create(b, loc, type, address, count * sizeof(float));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(
          LLVM::ExtractElementOp::create(b, loc, loaded, constant(i)));
    return elements;
  }

  /// A chunk of the thread's row `row` of A.
  SmallVector<Value> loadRow(int64_t row, Value chunk) {
    auto type = cast<SharedType>(op.getA().getType());
    int64_t fixed = kWarpRows * (row / 2) + 8 * (row % 2);
    return load(warp.leftChunk(type.getTile(), aValues.front(), fixed, laneRow,
                               /*chunk=*/0, chunk, chunksOf(type)),
                kChunkDepth);
  }

  static int64_t chunksOf(SharedType type) {
    return type.getColumns() / kChunkDepth;
  }

  /// Columns [k, k + 4) of an accumulator's row: each is with one of the row's
  /// four lanes.
  SmallVector<Value> shuffleRow(int64_t row, int64_t k) {
    AccumulatorFragment source =
        getFragment(cast<RankedTensorType>(op.getA().getType()));
    Value quad = arith::AndIOp::create(b, loc, warp.lane, constant(28));
    SmallVector<Value> elements;
    for (int64_t column = k; column < k + kChunkDepth; ++column) {
      Value own = aValues[source.fragmentRegister(row / 2, column / 8) +
                          row % 2 * 2 + column % 2];
      Value owner =
          arith::OrIOp::create(b, loc, quad, constant(column % 8 / 2));
      elements.push_back(
          NVVM::ShflOp::create(b, loc, b.getF32Type(), constant(-1), own, owner,
                               constant(31), NVVM::ShflKind::idx, UnitAttr()));
    }
    return elements;
  }

  /// A chunk of K of the thread's two columns of B in the `eight`-th eight of
  /// its warp.
  std::pair<SmallVector<Value>, SmallVector<Value>> loadColumns(int64_t eight,
                                                                Value chunk) {
    int64_t fixed = fragment.columnWarps * eight;
    if (op.getTransposeB()) {
      // A column is a row of the tile.
      Value column = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, warp.columnWarp, constant(8)),
          arith::MulIOp::create(b, loc, lanePair, constant(2)));
      Value next = arith::AddIOp::create(b, loc, column, constant(1));
      auto loadColumn = [&](Value place) {
        return load(bAddress.get(8 * fixed, place, 0, chunk,
                                 chunksOf(op.getB().getType())),
                    kChunkDepth);
      };
      return {loadColumn(column), loadColumn(next)};
    }
    // Eight columns are two chunks, of two pairs each.
    Value place = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, warp.columnWarp, constant(2)),
        arith::ShRUIOp::create(b, loc, lanePair, constant(1)));
    Value inChunk = arith::MulIOp::create(
        b, loc, arith::AndIOp::create(b, loc, lanePair, constant(1)),
        constant(kChunkBytes / 2));
    Value first = arith::MulIOp::create(b, loc, chunk, constant(kChunkDepth));
    SmallVector<Value> left, right;
    for (int64_t i = 0; i < kChunkDepth; ++i) {
      Value row = arith::AddIOp::create(b, loc, first, constant(i));
      Value address = bAddress.get(0, row, 2 * fixed, place,
                                   /*bound=*/2 * fragment.columnWarps);
      address = LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(),
                                    address, ArrayRef<LLVM::GEPArg>{inChunk});
      SmallVector<Value> pair = load(address, 2);
      left.push_back(pair[0]);
      right.push_back(pair[1]);
    }
    return {left, right};
  }
};

struct FmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getMmaSync() || !op.getIeee())
      return rewriter.notifyMatchFailure(op, "not in IEEE arithmetic");
    FailureOr<AccumulatorFragment> fragment = getProductFragment(op);
    if (failed(fragment))
      return failure();
    if (op.getBRows() % 8 != 0)
      return op.emitOpError() << "expected a depth that is a multiple of 8, "
                                 "but got "
                              << op.getB().getType();
    if (!isa<SharedType>(op.getA().getType()) && fragment->columnWarps != 1)
      return op.emitOpError()
             << "expected a left tile whose rows each belong to one warp, but "
                "got "
             << op.getA().getType();
    if (op.getRows())
      clearRows(rewriter, op, adaptor.getB().front(),
                adaptor.getRows().front());
    FmaEmitter emitter(rewriter, op, *fragment, adaptor.getA(),
                       adaptor.getB().front());
    rewriter.replaceOpWithMultiple(op, {emitter.run(adaptor.getAcc())});
    return success();
  }
};
} // namespace

void wgtile::populateFmaPatterns(const TileTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<FmaLowering>(converter, patterns.getContext());
}
