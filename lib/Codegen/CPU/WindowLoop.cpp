//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLoop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

/// The average number of reads of each row from which on a tensor is packed for
/// all tiles; below it each tile packs the windows that it reads. Measured: a
/// tile's own copy stays in a cache.
static constexpr int64_t kReadsOfPacked = 2;
/// The number of reads above which a tensor is packed if the copy has more
/// elements than kMostKept. Then malloc asks the system for new pages in each
/// call: above 32 MiB glibc keeps no memory.
static constexpr int64_t kReadsOfPackedInNewPages = 8;
static constexpr int64_t kMostKept = (int64_t(32) << 20) / sizeof(float);

std::optional<unsigned> sattn::findCounter(OpFoldResult index,
                                           scf::ForallOp tiles) {
  auto argument = dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(index));
  if (!argument || argument.getOwner() != tiles.getBody() ||
      argument.getArgNumber() >= tiles.getRank())
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<int64_t> sattn::getBound(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constant;
  auto min = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> bound;
  for (AffineExpr expr :
       min ? min.getMap().getResults() : ArrayRef<AffineExpr>())
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      bound =
          std::min(bound.value_or(constant.getValue()), constant.getValue());
  return bound;
}

OpFoldResult sattn::selectIndex(OpBuilder &b, Location loc, Value condition,
                                OpFoldResult ifTrue, OpFoldResult ifFalse) {
  if (ifTrue == ifFalse)
    return ifTrue;
  return arith::SelectOp::create(
             b, loc, condition, getValueOrCreateConstantIndexOp(b, loc, ifTrue),
             getValueOrCreateConstantIndexOp(b, loc, ifFalse))
      .getResult();
}

OpFoldResult sattn::getReadsOfPacked(OpBuilder &b, Location loc,
                                     Value elements) {
  Value needsPages =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, elements,
                            arith::ConstantIndexOp::create(b, loc, kMostKept));
  return selectIndex(b, loc, needsPages,
                     b.getIndexAttr(kReadsOfPackedInNewPages),
                     b.getIndexAttr(kReadsOfPacked));
}

/// Appends the ops of `body` that compute `value`, operands first. False if one
/// cannot be repeated elsewhere, or takes one of the block's arguments other
/// than the first `numIndices`.
static bool collectOps(Value value, Block *body, unsigned numIndices,
                       SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != body || argument.getArgNumber() < numIndices;
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != body || ops.contains(op))
    return true;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return collectOps(operand, body, numIndices, ops);
      }))
    return false;
  ops.insert(op);
  return true;
}

std::optional<WindowLoop> WindowLoop::find(tensor::ExtractSliceOp window,
                                           linalg::MatmulOp op,
                                           scf::ForallOp tiles) {
  WindowLoop found;
  found.loop = dyn_cast<scf::ForOp>(window->getParentOp());
  scf::ForOp loop = found.loop;
  if (!loop || loop->getParentOp() != tiles || !loop->isAncestor(op) ||
      !isOneInteger(getAsOpFoldResult(loop.getStep())))
    return std::nullopt;
  unsigned rank = tiles.getRank();
  found.counters.resize(rank);
  auto use = [&](Value value) {
    if (std::optional<unsigned> counter = findCounter(value, tiles))
      found.counters.set(*counter);
  };
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
    if (!collectOps(bound, tiles.getBody(), rank, found.bounds))
      return std::nullopt;
    use(bound);
  }
  for (Operation *bound : found.bounds)
    llvm::for_each(bound->getOperands(), use);
  return found;
}

bool WindowLoop::addPlace(OpFoldResult index) {
  auto value = dyn_cast<Value>(index);
  return !value || collectOps(value, loop.getBody(), 1, place);
}

IRMapping WindowLoop::clonePlace(OpBuilder &b, Value iteration) const {
  IRMapping mapping;
  mapping.map(scf::ForOp(loop).getInductionVar(), iteration);
  for (Operation *op : place)
    b.clone(*op, mapping);
  return mapping;
}

Value WindowLoop::count(OpBuilder &b, Location loc, scf::ForallOp tiles,
                        std::optional<unsigned> column) {
  auto values = [&](ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> result;
    for (unsigned i : counters.set_bits())
      result.push_back(getValueOrCreateConstantIndexOp(b, loc, sizes[i]));
    return result;
  };
  auto addTile = [&](OpBuilder &nested, Location, ValueRange indices,
                     ValueRange sum) -> scf::ValueVector {
    IRMapping mapping;
    for (auto [i, index] : llvm::zip_equal(counters.set_bits(), indices))
      mapping.map(tiles.getInductionVar(i), index);
    for (Operation *op : bounds)
      nested.clone(*op, mapping);
    Value length = arith::SubIOp::create(
        nested, loc, mapping.lookupOrDefault(loop.getUpperBound()),
        mapping.lookupOrDefault(loop.getLowerBound()));
    return {arith::AddIOp::create(nested, loc, sum[0], length)};
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value sum = scf::buildLoopNest(b, loc, values(tiles.getMixedLowerBound()),
                                 values(tiles.getMixedUpperBound()),
                                 values(tiles.getMixedStep()), zero, addTile)
                  .results[0];
  // The other tiles have as many.
  for (unsigned i = 0; i < tiles.getRank(); ++i) {
    if (counters.test(i) || column == i)
      continue;
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0),
               s1 = b.getAffineSymbolExpr(1);
    OpFoldResult number = affine::makeComposedFoldedAffineApply(
        b, loc, (s0 - d0).ceilDiv(s1),
        {tiles.getMixedLowerBound()[i], tiles.getMixedUpperBound()[i],
         tiles.getMixedStep()[i]});
    sum = arith::MulIOp::create(
        b, loc, sum, getValueOrCreateConstantIndexOp(b, loc, number));
  }
  return sum;
}
