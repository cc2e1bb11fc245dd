//===- Schedule.h - How a kernel works through its tiles --------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of `#wgtile.schedule`. A field without a value is not decided.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_SCHEDULE_H
#define SATTN_DIALECT_WGTILE_IR_SCHEDULE_H

#include "llvm/ADT/Hashing.h"

#include <cstdint>
#include <optional>

namespace wgtile {

/// The order in which the last but one index of a tile goes through its values.
enum class TileOrder { Ascending, Descending, Sorted };

struct Schedule {
  std::optional<bool> specialized;
  std::optional<int64_t> warps;
  std::optional<int64_t> stages, tileStages;
  std::optional<bool> borrow;
  std::optional<int64_t> ctasPerSM;
  std::optional<int64_t> entryRegisters, producerRegisters, consumerRegisters;
  std::optional<bool> overlap, orderWarpgroups;
  std::optional<bool> persistent, dynamic, programmaticLaunch;
  std::optional<int64_t> rasterGroup;
  std::optional<int64_t> splitK;
  std::optional<TileOrder> tileOrder;
};

bool operator==(const Schedule &lhs, const Schedule &rhs);
llvm::hash_code hash_value(const Schedule &schedule);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_IR_SCHEDULE_H
