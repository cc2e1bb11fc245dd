//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rotated loop whose first and last MMAs read one tile carries that tile:
//   %a = ring_tile %ring[%s] 0
//   %r = scf.for iter_args(%x = %a) { ... yield %b }
// becomes a loop that carries its stage's token:
//   %t = scf.for iter_args(%u = %s) { %x = ring_tile %ring[%u] 0 ... yield %v }
//   %r = ring_tile %ring[%t] 0
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace wgtile;

namespace {
/// Replaces the tiles that one loop carries.
class CarryingLoop {
public:
  explicit CarryingLoop(scf::ForOp loop) : loop(loop) {}

  FailureOr<scf::ForOp> run() {
    for (auto [init, next] :
         llvm::zip_equal(loop.getInitArgs(), loop.getYieldedValues()))
      if (!isa<SharedType>(init.getType()))
        places.push_back({RingTileOp(), append(init, next), {}});
      else if (failed(addTile(init, next)))
        return failure();
    OpBuilder b(loop);
    auto carrying =
        scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    carrying->setDiscardableAttrs(llvm::to_vector(loop->getDiscardableAttrs()));
    loop.getBody()->getTerminator()->setOperands(yielded);
    loop.getInductionVar().replaceAllUsesWith(carrying.getInductionVar());
    Block *body = carrying.getBody();
    body->clear();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    OpBuilder inside = OpBuilder::atBlockBegin(body), after(loop);
    replace(loop.getRegionIterArgs(), carrying.getRegionIterArgs(), inside);
    replace(loop.getResults(), carrying.getResults(), after);
    loop.erase();
    return carrying;
  }

private:
  scf::ForOp loop;
  SmallVector<Value> inits, yielded;
  /// The place of the value that takes its own, for each value that the loop
  /// carries: for a tile the token, and the instance if that may change.
  struct Place {
    RingTileOp tile;
    size_t value = 0;
    std::optional<size_t> instance;
  };
  SmallVector<Place> places;
  /// Places of tokens: tiles of a stage share one.
  llvm::MapVector<std::pair<Value, Value>, size_t> tokens;

  size_t append(Value init, Value next) {
    inits.push_back(init);
    yielded.push_back(next);
    return inits.size() - 1;
  }

  LogicalResult addTile(Value init, Value next) {
    auto first = init.getDefiningOp<RingTileOp>(),
         later = next.getDefiningOp<RingTileOp>();
    if (!first || !later || first.getRing() != later.getRing() ||
        first.getTile() != later.getTile())
      return loop.emitOpError(
          "expected tiles of the same place in stages of one ring in all "
          "iterations");
    Place place;
    place.tile = first;
    std::pair token(first.getToken(), later.getToken());
    auto [it, isNew] = tokens.try_emplace(token);
    if (isNew)
      it->second = append(token.first, token.second);
    place.value = it->second;
    if (first.getInstance() != later.getInstance())
      place.instance = append(first.getInstance(), later.getInstance());
    places.push_back(place);
    return success();
  }

  /// Replaces what the loop carried at one end by what it carries now.
  void replace(ValueRange carried, ValueRange now, OpBuilder &b) {
    for (auto [value, place] : llvm::zip_equal(carried, places)) {
      Value other = now[place.value];
      if (RingTileOp tile = place.tile)
        other = RingTileOp::create(b, tile.getLoc(), value.getType(),
                                   tile.getRing(), other, tile.getTile(),
                                   place.instance ? now[*place.instance]
                                                  : tile.getInstance());
      value.replaceAllUsesWith(other);
    }
  }
};
} // namespace

/// The ring of a token and the last op of a block that reads a tile of its
/// stage; the block's first op if none does.
static std::pair<RingOp, Operation *> findLastReader(Block *block,
                                                     Value token) {
  RingOp ring;
  Operation *last = nullptr;
  for (Operation *user : token.getUsers()) {
    auto tile = dyn_cast<RingTileOp>(user);
    if (!tile)
      continue;
    ring = tile.getRing().getDefiningOp<RingOp>();
    if (!last)
      last = tile;
    for (Operation *reader : tile->getUsers())
      if (Operation *op = block->findAncestorOpInBlock(*reader);
          op && last->isBeforeInBlock(op))
        last = op;
  }
  return {ring, last};
}

LogicalResult wgtile::carryStages(ForEachTileOp loop) {
  SmallVector<scf::ForOp> loops;
  loop.walk<WalkOrder::PreOrder>([&](scf::ForOp forOp) {
    if (llvm::any_of(forOp.getInitArgs().getTypes(), llvm::IsaPred<SharedType>))
      loops.push_back(forOp);
  });
  SmallVector<std::pair<Block *, Value>> tokens;
  for (scf::ForOp forOp : loops) {
    FailureOr<scf::ForOp> carrying = CarryingLoop(forOp).run();
    if (failed(carrying))
      return failure();
    for (auto [argument, result] : llvm::zip_equal(
             carrying->getRegionIterArgs(), carrying->getResults())) {
      tokens.emplace_back(carrying->getBody(), argument);
      tokens.emplace_back((*carrying)->getBlock(), result);
    }
  }
  // A stage whose token goes on to another loop is given back there.
  for (auto [block, token] : tokens) {
    if (!isa<TokenType>(token.getType()) ||
        llvm::any_of(token.getUsers(), llvm::IsaPred<scf::ForOp, scf::YieldOp>))
      continue;
    if (auto [ring, last] = findLastReader(block, token); last)
      releaseStage(block, ring, token, last);
  }
  loop.walk([](RingTileOp tile) {
    if (tile->use_empty())
      tile.erase();
  });
  return success();
}
