//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPREFETCHEPILOGUELOADS
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
/// A prefetch to place, with the values that it needs at the start of a tile's
/// program.
struct Prefetch {
  ReadOp read;
  SmallVector<Value> indices;
  /// Null: always.
  Value condition;
};

/// Prefetches of one kernel's reads.
class ReadPrefetching {
public:
  ReadPrefetching(gpu::GPUFuncOp kernel, LaunchOp launch)
      : kernel(kernel), maps(kernel, launch) {}

  void run() {
    for (auto loop : kernel.getBody().getOps<ForEachTileOp>()) {
      body = &loop.getBody().front();
      early.clear();
      clones.clear();
      OpBuilder b = OpBuilder::atBlockBegin(body);
      SmallVector<ReadOp> reads;
      loop.walk([&](ReadOp read) { reads.push_back(read); });
      SmallVector<Prefetch> prefetches;
      for (ReadOp read : reads)
        if (std::optional<Prefetch> prefetch = plan(b, read))
          if (llvm::none_of(prefetches, [&](const Prefetch &earlier) {
                return covers(earlier, *prefetch);
              }))
            prefetches.push_back(*prefetch);
      emit(b, prefetches);
    }
    maps.finish();
  }

private:
  gpu::GPUFuncOp kernel;
  TensorMapArguments maps;
  Block *body = nullptr;
  /// Values of the tile's program, computed at its start.
  DenseMap<Value, Value> early;
  /// The ops that compute them.
  SmallVector<Operation *> clones;

  /// Whether a prefetch brings everything that another would, whenever that one
  /// runs: both arms of a branch may read the same tile.
  static bool covers(const Prefetch &earlier, const Prefetch &later) {
    ReadOp read = earlier.read, other = later.read;
    return read.getSource() == other.getSource() &&
           read.getTile().getType() == other.getTile().getType() &&
           earlier.indices == later.indices &&
           (!earlier.condition || earlier.condition == later.condition);
  }

  /// The same value at the builder's insertion point, or null if it needs more
  /// than arithmetic. A value that is computed in several places is computed
  /// once there.
  Value computeEarly(OpBuilder &b, Value value) {
    Operation *loop = body->getParentOp();
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == body ||
                     !loop->isAncestor(argument.getOwner()->getParentOp())
                 ? value
                 : Value();
    Operation *op = value.getDefiningOp();
    if (!loop->isProperAncestor(op))
      return value;
    if (Value known = early.lookup(value))
      return known;
    if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1)
      return {};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(computeEarly(b, operand));
      if (!operands.back())
        return {};
    }
    Operation *clone = b.clone(*op);
    clone->setOperands(operands);
    for (Operation *other : clones)
      if (OperationEquivalence::isEquivalentTo(
              clone, other, OperationEquivalence::IgnoreLocations)) {
        clone->erase();
        return early[value] = other->getResult(0);
      }
    clones.push_back(clone);
    return early[value] = clone->getResult(0);
  }

  /// The condition under which an op of the tile's program runs, as far as it
  /// is known at the start; null: always. Nothing for an op in a loop.
  std::optional<Value> getCondition(OpBuilder &b, Operation *op) {
    Value condition;
    for (; op->getBlock() != body; op = op->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
      if (!branch)
        return std::nullopt;
      Value term = computeEarly(b, branch.getCondition());
      if (!term)
        continue;
      Location loc = branch.getLoc();
      if (op->getBlock() != branch.thenBlock()) {
        Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        term = arith::XOrIOp::create(b, loc, term, yes);
      }
      condition =
          condition ? arith::AndIOp::create(b, loc, condition, term).getResult()
                    : term;
    }
    return condition;
  }

  std::optional<Prefetch> plan(OpBuilder &b, ReadOp read) {
    BlockArgument source = maps.getArgument(read.getSource());
    RankedTensorType tile = read.getTile().getType();
    if (!source || read.getTransposed() || !hasSwizzledRows(tile) ||
        read.getIndices().size() > kMaxTensorMapRank ||
        !kernel.getArgAttr(source.getArgNumber(), kTMACompatibleAttrName))
      return std::nullopt;
    Prefetch prefetch{read, {}, Value()};
    for (Value index : read.getIndices()) {
      prefetch.indices.push_back(computeEarly(b, index));
      if (!prefetch.indices.back())
        return std::nullopt;
    }
    std::optional<Value> condition = getCondition(b, read);
    if (!condition)
      return std::nullopt;
    prefetch.condition = *condition;
    return prefetch;
  }

  void emit(OpBuilder &b, ArrayRef<Prefetch> prefetches) {
    scf::IfOp branch;
    for (const Prefetch &prefetch : prefetches) {
      ReadOp read = prefetch.read;
      Location loc = read.getLoc();
      OpBuilder::InsertionGuard guard(b);
      if (Value condition = prefetch.condition) {
        if (!branch || branch.getCondition() != condition)
          branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
        b.setInsertionPoint(branch.thenBlock()->getTerminator());
      }
      RankedTensorType tile = read.getTile().getType();
      SmallVector<int64_t> box(prefetch.indices.size() - 2, 1);
      box.push_back(sattn::layout::kWgmmaRows);
      box.push_back(tile.getDimSize(1));
      auto type = TensorMapType::get(read.getContext(), box,
                                     tile.getElementType(), kRowSwizzle);
      Value map = maps.getMap(maps.getArgument(read.getSource()), type, loc);
      PrefetchOp::create(b, loc, map, prefetch.indices, getNumWarpgroups(tile));
    }
  }
};

struct PrefetchEpilogueLoadsPass
    : public wgtile::impl::WGTilePrefetchEpilogueLoadsBase<
          PrefetchEpilogueLoadsPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      ReadPrefetching(kernel, launch).run();
  }
};
} // namespace
