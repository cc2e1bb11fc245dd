//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the ops of a tile's program do to shared memory and to asynchronous
// work.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

#include "sattn/Dialect/WGTile/IR/WGTileInterfaces.cpp.inc"

void LoadOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  // No thread may still read the tile's old content; all wait for the copy.
  effects.push_back(SyncEffect::barrier(SyncScope::Block));
  if (isa<TensorMapType>(getSource().getType())) {
    effects.push_back(SyncEffect::write(getTile(), Proxy::Async));
    return;
  }
  effects.push_back(SyncEffect::write(getTile(), Proxy::Generic));
  effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

void MmaOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  std::optional<AsyncKind> async;
  if (getAsync())
    async = AsyncKind::Product;
  Proxy proxy = getMmaSync() ? Proxy::Generic : Proxy::Async;
  for (Value operand : {Value(getA()), Value(getB())})
    if (isa<SharedType>(operand.getType()))
      effects.push_back(SyncEffect::read(operand, proxy, async));
    else if (async)
      effects.push_back(SyncEffect::keep(*async, operand));
  if (async) {
    effects.push_back(SyncEffect::issue(*async, getResult()));
    effects.push_back(SyncEffect::commit(*async));
  } else if (!getMmaSync()) {
    effects.push_back(SyncEffect::wait(AsyncKind::Product, /*pending=*/0));
  }
  // The accumulator may be the result of an MMA that still runs.
  effects.push_back(SyncEffect::forward(getAcc(), getResult()));
}

void WarpgroupMmaWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::wait(AsyncKind::Product, getPending()));
  for (auto [tile, result] : llvm::zip_equal(getTiles(), getResults()))
    effects.push_back(SyncEffect::forward(tile, result));
}

void FenceProxyAsyncOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::fence());
}

void WarpBarrierOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::barrier(SyncScope::Warp));
}

void OrderInitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back({Kind::InitOrder});
}

void OrderWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back({Kind::EnterOrder});
}

void OrderArriveOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back({Kind::LeaveOrder});
}

void BlockBarrierOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

void ProducerAcquireOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Acquire, getRing()));
}

void TmaLoadOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::fill(getRing(), getTile(), getInstance()));
}

void ProducerCommitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::CommitStage, getRing()));
}

void ConsumerWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Take, getRing()));
}

void RingTileOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::StageTile, getRing(), getResult()));
}

void ConsumerReleaseOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::stage(Kind::Release, getRing()).ifHeld(getRing(), getHeld()));
}

void ConsumerDrainOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::wait(AsyncKind::Product, /*pending=*/0)
                        .ifHeld(getRing(), getHeld()));
  effects.push_back(SyncEffect::stage(Kind::ReleaseAll, getRing())
                        .ifHeld(getRing(), getHeld()));
  effects.push_back(SyncEffect::forward(getTile(), getResult()));
}

//===----------------------------------------------------------------------===//
// The work-tile pipeline
//===----------------------------------------------------------------------===//

/// The counter of the scheduler stands for the work-tile pipeline.
static Value getQueue(Operation *op) {
  return cast<ForEachTileOp>(op->getParentOp()).getCounter();
}

void WorkTileAcquireOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Acquire, getQueue(*this)));
}

void WorkTileWriteOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Fill, getQueue(*this)));
}

void WorkTileCommitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::CommitStage, getQueue(*this)));
}

void WorkTileWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Take, getQueue(*this)));
}

void WorkTileReadOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::ReadHeld, getQueue(*this)));
}

void WorkTileReleaseOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::Release, getQueue(*this)));
}

//===----------------------------------------------------------------------===//
// Staged stores
//===----------------------------------------------------------------------===//

void StoreSharedOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::write(getDest(), Proxy::Generic, /*async=*/{},
                                      SyncScope::Group));
}

void ReadSharedOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::read(getSource(), Proxy::Generic));
}

void TmaStoreOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::read(getSource(), Proxy::Async,
                                     AsyncKind::Store, SyncScope::Group));
  effects.push_back(SyncEffect::commit(AsyncKind::Store));
}

void TmaStoreWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::wait(AsyncKind::Store, getPending()));
}

void NamedBarrierOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::barrier(SyncScope::Group));
}

//===----------------------------------------------------------------------===//
// Stages that all threads fill and read
//===----------------------------------------------------------------------===//

void StagesOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::MakeStages, getStages()));
}

void AsyncCopyOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  SyncEffect effect = SyncEffect::stage(Kind::FillStage, getStages());
  effect.tile = getTile();
  effects.push_back(effect);
}

void AsyncCommitGroupOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::commit(AsyncKind::Copy));
}

void AsyncWaitGroupOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::wait(AsyncKind::Copy, getPending()));
  effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

void StageOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::ReadStage, getStages()));
}
