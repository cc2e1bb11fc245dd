//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An option of wgtile-overlap.

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_LATEOPS_H
#define SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_LATEOPS_H

#include "llvm/Support/CommandLine.h"

namespace wgtile {

/// Which kernels compute what only the last MMAs of a block need beside the
/// next block's first MMAs.
enum class LateOps {
  /// Those whose warpgroups do not take turns.
  Auto,
  Never,
  Always
};

inline llvm::cl::ValuesClass getLateOpsValues() {
  return llvm::cl::values(
      clEnumValN(LateOps::Auto, "auto",
                 "those whose warpgroups do not take turns"),
      clEnumValN(LateOps::Never, "never", "none"),
      clEnumValN(LateOps::Always, "always", "all"));
}

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_LATEOPS_H
