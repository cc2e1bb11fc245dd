//===- WorkTiles.h - Where the next tile is told of -------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//  The shared memory of the work-tile pipeline, in which the thread that takes
// tiles from a counter passes them on: two slots with a tile's number, used
// alternately, then a full barrier of each, then an empty barrier of each.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_WORKTILES_H
#define SATTN_LAYOUT_WORKTILES_H

#include <cstdint>

namespace sattn::layout {

/// Bytes of an mbarrier object.
inline constexpr int64_t kBarrierBytes = 8;

/// Offsets in bytes from the pipeline's start, which is aligned to a barrier's
/// size.
struct WorkTilesLayout {
  static constexpr int64_t kSlots = 2;
  static constexpr int64_t kNumberBytes = 4;

  static constexpr int64_t number(int64_t slot) { return slot * kNumberBytes; }
  static constexpr int64_t fullBarrier(int64_t slot) {
    return number(kSlots) + slot * kBarrierBytes;
  }
  static constexpr int64_t emptyBarrier(int64_t slot) {
    return fullBarrier(kSlots + slot);
  }
  static constexpr int64_t sizeInBytes() { return emptyBarrier(kSlots); }

  static_assert(kSlots * kNumberBytes % kBarrierBytes == 0,
                "barriers are aligned");
};

} // namespace sattn::layout

#endif // SATTN_LAYOUT_WORKTILES_H
