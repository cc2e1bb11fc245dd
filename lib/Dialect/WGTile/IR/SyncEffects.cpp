//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The effects of a tile program's ops on shared memory and on asynchronous
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
  if (getRows())
    effects.push_back(SyncEffect::clear(getB(), getRows()));
  Proxy proxy = getMmaSync() ? Proxy::Generic : Proxy::Async;
  if (isa<SharedType>(getA().getType()))
    effects.push_back(SyncEffect::read(getA(), proxy));
  effects.push_back(SyncEffect::read(getB(), proxy).afterClear(getRows()));
  if (!getMmaSync())
    effects.push_back(SyncEffect::wait(AsyncKind::Product, /*pending=*/0));
  // The accumulator may be the result of an MMA that still runs.
  effects.push_back(SyncEffect::forward(getAcc(), getResult()));
}

void MmaAsyncOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (getRows())
    effects.push_back(SyncEffect::clear(getB(), getRows()));
  effects.push_back(
      isa<SharedType>(getA().getType())
          ? SyncEffect::read(getA(), Proxy::Async, AsyncKind::Product)
          : SyncEffect::keep(AsyncKind::Product, getA()));
  effects.push_back(SyncEffect::read(getB(), Proxy::Async, AsyncKind::Product)
                        .afterClear(getRows()));
  effects.push_back(SyncEffect::issue(AsyncKind::Product, getResult()));
  effects.push_back(SyncEffect::commit(AsyncKind::Product));
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

void TileReduceOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (getOffset())
    effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

void TileCombineOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (getOffset())
    effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

/// No effects: tiles are taken from a counter in global memory.
void NextTileOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {}

void DelayOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {}

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

void RingOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (!getConsumerWarps() && !getRing().getType().isStaging())
    effects.push_back(SyncEffect::stage(Kind::MakeRing, getRing()));
}

void NoStageOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::NoStage, Value(), getToken()));
}

void ProducerAcquireOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  RingType ring = getRing().getType();
  if (ring.isStaging())
    effects.push_back(
        SyncEffect::wait(AsyncKind::Store, /*pending=*/ring.getStages() - 1));
  effects.push_back(SyncEffect::stage(Kind::Acquire, getRing(), getToken()));
}

void TmaLoadOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::fill(getRing(), getTile(), getInstance()).with(getToken()));
}

void AsyncCopyOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::fill(getRing(), getTile(), /*instance=*/0).with(getToken()));
}

void RingStoreOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::fill(getRing(), getTile(), /*instance=*/0).with(getToken()));
  if (getRing().getType().isStaging())
    effects.push_back(SyncEffect::write(getRing(), Proxy::Generic, /*async=*/{},
                                        SyncScope::Group)
                          .with(getToken()));
}

void TmaStoreOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::read(getRing(), Proxy::Async, AsyncKind::Store,
                                     SyncScope::Group)
                        .with(getToken()));
  effects.push_back(SyncEffect::commit(AsyncKind::Store));
}

void ProducerCommitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  RingType ring = getRing().getType();
  if (isCooperative(*this, ring) && ring.hasSharedTiles())
    effects.push_back(SyncEffect::commit(AsyncKind::Copy));
  effects.push_back(
      SyncEffect::stage(Kind::CommitStage, getRing()).with(getToken()));
}

void ConsumerWaitOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (getPending())
    effects.push_back(SyncEffect::wait(AsyncKind::Copy, *getPending()));
  if (isCooperative(*this))
    effects.push_back(SyncEffect::barrier(SyncScope::Block));
  effects.push_back(SyncEffect::stage(Kind::Take, getRing(), getToken()));
}

void RingTileOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::stage(Kind::StageTile, getRing(), getResult())
                        .with(getToken()));
}

void RingLoadOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::stage(Kind::ReadHeld, getRing()).with(getToken()));
}

void ConsumerReleaseOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::stage(Kind::Release, getRing()).with(getToken()));
}

void ProducerTailOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  if (getRing().getType().isStaging()) {
    effects.push_back(SyncEffect::wait(AsyncKind::Store, /*pending=*/0));
    return;
  }
  effects.push_back(SyncEffect::wait(AsyncKind::Copy, /*pending=*/0));
  effects.push_back(SyncEffect::barrier(SyncScope::Block));
}

void StageBorrowOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::stage(Kind::Borrow, getRing()).with(getToken()));
}

void StageReturnOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::wait(AsyncKind::Store, /*pending=*/0));
  effects.push_back(SyncEffect::barrier(SyncScope::Group));
  effects.push_back(SyncEffect::stage(Kind::Return, getRing()));
}

void ConsumerDrainOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(
      SyncEffect::wait(AsyncKind::Product, /*pending=*/0).with(getToken()));
  effects.push_back(
      SyncEffect::stage(Kind::Release, getRing()).with(getToken()));
  for (auto [tile, result] : llvm::zip_equal(getTiles(), getResults()))
    effects.push_back(SyncEffect::forward(tile, result));
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

void ReadSharedOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::read(getSource(), Proxy::Generic));
}

void NamedBarrierOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  effects.push_back(SyncEffect::barrier(SyncScope::Group));
}
