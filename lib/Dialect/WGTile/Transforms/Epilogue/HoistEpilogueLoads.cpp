//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueLoads.h"
#include "StageStores.h"

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace wgtile;

/// Whether a read and a store of some columns touch different elements: columns
/// apart.
static bool areDisjoint(ReadOp read, StoreOp store) {
  RankedTensorType tile = read.getTile().getType();
  if (read.getIndices().size() != store.getIndices().size() ||
      read.getTransposed() != store.getTransposed())
    return false;
  unsigned column = read.getColumnIndex();
  std::optional<int64_t> columns = getConstantDifference(
      read.getIndices()[column], store.getIndices()[column]);
  return columns && (*columns >= store.getTile().getType().getShape().back() ||
                     *columns <= -tile.getDimSize(1));
}

/// The read of a subtile: an op of a block, or the only one at the top of a
/// branch.
static ReadOp findRead(Operation *op) {
  auto isTile = [](ReadOp read) {
    return read && read.getTile().getType().getRank() == 2;
  };
  if (auto read = dyn_cast<ReadOp>(op))
    return isTile(read) ? read : ReadOp();
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return {};
  ReadOp found;
  for (auto read : branch.thenBlock()->getOps<ReadOp>()) {
    if (!isTile(read))
      continue;
    if (found)
      return {};
    found = read;
  }
  return found;
}

/// Copies a read in a branch to a branch of its own before it. Null if it needs
/// more of the branch than arithmetic.
static scf::IfOp guardRead(RewriterBase &rewriter, ReadOp read,
                           scf::IfOp branch) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == branch.thenBlock();
  };
  llvm::SetVector<Operation *> needed;
  if (failed(getBackwardSlice(read.getOperation(), &needed, options)) ||
      !llvm::all_of(needed, [](Operation *op) {
        return op->getNumRegions() == 0 && isMemoryEffectFree(op);
      }))
    return {};
  Location loc = read.getLoc();
  rewriter.setInsertionPoint(branch);
  return scf::IfOp::create(
      rewriter, loc, branch.getCondition(),
      [&](OpBuilder &b, Location) {
        IRMapping mapping;
        for (Operation *op : needed)
          b.clone(*op, mapping);
        scf::YieldOp::create(b, loc, b.clone(*read, mapping)->getResult(0));
      },
      [&](OpBuilder &b, Location) {
        Value zero = arith::ConstantOp::create(
            b, loc, b.getZeroAttr(read.getTile().getType()));
        scf::YieldOp::create(b, loc, zero);
      });
}

/// Moves a read, with what it needs, before a store of its block.
static void moveRead(RewriterBase &rewriter, ReadOp read, StoreOp store,
                     DominanceInfo &dominance) {
  Operation *unit = read;
  auto branch = dyn_cast<scf::IfOp>(read->getParentOp());
  if (branch) {
    unit = guardRead(rewriter, read, branch);
    if (!unit)
      return;
  }
  llvm::SetVector<Value> needed(unit->operand_begin(), unit->operand_end());
  getUsedValuesDefinedAbove(unit->getRegions(), needed);
  if (failed(moveValueDefinitions(rewriter, needed.getArrayRef(), store,
                                  dominance))) {
    if (branch)
      rewriter.eraseOp(unit);
    return;
  }
  rewriter.moveOpBefore(unit, store);
  if (branch)
    rewriter.replaceOp(read, unit);
}

void wgtile::hoistEpilogueLoads(gpu::GPUFuncOp kernel, ForEachTileOp loop) {
  StoreOp last;
  SmallVector<StoreOp> storesSince;
  bool hasMoved = false;
  SmallVector<std::pair<ReadOp, StoreOp>> moves;
  for (Operation &op : loop.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (getStagingType(store, kernel)) {
        last = store;
        storesSince.clear();
        hasMoved = false;
      }
      storesSince.push_back(store);
      continue;
    }
    // It is not known which elements it overwrites.
    if (isa<ScatterOp>(op))
      last = StoreOp();
    ReadOp read = findRead(&op);
    // One subtile's read is in registers beside the subtile before it.
    if (!read || !last || hasMoved)
      continue;
    hasMoved = true;
    if (llvm::all_of(storesSince,
                     [&](StoreOp store) { return areDisjoint(read, store); }))
      moves.emplace_back(read, last);
  }
  IRRewriter rewriter(loop.getContext());
  DominanceInfo dominance;
  for (auto [read, store] : moves)
    moveRead(rewriter, read, store, dominance);
}
