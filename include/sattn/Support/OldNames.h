//===- OldNames.h - What has another name now -------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of ops, attributes, passes and options that IR, scripts and tables from
// before a renaming have. They are refused, with a hint.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_OLDNAMES_H
#define SATTN_SUPPORT_OLDNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace sattn {

/// Where a name is used (empty for ops, passes and attributes with a dialect's
/// prefix), the old name and the new one.
struct OldName {
  llvm::StringLiteral scope, old, now;
};

inline constexpr llvm::StringLiteral kTargetOfModule =
    "wgtile.target of the gpu.module";
inline constexpr llvm::StringLiteral kScheduleOfKernel =
    "wgtile.schedule of the kernel";

inline constexpr OldName kOldNames[] = {
    // Ops.
    {"", "wgtile.ring_acquire", "wgtile.producer_acquire"},
    {"", "wgtile.ring_copy", "wgtile.tma_load"},
    {"", "wgtile.ring_commit", "wgtile.producer_commit"},
    {"", "wgtile.ring_take", "wgtile.consumer_wait"},
    {"", "wgtile.ring_release", "wgtile.consumer_release"},
    {"", "wgtile.ring_drain", "wgtile.consumer_drain"},
    {"", "wgtile.fill", "wgtile.async_copy"},
    {"", "wgtile.commit_fills", "wgtile.producer_commit"},
    {"", "wgtile.async_commit_group", "wgtile.producer_commit"},
    {"", "wgtile.wait_fills", "wgtile.consumer_wait"},
    {"", "wgtile.async_wait_group", "wgtile.consumer_wait"},
    {"", "wgtile.stages", "wgtile.ring"},
    {"", "wgtile.stage", "wgtile.ring_tile"},
    {"", "wgtile.store_async", "wgtile.tma_store"},
    {"", "wgtile.staging", "wgtile.ring"},
    {"", "wgtile.store_shared", "wgtile.ring_store"},
    {"", "wgtile.tma_store_wait", "wgtile.producer_acquire"},
    {"", "wgtile.wait_store", "wgtile.producer_acquire"},
    {"", "wgtile.wait_mma", "wgtile.warpgroup_mma_wait"},
    {"", "wgtile.fence_async", "wgtile.fence_proxy_async"},
    {"", "wgtile.group_barrier", "wgtile.named_barrier"},
    {"", "wgtile.mappable", "wgtile.tma_compatible"},
    {"", "wgtile.multiprocessors", "wgtile.sm_count"},
    {"", "wgtile.queue_acquire", "wgtile.producer_acquire"},
    {"", "wgtile.queue_commit", "wgtile.producer_commit"},
    {"", "wgtile.queue_read", "wgtile.ring_load"},
    {"", "wgtile.queue_release", "wgtile.consumer_release"},
    {"", "wgtile.queue_take", "wgtile.consumer_wait"},
    {"", "wgtile.queue_write", "wgtile.ring_store"},
    {"", "wgtile.work_tile_acquire", "wgtile.producer_acquire"},
    {"", "wgtile.work_tile_commit", "wgtile.producer_commit"},
    {"", "wgtile.work_tile_read", "wgtile.ring_load"},
    {"", "wgtile.work_tile_release", "wgtile.consumer_release"},
    {"", "wgtile.work_tile_wait", "wgtile.consumer_wait"},
    {"", "wgtile.work_tile_write", "wgtile.ring_store"},
    // Attributes.
    {"", "wgtile.copy_engine", "wgtile.tma"},
    {"#wgtile", "row", "slice with dim = 1"},
    {"#wgtile", "column", "slice with dim = 0"},
    {"for_each_tile", "columns", kScheduleOfKernel},
    {"for_each_tile", "raster_group", kScheduleOfKernel},
    {"for_each_tile", "stages", kScheduleOfKernel},
    {"for_each_tile", "warps", kScheduleOfKernel},
    {"for_each_tile", "groups", "consumer_groups"},
    {"for_each_tile", "queue", "offset of wgtile.ring"},
    {"for_each_tile", "work_tiles", "offset of wgtile.ring"},
    {"forall", "columns", "sattn.raster_group"},
    {"forall", "groups", "sattn.consumer_groups"},
    {"forall", "stages", "sattn.stages"},
    {"forall", "tuning", "sattn.tuning"},
    {"forall", "warps", "sattn.warps"},
    {"launch", "prepare", "preprocess"},
    {"meta", "group", "raster_group"},
    // Passes and their options.
    {"", "convert-sattn-to-wgtile", "convert-vector-to-wgtile"},
    {"", "sattn-plan-panels", "sattn-plan-row-block-groups"},
    {"", "wgtile-advance-reads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-prefetch-reads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-slice-stores", "wgtile-subtile-epilogue"},
    {"", "wgtile-stage-reads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-hoist-epilogue-loads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-prefetch-epilogue-loads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-stage-epilogue-loads", "wgtile-place-epilogue-loads"},
    {"", "wgtile-require-unit-strides", "wgtile-version-kernels"},
    {"", "wgtile-order-tiles", "wgtile-persist"},
    {"sattn-inject-meta", "max-shared-bytes", "target"},
    {"sattn-tile", "max-shared-bytes", "target"},
    {"wgtile-allocate-shared", "max-shared-bytes", kTargetOfModule},
    {"wgtile-assign-layouts", "wgmma", kTargetOfModule},
    {"wgtile-persist", "columns", kScheduleOfKernel},
    {"wgtile-persist", "dynamic", kScheduleOfKernel},
    {"wgtile-persist", "raster-group", kScheduleOfKernel},
    {"wgtile-pipeline", "max-shared-bytes", kTargetOfModule},
    {"wgtile-pipeline", "max-stages", kScheduleOfKernel},
    {"wgtile-specialize", "blocks", kScheduleOfKernel},
    {"wgtile-specialize", "ctas-per-sm", kScheduleOfKernel},
    {"wgtile-specialize", "max-shared-bytes", kTargetOfModule},
    {"wgtile-specialize", "max-stages", kScheduleOfKernel},
};

/// A sentence on what a name is called now; empty where it is no old name.
inline std::string findRenaming(llvm::StringRef name,
                                llvm::StringRef scope = "") {
  const auto *found = llvm::find_if(kOldNames, [&](const OldName &entry) {
    return entry.old == name && entry.scope == scope;
  });
  return found == std::end(kOldNames)
             ? std::string()
             : ("'" + name + "' is now '" + found->now + "'").str();
}

} // namespace sattn

#endif // SATTN_SUPPORT_OLDNAMES_H
