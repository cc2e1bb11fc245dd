//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistVectorReads.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace wgtile;

/// Registers that vectors may take while an iteration's MMAs run: beside the
/// result, weights and scores a thread has few others.
static constexpr int64_t kMostRegisters = 32;

static bool isVector(Operation *op) {
  auto read = dyn_cast<ReadOp>(op);
  return read && read.getTile().getType().getRank() == 1;
}

static bool readsVector(Operation *op) {
  return isVector(op) || isa<ReadLanesOp>(op);
}

/// Whether an op may be computed before `place` of its block, after `moved`.
static bool isReadyBefore(Operation *op, Operation *place,
                          const llvm::SetVector<Operation *> &moved) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return !producer || producer->getBlock() != place->getBlock() ||
           producer->isBeforeInBlock(place) || moved.contains(producer);
  });
}

static bool stores(Operation &op) {
  return op
      .walk([](Operation *one) -> WalkResult {
        return success(!isa<StoreOp, ScatterOp>(one));
      })
      .wasInterrupted();
}

/// The first load or MMA of a block, which waits.
static Operation *findPlace(Block &block) {
  auto place = llvm::find_if(block, llvm::IsaPred<LoadOp, MmaOp>);
  return place == block.end() ? nullptr : &*place;
}

bool wgtile::canReadByLanes(ReadOp read) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return SpreadLanesOp::canMake(read.getTile().getType()) &&
         !read.getTransposed() &&
         succeeded(
             read.getSource().getType().getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// Registers of a thread for a vector of columns: four lanes divide them.
static int64_t countRegisters(ReadOp read) {
  return read.getTile().getType().getDimSize(0) / 4;
}

/// The first use of a value, in the block of all uses if they share one, else
/// in the value's.
static Operation *findFirstUse(Value value) {
  Block *block = value.getUsers().begin()->getBlock();
  if (llvm::any_of(value.getUsers(),
                   [&](Operation *user) { return user->getBlock() != block; }))
    block = value.getParentBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : value.getUsers())
    if (Operation *place = block->findAncestorOpInBlock(*user);
        place->isBeforeInBlock(first))
      first = place;
  return first;
}

ReadLanesOp wgtile::createReadByLanes(OpBuilder &b, ReadOp read) {
  int64_t size = read.getTile().getType().getDimSize(0);
  SmallVector<Type> words(ReadLanesOp::countParts(size), b.getI32Type());
  return ReadLanesOp::create(b, read.getLoc(), words, read.getSource(),
                             read.getIndices(), size,
                             read.getInBounds().front(), read.getPaddingAttr());
}

/// Lets the lanes of a warp read a vector together, and makes it of what they
/// have where it is used.
static void readByLanes(ReadOp read) {
  if (!canReadByLanes(read) || read.use_empty())
    return;
  RankedTensorType type = read.getTile().getType();
  OpBuilder b(read);
  ReadLanesOp lanes = createReadByLanes(b, read);
  b.setInsertionPoint(findFirstUse(read.getTile()));
  Value vector =
      SpreadLanesOp::create(b, read.getLoc(), type, lanes.getParts());
  read.replaceAllUsesWith(vector);
  read.erase();
}

void wgtile::hoistVectorReads(scf::ForOp loop) {
  Block *body = loop.getBody();
  Operation *place = findPlace(*body);
  if (!place)
    return;
  llvm::SetVector<Operation *> ready, moved;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return ready.contains(op); };
  for (Operation &op : llvm::make_range(Block::iterator(place), body->end())) {
    // A read after a store may read the stored elements.
    if (stores(op))
      break;
    if ((readsVector(&op) || (op.getNumRegions() == 0 && isPure(&op))) &&
        isReadyBefore(&op, place, ready))
      ready.insert(&op);
    if (readsVector(&op) && ready.contains(&op))
      (void)getBackwardSlice(&op, &moved, options);
  }
  for (Operation *op : ready)
    if (moved.contains(op))
      op->moveBefore(place);
  // Shuffles cost more than they gain where registers suffice.
  int64_t registers = 0;
  for (Operation *op : moved)
    if (isa<ReadLanesOp>(op))
      registers += op->getNumResults();
    else if (isVector(op) && canReadByLanes(cast<ReadOp>(op)))
      registers += countRegisters(cast<ReadOp>(op));
  if (registers <= kMostRegisters)
    return;
  for (Operation *op : moved)
    if (isVector(op))
      readByLanes(cast<ReadOp>(op));
}

void wgtile::hoistVectorReads(scf::IfOp branch) {
  Block *block = branch->getBlock(), *body = branch.thenBlock();
  Operation *place = findPlace(*block);
  auto isAfter = [&](Operation &op) { return !op.isBeforeInBlock(branch); };
  auto products = block->getOps<MmaOp>();
  if (!place || products.empty() || isAfter(*place) ||
      isAfter(**products.begin()) ||
      llvm::any_of(
          llvm::make_range(Block::iterator(place), Block::iterator(branch)),
          stores))
    return;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    // Elements out of bounds are not accessed, so that the vector may be read
    // even if the branch is not taken.
    auto read = dyn_cast<ReadOp>(op);
    auto lanes = dyn_cast<ReadLanesOp>(op);
    if (lanes ? lanes.getInBounds()
              : !read || !isVector(read) || !canReadByLanes(read) ||
                    read.getInBounds().front())
      continue;
    llvm::SetVector<Operation *> slice;
    (void)getBackwardSlice(&op, &slice, options);
    bool isReady = llvm::all_of(slice, [&](Operation *needed) {
      bool isFree =
          needed == &op || (needed->getNumRegions() == 0 && isPure(needed));
      return isFree && llvm::all_of(needed->getOperands(), [&](Value operand) {
               Operation *producer = operand.getDefiningOp();
               return slice.contains(producer) ||
                      (operand.getParentBlock() != body &&
                       (!producer || producer->getBlock() != block ||
                        producer->isBeforeInBlock(place)));
             });
    });
    if (!isReady)
      continue;
    for (Operation *needed : slice)
      needed->moveBefore(place);
    if (read)
      readByLanes(read);
  }
}
