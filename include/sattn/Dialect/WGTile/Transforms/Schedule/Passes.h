//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_H
#define SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace wgtile {

#define GEN_PASS_DECL
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_H
